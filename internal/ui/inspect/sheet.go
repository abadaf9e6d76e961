package inspect

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// FactSheet shows names and values that a node reports about a process on request: its environment, or everything that
// the kernel knows about it. The user can search and copy them.
type FactSheet struct {
	kind   *sheetKind
	target tally.Target
	answer environmentAnswer
	heard  int  // answers so far
	shown  bool // secrets are shown
	walks  bool // the kernel walks through the pages of the process, which is expensive
	closed bool

	search footer.Search
	cursor nav.Cursor[valueLine]
	now    variableLayout
}

// environmentAnswer is a node's answer about a process.
type environmentAnswer struct {
	known     bool // the node has sent it
	variables []variable
	truncated bool
	refused   string // why the node has not sent it, in words; "": it did not refuse
}

// sheetKind is the subject of a Sheet.
type sheetKind struct {
	page      keys.Page
	leave     key.Binding
	code      nav.CodeTable[*FactSheet]
	ask       func(id wire.ProcessID) wire.Request
	answers   func(r *wire.Request, id wire.ProcessID) bool
	read      func(r *wire.Reply) (variables []variable, truncated, sent bool)
	title     string // "Environment of"
	one, many string // what the sheet lists: "variable", "variables"
	none      string // the text if it has none
	refused   string // what cannot be shown: "The environment"
	truncated string
}

func newSheet(of *sheetKind, t tally.Target) (*FactSheet, nav.Answer) {
	e := &FactSheet{kind: of, target: t}
	return e, e.askNode(of.ask(t.ProcessID))
}

func (e *FactSheet) askNode(r wire.Request) nav.Answer {
	return nav.Answer{Taken: true, Ask: []nav.Ask{{Node: e.target.Node, Request: r}}}
}

// On names the page in the list of keys.
func (e *FactSheet) On() keys.Page { return e.kind.page }

// Wants returns the processes of the selected node, as the page below does.
func (e *FactSheet) Wants(*part.Scene) nav.Wants { return nav.Wants{Selected: true, Processes: true} }

// Settle lays out the variables for a scene before it is drawn.
func (e *FactSheet) Settle(s *part.Scene) { e.currentLayout(s) }

// Press answers a key, the mouse, or the node's answer.
func (e *FactSheet) Press(msg tea.Msg, s *part.Scene) (a nav.Answer, open bool) {
	if r, ok := msg.(nav.Result); ok {
		e.handleResult(r)
		return nav.Taken, true
	}
	if e.search.Typing() {
		return nav.Answer{Taken: e.search.Press(msg)}, true
	}
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		return e.key(m, s)
	case tea.MouseClickMsg:
		e.clickVariable(m, s)
	case tea.MouseWheelMsg:
		e.cursor.Move(m, e.cursorList(s, e.currentLayout(s)))
	}
	return nav.Taken, true
}

// sheetCode is the code of the actions that all sheets have; kind.code has those of one kind.
var sheetCode = nav.CodeTable[*FactSheet]{
	{Of: keys.Up, Do: moveBy(-1)},
	{Of: keys.Down, Do: moveBy(+1)},
	{Of: keys.Back, Do: (*FactSheet).endSearch},
	{Of: keys.Search, Do: nav.ChangePage(func(e *FactSheet) { e.search.Open() })},
	{Of: keys.CopyLine, Do: (*FactSheet).copyLine},
	{Of: keys.CopyAll, Do: (*FactSheet).copyAll},
	{Of: keys.Refresh, Do: (*FactSheet).refresh},
}

// Actions returns the actions that have code.
func (e *FactSheet) Actions() []key.Binding {
	return slices.Concat(sheetCode.Actions(), e.kind.code.Actions(), nav.Moves)
}

func (e *FactSheet) key(k tea.KeyPressMsg, s *part.Scene) (a nav.Answer, open bool) {
	a = slices.Concat(sheetCode, e.kind.code).Do(e, k, s)
	if !a.Taken {
		_, a.Taken = e.cursor.Move(k, e.cursorList(s, e.currentLayout(s)))
	}
	return a, !e.closed
}

func (e *FactSheet) close() { e.closed = true }

// endSearch ends a search, if there is one, so that everything is shown again.
func (e *FactSheet) endSearch(*part.Scene) nav.Answer {
	return nav.Answer{Taken: e.search.End()}
}

// refresh asks again. The list of jobs uses the same key.
func (e *FactSheet) refresh(*part.Scene) nav.Answer {
	a := e.askNode(e.kind.ask(e.target.ProcessID))
	a.Taken = false
	return a
}

// handleResult stores the node's answer if it belongs to this overlay's request.
func (e *FactSheet) handleResult(r nav.Result) {
	if r.Node != e.target.Node || !e.kind.answers(&r.Request, e.target.ProcessID) {
		return
	}
	e.heard++
	if of := r.Request.Inspect; of != nil && of.Memory {
		e.walks = false
	}
	e.answer = environmentAnswer{refused: whyRefused(&e.target, r)}
	if list, truncated, sent := e.kind.read(&r.Reply); e.answer.refused == "" && sent {
		e.answer = environmentAnswer{known: true, variables: list, truncated: truncated}
	}
}

// mostWords limits a text from a node, in bytes.
const mostWords = 400

// whyRefused is the reason in words why a node has not answered a request about a process.
func whyRefused(t *tally.Target, r nav.Result) string {
	switch {
	case errors.Is(r.Err, context.DeadlineExceeded):
		return t.Node + " has not answered"
	case r.Err != nil:
		return safe.Line(r.Err.Error(), mostWords)
	case r.Reply.Error != "":
		return safe.Line(r.Reply.Error, mostWords)
	}
	return ""
}

// copyLine copies the variable under the cursor.
func (e *FactSheet) copyLine(s *part.Scene) nav.Answer {
	l := e.currentLayout(s)
	v := e.cursorVariable(s, l)
	switch {
	case v == nil:
		return nav.Taken
	case v.secret && !e.shown:
		return nav.Answer{Taken: true, Notice: "not copied: " + v.name + " is hidden, " + keys.Name(keys.Secrets) +
			" shows it"}
	}
	return copyText(v.searchText(true), v.searchText(true))
}

// copyAll copies the variables that are shown, except hidden secrets.
func (e *FactSheet) copyAll(s *part.Scene) nav.Answer {
	var lines []string
	l := e.currentLayout(s)
	for _, i := range l.variables {
		if v := &e.answer.variables[i]; e.shown || !v.secret {
			lines = append(lines, v.searchText(true))
		}
	}
	if len(lines) == 0 {
		return nav.Answer{Taken: true, Notice: "nothing to copy"}
	}
	a := copyText(part.Plural(len(lines), e.kind.one, e.kind.many), strings.Join(lines, "\n")+"\n")
	if left := len(l.variables) - len(lines); left > 0 {
		a.Notice = "copied " + strconv.Itoa(len(lines)) + " of " + part.Plural(len(l.variables), e.kind.one,
			e.kind.many) + ": the others are hidden, " + keys.Name(keys.Secrets) + " shows them"
	}
	return a
}

// cursorVariable returns the variable under the cursor; nil: there is none.
func (e *FactSheet) cursorVariable(s *part.Scene, l *variableLayout) *variable {
	if len(l.lines) == 0 {
		return nil
	}
	return &e.answer.variables[l.lines[e.cursor.At(e.cursorList(s, l))].variable]
}

func (e *FactSheet) hasSecrets() bool {
	return slices.ContainsFunc(e.answer.variables, func(v variable) bool { return v.secret })
}
