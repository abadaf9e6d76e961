package draw

// Role is the purpose of a cell. A Theme gives it its look.
type Role uint8

// Roles of text and of lines.
const (
	Text     Role = iota // values
	Strong               // names, present values, keys
	Dim                  // labels, units, hints
	Faint                // rules
	Data                 // edge of a graph, an active rule
	Cell                 // sparks and heat cells
	Body                 // below the edge of a graph
	Mem                  // graph of memory
	Ghost                // other users' and jobs' GPUs
	GhostBar             // sparks of others, or of old numbers
	Warn                 // worth a look
	Crit                 // needs action
	WarnFill             // a letter in a cell: worth a look
	CritFill             // a sentence or letter: needs action
	Tab                  // the current one of several
	Green                // below the first threshold of the classic colors
	Yellow               // below the second
	Red                  // the rest

	// Cells by their distance from the usual value, as shades of a background.
	Even  // as usual
	Odd1  // on the side that deserves attention: a little
	Odd2  // more
	Odd3  // far
	Fine1 // on the other side: a little
	Fine2 // more
	Fine3 // far

	// The glyphs of Bar. The part that is not filled is the track.
	BarData
	BarMem
	BarWarn
	BarGhost
	BarGreen
	BarYellow
	BarRed

	roleCount
)

// ink is the role that gives the filled part of a bar its color.
var ink = [roleCount]Role{
	BarData: Cell, BarMem: Mem, BarWarn: Warn, BarGhost: GhostBar, BarGreen: Green, BarYellow: Yellow, BarRed: Red,
}

func (r Role) isBar() bool { return r >= BarData && r <= BarRed }

// faded maps each role to the role of old values. Warnings and errors stay as they are.
var faded = func() (to [roleCount]Role) {
	for r := range to {
		to[r] = Role(r)
	}
	to[Text], to[Strong], to[Cell] = Dim, Dim, GhostBar
	for _, r := range []Role{BarData, BarMem, BarGreen, BarYellow, BarRed} {
		to[r] = BarGhost
	}
	for _, r := range []Role{Green, Yellow, Red} {
		to[r] = Dim
	}
	return to
}()

// behind maps each role to the role of the same cell behind a box. Its text stays readable.
var behind = func() (to [roleCount]Role) {
	for r := range to {
		to[r] = Ghost
		if Role(r).isBar() {
			to[r] = BarGhost
		}
	}
	to[Faint], to[Even] = Faint, Faint
	for _, r := range []Role{Data, Cell, Body, Mem, GhostBar, Odd1, Odd2, Odd3, Fine1, Fine2, Fine3} {
		to[r] = GhostBar
	}
	return to
}()
