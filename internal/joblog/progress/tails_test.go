package progress

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
)

var tails = flag.String("tails", "testdata", "directory with tails of logs, and what they say: expected.tsv")

// expectedTail is a row of expected.tsv. A cell may have several right values, with " | " between them.
type expectedTail struct {
	file, program string
	cells         map[string]string
}

// cellNames are the cells that are compared.
var cellNames = []string{"step", "of", "epoch", "epochs", "sec_per_step_or_rate", "loss", "eta_s"}

func expectedTails(t testing.TB) (all []expectedTail) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(*tails, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		cells := strings.Split(line, "\t")
		if i == 0 {
			names = cells
			continue
		}
		e := expectedTail{cells: map[string]string{}}
		for j, name := range names {
			if j < len(cells) {
				e.cells[name] = cells[j]
			}
		}
		e.file, e.program = e.cells["file"], e.cells["program"]
		all = append(all, e)
	}
	return all
}

func readTail(t testing.TB, file string) []byte {
	t.Helper()
	for _, dir := range []string{*tails, filepath.Join(*tails, "tails")} {
		if data, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
			return data
		}
	}
	t.Fatalf("there is no tail %q below %q", file, *tails)
	return nil
}

var someTime = time.Date(2026, 11, 27, 15, 0, 0, 0, time.UTC)

// verdict counts the numbers of tails.
type verdict struct{ tails, right, rightNumbers, absent, wrong int }

