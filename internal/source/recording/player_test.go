package recording

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/same"
)

// Without the survey a glance is quick and says that it is not exact. With it a glance is exact.
func TestGlance(t *testing.T) {
	events := story(t, 2, 4, 0, 9*time.Minute)
	seen := snapshots(events)
	p := NewPlayer(opened(t, recorded(t, Header{}, events)), newStore())
	defer p.Close()
	want := seen[len(seen)-1]
	got, exact := p.Glance(want.At)
	if exact || got.Nodes["gpu-n01"] == nil ||
		got.Nodes["gpu-n01"].GPUs[0].Values != want.Nodes["gpu-n01"].GPUs[0].Values || !got.At.Equal(want.At) {
		t.Fatalf("exact: %t, %d nodes at %v", exact, len(got.Nodes), got.At)
	}
	if p.near.store == p.here.store || len(p.marks) < 5 || p.marks[len(p.marks)-1] != nil {
		t.Error("the glance has left marks")
	}
	early := seen[2]
	got, exact = p.Glance(early.At)
	if diff := cmp.Diff(early, got, same.State); diff != "" || !exact {
		t.Errorf("at the beginning, exact: %t\n%.2000s", exact, diff)
	}
	p.Survey(t.Context())
	for _, want := range []*cluster.Snapshot{want, seen[len(seen)/2]} {
		got, exact = p.Glance(want.At)
		if diff := cmp.Diff(want, got, same.State); diff != "" || !exact {
			t.Errorf("after the survey, exact: %t\n%.2000s", exact, diff)
		}
	}
}

// A survey finds when problems began.
func TestProgress(t *testing.T) {
	events := story(t, 4, 8, time.Minute, 6*time.Minute)
	p := NewPlayer(opened(t, recorded(t, Header{}, events)), newStore())
	defer p.Close()
	if found := p.Progress(); found.Read != 0 || len(found.Problems) != 0 {
		t.Errorf("before the survey: %v", found)
	}
	p.Survey(t.Context())
	found := p.Progress()
	if found.Read != 1 || len(found.Problems) < 5 || !slices.IsSortedFunc(found.Problems, time.Time.Compare) {
		t.Fatalf("%v", found)
	}
	for i, at := range found.Problems[1:] {
		now, before := problems(p.Snapshot(context.Background(), at)),
			problems(p.Snapshot(context.Background(), found.Problems[i].Add(poll/2)))
		if now == 0 || at.Sub(found.Problems[i]) < poll {
			t.Errorf("%d problems at %v, %d before", now, at, before)
		}
	}
}

func problems(s *cluster.Snapshot) (n int) {
	for i := range s.Jobs {
		for k := range s.Jobs[i].Findings {
			if f := &s.Jobs[i].Findings[k]; f.Holds() && f.Severity >= cluster.Warning {
				n++
			}
		}
	}
	return n
}

// The Stores that are kept are few, whatever the length of the recording, and the more of them the shorter it is.
func TestThin(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	events := story(t, 1, 1, 0, 5*time.Minute)
	for i, last := 0, len(events); i < 80; i++ { // 80 times the same, one after the other
		for _, e := range events[:last] {
			e.At = e.At.Add(time.Duration(i+1) * 5 * time.Minute)
			events = append(events, e)
		}
	}
	p := NewPlayer(opened(t, recorded(t, Header{}, events)), newStore())
	defer p.Close()
	p.Survey(t.Context())
	kept := 0
	for i, mark := range p.marks {
		if mark != nil {
			kept++
		}
		if (mark != nil) != (i%p.every == 0) {
			t.Errorf("frame %d of every %d: kept %t", i, p.every, mark != nil)
		}
	}
	if kept != p.kept || kept > mostMarks || kept < mostMarks/4 || len(p.marks) < 300 {
		t.Errorf("%d of %d are kept, counted %d", kept, len(p.marks), p.kept)
	}
}
