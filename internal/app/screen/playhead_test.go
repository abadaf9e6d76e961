package screen

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/report"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/source/recording"
	"github.com/nvnodetop/nvnodetop/internal/ui/lookback"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// playheadOf plays the demo, from a time after its beginning on.
func playheadOf(t *testing.T, after time.Duration) *playhead {
	t.Helper()
	path := feedtest.Recording(t)
	file, r, err := report.OpenRecording(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	p := recording.NewPlayer(r, store.New(r.Header.Poll, health.Rules(health.Defaults())))
	t.Cleanup(func() {
		p.Close()
		_ = file.Close()
	})
	return newPlayhead(p, r, r.Began().Add(after))
}

// place is the time since the beginning, with a pause so that it stands.
func (d *playhead) place() time.Duration { return d.currentTime().Sub(d.began) }

func TestPlayheadMoves(t *testing.T) {
	d := playheadOf(t, 5*time.Minute)
	d.Turn(lookback.Pause)
	at := d.place()
	if at < 5*time.Minute || at > 5*time.Minute+10*time.Second {
		t.Fatalf("it begins at %v", at)
	}
	for _, move := range []struct {
		order lookback.TapeOrder
		by    time.Duration
	}{{lookback.StepOn, 3 * time.Second}, {lookback.StepBack, -3 * time.Second}, {lookback.ShortOn, 10 * time.Second},
		{lookback.ShortBack, -10 * time.Second}, {lookback.LongOn, time.Minute}, {lookback.LongBack, -time.Minute}} {
		before := d.place()
		if said := d.Turn(move.order); said != "" || d.place()-before != move.by {
			t.Errorf("order %d moves by %v, want %v; says %q", move.order, d.place()-before, move.by, said)
		}
	}
	d.Turn(lookback.Beginning)
	d.Turn(lookback.LongBack)
	if d.place() != 0 {
		t.Errorf("before the beginning: %v", d.place())
	}
	d.Turn(lookback.End)
	d.Turn(lookback.LongOn)
	if p := d.Position(); !p.At.Equal(p.End) || !d.Snapshot(time.Time{}).At.Equal(p.End) {
		t.Errorf("behind the end: %v of %v", p.At, p.End)
	}
}

func TestPlayheadSpeedAndPause(t *testing.T) {
	d := playheadOf(t, 0)
	d.Turn(lookback.Slower)
	for range 9 {
		d.Turn(lookback.Faster)
	}
	if p := d.Position(); p.Speed != 60 || p.Paused {
		t.Errorf("%+v", p)
	}
	before := d.currentTime()
	time.Sleep(20 * time.Millisecond)
	if moved := d.currentTime().Sub(before); moved < time.Second || moved > time.Minute {
		t.Errorf("in 20 ms it goes on for %v", moved)
	}
	d.Turn(lookback.StepOn)
	before = d.currentTime()
	time.Sleep(5 * time.Millisecond)
	if !d.Position().Paused || !d.currentTime().Equal(before) {
		t.Error("a step does not pause")
	}
	d.Turn(lookback.Pause)
	if d.Position().Paused {
		t.Error("it does not go on")
	}
}

func TestPlayheadProblems(t *testing.T) {
	d := playheadOf(t, 0)
	d.Turn(lookback.Pause)
	if said := d.Turn(lookback.LaterProblem); said != "no later problem so far: 0% of the recording has been read" {
		t.Errorf("before the survey: %q", said)
	}
	d.player.Survey(t.Context())
	times := d.Position().Problems
	if len(times) < 3 {
		t.Fatalf("problems at %v", times)
	}
	for _, want := range times {
		if want.Equal(d.began) {
			continue
		}
		if said := d.Turn(lookback.LaterProblem); said != "" || !d.currentTime().Equal(want) {
			t.Errorf("at %v, want %v; says %q", d.currentTime(), want, said)
		}
	}
	if said := d.Turn(lookback.LaterProblem); said != "no later problem" {
		t.Errorf("after the last: %q", said)
	}
	if d.Turn(lookback.EarlierProblem); !d.currentTime().Equal(times[len(times)-2]) {
		t.Errorf("back at %v", d.currentTime())
	}
	d.Turn(lookback.Beginning)
	d.Turn(lookback.EarlierProblem)
	if said := d.Turn(lookback.EarlierProblem); said != "no earlier problem" {
		t.Errorf("before the first: %q", said)
	}
}

// A damaged recording ends where the damage begins: nobody knows the rest.
func TestPlayheadDamaged(t *testing.T) {
	path := feedtest.Recording(t)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		file[len(file)/2+i] ^= 0xff
	}
	r, err := recording.Open(t.Context(), bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	p := recording.NewPlayer(r, store.New(r.Header.Poll, health.Rules(health.Defaults())))
	defer p.Close()
	d := newPlayhead(p, r, r.End)
	if at := d.currentTime(); !at.Equal(r.End) {
		t.Errorf("before the survey it is at %v", at)
	}
	p.Survey(t.Context())
	place := d.Position()
	if p.Err() == nil || !place.Damaged || !place.At.Before(r.End.Add(-2*time.Minute)) ||
		!place.At.After(r.Began().Add(2*time.Minute)) {
		t.Errorf("at %v of %v to %v, damaged %t: %v", place.At, r.Began(), r.End, place.Damaged, p.Err())
	}
	for _, n := range d.Snapshot(time.Time{}).Nodes {
		if n.State == cluster.NodeStale && n.Age > time.Minute {
			t.Errorf("%s has not responded for %v", n.Name, n.Age)
		}
	}
	if d.Turn(lookback.Beginning); d.Position().Damaged {
		t.Error("the beginning is damaged")
	}
}
