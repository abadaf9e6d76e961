package scalars

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// A mark is logged once, as a line of JSON and as a curve; CSV has no column for it.
func TestMarks(t *testing.T) {
	at := time.Date(2026, 11, 23, 12, 0, 30, 0, time.UTC)
	s := &cluster.Snapshot{At: at, Marks: []cluster.Mark{
		{Job: "8", Name: "epoch \"1\"", Kind: cluster.Begins, At: at.Add(-time.Second), Arrived: at},
		{Job: "9", Name: "of another job", At: at, Arrived: at},
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
	if event := string(sampleEvent(&samples[0])); !strings.Contains(event, `mark/epoch "1"`) {
		t.Errorf("%q", event)
	}
}
