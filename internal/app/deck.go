package app

import (
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/recording"
	"github.com/nvnodetop/nvnodetop/internal/ui/tape"
)

// deck plays a recording: it knows which time of it is shown. It is used by the screen's goroutine only.
type deck struct {
	player *recording.Player
	began  time.Time
	end    time.Time
	step   time.Duration

	from   time.Time // the time in the recording at since
	since  time.Time
	speed  int // an index of speeds
	paused bool
	rough  bool // the last Snapshot
}

// speeds are how many times as fast as it happened a recording may be shown.
var speeds = []int{1, 2, 5, 10, 20, 60}

func newDeck(p *recording.Player, r *recording.Reader, at time.Time) *deck {
	return &deck{player: p, began: r.Began(), end: r.End, step: r.Header.Poll, from: at, since: time.Now()}
}

// at returns the time in the recording.
func (d *deck) at() time.Time {
	t := d.from
	if !d.paused {
		t = t.Add(time.Since(d.since) * time.Duration(speeds[d.speed]))
	}
	if end, _ := d.last(); t.After(end) {
		return end
	}
	return t
}

// last returns the last time that can be shown, and whether damage is what ends it: nobody knows what came then.
func (d *deck) last() (end time.Time, damaged bool) {
	if at := d.player.Progress().Damaged; !at.IsZero() {
		return at, true
	}
	return d.end, false
}

// Snapshot is for ui.Options: what it is given is the user's time.
func (d *deck) Snapshot(time.Time) *cluster.Snapshot {
	s, exact := d.player.Glance(d.at())
	d.rough = !exact
	return s
}

// move goes to a time, and on from there.
func (d *deck) move(to time.Time) {
	if to.Before(d.began) {
		to = d.began
	}
	if to.After(d.end) {
		to = d.end
	}
	d.from, d.since = to, time.Now()
}

// pause stops the time, or lets it go on.
func (d *deck) pause(on bool) {
	d.move(d.at())
	d.paused = on
}

// Turn implements ui.Tape.
func (d *deck) Turn(o tape.Order) (notice string) {
	at := d.at()
	switch o {
	case tape.Pause:
		d.pause(!d.paused)
	case tape.StepBack, tape.StepOn:
		d.pause(true)
		d.move(at.Add(map[tape.Order]time.Duration{tape.StepBack: -d.step, tape.StepOn: d.step}[o]))
	case tape.ShortBack:
		d.move(at.Add(-10 * time.Second))
	case tape.ShortOn:
		d.move(at.Add(10 * time.Second))
	case tape.LongBack:
		d.move(at.Add(-time.Minute))
	case tape.LongOn:
		d.move(at.Add(time.Minute))
	case tape.Beginning:
		d.move(d.began)
	case tape.End:
		d.move(d.end)
	case tape.Slower, tape.Faster:
		d.move(at)
		d.speed = min(max(d.speed+map[tape.Order]int{tape.Slower: -1, tape.Faster: 1}[o], 0), len(speeds)-1)
	case tape.EarlierProblem, tape.LaterProblem:
		return d.problem(at, o == tape.LaterProblem)
	}
	return ""
}

// problem goes to the time at which the next problem began, or the one before.
func (d *deck) problem(at time.Time, later bool) (notice string) {
	found := d.player.Progress()
	times := found.Problems
	next, same := slices.BinarySearchFunc(times, at, time.Time.Compare)
	switch {
	case later && same:
		next++
	case !later:
		next--
	}
	if next >= 0 && next < len(times) {
		d.move(times[next])
		d.paused = true
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

// Place implements ui.Tape.
func (d *deck) Place() tape.Place {
	found := d.player.Progress()
	_, damaged := d.last()
	return tape.Place{
		Began: d.began, End: d.end, At: d.at(), Speed: speeds[d.speed], Paused: d.paused, Rough: d.rough,
		Read: found.Read, Problems: found.Problems,
		Damaged: damaged && !d.at().Before(found.Damaged),
	}
}
