package runs

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
)

var now = time.Date(2026, 11, 27, 15, 0, 0, 0, time.UTC)

// run is a run that ended so many hours ago.
func run(job string, hours float64, seconds float64) Run {
	return Run{Job: job, User: "alice", Name: "llama-70b", Shape: Shape{Nodes: 4, GPUs: 32, Model: "NVIDIA H100 80GB HBM3"},
		Seen: now.Add(-time.Duration(hours * float64(time.Hour))), Form: "Megatron-LM", SecondsPerStep: seconds, Steps: 41200}
}

func keep(t *testing.T, path string, r Run) {
	t.Helper()
	if err := Keep(path, now, r); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []Run {
	t.Helper()
	all, err := Read(path, now)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What is kept is read again, in the order in which they were seen, each run once, and only by the user.
func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "runs.jsonl")
	if all := read(t, path); all != nil {
		t.Errorf("without a file: %v", all)
	}
	late, early := run("2", 1, 2.4), run("1", 5, 2.6)
	keep(t, path, late)
	keep(t, path, early)
	late.Steps = 50_000
	keep(t, path, late)
	if all := read(t, path); !reflect.DeepEqual(all, []Run{early, late}) {
		t.Errorf("%+v", all)
	}
	for _, name := range []string{path, path + ".lock"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".runs-*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// The file stays small, and forgets old runs and lines that cannot be read.
func TestBounds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	var text strings.Builder
	for i := range 5000 {
		r := run(fmt.Sprint(i), 2000-float64(i)/10, 2.4)
		r.Name = strings.Repeat("x", 200)
		line, err := format([]Run{r})
		if err != nil {
			t.Fatal(err)
		}
		if text.Len()+len(line) > MaxBytes-100 {
			break
		}
		text.Write(line)
	}
	text.WriteString("{\"job\":\n\x00\n{\"job\":\"9\"}\n")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		keep(t, path, run(fmt.Sprint("new", i), 0, 2.4))
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > MaxBytes {
		t.Fatalf("%d bytes, %v", info.Size(), err)
	}
	all := read(t, path)
	if all[len(all)-1].Job != "new4" || all[0].Job == "0" {
		t.Errorf("from %s to %s", all[0].Job, all[len(all)-1].Job)
	}
	if later, err := Read(path, now.Add(MaxAge-time.Minute)); err != nil || len(later) != 5 {
		t.Errorf("89 days later: %d runs, %v", len(later), err)
	}
}

// A file that others can access is neither read nor written, and no program waits for another one.
func TestNotPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	keep(t, path, run("1", 1, 2.4))
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, now); err == nil {
		t.Error("it was read")
	}
	if err := Keep(path, now, run("2", 1, 2.4)); err == nil {
		t.Error("it was written")
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	lock, err := os.Open(path + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if err := Keep(path, now, run("2", 1, 2.4)); !errors.Is(err, ErrBusy) {
		t.Errorf("beside another program: %v", err)
	}
}

// Runs without a number that can be compared are not kept.
func TestUselessRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	for name, change := range map[string]func(*Run){
		"no job": func(r *Run) { r.Job = "" }, "no end": func(r *Run) { r.Seen = time.Time{} },
		"no pace": func(r *Run) { r.SecondsPerStep = 0 }, "NaN": func(r *Run) { r.SecondsPerStep = math.NaN() },
		"inf": func(r *Run) { r.SecondsPerStep = math.Inf(1) }, "a long name": func(r *Run) { r.Name = strings.Repeat("x", 300) },
	} {
		r := run("1", 1, 2.4)
		change(&r)
		if err := Keep(path, now, r); err == nil {
			t.Errorf("%s: it was kept", name)
		}
	}
}

// A run is compared with the last one of the same user, name, shape and form.
func TestCompare(t *testing.T) {
	other := run("48150", 2, 9)
	other.Shape.Nodes = 8
	stranger := run("48151", 1, 9)
	stranger.User = "bob"
	all := []Run{run("48001", 90, 3), run("48102", 72, 2.64), other, stranger, run("48211", 0.5, 2.5)}
	c := Compare(all, run("48211", 0, 2.4))
	if c == nil || c.Before.Job != "48102" || math.Abs(c.Faster-0.0909) > 0.001 {
		t.Errorf("%+v", c)
	}
	if c = Compare(all, run("48211", 0, 3.3)); math.Abs(c.Faster+0.25) > 0.001 {
		t.Errorf("%+v", c)
	}
	for name, change := range map[string]func(*Run){
		"name": func(r *Run) { r.Name = "x" }, "GPUs": func(r *Run) { r.Shape.GPUs = 16 },
		"model": func(r *Run) { r.Shape.Model = "NVIDIA A100" }, "form": func(r *Run) { r.Form = "tqdm" },
		"no pace": func(r *Run) { r.SecondsPerStep = 0 }, "before all": func(r *Run) { r.Seen = now.Add(-MaxAge) },
	} {
		r := run("48211", 0, 2.4)
		change(&r)
		if c := Compare(all, r); c != nil {
			t.Errorf("%s: compared with %+v", name, c.Before)
		}
	}
}

func FuzzParse(f *testing.F) {
	text, err := format([]Run{run("1", 1, 2.4), run("2", 2, 3)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("{\"job\":\"1\",\"seconds_per_step\":1e999}\n[]\nnull\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all := parse(text, now)
		for _, r := range all {
			if err := r.check(); err != nil {
				t.Errorf("%+v: %v", r, err)
			}
		}
		if again, err := format(all); err != nil || len(parse(again, now)) != len(all) {
			t.Errorf("%d runs, then %d, %v", len(all), len(parse(again, now)), err)
		}
	})
}
