package access

// Right is what a route needs of who asks. The zero Right is none: a route that names none must not be served.
type Right uint8

// The rights.
const (
	_       Right = iota
	Open          // nothing, not even a name
	Read          // to see what belongs to the own groups, and what belongs to everybody
	Write         // to change what belongs to the own groups, and to see what it puts out
	Operate       // to do with nodes, and with what they run, whatever the group
	Govern        // to say who may do what
)

// Needs is the least role that has the right.
func (r Right) Needs() Role {
	switch r {
	case Open:
		return Nobody
	case Read:
		return Viewer
	case Write:
		return User
	case Operate:
		return Operator
	}
	return Admin
}

// Verdict is what becomes of a request.
type Verdict uint8

// The verdicts, in the order in which they are come to: who is not known learns nothing of the routes, who may
// not use a route nothing of the object, and who is in none of its groups not that it exists.
const (
	Allowed   Verdict = iota
	Unknown           // 401: nobody is known to ask
	Forbidden         // 403: his role lacks the right
	Hidden            // 404: it belongs to groups that he is not in
)

// Decide judges a request before its object is looked at. Nobody is known to ask where s is nil.
func Decide(s *Subject, needed Right) Verdict {
	switch {
	case needed == Open:
		return Allowed
	case s == nil:
		return Unknown
	case s.Role < needed.Needs():
		return Forbidden
	}
	return Allowed
}

// DecideOn judges a request for an object that belongs to some groups.
func DecideOn(s *Subject, needed Right, groups []string) Verdict {
	if v := Decide(s, needed); v != Allowed || needed == Open {
		return v
	}
	if !s.Sees(groups) {
		return Hidden
	}
	return Allowed
}
