package digest_test

import (
	"encoding/hex"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/digest"
)

// TestDigestsStayAsTheyAre: replicas of two versions name the same content alike.
func TestDigestsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	b := digest.Flag(digest.Texts(digest.Text(nil, "peer-a"), []string{"x", ""}), true)
	if got := hex.EncodeToString(b); got != "06706565722d61"+"020178"+"00"+"01" {
		t.Errorf("written as %s", got)
	}
	sum := digest.Of([]byte("abc"))
	if got := hex.EncodeToString(sum[:]); got != "ba7816bf8f01cfea414140de5dae2223" { // of SHA-256, FIPS 180
		t.Errorf("named %s", got)
	}
}

func TestNoTwoListsAreWrittenAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.StringMatching("[a-c]{0,3}"))
		a, b := texts.Draw(t, "a"), texts.Draw(t, "b")
		same := len(a) == len(b)
		for i := 0; same && i < len(a); i++ {
			same = a[i] == b[i]
		}
		if (string(digest.Texts(nil, a)) == string(digest.Texts(nil, b))) != same {
			t.Fatalf("%q and %q", a, b)
		}
	})
}
