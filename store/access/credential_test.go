package access_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"oc-scheduler/store/access"
)

func TestATokenIsWhatItsBearerShows(t *testing.T) {
	t.Parallel()
	shape := regexp.MustCompile(`^oct_[0-9A-Za-z]+_[0-9A-Za-z]{33}$`)
	seen := map[string]bool{}
	for range 100 {
		made := access.Mint()
		text := made.Reveal()
		read, ok := access.ParseCredential(text)
		if !ok || read != made || !shape.MatchString(text) || seen[text] || seen[made.ID] {
			t.Fatalf("%v is read as %v, %v", made, read, ok)
		}
		seen[text], seen[made.ID] = true, true
	}
	if made := access.MintAs("bootstrap"); !strings.HasPrefix(made.Reveal(), "oct_bootstrap_") {
		t.Error(made)
	}
}

// TestATokenIsNotPrinted by whatever way of printing one may be led to a log.
func TestATokenIsNotPrinted(t *testing.T) {
	t.Parallel()
	made := access.Mint()
	_, secret, _ := strings.Cut(strings.TrimPrefix(made.Reveal(), "oct_"), "_")
	doc, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(made), fmt.Sprintf("%v %+v %#v %s", made, made, made, made), string(doc)} {
		if strings.Contains(text, secret) || !strings.Contains(text, made.ID) {
			t.Error(text)
		}
	}
}

func TestWhatIsNoToken(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("s", 33)
	for _, text := range []string{
		"", "oct_", "oct__" + secret, "oct_a", "oct_a_", "oct_a_" + secret[1:], "oct_a_" + secret + "s", "OCT_a_" + secret, "a_" + secret,
		"oct_a-_" + secret, "oct_é_" + secret, "oct_a_" + secret[1:] + "-", "oct_a_b_" + secret, " oct_a_" + secret, "oct_a_" + secret + "\n",
		"oct_" + strings.Repeat("a", 65) + "_" + secret, "oct_a_" + secret[2:] + "é",
	} {
		if c, ok := access.ParseCredential(text); ok || c != (access.Credential{}) {
			t.Errorf("%q is the token %v", text, c)
		}
	}
}

func TestDigests(t *testing.T) {
	t.Parallel()
	a, b := access.Mint(), access.Mint()
	if !a.Digest().Is(a.Digest()) || a.Digest().Is(b.Digest()) {
		t.Error("a digest is that of its secret alone")
	}
	text, err := a.Digest().MarshalText()
	if err != nil || len(text) != 64 {
		t.Fatal(string(text), err)
	}
	var read access.Digest
	if err := read.UnmarshalText(text); err != nil || !read.Is(a.Digest()) {
		t.Error(err)
	}
	for _, bad := range []string{"", "00", string(text[:63]), string(text) + "0", string(text[:62]) + "zz"} {
		if err := read.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is a digest", bad)
		}
	}
}
