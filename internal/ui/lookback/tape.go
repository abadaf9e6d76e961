package lookback

import (
	"fmt"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// The tape is the line that shows the current position in a recording. Its keys move in it. It knows nothing about
// recordings: it gets a TapePosition and gives a TapeOrder.
//
// Everything here draws and changes only the canvas: the same TapePosition always gives the same line.

// TapeOrder is the user's command for a recording.
type TapeOrder uint8

// The orders.
const (
	Pause TapeOrder = iota // or continue
	StepBack
	StepOn
	ShortBack
	ShortOn
	LongBack
	LongOn
	Beginning
	End
	Slower
	Faster
	EarlierProblem
	LaterProblem
)

// TapeActions are the actions of the orders.
var TapeActions = [...]key.Binding{
	Pause: keys.Pause, StepBack: keys.StepBack, StepOn: keys.StepOn, ShortBack: keys.ShortBack, ShortOn: keys.ShortOn,
	LongBack: keys.LongBack, LongOn: keys.LongOn,
	Beginning: keys.Beginning, End: keys.End, Slower: keys.Slower, Faster: keys.Faster,
	EarlierProblem: keys.EarlierSign, LaterProblem: keys.LaterSign,
}

// TapeOrderOf returns the order of a key.
func TapeOrderOf(k tea.KeyPressMsg) (TapeOrder, bool) {
	for o, b := range TapeActions {
		if key.Matches(k, b) {
			return TapeOrder(o), true
		}
	}
	return 0, false
}

// TapePosition is a position in a recording.
type TapePosition struct {
	Began, End, At time.Time
	Speed          int // speed, as a multiple of real time
	Paused         bool
	Damaged        bool        // the rest cannot be read
	Rough          bool        // histories and ages of problems are not known yet
	Read           float64     // the part of the recording that has been searched for problems, 0 to 1
	Problems       []time.Time // the times when they began, in order
}

// leastTape is the least width of the track.
const leastTape = 12

// DrawTape draws the line in row y, below the scene.
func DrawTape(f *part.Frame, y int, p *TapePosition) {
	left := p.positionPieces()
	if part.Width(left) > f.W-2 { // the last piece says how much is known
		left = left[:len(left)-1]
	}
	x := f.Pieces(1, y, left...) + 2
	end := f.W - 1
	for _, hints := range [][]keys.Hint{
		{p.pauseHint(), keys.HintOf(keys.StepBack, keys.StepOn), keys.HintOf(keys.LongBack, keys.LongOn),
			keys.HintOf(keys.LaterSign).As("problem")},
		{p.pauseHint(), keys.HintOf(keys.LongBack, keys.LongOn)},
		{p.pauseHint()},
	} {
		if at := footer.HintsAt(f, x+leastTape, y, hints...); at <= f.W-1 {
			end = at - 2
			break
		}
	}
	if end-x >= leastTape {
		p.drawTrack(f, x, y, end-x)
	}
}

func (p *TapePosition) pauseHint() keys.Hint {
	if p.Paused {
		return keys.HintOf(keys.Pause).As("resume")
	}
	return keys.HintOf(keys.Pause)
}

// positionPieces show the position and the speed.
func (p *TapePosition) positionPieces() []part.Piece {
	state := part.Text(fmt.Sprintf("x%d", p.Speed))
	switch {
	case p.Damaged:
		state = part.Piece{Text: "damaged", Role: draw.Warn}
	case p.Paused:
		state = part.Strong("paused")
	case !p.At.Before(p.End):
		state = part.Strong("end")
	}
	words := []part.Piece{
		part.Strong("replay  "), part.Text(timeText(p.At.Sub(p.Began))),
		part.Dim(" of " + timeText(p.End.Sub(p.Began)) + "  "), {Text: fmt.Sprintf("%-6s", state.Text), Role: state.Role},
	}
	if p.Rough || p.Read < 1 {
		words = append(words, part.Dim(fmt.Sprintf("  reading %2.0f%%", 100*p.Read)))
	}
	return words
}

// drawTrack draws the recording from its beginning to its end: the unknown part is dotted, and problems are marked.
func (p *TapePosition) drawTrack(f *part.Frame, x, y, w int) {
	span := p.End.Sub(p.Began)
	column := func(at time.Time) int {
		if span <= 0 {
			return 0
		}
		return min(max(int(float64(at.Sub(p.Began))/float64(span)*float64(w-1)+0.5), 0), w-1)
	}
	known := column(p.Began.Add(time.Duration(p.Read * float64(span))))
	for i := range w {
		glyph := "─"
		if i > known {
			glyph = "┄"
		}
		f.Put(x+i, y, glyph, draw.Faint)
	}
	for _, at := range p.Problems {
		f.Put(x+column(at), y, "▲", draw.Warn)
	}
	f.Put(x+column(p.At), y, "●", draw.Data)
}

// timeText is a time since the beginning: "1:02:30", "2:30".
func timeText(d time.Duration) string {
	s := max(int(d/time.Second), 0)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
