package screen

import (
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/source/recording"
	"github.com/nvnodetop/nvnodetop/internal/ui/lookback"
)

// playhead plays a recording: it keeps the current position. Only the screen's goroutine uses it.
type playhead struct {
	player *recording.Player
	began  time.Time
	end    time.Time
	step   time.Duration

	from   time.Time // the time in the recording at the moment since
	since  time.Time
	speed  int // an index of speeds
	paused bool
	rough  bool // the last Snapshot was rough
}

// replaySpeeds are how many times faster than in reality a recording can be played.
var replaySpeeds = []int{1, 2, 5, 10, 20, 60}

func newPlayhead(p *recording.Player, r *recording.Reader, at time.Time) *playhead {
	return &playhead{player: p, began: r.Began(), end: r.End, step: r.Header.Poll, from: at, since: time.Now()}
}

// currentTime returns the time in the recording.
func (h *playhead) currentTime() time.Time {
	t := h.from
	if !h.paused {
		t = t.Add(time.Since(h.since) * time.Duration(replaySpeeds[h.speed]))
	}
	if end, _ := h.lastTime(); t.After(end) {
		return end
	}
	return t
}

// lastTime returns the last time that can be shown. damaged says that the recording ends there because of damage, so
// that later events are unknown.
func (h *playhead) lastTime() (end time.Time, damaged bool) {
	if at := h.player.Progress().Damaged; !at.IsZero() {
		return at, true
	}
	return h.end, false
}

// Snapshot is for ui.Options. Its argument is the user's time.
func (h *playhead) Snapshot(time.Time) *cluster.Snapshot {
	s, exact := h.player.Glance(h.currentTime())
	h.rough = !exact
	return s
}

// moveTo moves to a time, and plays from there.
func (h *playhead) moveTo(to time.Time) {
	if to.Before(h.began) {
		to = h.began
	}
	if to.After(h.end) {
		to = h.end
	}
	h.from, h.since = to, time.Now()
}

// setPaused stops the time or lets it continue.
func (h *playhead) setPaused(on bool) {
	h.moveTo(h.currentTime())
	h.paused = on
}

// Turn implements ui.Tape.
func (h *playhead) Turn(o lookback.TapeOrder) (notice string) {
	at := h.currentTime()
	switch o {
	case lookback.Pause:
		h.setPaused(!h.paused)
	case lookback.StepBack, lookback.StepOn:
		h.setPaused(true)
		h.moveTo(at.Add(map[lookback.TapeOrder]time.Duration{lookback.StepBack: -h.step, lookback.StepOn: h.step}[o]))
	case lookback.ShortBack:
		h.moveTo(at.Add(-10 * time.Second))
	case lookback.ShortOn:
		h.moveTo(at.Add(10 * time.Second))
	case lookback.LongBack:
		h.moveTo(at.Add(-time.Minute))
	case lookback.LongOn:
		h.moveTo(at.Add(time.Minute))
	case lookback.Beginning:
		h.moveTo(h.began)
	case lookback.End:
		h.moveTo(h.end)
	case lookback.Slower, lookback.Faster:
		h.moveTo(at)
		h.speed = min(max(h.speed+map[lookback.TapeOrder]int{lookback.Slower: -1, lookback.Faster: 1}[o], 0),
			len(replaySpeeds)-1)
	case lookback.EarlierProblem, lookback.LaterProblem:
		return h.moveToProblem(at, o == lookback.LaterProblem)
	}
	return ""
}

// moveToProblem goes to the beginning of the next problem, or of the previous one.
func (h *playhead) moveToProblem(at time.Time, later bool) (notice string) {
	found := h.player.Progress()
	times := found.Problems
	next, same := slices.BinarySearchFunc(times, at, time.Time.Compare)
	switch {
	case later && same:
		next++
	case !later:
		next--
	}
	if next >= 0 && next < len(times) {
		h.moveTo(times[next])
		h.paused = true
		return ""
	}
	switch {
	case later && found.Read < 1:
		return fmt.Sprintf("no later problem so far: %.0f%% of the recording has been read", 100*found.Read)
	case later:
		return "no later problem"
	}
	return "no earlier problem"
}

// Position implements ui.Tape.
func (h *playhead) Position() lookback.TapePosition {
	found := h.player.Progress()
	_, damaged := h.lastTime()
	return lookback.TapePosition{
		Began: h.began, End: h.end, At: h.currentTime(), Speed: replaySpeeds[h.speed], Paused: h.paused, Rough: h.rough,
		Read: found.Read, Problems: found.Problems,
		Damaged: damaged && !h.currentTime().Before(found.Damaged),
	}
}
