package workflow_test

import (
	"encoding/hex"
	"strings"
	"testing"
)

const digested = `{"id":"w","name":"n","graph":{
	"items":{"a":{"processing":{"id":"x","duration_s":1}},"b":{"processing":{}},
		"c":{"compute":{"id":"r","peer_id":"p","demand":{"ram":1,"cpu":2}}},"d":{"storage":{"id":"s","peer_id":"q"}}},
	"links":[{"source":"a","destination":"b"},{"source":"a","destination":"c"}]}}`

func TestDigestIsStable(t *testing.T) {
	t.Parallel()
	sum := mustDecode(t, digested).Digest()
	if got := hex.EncodeToString(sum[:]); got != "1f9a06ba2806c3e4166119fe3ea69468" {
		t.Errorf("digest = %s: replicas of two releases would not agree on versions", got)
	}
}

func TestDigestNamesTheMeaning(t *testing.T) {
	t.Parallel()
	same := map[string]string{
		`"name":"n",`:        `"name":"\u006e", "unknown": {"x":1},`,
		`"duration_s":1`:     `"duration_s":1.0`,
		`"ram":1,"cpu":2`:    `"cpu":2,"none":0,"ram":1`,
		`"peer_id":"p"`:      `"creator_id":"p"`,
		`"peer_id":"q"`:      `"peer_id":"q","demand":null`,
		`"links":[`:          `"links":[{"source":"a","destination":"c"},`,
		`"b":{"processing":`: `"b":{"data":null,"processing":`,
	}
	different := map[string]string{
		`"id":"w"`:                          `"id":"v"`,
		`"name":"n"`:                        `"name":"m"`,
		`"duration_s":1`:                    `"duration_s":2`,
		`"b":{"processing":{}}`:             `"b":{"processing":{"duration_s":0}}`,
		`"ram":1,`:                          ``,
		`"cpu":2`:                           `"cpu":2.001`,
		`"demand":{"ram":1,"cpu":2}`:        `"demand":{}`,
		`,"demand":{"ram":1,"cpu":2}`:       ``,
		`"id":"r"`:                          `"id":"r2"`,
		`"peer_id":"p"`:                     `"peer_id":"q"`,
		`"storage"`:                         `"compute"`,
		`{"source":"a","destination":"b"}`:  `{"source":"b","destination":"a"}`,
		`,{"source":"a","destination":"c"}`: ``,
	}
	base := mustDecode(t, digested).Digest()
	for _, set := range []struct {
		edits map[string]string
		equal bool
	}{{same, true}, {different, false}} {
		for from, to := range set.edits {
			doc := strings.Replace(digested, from, to, 1)
			if doc == digested {
				t.Fatalf("%s is not in the document", from)
			}
			if got := mustDecode(t, doc).Digest(); (got == base) != set.equal {
				t.Errorf("%s -> %s: equal %v, want %v", from, to, got == base, set.equal)
			}
		}
	}
}
