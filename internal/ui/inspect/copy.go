package inspect

import (
	"fmt"
	"slices"
	"strconv"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Copy is the menu of the texts about a process that can be copied.
type Copy struct {
	target tally.Target
	route  string // the transport that reaches the process's node
	uuid   string // of its GPU; "": unknown
	cursor nav.Cursor[string]
}

// choice is a line of the menu.
type choice struct{ name, text string }

// NewCopy returns the menu for a process. It sends no request.
func NewCopy(t tally.Target, route, uuid string) (*Copy, nav.Answer) {
	return &Copy{target: t, route: route, uuid: uuid}, nav.Taken
}

// Wants returns nothing.
func (c *Copy) Wants(*part.Scene) nav.Wants { return nav.Wants{} }

// menuChoices returns the lines of the menu.
func (c *Copy) menuChoices(s *part.Scene) []choice {
	t := &c.target
	all := []choice{
		{"PID", strconv.Itoa(t.PID)}, {"node and PID", nodeAndPID(t)}, {"shell on its node", attachCommand(s, t, c.route)},
		{"UUID of its GPU", c.uuid}, {"command line", t.Command},
	}
	return slices.DeleteFunc(all, func(c choice) bool { return c.text == "" })
}

// choiceList is the lines as a list.
func choiceList(choices []choice) nav.List[string] {
	return nav.List[string]{N: len(choices), Room: len(choices), Key: func(i int) string { return choices[i].name }}
}

// Press answers a key or the mouse. It takes everything except the keys that have the same meaning on all pages.
func (c *Copy) Press(msg tea.Msg, s *part.Scene) (a nav.Answer, open bool) {
	choices := c.menuChoices(s)
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		c.cursor.Move(m, choiceList(choices))
	case tea.MouseClickMsg:
		if at := m.Y - c.firstMenuRow(s, choices); m.Button == tea.MouseLeft && at >= 0 && at < len(choices) {
			return copyChoice(choices[at]), false
		}
	case tea.KeyPressMsg:
		return c.key(m, choices)
	}
	return nav.Taken, true
}

func (c *Copy) key(k tea.KeyPressMsg, choices []choice) (a nav.Answer, open bool) {
	if _, moved := c.cursor.Move(k, choiceList(choices)); moved {
		return nav.Taken, true
	}
	if n, err := strconv.Atoi(k.Text); err == nil && n >= 1 && n <= len(choices) {
		return copyChoice(choices[n-1]), false
	}
	switch {
	case key.Matches(k, keys.Pick):
		return copyChoice(choices[c.cursor.At(choiceList(choices))]), false
	case key.Matches(k, keys.Close):
		return nav.Taken, false
	case key.Matches(k, keys.Interrupt, keys.Repaint):
		return nav.Answer{}, true
	}
	return nav.Taken, true
}

func copyChoice(c choice) nav.Answer { return copyText(c.text, c.text) }

const (
	copyNames = 23 // columns of the digits and the names
	copyWide  = 72 // columns of the menu
)

func (c *Copy) firstMenuRow(s *part.Scene, choices []choice) int {
	_, h := s.ModalSize(copyWide, len(choices)+4)
	return max((s.H-h-2)/2, 0) + 2
}

// Draw draws the menu over the page.
func (c *Copy) Draw(f *part.Frame) {
	choices := c.menuChoices(f.Scene)
	at := c.cursor.At(choiceList(choices))
	m := f.Modal("Copy from "+nodeAndPID(&c.target), copyWide, len(choices)+4)
	for i, choice := range choices {
		mark := "  "
		if i == at {
			mark = "▸ "
		}
		label := strconv.Itoa(i+1) + "  " + choice.name
		m.Line(1+i, part.Strong(mark), part.Text(fmt.Sprintf("%-*s", copyNames, label)), part.Dim(choice.text))
		if i == at && 1+i < m.H {
			f.Select(m.Y+1+i, m.X, m.X+m.W)
		}
	}
	m.Line(len(choices)+2, part.Strong("  1–"+strconv.Itoa(len(choices))), part.Dim(" or "),
		part.Strong(keys.Name(keys.Pick)), part.Dim(" copies  "), part.Strong(keys.Name(keys.Close)), part.Dim(" closes"))
}
