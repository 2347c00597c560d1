//go:build !nocas

package store_test

import "github.com/nats-io/nats.go/jetstream"

const comparesAndSwaps = true

func writer(js jetstream.JetStream) jetstream.JetStream { return js }
