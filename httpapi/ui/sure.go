package ui

// sure asks before something that can't be undone. The question has an address of its own, and needs no script.
type sure struct {
	Title  string
	Of     string // the id of what it is about
	Words  string // what will happen
	Action string // where it is decided
	Button string // which begins with the verb
	Back   string // where it is left alone
}
