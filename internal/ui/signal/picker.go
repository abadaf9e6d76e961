package signal

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// typedText is a short text that the user types.
type typedText struct{ text string }

// mostTyped limits the text, in characters: the longest is the ID of an array's waiting tasks.
const mostTyped = 64

// editText answers a key that changes the text.
func (l *typedText) editText(k tea.KeyPressMsg) {
	switch {
	case key.Matches(k, keys.EraseAll):
		l.text = ""
	case key.Matches(k, keys.Erase):
		l.text = l.text[:max(len(l.text)-1, 0)]
	default:
		for _, r := range k.Text {
			if r > ' ' && r < 0x7f && len(l.text) < mostTyped { // names and IDs are ASCII
				l.text += string(r)
			}
		}
	}
}

// textPieces are the text with its cursor.
func (l *typedText) textPieces(before string) []part.Piece {
	return []part.Piece{part.Dim(before), part.Strong(l.text), part.Text("█")}
}

// picker is the list of signals; the user types a name or a number.
type picker struct {
	typedText
	about  string // a line above it; "": none
	not    Signal // a signal that is not offered; 0: none
	cursor nav.Cursor[Signal]
}

// matchingEntries returns the signals that match the typed text.
func (p *picker) matchingEntries() []signalEntry {
	return slices.DeleteFunc(matchSignals(p.text), func(e signalEntry) bool { return p.not != 0 && e.Signal == p.not })
}

func (p *picker) cursorList(s *part.Scene) ([]signalEntry, nav.List[Signal]) {
	found := p.matchingEntries()
	_, room := p.pickerBox("").divideBox(s)
	return found, nav.List[Signal]{N: len(found), Room: room, Key: func(i int) Signal { return found[i].Signal }}
}

// handleKey answers a key, and returns the signal when the user has chosen it.
func (p *picker) handleKey(k tea.KeyPressMsg, s *part.Scene) Signal {
	found, l := p.cursorList(s)
	if key.Matches(k, keys.Choose) && len(found) > 0 {
		return found[p.cursor.At(l)].Signal
	}
	if k.Text == "" { // otherwise a letter is text
		if _, moved := p.cursor.Move(k, l); moved {
			return 0
		}
	}
	before := p.text
	p.editText(k)
	if p.text != before {
		p.cursor = nav.Cursor[Signal]{}
	}
	return 0
}

// pickerBox returns the box with the list.
func (p *picker) pickerBox(title string) boxText {
	found := p.matchingEntries()
	b := boxText{
		title: title, head: [][]part.Piece{p.textPieces("signal: ")}, rows: len(found), at: -1,
		focus: keys.HintOf(keys.Leave),
		keys:  []keys.Hint{keys.HintOf(keys.Choose), keys.HintOf(keys.Up, keys.Down).As("select")},
		row:   func(i int) []part.Piece { return p.row(found, i) },
	}
	if p.about != "" {
		b.head = append([][]part.Piece{{part.Dim(p.about)}}, b.head...)
	}
	if len(found) == 0 {
		b.rows, b.row = 1, func(int) []part.Piece {
			return []part.Piece{{Text: "no signal is named " + strconv.Quote(strings.ToUpper(p.text)), Role: draw.Warn}}
		}
		b.keys = nil
	}
	return b
}

func (p *picker) row(found []signalEntry, i int) []part.Piece {
	e := found[i]
	number := strconv.Itoa(int(e.Signal))
	name := e.Name() + strings.Repeat(" ", max(8-len(e.Name()), 1))
	return []part.Piece{part.Dim(strings.Repeat(" ", 2-len(number)) + number + "  "), part.Strong(name),
		part.Dim(e.meaning)}
}

// drawPicker draws the box, with the cursor.
func (p *picker) drawPicker(f *part.Frame, title string) {
	found, l := p.cursorList(f.Scene)
	b := p.pickerBox(title)
	if len(found) > 0 {
		w := p.cursor.Window(l)
		b.from, b.at = w.From, p.cursor.At(l)
	}
	b.drawBox(f)
}
