package joblog

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// ahead is the number of bytes before a place in the log that are read together with it.
	ahead = wire.MaxLog / 2
	// mostSteps is the maximum number of pieces that are read to find a time. 24 are enough for 2^40 bytes; more are
	// needed where many lines have no time.
	mostSteps = 64
)

// timeSearch is the search for the place that the log had reached at some time. If the log was followed then, the place
// is known. Otherwise the times in the log's lines lead there: each step halves the part of the log that must contain
// the place.
type timeSearch struct {
	goal   time.Time // zero: nothing is searched for
	steps  int       // number of pieces that were asked for
	at     int64     // where the last of them begins
	lo, hi int64     // lines before lo are from before the goal, lines from hi on are not
	blank  int64     // from here up to at, no line has a time; 0: one has
	last   bool      // the place is in this piece
}

// outcome is the result of a step of a hunt.
type outcome uint8

const (
	reads outcome = iota // the piece at an offset is needed
	found                // the place is at an offset
	lost                 // words say why there is no place
)

// searchWindow looks for the place in a window of the log.
func (h *timeSearch) searchWindow(w *joblog.Window) (o outcome, at int64, words string) {
	lines, goal := w.Lines(), h.goal.Format(time.TimeOnly)
	i, known := joblog.Stamped(lines, h.goal)
	first, stamped := joblog.FirstStamp(lines, h.goal.Location())
	switch {
	case h.last && i < 0 && h.lo == 0, !stamped && h.steps == 0, h.steps == mostSteps:
		return lost, 0, "nothing says where the log was at " + goal + ": this is its end"
	case h.last && i < 0:
		return found, lines[len(lines)-1].At, ""
	case known, h.last:
		return found, lines[i].At, ""
	case stamped && first.Before(h.goal) && w.AtEnd():
		return lost, 0, "the log ends before " + goal
	case h.steps == 0 && w.From() == 0:
		return found, lines[0].At, ""
	case stamped:
		h.halveRange(w, first)
	default:
		h.skipWindow()
	}
	h.steps++
	return reads, h.at, ""
}

// halveRange goes to the middle of the part that must contain the place. first is the first time in the window.
func (h *timeSearch) halveRange(w *joblog.Window, first time.Time) {
	switch {
	case first.Before(h.goal):
		h.lo = max(h.lo, w.To())
	case h.steps == 0:
		h.hi = w.From()
	default:
		h.hi = min(h.hi, h.at)
	}
	if h.hi == 0 {
		h.hi = w.Size()
	}
	h.goToMiddle()
}

// skipWindow goes on where the window has no time, for example inside a long line: towards the end, or to the part
// before.
func (h *timeSearch) skipWindow() {
	if h.blank == 0 {
		h.blank = max(h.at, 1)
	}
	if h.hi-h.at > ahead {
		h.at += (h.hi - h.at) / 2
		return
	}
	h.hi = h.blank
	h.goToMiddle()
}

// goToMiddle goes to the middle of the part that must contain the place, or takes all of the part if it is small.
func (h *timeSearch) goToMiddle() {
	h.blank, h.at, h.last = 0, h.lo, h.hi-h.lo <= ahead
	if h.last { // including the lines before it
		h.at = max(h.lo-ahead, 0)
	} else {
		h.at += (h.hi - h.lo) / 2
	}
}

// seekFinding shows the log at the time of a finding, as soon as it is known where that is.
func (p *Page) seekFinding() (notice string) {
	h := &p.hunt
	if h.goal.IsZero() || p.window == nil {
		return ""
	}
	at, followed := p.currentTrail().At(h.goal)
	near := p.window.Known() && (h.steps > 0 || at >= p.window.From() && at <= p.window.To())
	var o outcome
	switch {
	case followed && near:
		o = found
	case followed && h.steps == 0:
		at, h.steps = max(at-ahead, 0), 1
	case followed, !p.window.Known(), len(p.window.Lines()) == 0:
		return ""
	default:
		o, at, notice = h.searchWindow(p.window)
	}
	switch o {
	case reads:
		p.readFrom(at)
		return ""
	case found:
		p.away, p.top, p.match = true, at, at
	case lost:
		if h.steps > 0 {
			p.readFrom(-wire.MaxLog)
		}
	}
	p.hunt = timeSearch{}
	return notice
}
