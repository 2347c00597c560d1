package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// editable are the flags of `nats stream edit` by which a setting of a stream can be changed that stands; "":
// it can't be changed to what is wanted.
var editable = map[string]func(want jetstream.StreamConfig) string{
	"subjects":                     func(c jetstream.StreamConfig) string { return "--subjects=" + strings.Join(c.Subjects, ",") },
	"num_replicas (--js-replicas)": func(c jetstream.StreamConfig) string { return fmt.Sprintf("--replicas=%d", c.Replicas) },
	"max_age":                      func(c jetstream.StreamConfig) string { return fmt.Sprintf("--max-age=%v", c.MaxAge) },
	"max_msg_size":                 func(c jetstream.StreamConfig) string { return fmt.Sprintf("--max-msg-size=%d", c.MaxMsgSize) },
	"max_msgs":                     func(c jetstream.StreamConfig) string { return fmt.Sprintf("--max-msgs=%d", c.MaxMsgs) },
	"max_msgs_per_subject": func(c jetstream.StreamConfig) string {
		return fmt.Sprintf("--max-msgs-per-subject=%d", c.MaxMsgsPerSubject)
	},
	"max_bytes": func(c jetstream.StreamConfig) string { return fmt.Sprintf("--max-bytes=%d", c.MaxBytes) },
	"discard": func(c jetstream.StreamConfig) string {
		return "--discard=" + strings.ToLower(strings.TrimPrefix(c.Discard.String(), "Discard"))
	},
	"duplicate_window":    func(c jetstream.StreamConfig) string { return fmt.Sprintf("--dupe-window=%v", c.Duplicates) },
	"no_ack":              func(c jetstream.StreamConfig) string { return either(!c.NoAck, "ack") },
	"allow_rollup_hdrs":   func(c jetstream.StreamConfig) string { return either(c.AllowRollup, "allow-rollup") },
	"allow_direct":        func(c jetstream.StreamConfig) string { return either(c.AllowDirect, "allow-direct") },
	"allow_atomic":        func(c jetstream.StreamConfig) string { return either(c.AllowAtomicPublish, "allow-batch") },
	"allow_msg_ttl":       func(c jetstream.StreamConfig) string { return enabled(c.AllowMsgTTL, "--allow-msg-ttl") },
	"allow_msg_schedules": func(c jetstream.StreamConfig) string { return enabled(c.AllowMsgSchedules, "--allow-schedules") },
	"subject_delete_marker_ttl": func(c jetstream.StreamConfig) string {
		return enabled(c.SubjectDeleteMarkerTTL > 0, fmt.Sprintf("--subject-del-markers-ttl=%v", c.SubjectDeleteMarkerTTL))
	},
	"subject_transform": func(jetstream.StreamConfig) string { return "--no-transform" },
}

// enabled is the flag of what can be enabled, and never disabled again.
func enabled(on bool, flag string) string {
	if on {
		return flag
	}
	return ""
}

func either(on bool, flag string) string {
	if on {
		return "--" + flag
	}
	return "--no-" + flag
}

// mendStream is how a stream becomes as it must be: edited, where the server allows that, else made anew.
func (e *exam) mendStream(have, want jetstream.StreamConfig, list jet.Differences) string {
	words := []string{want.Name}
	for _, d := range list {
		flag := ""
		if f := editable[d.Field]; f != nil {
			flag = f(want)
		}
		if flag == "" {
			remove := e.nats("stream rm", want.Name, "-f")
			if bucket, is := strings.CutPrefix(want.Name, "KV_"); is {
				remove = e.nats("kv del", bucket, "-f")
			}
			return fmt.Sprintf("%s cannot be changed: `%s` saves what is of use, `%s` removes it, and a replica makes it anew",
				d.Field, e.nats("backup stream", want.Name, want.Name+".backup"), remove)
		}
		words = append(words, flag)
	}
	if strings.HasPrefix(want.Name, "KV_") {
		return e.mendBucket(have, want, list)
	}
	return "`" + e.nats("stream edit", append(words, "-f")...) + "`"
}

// mendBucket asks the server itself: of the stream of a bucket the nats command wants to be told once more,
// at a terminal, that it shall be edited.
func (e *exam) mendBucket(have, want jetstream.StreamConfig, list jet.Differences) string {
	stands, wanted := fieldsOf(have), fieldsOf(want)
	for _, d := range list {
		field, _, _ := strings.Cut(d.Field, " ")
		if value, given := wanted[field]; given {
			stands[field] = value
		} else {
			delete(stands, field)
		}
	}
	body, err := json.Marshal(stands)
	if err != nil {
		return err.Error()
	}
	return "`" + e.nats("req", "$JS.API.STREAM.UPDATE."+want.Name, string(body)) + "`"
}

// mendCopies has streams kept three times.
func (e *exam) mendCopies(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		want := e.streams[name].Config
		want.Replicas = 3
		list[i] = e.mendStream(e.streams[name].Config, want, jet.Differences{{Field: "num_replicas (--js-replicas)"}})
	}
	return strings.Join(list, ", ")
}

func fieldsOf(c jetstream.StreamConfig) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	if text, err := json.Marshal(c); err == nil {
		_ = json.Unmarshal(text, &fields) // an object that was just written
	}
	return fields
}

// mendCaptor is how a stream of others lets go of our subjects.
func (e *exam) mendCaptor(ctx context.Context, name string, ours []string) string {
	stream, err := e.js.Stream(ctx, name)
	if err != nil {
		return "take our subjects out of " + name
	}
	var rest []string
	for _, subject := range stream.CachedInfo().Config.Subjects {
		if !slices.Contains(ours, subject) {
			rest = append(rest, subject)
		}
	}
	if len(rest) == 0 || len(rest) == len(stream.CachedInfo().Config.Subjects) { // nothing would be left, or it has ours in a wildcard
		return fmt.Sprintf("give %s other subjects, or remove it if nobody needs it: `%s`", name, e.nats("stream rm", name, "-f"))
	}
	return "`" + e.nats("stream edit", name, "--subjects="+strings.Join(rest, ","), "-f") + "`"
}
