package jet_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// changed sets one field of a configuration to something else, and says whether it could.
func changed(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.String:
		v.SetString("other")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return changed(v.Index(0))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	default:
		return false
	}
	return true
}

// noticed lists the fields of the configuration whose change alone is exactly one difference.
func noticed[C any](t *testing.T, want C, differences func(have, want C) jet.Differences) map[string]bool {
	t.Helper()
	fields := map[string]bool{}
	for i := range reflect.TypeFor[C]().NumField() {
		have := want
		if !changed(reflect.ValueOf(&have).Elem().Field(i)) {
			continue
		}
		name := reflect.TypeFor[C]().Field(i).Name
		switch l := differences(have, want); len(l) {
		case 0:
		case 1:
			fields[name] = true
		default:
			t.Errorf("%s: %v", name, l)
		}
	}
	return fields
}

func sameFields(t *testing.T, got map[string]bool, want ...string) {
	t.Helper()
	for _, name := range want {
		if !got[name] {
			t.Errorf("%s may be anything", name)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("operators may not set %v", got)
	}
}

func TestWhatIsCompared(t *testing.T) {
	t.Parallel()
	sameFields(t, noticed(t, jetstream.StreamConfig{Duplicates: time.Minute}, jet.StreamDifferences),
		"Subjects", "Retention", "Storage", "Replicas", "MaxAge", "MaxMsgSize", "MaxMsgs", "MaxMsgsPerSubject",
		"MaxBytes", "Discard", "Duplicates", "NoAck", "Sealed", "AllowRollup", "AllowDirect", "AllowMsgTTL",
		"SubjectDeleteMarkerTTL", "AllowAtomicPublish", "AllowMsgSchedules", "Mirror", "Sources", "SubjectTransform")
	sameFields(t, noticed(t, jetstream.ConsumerConfig{}, jet.ConsumerDifferences),
		"DeliverPolicy", "AckPolicy", "AckWait", "MaxDeliver", "MaxAckPending", "FilterSubject", "FilterSubjects",
		"ReplayPolicy", "HeadersOnly", "DeliverSubject", "MaxRequestBatch", "MaxRequestExpires", "MaxRequestMaxBytes", "BackOff")
}

func TestNoDifference(t *testing.T) {
	t.Parallel()
	have := jetstream.StreamConfig{Subjects: []string{"b", "a"}, Duplicates: time.Minute, Description: "a note"}
	if l := jet.StreamDifferences(have, jetstream.StreamConfig{Subjects: []string{"a", "b"}}); l != nil {
		t.Errorf("%v", l)
	}
}

func TestDifferencesInWords(t *testing.T) {
	t.Parallel()
	l := jet.Differences{{"max_age", "1h0m0s", "24h0m0s"}, {"no_ack", "true", "false"}}
	err := &jet.ForeignError{Name: "stream S", Differences: l}
	if got := err.Error(); got != "stream S has a foreign configuration: max_age is 1h0m0s, must be 24h0m0s; no_ack is true, must be false" {
		t.Error(got)
	}
}
