package ui

import "github.com/nvnodetop/nvnodetop/internal/ui/draw"

// cellLetter is a letter in a cell, what it says in a word, and in full.
type cellLetter struct {
	letter      rune
	short, full string
}

// cellLetters are the letters that the health rules know, worst first.
var cellLetters = []cellLetter{
	{'X', "lost", "GPU lost"},
	{'E', "ecc", "memory errors    ECC:n"},
	{'T', "heat", "slowed by heat   !THERM"},
	{'P', "power", "power brake      !PWR"},
}

var helpKeys = [][2]string{
	{"↑ k / ↓ j", "previous / next job"}, {"← , / → .", "previous / next node"}, {"o Tab", "overview"}, {"Enter", "open the node"}, {"p", "processes"},
	{"d", "how the node is reached"}, {"a", "only my GPUs"}, {"v", "rows / heat map"}, {"s", "worst first"}, {"C", "colours: job / classic"},
	{"r", "ask SLURM, retry nodes"}, {"Esc", "back"}, {"? h / q", "help / quit"},
}

var helpColours = []string{
	"Blue and grey are data, no judgement.", "Amber: look at it.", "White on red: act on it.", "A busy GPU is what you paid for: 100%", "is not red. C changes to the classic",
	"colours: green, yellow 60, red 85.",
}

// helpScreen draws the keys, and what the marks and colours mean.
func (f *frame) helpScreen() {
	if f.node != nil {
		f.header(true)
	} else {
		f.Put(1, 0, "nvnodetop", draw.Strong)
	}
	f.section(2, "Help", "any key leaves")
	columns := 1
	switch {
	case f.w >= 110:
		columns = 3
	case f.w >= 68:
		columns = 2
	}
	wide := (f.w - 4) / columns
	y := 4
	f.Put(2, y, "Keys", draw.Strong)
	for _, k := range helpKeys {
		y++
		f.helpLine(2, y, wide, 11, k[0], draw.Strong, k[1])
	}
	if columns > 1 {
		y = f.helpMarks(2+wide, 4, wide)
	} else if y+3 < f.h {
		y = f.helpMarks(2, y+2, wide)
	}
	if columns > 2 {
		y = 3
	}
	f.helpColour(2+(columns-1)*wide, y+1, wide)
	f.footer(f.version, hint{"Esc", "back"}, hint{"q", "quit"})
}

func (f *frame) helpLine(x, y, wide, keys int, key string, role draw.Role, text string) {
	if y >= f.h-1 {
		return
	}
	f.Left(x, y, keys, key, role)
	f.Left(x+keys, y, wide-keys-1, text, draw.Text)
}

// helpMarks draws what the marks mean and returns the row below.
func (f *frame) helpMarks(x, y, wide int) int {
	const keys = 13
	f.Put(x, y, "What the marks mean", draw.Strong)
	y++
	if y < f.h-1 {
		f.words(x, y, word{"▲", draw.Warn}, word{" ", draw.Text}, word{"✗", draw.Crit}, word{" ", draw.Text}, word{"◌", draw.Dim})
	}
	f.helpLine(x, y, wide, keys, "", draw.Text, "look, act, on its way")
	for _, l := range cellLetters {
		y++
		role := draw.WarnFill
		if l.letter == 'X' {
			role = draw.CritFill
		}
		f.helpLine(x, y, wide, keys, string(l.letter), role, l.full)
	}
	for _, m := range [][2]string{
		{"·", "no sample yet"}, {"n/a", "the driver has none"}, {"–", "does not apply"}, {"[stale 12s]", "older than 3 polls"}, {"(5 of 8)", "what the sum counts"},
	} {
		y++
		f.helpLine(x, y, wide, keys, m[0], draw.Text, m[1])
	}
	return y + 1
}

func (f *frame) helpColour(x, y, wide int) {
	if y >= f.h-1 {
		return
	}
	f.Put(x, y, "Colour", draw.Strong)
	for _, s := range helpColours {
		y++
		f.helpLine(x, y, wide, 0, "", draw.Text, s)
	}
}
