package issuer

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/access"
	"oc-scheduler/store/id"
)

// claims are what a token says, by name, as it is written.
type claims map[string]json.RawMessage

// readClaims reads the payload of a token. One in which a name stands twice says two things; it is false for that,
// too.
func readClaims(payload []byte) (c claims, ok bool) {
	if !jsontext.Value(payload).IsValid() || json.Unmarshal(payload, &c) != nil {
		return nil, false
	}
	return c, c != nil
}

// text is a claim that is a string; "" for any other.
func (c claims) text(name string) (text string) {
	_ = json.Unmarshal(c[name], &text) // which leaves it empty
	return text
}

// longestTime is beyond what any clock shows, and well within what can be counted with.
const longestTime = 1 << 40

// time is a moment, in seconds since 1970, which may have a fraction. given is false where there is none; ok is
// false where what is there is none.
func (c claims) time(name string) (at time.Time, given, ok bool) {
	text, given := c[name]
	if !given {
		return at, false, true
	}
	var seconds float64
	if text[0] == 'n' || json.Unmarshal(text, &seconds) != nil || !(seconds > 0 && seconds < longestTime) {
		return at, true, false
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*1e9)), true, true
}

// values are the strings of a claim, which is one or a list of them. Its name is looked for as it is, then as a
// path with dots.
func (c claims) values(name string) []string { return stringsOf(at(c, name)) }

func at(within map[string]json.RawMessage, path string) json.RawMessage {
	if found, is := within[path]; is {
		return found
	}
	name, rest, deeper := strings.Cut(path, ".")
	var inner map[string]json.RawMessage
	if !deeper || json.Unmarshal(within[name], &inner) != nil {
		return nil
	}
	return at(inner, rest)
}

func stringsOf(text json.RawMessage) []string {
	var one string
	if json.Unmarshal(text, &one) == nil && one != "" {
		return []string{one}
	}
	var all []any
	if json.Unmarshal(text, &all) != nil {
		return nil
	}
	var list []string
	for _, v := range all {
		if s, is := v.(string); is && id.Check(s) == nil {
			list = append(list, s)
		}
	}
	return list
}

// meant says whether a token is of an issuer, and for somebody.
func (c claims) meant(issuer, audience string) bool {
	return c.text("iss") == issuer && slices.Contains(stringsOf(c["aud"]), audience)
}

// leeway is how far the clocks of the issuer and of this machine may be apart.
const leeway = 30 * time.Second

// valid says whether a token is of its time: it has an end.
func (c claims) valid(now time.Time) bool {
	exp, ends, ok := c.time("exp")
	if !ends || !ok || !now.Before(exp.Add(leeway)) {
		return false
	}
	for _, name := range []string{"nbf", "iat"} {
		if from, given, ok := c.time(name); !ok || given && now.Before(from.Add(-leeway)) {
			return false
		}
	}
	return true
}

const maxSubject = 255 // bytes: OpenID Connect Core, section 2

// person is whom a valid token speaks of; false: of nobody whom a log could name.
func (c claims) person(groupsClaim string, roles map[string]access.Role) (*Person, bool) {
	sub := c.text("sub")
	if sub == "" || len(sub) > maxSubject || strings.ContainsFunc(sub, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return nil, false
	}
	name := sub
	for _, claim := range []string{"email", "preferred_username", "name"} {
		if text := c.text(claim); id.Check(text) == nil {
			name = text
		}
	}
	groups := c.values(groupsClaim)
	role := access.Nobody
	for _, value := range slices.Concat(groups, c.values("roles")) {
		role = max(role, roles[value])
	}
	since, _, _ := c.time("iat")
	end, _, _ := c.time("exp")
	return &Person{
		Subject: &access.Subject{ID: subjectPrefix + sub, Name: name, Role: role, Groups: access.GroupsOf(groups), Since: since, End: end},
		End:     end.Add(leeway),
	}, true
}
