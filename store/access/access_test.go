package access_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"oc-scheduler/store/access"
)

// TestEveryDecision walks all roles, rights and groups: each line is a right, each column a role, and of each
// role first what is everybody's, then what belongs to an own and to a foreign group.
func TestEveryDecision(t *testing.T) {
	t.Parallel()
	const y, unknown, forbidden, hidden = access.Allowed, access.Unknown, access.Forbidden, access.Hidden
	table := map[access.Right][6][3]access.Verdict{
		//                 nobody known, role none, viewer, user, operator, admin
		access.Open:    {{y, y, y}, {y, y, y}, {y, y, y}, {y, y, y}, {y, y, y}, {y, y, y}},
		access.Read:    {{unknown, unknown, unknown}, {forbidden, forbidden, forbidden}, {y, y, hidden}, {y, y, hidden}, {y, y, y}, {y, y, y}},
		access.Write:   {{unknown, unknown, unknown}, {forbidden, forbidden, forbidden}, {forbidden, forbidden, forbidden}, {y, y, hidden}, {y, y, y}, {y, y, y}},
		access.Operate: {{unknown, unknown, unknown}, {forbidden, forbidden, forbidden}, {forbidden, forbidden, forbidden}, {forbidden, forbidden, forbidden}, {y, y, y}, {y, y, y}},
		access.Govern:  {{unknown, unknown, unknown}, {forbidden, forbidden, forbidden}, {forbidden, forbidden, forbidden}, {forbidden, forbidden, forbidden}, {forbidden, forbidden, forbidden}, {y, y, y}},
		0:              {{unknown, unknown, unknown}, {forbidden, forbidden, forbidden}, {forbidden, forbidden, forbidden}, {forbidden, forbidden, forbidden}, {forbidden, forbidden, forbidden}, {y, y, y}},
	}
	owners := [3][]string{nil, {"alpha", "own"}, {"beta", "foreign"}}
	for right, byRole := range table {
		for column, verdicts := range byRole {
			var s *access.Subject
			if column > 0 {
				s = &access.Subject{Role: access.Role(column - 1), Groups: []string{"mine", "own"}}
			}
			for of, want := range verdicts {
				t.Run(fmt.Sprint("right ", right, " column ", column, " of ", owners[of]), func(t *testing.T) {
					t.Parallel()
					if got := access.DecideOn(s, right, owners[of]); got != want {
						t.Errorf("verdict %d, want %d", got, want)
					}
					if got, early := access.Decide(s, right), want; early != hidden && got != early {
						t.Errorf("before the object: verdict %d, want %d", got, early)
					}
				})
			}
		}
	}
}

func TestGroupsThatMayBeGiven(t *testing.T) {
	t.Parallel()
	for role, foreign := range map[access.Role]bool{access.Viewer: false, access.User: false, access.Operator: true, access.Admin: true} {
		s := &access.Subject{Role: role, Groups: []string{"a", "b"}}
		if !s.MayGive("b") || s.MayGive("c") != foreign {
			t.Errorf("%v may give b: %v, c: %v", role, s.MayGive("b"), s.MayGive("c"))
		}
	}
	if got := access.GroupsOf([]string{"b", "a", "b"}); !slices.Equal(got, []string{"a", "b"}) {
		t.Error(got)
	}
	if access.GroupsOf([]string{}) != nil {
		t.Error("no groups have two forms")
	}
}

func TestASubjectEnds(t *testing.T) {
	t.Parallel()
	end := time.Unix(100, 0)
	s := &access.Subject{End: end}
	if s.Ended(end.Add(-1)) || !s.Ended(end) || (&access.Subject{}).Ended(end) {
		t.Error("a subject ends at its end, and one without an end never")
	}
}

func TestTheSameSubject(t *testing.T) {
	t.Parallel()
	s := access.Subject{ID: "token:a", Role: access.User, Groups: []string{"g"}, Since: time.Unix(1, 0), End: time.Unix(9, 0)}
	if again := s; !s.Same(&again) {
		t.Error("a copy is another subject")
	}
	for name, change := range map[string]func(*access.Subject){
		"id":     func(o *access.Subject) { o.ID = "token:b" },
		"role":   func(o *access.Subject) { o.Role = access.Viewer },
		"groups": func(o *access.Subject) { o.Groups = nil },
		"since":  func(o *access.Subject) { o.Since = time.Unix(2, 0) }, // an id that was given again
		"end":    func(o *access.Subject) { o.End = time.Time{} },
	} {
		o := s
		if change(&o); s.Same(&o) {
			t.Errorf("another %s is the same subject", name)
		}
	}
}

func TestNamesOfRoles(t *testing.T) {
	t.Parallel()
	for _, name := range access.Roles() {
		var r access.Role
		if err := r.UnmarshalText([]byte(name)); err != nil || r.String() != name {
			t.Errorf("%s: %v %v", name, r, err)
		}
	}
	for _, name := range []string{"", "none", "Admin", "root"} {
		if r, err := access.ParseRole(name); err == nil || r != access.Nobody {
			t.Errorf("%q is the role %v", name, r)
		}
	}
	if got := access.Role(200).String(); got != "none" {
		t.Error(got)
	}
}
