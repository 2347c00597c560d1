package run

// Kinds are what happens to runs, by the names of the transition table.
func Kinds() []string {
	var names []string
	for _, e := range []Event{Due{}, Executed{}, Sent{}, Unsendable{}, Cancel{}, Displace{}, NodeSeen{}} {
		names = append(names, string(e.kind()))
	}
	return names
}

// Decided says whether the table has a rule for a pair.
func Decided(s State, what string) bool { return transitions[s][kind(what)] != nil }

// KindOf is the row of an event.
func KindOf(e Event) string { return string(e.kind()) }
