package recording

import (
	"bytes"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
)

// How far a program is is known wherever a reading begins, as long as the job runs.
func TestProgressIsKept(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }
	step, pace := int64(41_200), 3.1
	var file bytes.Buffer
	w := NewWriter(Header{Poll: poll})
	if err := w.Begin(&file, began); err != nil {
		t.Fatal(err)
	}
	for s := 0; s < 600; s += 5 {
		d := &cluster.Discovery{Command: "squeue", Answered: at(s)}
		if s < 500 {
			d.Jobs = []cluster.Job{{ID: "7", Number: "7"}}
		}
		events := []cluster.Event{{At: at(s), Discovery: d}}
		if s == 90 {
			events = append(events, cluster.Event{At: at(s), Progress: &cluster.JobProgress{Job: "7",
				Progress: progress.Progress{Form: "general", At: at(89), Step: &step, SecondsPerStep: &pace,
					Slower:         &progress.Slower{Before: 2, Since: at(3)},
					LastCheckpoint: &progress.Checkpoint{At: at(2)}},
				Silence: &progress.Silence{Since: at(1)}}})
		}
		for _, e := range events {
			if err := w.Write(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p := NewPlayer(opened(t, file.Bytes()), newStore())
	defer p.Close()
	for _, s := range []int{110, 170, 480} {
		snap, _ := p.Glance(at(s)) // from the frame before it
		if got := snap.Jobs[0].Progress; got == nil || *got.Step != step || *got.SecondsPerStep != pace ||
			!got.At.Equal(at(89)) || got.Silence == nil || got.LastCheckpoint == nil || got.At.Location() != time.Local {
			t.Errorf("after %d s it knows %+v", s, got)
		}
	}
	steps := p.Snapshot(t.Context(), at(480)).Jobs[0].Steps
	if len(steps) != 1 || !steps[0].At.Equal(at(90)) || len(p.Snapshot(t.Context(), at(80)).Jobs[0].Steps) > 0 {
		t.Errorf("its past is %+v", steps)
	}
	if snap, _ := p.Glance(at(590)); len(snap.Jobs) > 0 {
		t.Errorf("the job has ended: %+v", snap.Jobs[0].Progress)
	}
}
