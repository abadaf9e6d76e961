package page

import (
	"strconv"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// filters are the texts by which the nodes of each job are filtered, and the prompt in which the user types one.
type filters struct {
	texts  map[string]string // by job ID
	prompt *textinput.Model  // nil: it is closed
	asking string            // ID of the job that the prompt is for
}

// of is the text for the scene's job, "" if its nodes are not filtered.
func (l *filters) of(s *part.Scene) string { return l.texts[s.Job.ID] }

// on says that the nodes of the scene's job are filtered.
func (l *filters) on(s *part.Scene) bool { return l.of(s) != "" }

// open opens the prompt for the scene's job.
func (l *filters) open(s *part.Scene) { l.prompt, l.asking = newPrompt(l.of(s)), s.Job.ID }

// close closes the prompt and leaves the filter in force.
func (l *filters) close() { l.prompt = nil }

// clear shows all nodes of a job again.
func (l *filters) clear(s *part.Scene) { delete(l.texts, s.Job.ID) }

// promptMost is how many characters can be typed.
const promptMost = 100

// newPrompt is a line in place of the footer in which the user types a filter. It has the keyboard while it is open.
func newPrompt(text string) *textinput.Model {
	p := textinput.New()
	p.CharLimit = promptMost
	p.KeyMap.Paste.SetEnabled(false) // it would run a program to read a clipboard; the terminal's own paste comes as a message
	p.SetValue(text)
	p.CursorEnd()
	p.Focus()
	return &p
}

// typing says that the filter's prompt has the keyboard. It is for one job, and closes when that job ends.
func (l *filters) typing(s *part.Scene) bool { return l.prompt != nil && l.asking == s.Job.ID }

// edit gives the message to the prompt, which takes every key except Ctrl-C. The nodes follow while the user types.
func (l *filters) edit(msg tea.Msg) (taken bool) {
	switch m := msg.(type) {
	case tea.PasteMsg:
		msg = tea.PasteMsg{Content: printable(m.Content)}
	case tea.KeyPressMsg:
		switch {
		case key.Matches(m, keys.Interrupt):
			return false
		case key.Matches(m, keys.Keep):
			l.prompt = nil
			return true
		case key.Matches(m, keys.Cancel):
			l.prompt = nil
			delete(l.texts, l.asking)
			return true
		}
		m.Text = printable(m.Text)
		msg = m
	default:
		return false
	}
	*l.prompt, _ = l.prompt.Update(msg) // its commands let a cursor blink that is not drawn
	l.texts[l.asking] = l.prompt.Value()
	return true
}

// printable returns s without control characters and marks that change the direction of text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, s)
}

// draw draws the prompt in the last row, with its keys at the right where they fit.
func (l *filters) draw(f *part.Frame) {
	y := f.H - 1
	x := f.Put(1, y, "/", draw.Strong)
	text, at := []rune(l.prompt.Value()), l.prompt.Position()
	from := 0
	for from < at && draw.Width(string(text[from:at])) > f.W-4-x { // the cursor must be seen
		from++
	}
	x = f.Put(x, y, string(text[from:at]), draw.Text)
	if at == len(text) {
		x = f.Put(x, y, "█", draw.Text)
	} else {
		x = f.Put(x, y, string(text[at]), draw.Tab)
		x = f.Put(x, y, string(text[at+1:]), draw.Text)
	}
	part.HintsAt(f, x+3, y, keys.HintOf(keys.Keep), keys.HintOf(keys.Cancel))
}

// title writes how many nodes match in row 2 from column x, and returns the column behind.
func (l *filters) title(f *part.Frame, x int) int {
	all := len(f.Job.Nodes)
	verb := " match "
	if len(f.Order) == 1 {
		verb = " matches "
	}
	text := " " + strconv.Itoa(len(f.Order)) + " of " + part.Plural(all, "node", "nodes") + verb
	quoted := quote(l.of(f.Scene), min(f.W-6, filterWide)-draw.Width(text))
	return f.Put(x, 2, draw.Clip(text+quoted, f.W-6)+" ", draw.Strong)
}

// filterWide is the most room for that.
const filterWide = 60

// noMatch says in place of the nodes that none matches, and which key brings them back.
func (l *filters) noMatch(f *part.Frame, y int) int {
	const what, way = "no nodes match ", ": Esc clears the filter"
	f.Left(3, y, f.W-4, what+quote(l.of(f.Scene), f.W-4-len(what+way))+way, draw.Text)
	return y + 1
}

// quote is a filter in quotes, in w columns.
func quote(s string, w int) string { return `"` + draw.Clip(s, max(w-2, 6)) + `"` }

// sumName is the name of the total of the job, which the filter does not change.
func (l *filters) sumName(s *part.Scene) string {
	if l.on(s) {
		return "whole job"
	}
	return "JOB"
}
