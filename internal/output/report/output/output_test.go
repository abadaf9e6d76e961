package output

import (
	"bytes"
	"encoding/csv"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/output/report/books"
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
		out, err := os.ReadFile("../../../slurm/sacct/testdata/" + name)
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
	r.Pace = &report.Pace{SecondsPerStep: 2.4, Earlier: &report.EarlierRun{Job: "48102",
		Seen: time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC), SecondsPerStep: 2.64}}
	return r
}

func TestGolden(t *testing.T) {
	jobs := accounts(t)
	a, b := priced(&jobs[0]), priced(&jobs[1])
	made := books.NewListing("alice", now.AddDate(0, 0, -7), now)
	made.Add(jobs)
	list, _ := made.List()
	for name, write := range map[string]func(*bytes.Buffer) error{
		"accounting.txt": func(b *bytes.Buffer) error { return Text(b, a, time.UTC, TextFormat{}) },
		"accounting.md":  func(b *bytes.Buffer) error { return Markdown(b, a, time.UTC) },
		"list.txt":       func(b *bytes.Buffer) error { return listText(b, list, time.UTC, false, TextFormat{}) },
		"list.md":        func(b *bytes.Buffer) error { return listText(b, list, time.UTC, true, TextFormat{}) },
		"list.csv":       func(b *bytes.Buffer) error { return rowsCSV(b, list.Jobs) },
		"compare.txt": func(w *bytes.Buffer) error {
			return compareText(w, Compare(a, b), time.UTC, false,
				TextFormat{})
		},
		"compare.csv": func(w *bytes.Buffer) error { return compareCSV(w, Compare(a, b)) },
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

// The wasted hours are a difference, without the digits of arithmetic.
// The columns of a list stay in line whatever the width of the names: they count cells.
func TestColumnsCountCells(t *testing.T) {
	l := &report.List{Version: report.Version}
	for _, name := range []string{"plain", "训练🚀|x", "e\u0301te\u0301", strings.Repeat("模型", 20)} {
		l.Jobs = append(l.Jobs, report.Row{Job: report.Job{ID: "1", Name: name, Partition: "gpu", State: "COMPLETED"}})
	}
	for _, width := range []int{0, 60} {
		var b bytes.Buffer
		if err := listText(&b, l, time.UTC, false, TextFormat{Width: width}); err != nil {
			t.Fatal(err)
		}
		at := map[int]int{}
		for line := range strings.Lines(b.String()) {
			if before, _, found := strings.Cut(line, "COMPLETED"); found {
				at[ansi.StringWidth(before)]++
			}
		}
		if len(at) != 1 || slices.Max(slices.Collect(maps.Values(at))) != 4 {
			t.Errorf("the states begin in the columns %v:\n%s", at, b.String())
		}
	}
}

func TestHoursAreShort(t *testing.T) {
	s := hoursOf(&report.Hours{Given: 1.62, Seen: 1.58, Used: new(1.4494)})
	if got := floatCell(s.Wasted); got != "0.1306" {
		t.Errorf("%s hours are wasted", got)
	}
}

// The time that a job ran is a difference, too.
func TestElapsedIsShort(t *testing.T) {
	start := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	r := &report.Report{Job: report.Job{ID: "1", Start: start, End: start.Add(1247*time.Millisecond + 7)}}
	row := rowOf(r)
	if got := floatCell(&row.Elapsed); got != "1.247" {
		t.Errorf("it ran for %s s", got)
	}
	if got := floatCell(Compare(r, r).Rows[0].A); got != "1.247" {
		t.Errorf("beside another it ran for %s s", got)
	}
}

// Advice takes the place of the note on the same subject.
func TestAdviceReplacesItsNote(t *testing.T) {
	r := &report.Report{Job: report.Job{ID: "1"}, Notes: []report.Note{{Kind: "a", Text: "note A"},
		{Kind: "b", Text: "note B"}},
		Advice: []report.Advice{{Kind: "a", Option: "--mem", Value: "1G", Reason: "so"}}}
	var b bytes.Buffer
	if err := Text(&b, r, time.UTC, TextFormat{}); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); strings.Contains(s, "note A") || !strings.Contains(s, "note B") ||
		!strings.Contains(s, "--mem=1G: so.") {
		t.Errorf("printed\n%s", s)
	}
}

// Colors take no room: with and without them lines end at the same words.
func TestColorsTakeNoRoom(t *testing.T) {
	jobs := accounts(t)
	r := priced(&jobs[0])
	r.Job.State, r.Job.Account = "OUT_OF_MEMORY", strings.Repeat("word ", 20)
	var plain, colored bytes.Buffer
	if err := errors.Join(Text(&plain, r, time.UTC, TextFormat{Width: 80}),
		Text(&colored, r, time.UTC, TextFormat{Width: 80, Color: true})); err != nil {
		t.Fatal(err)
	}
	if got := ansi.Strip(colored.String()); got != plain.String() {
		t.Errorf("with colors\n%swithout\n%s", got, plain.String())
	}
}

// A step that had less memory than its job ran out of its own.
func TestStepOutOfMemory(t *testing.T) {
	jobs := accounts(t)
	r, limit := priced(&jobs[0]), uint64(300<<20)
	r.Accounting.OutOfMemory, r.Accounting.OutOfMemoryLimit = "0", &limit
	var b bytes.Buffer
	if err := Text(&b, r, time.UTC, TextFormat{}); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); !strings.Contains(s, "step 0 needed more than its 300.0 MiB of the job's 2.0 GiB") ||
		strings.Contains(s, ">100") || !strings.Contains(s, "28.8%") {
		t.Errorf("printed\n%s", s)
	}
}

// No line is longer than the terminal is wide, and nothing but columns that a list can spare is left out. A file has
// neither colors nor limits.
func TestTerminals(t *testing.T) {
	jobs := accounts(t)
	made := books.NewListing("alice", now.AddDate(0, 0, -7), now)
	made.Add(jobs)
	list, _ := made.List()
	a, b := priced(&jobs[0]), priced(&jobs[1])
	a.Job.Name, a.Accounting.NodeList = strings.Repeat("long ", 20), "n1,n2,"+strings.Repeat("n[3-4] ", 30)
	sgr := regexp.MustCompile("\x1b\\[[0-9]*m")
	for width := 60; width <= 160; width += 5 {
		var text bytes.Buffer
		look := TextFormat{Width: width, Color: width%2 == 0}
		if err := errors.Join(Text(&text, a, time.UTC, look), listText(&text, list, time.UTC, false, look),
			compareText(&text, Compare(a, b), time.UTC, false, look)); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(text.String(), "\x1b"); got != look.Color {
			t.Errorf("%d columns: colors %v", width, got)
		}
		plain := sgr.ReplaceAllString(text.String(), "")
		for line := range strings.Lines(plain) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width && !strings.HasPrefix(line, "Job ") {
				t.Errorf("%d columns: %d in %q", width, n, line)
			}
		}
		for _, word := range []string{"n2,", "≥2.58", "TIMEOUT", "GPU util", "577.1 MiB", "--time=02:30:00"} {
			if !strings.Contains(plain, word) {
				t.Errorf("%d columns: %q is missing", width, word)
			}
		}
	}
}
