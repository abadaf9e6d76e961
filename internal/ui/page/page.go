// Package page has the screens: one file each, and their tables. A page draws a Scene, answers the keys and the mouse, and says what it
// needs to know of the nodes. Which page is on, and the keys that lead from one to another, are its caller's.
//
// Pages keep what the user has chosen in them, the place in a list included. Press and Wants change that; Draw changes nothing. A page
// belongs to one goroutine.
package page

// Wants is what a page needs from outside it.
type Wants struct {
	Order     []string // the job's nodes that can be selected, in the order in which the keys go through them; nil: all, in SLURM's
	Selected  bool     // the selected node alone is looked at
	Processes bool     // of the selected node

	Everywhere bool // the processes of all nodes
}

// Answer is a page's answer to a key, a paste or the mouse. The zero Answer says that the message is not for this page.
type Answer struct {
	Taken bool   // nobody else looks at the message
	Node  string // the cursor is on this node of the job now; "": where it was
	Open  bool   // show that node in the node view
	Full  bool   // show a GPU of that node on its page
	GPU   string // the key of that GPU; "": the one with the worst problem
}

// taken answers a message that changed the page only.
var taken = Answer{Taken: true}
