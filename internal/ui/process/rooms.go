package process

import (
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// mode says whether GPUs are shown above the processes.
type mode uint8

const (
	modeAuto    mode = iota // where there is room
	modeFull                // always
	modeCompact             // never
)

// modes are the modes by their names in the settings.
var modes = map[string]mode{"auto": modeAuto, "full": modeFull, "compact": modeCompact}

// Monitor sets whether GPUs are shown above the processes: "auto", "full" or "compact".
func (p *Page) Monitor(name string) { p.mode = modes[name] }

// rooms has the places of the parts of the page.
type rooms struct {
	above int // rows of GPUs or nodes; 0: no rows and no headings
	all   int // rows that all of them would need
	title int // row of the processes' title
	top   int // row of the first process, below the headings
}

const (
	firstRow  = 2 // below the header
	fewRows   = 8 // rows that GPUs leave to the processes when the mode is auto
	leastRows = 3 // rows that GPUs always leave to the processes
)

func (m mode) divideScreen(s *part.Scene, scope Scope) rooms {
	r := rooms{title: firstRow, all: countRowsAbove(s, scope)}
	blank := 0
	if s.H >= part.Tall {
		blank = 1
	}
	// Rows 0 and 1, a rule and headings of the GPUs, a rule and headings of the processes, and the keys.
	room := s.H - firstRow - 2 - blank - 2 - 1
	switch {
	case m == modeFull:
		r.above = max(min(r.all, room-leastRows), 0)
	case m == modeAuto && r.all <= room-fewRows:
		r.above = r.all
	}
	if r.above > 0 {
		r.title = firstRow + 2 + r.above + blank
	}
	r.top = r.title + 2
	return r
}

// processRows returns the number of processes that have room.
func (r rooms) processRows(s *part.Scene) int { return max(s.H-1-r.top, 0) }
