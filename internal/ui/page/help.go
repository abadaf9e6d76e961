package page

import (
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

var helpColours = []string{
	"Blue and grey are data, no judgement.", "Amber: look at it.", "White on red: act on it.", "A busy GPU is what you paid for: 100%", "is not red. C changes to the classic",
	"colours: green, yellow 60, red 85.",
}

// Help shows the keys of a page, and what the marks and colours mean.
type Help struct {
	plain
	Of string // the page, as the list of keys calls it
}

// Draw draws the page.
func (p Help) Draw(f *part.Frame) {
	if f.Node != nil {
		part.Header(f, true)
	} else {
		f.Put(1, 0, "nvnodetop", draw.Strong)
	}
	f.Section(2, "Help", "any key leaves")
	columns := 1
	switch {
	case f.W >= 110:
		columns = 3
	case f.W >= 68:
		columns = 2
	}
	wide := (f.W - 4) / columns
	y := 4
	f.Put(2, y, "Keys", draw.Strong)
	for _, row := range keys.HelpOf(p.Of) {
		y++
		helpLine(f, 2, y, wide, 11, row.Shown(), draw.Strong, row.Text)
	}
	if columns > 1 {
		y = helpMarks(f, 2+wide, 4, wide)
	} else if y+3 < f.H {
		y = helpMarks(f, 2, y+2, wide)
	}
	if columns > 2 {
		y = 3
	}
	helpColour(f, 2+(columns-1)*wide, y+1, wide)
	part.Footer(f, f.Version, keys.HintOf(keys.Back), keys.HintOf(keys.Quit))
}

func helpLine(f *part.Frame, x, y, wide, room int, name string, role draw.Role, text string) {
	if y >= f.H-1 {
		return
	}
	f.Left(x, y, room, name, role)
	f.Left(x+room, y, wide-room-1, text, draw.Text)
}

// helpMarks draws what the marks mean and returns the row below.
func helpMarks(f *part.Frame, x, y, wide int) int {
	const room = 13
	f.Put(x, y, "What the marks mean", draw.Strong)
	y++
	if y < f.H-1 {
		f.Pieces(x, y, part.Piece{Text: "▲", Role: draw.Warn}, part.Text(" "), part.Piece{Text: "✗", Role: draw.Crit}, part.Text(" "), part.Dim("◌"))
	}
	helpLine(f, x, y, wide, room, "", draw.Text, "look, act, on its way")
	for _, l := range part.Letters {
		y++
		role := draw.WarnFill
		if l.Letter == 'X' {
			role = draw.CritFill
		}
		helpLine(f, x, y, wide, room, string(l.Letter), role, l.Full)
	}
	for _, m := range [][2]string{
		{"·", "no sample yet"}, {"n/a", "the driver has none"}, {"–", "does not apply"}, {"[stale 12s]", "older than 3 polls"}, {"(5 of 8)", "what the sum counts"},
	} {
		y++
		helpLine(f, x, y, wide, room, m[0], draw.Text, m[1])
	}
	return y + 1
}

func helpColour(f *part.Frame, x, y, wide int) {
	if y >= f.H-1 {
		return
	}
	f.Put(x, y, "Colour", draw.Strong)
	for _, s := range helpColours {
		y++
		helpLine(f, x, y, wide, 0, "", draw.Text, s)
	}
}
