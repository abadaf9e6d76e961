// Package action gives the actions of package keys their code. A page has a Table instead of a switch over its keys: an
// action that is not in the table does nothing. A test of package ui compares the tables with the rows that document
// the keys.
package action

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Code is the code of an action on a P: a page, or a part of one. If its answer is not Taken, the message goes on to
// the code behind it: that of the list, and finally that of the screen.
type Code[P any] struct {
	Of key.Binding
	Do func(p P, s *part.Scene) nav.Answer
}

// Table is the code of several actions, each in one row.
type Table[P any] []Code[P]

// Do does the action that a message asks for. If several actions have that key, the first one whose answer is Taken
// counts.
func (t Table[P]) Do(p P, msg tea.Msg, s *part.Scene) (a nav.Answer) {
	for _, c := range t {
		if !keys.AsksFor(msg, c.Of) {
			continue
		}
		if a = c.Do(p, s); a.Taken {
			return a
		}
	}
	return a
}

// Actions returns the actions that have code.
func (t Table[P]) Actions() (all []key.Binding) {
	for _, c := range t {
		all = append(all, c.Of)
	}
	return all
}

// Bound is a Table together with its page.
type Bound interface {
	Do(msg tea.Msg, s *part.Scene) nav.Answer
	Actions() []key.Binding
}

// Bind returns the table of a page, bound to that page.
func Bind[P any](t Table[P], p P) Bound { return &bound[P]{t, p} }

type bound[P any] struct {
	Table[P]
	p P
}

// Do implements Bound.
func (b *bound[P]) Do(msg tea.Msg, s *part.Scene) nav.Answer { return b.Table.Do(b.p, msg, s) }

// Change is the code of an action that changes only the page.
func Change[P any](do func(p P)) func(P, *part.Scene) nav.Answer {
	return func(p P, _ *part.Scene) nav.Answer {
		do(p)
		return nav.Taken
	}
}
