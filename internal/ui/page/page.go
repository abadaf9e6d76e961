// Package page has the screens: one file each, and their tables. A page draws a Scene, does what its own keys stand for, and says what it
// wants to know of the nodes. Which page is on, and the keys that lead from one to another, are its caller's.
//
// Pages keep what a person has chosen in them. Only Press changes that; to draw changes nothing. A page belongs to one goroutine.
package page

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Wants is what a page needs from outside it.
type Wants struct {
	Order     []string // the job's nodes that can be selected, in the order in which the keys go through them; nil: all, in SLURM's
	Selected  bool     // the selected node alone is looked at
	Processes bool     // of the selected node
}

// plain is the keys and wants of a page that has none.
type plain struct{}

// Press takes no key.
func (plain) Press(tea.Msg, *part.Scene) bool { return false }

// Wants nothing.
func (plain) Wants(*part.Scene) Wants { return Wants{} }
