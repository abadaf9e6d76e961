package output

import (
	"bytes"
	"encoding/csv"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/report/books"
	"github.com/nvnodetop/nvnodetop/internal/report/compare"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/pkg/report"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

var now = time.Date(2026, 11, 23, 14, 0, 0, 0, time.UTC)

// accounts are jobs that sacct has printed, one with a utilization of its GPUs.
func accounts(t *testing.T) []sacct.Job {
	t.Helper()
	var all []sacct.Job
	for _, name := range []string{"gpus.txt", "jobs.txt"} {
		out, err := os.ReadFile("../../slurm/sacct/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := sacct.Parse(out, "|MARK|")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, jobs...)
	}
	return all
}

// priced is a report with a cost.
func priced(j *sacct.Job) *report.Report {
	r, v := books.Make(j, now), 1.25
	r.Cost = &report.Cost{Currency: "EUR", GPUHours: &v, Energy: &v, CO2: &v}
	return r
}

func TestGolden(t *testing.T) {
	jobs := accounts(t)
	a, b := priced(&jobs[0]), priced(&jobs[1])
	made := books.NewListing("alice", now.AddDate(0, 0, -7), now)
	made.Add(jobs)
	list, _ := made.List()
	for name, write := range map[string]func(*bytes.Buffer) error{
		"accounting.txt": func(b *bytes.Buffer) error { return Text(b, a, time.UTC) },
		"accounting.md":  func(b *bytes.Buffer) error { return Markdown(b, a, time.UTC) },
		"list.txt":       func(b *bytes.Buffer) error { return listText(b, list, time.UTC, false) },
		"list.md":        func(b *bytes.Buffer) error { return listText(b, list, time.UTC, true) },
		"list.csv":       func(b *bytes.Buffer) error { return rowsCSV(b, list.Jobs) },
		"compare.txt":    func(w *bytes.Buffer) error { return compareText(w, compare.Of(a, b), time.UTC, false) },
		"compare.csv":    func(w *bytes.Buffer) error { return compareCSV(w, compare.Of(a, b)) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, "testdata/"+name, b.String())
	}
}

// A spreadsheet takes no name for a formula, and each line has all columns.
func TestCSVIsSafe(t *testing.T) {
	rows := []report.Row{{Job: report.Job{ID: "1", Name: `=1+"x",2`, User: "@a", State: "FAILED"}}}
	var b bytes.Buffer
	if err := rowsCSV(&b, rows); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(lines) != 2 || lines[1][1] != `'=1+"x",2` || lines[1][2] != "'@a" {
		t.Errorf("%v, %q", err, lines)
	}
}

// Advice takes the place of the note on the same subject.
func TestAdviceReplacesItsNote(t *testing.T) {
	r := &report.Report{Job: report.Job{ID: "1"}, Notes: []report.Note{{Kind: "a", Text: "note A"},
		{Kind: "b", Text: "note B"}},
		Advice: []report.Advice{{Kind: "a", Option: "--mem", Value: "1G", Reason: "so"}}}
	var b bytes.Buffer
	if err := Text(&b, r, time.UTC); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); strings.Contains(s, "note A") || !strings.Contains(s, "note B") ||
		!strings.Contains(s, "--mem=1G: so.") {
		t.Errorf("printed\n%s", s)
	}
}
