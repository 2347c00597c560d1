package kv

import "strings"

// Space is the keys of one kind: those of so many tokens under one prefix, in the stream of one bucket.
type Space struct {
	Bucket string
	Prefix string // of its subjects; ends with a dot
	Tokens int
}

// BucketSpace is the space of a bucket that holds keys of one token and nothing else.
func BucketSpace(bucket string) Space { return Space{bucket, BucketPrefix(bucket), 1} }

// Filter matches all subjects of the space, also those where no key of ours can stand.
func (s Space) Filter() string { return s.Prefix + ">" }

// Holds says whether a subject is of the space.
func (s Space) Holds(subject string) bool { return strings.HasPrefix(subject, s.Prefix) }

// Key is the key of a subject of the space.
func (s Space) Key(subject string) Key { return Key(strings.TrimPrefix(subject, s.Prefix)) }
