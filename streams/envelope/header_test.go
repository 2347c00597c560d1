package envelope

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// headers draws headers with odd strings among them.
func headers() *rapid.Generator[Header] {
	return rapid.Custom(func(t *rapid.T) Header {
		h := Header{
			Type:     rapid.OneOf(rapid.StringMatching(`[A-Za-z.]{1,20}`), rapid.String()).Draw(t, "type"),
			Source:   rapid.OneOf(rapid.StringMatching(`[a-z0-9-]{0,20}`), rapid.String()).Draw(t, "source"),
			Sequence: numbers().Draw(t, "sequence"),
			Previous: numbers().Draw(t, "previous"),
		}
		if rapid.Bool().Draw(t, "with time") {
			zone := time.FixedZone("", 60*rapid.IntRange(-23*60, 23*60).Draw(t, "zone"))
			h.Time = time.Unix(rapid.Int64Range(0, 250_000_000_000).Draw(t, "s"), rapid.Int64Range(0, 1e9).Draw(t, "ns")).In(zone)
		}
		return h
	})
}

func numbers() *rapid.Generator[uint64] {
	return rapid.OneOf(rapid.Uint64(), rapid.Uint64Max(1000), rapid.Uint64Min(math.MaxUint64-1000))
}

func (h Header) equal(o Header) bool {
	same := h.Time.Equal(o.Time)
	h.Time, o.Time = time.Time{}, time.Time{}
	return same && h == o
}

// TestHeadersAreJSON holds that both ways of writing and reading a header agree.
func TestHeadersAreJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := headers().Draw(t, "header")
		written, err := appendHeader(nil, &h)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{written, want} {
			var read, standard Header
			if err := readHeader(data, &read); err != nil || !read.equal(h) {
				t.Fatalf("%s: read %+v, %v", data, read, err)
			}
			if err := json.Unmarshal(data, &standard); err != nil || !standard.equal(h) {
				t.Fatalf("%s: read by encoding/json %+v, %v", data, standard, err)
			}
		}
	})
}

func TestCommonHeadersArePlain(t *testing.T) {
	t.Parallel()
	for _, h := range []Header{
		{Type: "HeartbeatRequest"},
		{Type: "Note", Source: "ledger", Sequence: 1000, Previous: 999, Time: time.Now()},
		{Type: "Note", Sequence: math.MaxInt64},
	} {
		data, err := appendHeader(nil, &h)
		if err != nil {
			t.Fatal(err)
		}
		if read := (Header{}); !read.readPlain(data) || !read.equal(h) {
			t.Errorf("%s: %+v", data, read)
		}
	}
}

// FuzzReadHeader holds that the short way reads nothing that encoding/json would not, or otherwise.
func FuzzReadHeader(f *testing.F) {
	for _, seed := range []string{
		`{"type":"a"}`, `{"type":"a","source":"b","sequence":1,"previous":0,"time":"2026-01-02T03:04:05.6Z"}`, `{"type":"a","sequence":01}`,
		`{"type":"a","sequence":18446744073709551616}`, `{"type":"a","time":"2026-13-02T03:04:05Z"}`, `{"type":"a"}}`, `{"type":"a","sequence":}`,
		`{"type":"\u0061"}`, `{"type":"é"}`, `{"type":"a","time":""}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var h, standard Header
		if !h.readPlain(data) {
			return
		}
		if err := json.Unmarshal(data, &standard); err != nil || !h.equal(standard) {
			t.Errorf("%q: %+v, encoding/json: %+v, %v", data, h, standard, err)
		}
	})
}
