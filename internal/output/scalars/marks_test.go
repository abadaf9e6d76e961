package scalars

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A mark is logged once, as a line of JSON and as a curve; each line of CSV is a GPU.
func TestMarks(t *testing.T) {
	at := time.Date(2026, 11, 23, 12, 0, 30, 0, time.UTC)
	s := &cluster.Snapshot{At: at, Marks: []cluster.Mark{
		{Job: "8", Name: "epoch \"1\"", Kind: cluster.Begins, At: at.Add(-time.Second), Arrived: at},
		{Job: "9", Name: "of another job", At: at, Arrived: at},
		{Job: "8", Name: "of a run before", Kind: cluster.Begins, At: at.Add(-time.Hour), Arrived: at},
	}, Jobs: []cluster.JobView{{Job: cluster.Job{ID: "7_1", Number: "8", Start: at.Add(-31 * time.Second)}}}}
	l := New(time.Second)
	samples := l.Samples(s)
	if len(samples) != 1 || len(l.Samples(s)) != 0 {
		t.Fatalf("%+v", samples)
	}
	want := `{"time":"2026-11-23T12:00:29.000Z","elapsed_seconds":30,"job":"7_1","mark":"begin","name":"epoch \"1\""}` +
		"\n"
	if got := string(appendJSON(nil, samples)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := appendCSV(nil, samples); len(got) > 0 {
		t.Errorf("CSV has %q", got)
	}
	if events := sampleEvents(&samples[0]); len(events) != 2 || !strings.Contains(string(events[0]), `mark/epoch "1"`) {
		t.Errorf("%q", events)
	}
}

// A curve has steps. It stays at 1 until all who have begun a part have ended it.
func TestMarksAreSteps(t *testing.T) {
	at := time.Date(2026, 11, 23, 12, 0, 30, 0, time.UTC)
	s := &cluster.Snapshot{Jobs: []cluster.JobView{{Job: cluster.Job{ID: "8", Number: "8"}}}}
	for i, m := range []cluster.Mark{
		{Name: "eval", By: "a", Kind: cluster.Begins},
		{Name: "eval", By: "b", Kind: cluster.Begins},
		{Name: "saved", Kind: cluster.Moment},
		{Name: "eval", By: "a", Kind: cluster.Ends},
		{Name: "eval", By: "b", Kind: cluster.Ends},
	} {
		m.Job, m.At = "8", at.Add(time.Duration(i)*time.Second)
		m.Arrived = m.At
		s.Marks = append(s.Marks, m)
	}
	var got []string
	for _, sample := range New(time.Second).Samples(s) {
		got = append(got, fmt.Sprint(sample.Mark.Name, sample.Curve))
	}
	want := "[eval[0 1] eval[1 1] saved[0 1 0] eval[1 1] eval[1 0]]"
	if fmt.Sprint(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A line of CSV has the parts of its job that go on at that time, and the words since the previous report of the node.
func TestMarksInCSV(t *testing.T) {
	at := func(seconds float64) time.Time {
		return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
	}
	l := New(time.Second)
	s := &cluster.Snapshot{Nodes: map[string]*cluster.Node{}, Jobs: []cluster.JobView{
		{Job: cluster.Job{ID: "7_1", Number: "8", Nodes: []string{"n1"}, Minors: map[string][]int{"n1": {0}}}},
		{Job: cluster.Job{ID: "9", Number: "9", Nodes: []string{"n2"}, Minors: map[string][]int{"n2": {0}}}}}}
	parts := func(now float64, marks ...cluster.Mark) (list []string) {
		for i := range marks {
			marks[i].Arrived = marks[i].At.Add(100 * time.Millisecond)
		}
		s.At, s.Marks = at(now), append(s.Marks, marks...)
		for _, name := range []string{"n1", "n2"} {
			s.Nodes[name] = &cluster.Node{Name: name, State: cluster.NodeReporting, Arrived: at(now),
				GPUs: []cluster.GPU{{GPU: &wire.GPU{}, Card: &wire.Card{}, Key: "x", Number: 0}}}
		}
		for _, line := range strings.Split(strings.TrimSpace(string(appendCSV(nil, l.Samples(s)))), "\n") {
			cells := strings.Split(line, ",")
			list = append(list, fmt.Sprint(cells[2], " ", cells[len(cells)-1]))
		}
		return list
	}
	for i, tc := range []struct {
		got  []string
		want string
	}{
		{parts(1), "[7_1  9 ]"},
		{parts(2, cluster.Mark{Job: "8", Name: "=epoch", Kind: cluster.Begins, At: at(1.5)},
			cluster.Mark{Job: "8", Name: "eval", Kind: cluster.Begins, At: at(1.6)},
			cluster.Mark{Job: "8", Name: "saved", At: at(1.7)}), "[7_1 '=epoch;eval;saved 9 ]"},
		{parts(3, cluster.Mark{Job: "8", Name: "eval", Kind: cluster.Ends, At: at(2.5)},
			cluster.Mark{Job: "9", Name: "other", At: at(2.5)}), "[7_1 '=epoch 9 other]"},
		{parts(4), "[7_1 '=epoch 9 ]"},
	} {
		if got := fmt.Sprint(tc.got); got != tc.want {
			t.Errorf("%d: %s, want %s", i, got, tc.want)
		}
	}
	if s.Jobs = s.Jobs[1:]; fmt.Sprint(parts(5)) != "[9 ]" || len(l.books) != 1 {
		t.Errorf("%d books after the end of a job", len(l.books))
	}
}