// What the tails say is found, and nothing else.
func TestTails(t *testing.T) {
	all, programs := verdict{}, map[string]*verdict{}
	for _, e := range expectedTails(t) {
		r := &Reader{}
		r.Take(readTail(t, e.file), someTime)
		of := programs[e.program]
		if of == nil {
			of = &verdict{}
			programs[e.program] = of
		}
		one := judge(t, e, r.Progress())
		for _, v := range []*verdict{&all, of} {
			v.tails++
			v.rightNumbers, v.absent, v.wrong = v.rightNumbers+one.rightNumbers, v.absent+one.absent, v.wrong+one.wrong
			if one.absent+one.wrong == 0 {
				v.right++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		v := programs[name]
		t.Logf("%-30s %3d of %3d tails right, numbers: %3d right, %2d absent, %d wrong", name, v.right, v.tails, v.rightNumbers,
			v.absent, v.wrong)
	}
	t.Logf("%d programs: %d of %d tails right, numbers: %d right, %d absent, %d wrong", len(programs), all.right, all.tails,
		all.rightNumbers, all.absent, all.wrong)
	if all.tails < 80 || len(programs) < 25 {
		t.Error("there are too few tails")
	}
	if all.right*10 < all.tails*9 || all.rightNumbers*10 < (all.rightNumbers+all.absent)*9 {
		t.Error("fewer than 90 % are right")
	}
}

// unread are the tails of which a number is not read, because it would often be a wrong one: a count without a word,
// and a number that is a loss only by the word "train".
var unread = map[string]bool{"140-script-two-phases.log": true, "144-script-sweep-index.log": true}

// judge compares a progress.Progress with what is expected.
func judge(t *testing.T, e expectedTail, p progress.Progress) (v verdict) {
	for _, name := range cellNames {
		want := strings.Split(e.cells[name], " | ")
		got, is := cellOf(p, name, want[0])
		switch {
		case !is && (want[0] == "" || slices.Contains(want, "")):
		case !is:
			v.absent++
			t.Logf("%s: %s is absent, want %s", e.file, name, e.cells[name])
			if *tails == "testdata" && !unread[e.file] {
				t.Errorf("%s: %s was read before", e.file, name)
			}
		case slices.ContainsFunc(want, func(w string) bool { return w != "" && isSameCell(got, w) }):
			v.rightNumbers++
		default:
			v.wrong++
			t.Errorf("%s: %s is %v, want %q (form %s)", e.file, name, got, e.cells[name], p.Form)
		}
	}
	return v
}

// cellOf returns the number of a progress.Progress that a cell is about. want says whether it is a pace or a rate.
func cellOf(p progress.Progress, name, want string) (float64, bool) {
	whole := map[string]*int64{"step": p.Step, "of": p.Total, "epochs": p.Epochs}
	if v, is := whole[name]; is {
		if v == nil {
			return 0, false
		}
		return float64(*v), true
	}
	of := map[string]*float64{"epoch": p.Epoch, "loss": p.Loss}[name]
	if name == "loss" && p.Diverged {
		return math.NaN(), true
	}
	switch name {
	case "eta_s":
		if p.ETA != nil {
			return eta(p.ETA.Seconds(), want), true
		}
	case "sec_per_step_or_rate":
		if _, unit, is := strings.Cut(want, " "); is && unit == p.Unit+"/s" {
			of = p.UnitsPerSecond
		} else if p.Source == progress.Said {
			of = p.SecondsPerStep
		}
	}
	if of == nil {
		return 0, false
	}
	return *of, true
}

// isSameCell compares a number with the text of a cell: "3.38M", "40.9k samples/s", "3.33 it/s", "412 ms/step".
func isSameCell(got float64, want string) bool {
	number, unit, _ := strings.Cut(want, " ")
	w, is := parseCell(number)
	if !is {
		return false
	}
	switch unit {
	case "it/s":
		w = 1 / w
	case "it/min":
		w = 60 / w
	case "ms/step":
		w /= 1000
	}
	return math.IsNaN(w) && math.IsNaN(got) || math.Abs(got-w) <= 1e-9*math.Abs(w)
}

// Whatever pieces a log comes in, it says the same.
func TestPieces(t *testing.T) {
	for _, e := range expectedTails(t) {
		data := readTail(t, e.file)
		whole := &Reader{}
		whole.Take(data, someTime)
		want := describe(whole.Progress())
		for _, size := range []int{1, 7, 64} {
			r := &Reader{}
			for piece := range slices.Chunk(data, size) {
				r.Take(piece, someTime)
				if size == 64 {
					r.Progress()
				}
			}
			if got := describe(r.Progress()); got != want {
				t.Errorf("%s in pieces of %d:\n got %s\nwant %s", e.file, size, got, want)
			}
		}
	}
}

// describe is a progress.Progress as text.
func describe(p progress.Progress) string {
	var b strings.Builder
	fmt.Fprint(&b, p.Form, " ", p.Source, " ", p.Unit, " ", p.Scope)
	for _, v := range []*int64{p.Step, p.Total, p.Epochs, p.Resumed} {
		if v == nil {
			b.WriteString(" -")
		} else {
			fmt.Fprint(&b, " ", *v)
		}
	}
	for _, v := range []*float64{p.Epoch, p.SecondsPerStep, p.UnitsPerSecond, p.Loss, p.LearningRate, p.MFU, p.Done()} {
		if v == nil {
			b.WriteString(" -")
		} else {
			b.WriteString(" " + strconv.FormatFloat(*v, 'g', 6, 64))
		}
	}
	if p.Diverged {
		b.WriteString(" diverged")
	}
	if p.ETA != nil {
		fmt.Fprint(&b, " ", *p.ETA, " ", p.ETAScope)
	}
	if c := p.LastCheckpoint; c != nil && c.Step != nil {
		fmt.Fprint(&b, " checkpoint ", *c.Step)
	}
	return b.String()
}

// eta is a number of seconds, rounded down as in a cell.
func eta(seconds float64, want string) float64 {
	if strings.Contains(want, ".") {
		return math.Round(seconds*10) / 10
	}
	return math.Floor(seconds)
}

// parseCell reads a number of a cell.
func parseCell(s string) (float64, bool) {
	scale := 1.0
	if i := strings.IndexByte("kM", s[len(s)-1]); i >= 0 {
		scale, s = []float64{1e3, 1e6}[i], s[:len(s)-1]
	}
	v, err := strconv.ParseFloat(s, 64)
	return v * scale, err == nil
}
