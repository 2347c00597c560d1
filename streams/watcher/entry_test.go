package watcher

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzEntry: what is no entry is called damaged, and what is one is written again as it was.
func FuzzEntry(f *testing.F) {
	f.Add(encodeEntry(Event{Operation: OperationCreate, ObjectType: "run", Object: []byte(`{"id":"r1"}`)}))
	f.Add(encodeEntry(Event{Operation: OperationDelete, ObjectType: "x"}))
	f.Add([]byte{1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 5, 'r'})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := decodeEntry(7, data, "run")
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		if again := encodeEntry(e); !bytes.Equal(again, data) {
			t.Fatalf("%x was read as %+v, which is written as %x", data, e, again)
		}
	})
}
