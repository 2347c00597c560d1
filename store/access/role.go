package access

import (
	"fmt"
	"slices"
)

// Role is how much a subject may do; each may what the ones before it may.
type Role uint8

// The roles. A subject of Nobody is known, but may do nothing.
const (
	Nobody Role = iota
	Viewer
	User
	Operator
	Admin
)

var roleNames = []string{"none", "viewer", "user", "operator", "admin"}

// Roles are the names of the roles that a token may have, the least first.
func Roles() []string { return slices.Clone(roleNames[Viewer:]) }

// ParseRole reads the name of a role that may do something.
func ParseRole(name string) (Role, error) {
	i := slices.Index(roleNames, name)
	if i < int(Viewer) {
		return Nobody, fmt.Errorf("%q is none of viewer, user, operator and admin", name)
	}
	return Role(i), nil
}

// String is the role's name.
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return roleNames[Nobody]
}

// MarshalText is String, for JSON.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText is ParseRole, for JSON.
func (r *Role) UnmarshalText(name []byte) (err error) {
	*r, err = ParseRole(string(name))
	return err
}
