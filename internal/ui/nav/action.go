package nav

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// A page has a CodeTable instead of a switch over its keys: an action that is not in the table does nothing. A test of
// package ui compares the tables with the rows that document the keys.

// ActionCode is the code of an action on a P: a page, or a part of one. If its answer is not Taken, the message goes on
// to the code behind it: that of the list, and finally that of the screen.
type ActionCode[P any] struct {
	Of key.Binding
	Do func(p P, s *part.Scene) Answer
}

// CodeTable is the code of several actions, each in one row.
type CodeTable[P any] []ActionCode[P]

// Do does the action that a message asks for. If several actions have that key, the first one whose answer is Taken
// counts.
func (t CodeTable[P]) Do(p P, msg tea.Msg, s *part.Scene) (a Answer) {
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
func (t CodeTable[P]) Actions() (all []key.Binding) {
	for _, c := range t {
		all = append(all, c.Of)
	}
	return all
}

// BoundCode is a Table together with its page.
type BoundCode interface {
	Do(msg tea.Msg, s *part.Scene) Answer
	Actions() []key.Binding
}

// BindCode returns the table of a page, bound to that page.
func BindCode[P any](t CodeTable[P], p P) BoundCode { return &pageCode[P]{t, p} }

type pageCode[P any] struct {
	CodeTable[P]
	p P
}

// Do implements Bound.
func (b *pageCode[P]) Do(msg tea.Msg, s *part.Scene) Answer { return b.CodeTable.Do(b.p, msg, s) }

// ChangePage is the code of an action that changes only the page.
func ChangePage[P any](do func(p P)) func(P, *part.Scene) Answer {
	return func(p P, _ *part.Scene) Answer {
		do(p)
		return Taken
	}
}
