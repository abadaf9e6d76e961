package graph

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// What the job has marked is on the time axis: the latest first, each name once, and nothing of other jobs, of an
// earlier run or of another time.
func TestMarksOnTheAxis(t *testing.T) {
	mark := func(ago time.Duration, name string, kind cluster.MarkKind, by string) cluster.Mark {
		return cluster.Mark{Job: "7", Name: name, Kind: kind, At: now.Add(-ago), By: by}
	}
	other := mark(5*time.Minute, "other", cluster.Moment, "")
	other.Job = "8"
	all := []cluster.Mark{
		mark(20*time.Minute, "before", cluster.Begins, "n1"), mark(9*time.Minute, "load", cluster.Ends, "n1"),
		mark(6*time.Minute, "epoch 1", cluster.Begins, "n1"), mark(6*time.Minute-time.Second, "epoch 1", cluster.Begins, "n2"),
		mark(4*time.Minute, "epoch 1", cluster.Ends, "n1"), mark(3*time.Minute, "a name that is much too long", cluster.Begins, ""),
		mark(2*time.Minute, "saved", cluster.Moment, ""), mark(10*time.Second, "eval", cluster.Begins, ""), other,
	}
	for _, c := range []struct {
		w    int
		end  time.Time
		want string
	}{
		{100, time.Time{}, "-10m load]                              [epoch 1           ]         [         |saved            now"},
		{40, time.Time{}, "-10m            [epoch 1   [   |     now"},
		{100, now.Add(-5 * time.Minute), "-10m                                                   load]                              [ 07:55:00"},
		{8, time.Time{}, "-10m now"},
	} {
		f := frame(120, 3)
		f.Snap.Marks, f.Job.Number, f.Job.Start = all, "7", now.Add(-15*time.Minute)
		axisEnds(f, 2, 1, c.w, axis{span: 10 * time.Minute, end: c.end})
		got := shown(f)[1]
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%d columns until %v:\n%q, want\n%q", c.w, c.end, strings.TrimSpace(got), c.want)
		}
	}
}
