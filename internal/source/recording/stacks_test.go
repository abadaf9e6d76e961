package recording

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
)

// What the ranks did is known at any time after they were asked, wherever a reading begins, and whenever the recording
// began; a report takes it once. It goes with the job.
func TestStacksAreKept(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }
	runs := func(s int, ids ...string) cluster.Event {
		d := &cluster.Discovery{Command: "squeue", Answered: at(s)}
		for _, id := range ids {
			d.Jobs = append(d.Jobs, cluster.Job{ID: id, Number: id})
		}
		return cluster.Event{At: at(s), Discovery: d}
	}
	events := []cluster.Event{runs(0, "7", "8"),
		{At: at(90), Stacks: &rankstacks.Verdict{Version: 1, Job: "7", Time: at(89),
			State: rankstacks.Stuck, Groups: []rankstacks.Group{}}}}
	for s := 100; s < 500; s += 5 {
		events = append(events, runs(s, "7", "8"))
	}
	events = append(events, runs(500, "8"), runs(600, "8"))
	for name, before := range map[string]int{"recorded from the beginning": 0, "begun after the question": 2} {
		var file bytes.Buffer
		w := NewWriter(Header{Poll: poll})
		for i, e := range events {
			if i == before {
				if err := w.Begin(&file, e.At); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Write(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r := opened(t, file.Bytes())
		p := NewPlayer(r, newStore())
		defer p.Close()
		for _, s := range []int{110, 170, 480} {
			snap, _ := p.Glance(at(s)) // from the frame before it
			if d := snap.Stacks["7"]; d == nil || !d.Time.Equal(at(89)) {
				t.Errorf("%s: after %d s it knows %+v", name, s, d)
			}
		}
		told := 0
		if err := r.Run(context.Background(), func(e cluster.Event) {
			if e.Stacks != nil {
				told++
			}
		}); err != nil || told != 1 {
			t.Errorf("%s: told %d times, %v", name, told, err)
		}
		last := NewPlayer(r, newStore())
		last.Close()
		last.near = &replayState{store: newStore(), events: r.eventsFrom(context.Background(), len(r.Frames)-1), apart: true}
		if snap, _ := last.readUntil(last.near, at(600)); len(snap.Stacks) != 0 {
			t.Errorf("%s: the job has ended, and it knows %+v", name, snap.Stacks)
		}
		last.near.events.closeStream()
	}
}
