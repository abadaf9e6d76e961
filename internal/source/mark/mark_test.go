package mark

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

var of7 = []string{"7"}

// What is written is read once, of the wanted job, in files that only the user may read.
func TestMarksAreRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "marks")
	r := NewReader(dir)
	if marks := r.Next(of7); marks != nil {
		t.Errorf("of nothing: %v", marks)
	}
	for _, m := range []cluster.Mark{{Job: "7", Name: "epoch 1", Kind: cluster.Begins, At: noon, By: "n1/0"},
		{Job: "7", Name: "epoch 1", Kind: cluster.Ends, At: noon.Add(time.Second), By: "n1/0"},
		{Job: "7", Name: "ok", At: noon, By: "..n2/3"}, {Job: "8", Name: "other", At: noon, By: "n1"}} {
		if err := Write(dir, &m); err != nil {
			t.Fatal(err)
		}
	}
	marks := r.Next(of7)
	if len(marks) != 3 || r.Next(of7) != nil {
		t.Fatalf("%v, and then %v", marks, r.Next(of7))
	}
	for path, mode := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, filepath.Join(dir, "7", "n1.jsonl"): 0o600,
		filepath.Join(dir, "7", "__n2.jsonl"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	// a line that is not whole yet, and then is
	path := filepath.Join(dir, "7", "n1.jsonl")
	appended := func(text string) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	appended(`garbage` + "\n" + `{"job":"8","name":"of another"}` + "\n" + `{"job":"7","name":"x\u001b[2J"}` + "\n" +
		`{"job":"7","na`)
	if marks := r.Next(of7); marks != nil {
		t.Errorf("half a line: %v", marks)
	}
	appended("me\":\"later\"}\n")
	if marks := r.Next(of7); len(marks) != 1 || marks[0].Name != "later" {
		t.Errorf("the other half: %v", marks)
	}
}

// Files are bounded, old ones go, and nothing but a file of marks is opened.
func TestMarksAreBounded(t *testing.T) {
	dir := t.TempDir()
	m := cluster.Mark{Job: "7", Name: strings.Repeat("x", MaxName), At: noon, By: "n1"}
	aged := func(job, host string, ages ...time.Duration) string {
		path := filepath.Join(dir, job, host+suffix)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		for i, of := range []string{path, filepath.Dir(path)} {
			if err := os.Chtimes(of, noon, time.Now().Add(-ages[i])); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	gone := aged("3", "n1", maxAge+time.Hour, maxAge+time.Hour)
	stays := aged("4", "n1", time.Hour, maxAge+time.Hour) // the job goes on
	var err error
	n := 0
	for ; err == nil && n < 1e5; n++ {
		err = Write(dir, &m)
	}
	info, _ := os.Stat(filepath.Join(dir, "7", "n1.jsonl"))
	if err == nil || !strings.Contains(err.Error(), ErrFull.Error()) || info.Size() > maxFile {
		t.Errorf("%d marks: %v, %d bytes", n, err, info.Size())
	}
	if _, err := os.Stat(filepath.Dir(gone)); err == nil {
		t.Error("an old directory is still there")
	}
	if _, err := os.Stat(stays); err != nil {
		t.Error(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "7", "pipe.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "7", "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	if marks := NewReader(dir).Next(of7); len(marks) != n-1 {
		t.Errorf("%d marks of %d", len(marks), n-1)
	}
	m.By = "link"
	if err := Write(dir, &m); err == nil {
		t.Error("it writes through a link")
	}
	m.Job = "../7"
	if err := Write(dir, &m); err == nil {
		t.Error("a job is a path")
	}
}

// A part goes on while one rank is in it; a sample counts for the parts in which it was taken.
func TestBook(t *testing.T) {
	var b Book
	take := func(after int, kind cluster.MarkKind, name, by string) {
		b.Take(&cluster.Mark{Name: name, Kind: kind, By: by, At: noon.Add(time.Duration(after) * time.Second)})
	}
	at := func(after int) time.Time { return noon.Add(time.Duration(after) * time.Second) }
	sample := func(after int, util float64) {
		for _, tag := range b.Active(at(after)) {
			tag.GPU(2, util, 1000*util, 10*util)
		}
	}
	take(0, cluster.Ends, "never begun", "n1")
	take(10, cluster.Begins, "epoch", "n1/0")
	take(11, cluster.Begins, "epoch", "n1/1")
	sample(9, 100)
	sample(12, 50)
	take(14, cluster.Ends, "epoch", "n1/0")
	sample(15, 70)
	take(16, cluster.Ends, "epoch", "n1/1")
	sample(18, 100)
	take(20, cluster.Begins, "epoch", "n1/0")
	take(21, cluster.Ends, "epoch", "n1/0")
	take(21, cluster.Moment, "checkpoint", "n1/0")
	take(30, cluster.Begins, "open", "n1/0")
	sample(31, math.NaN())
	sample(14, 60) // it comes late
	before := b.Copy()
	sample(13, 1e6)
	var got []string
	for _, r := range before.Tags(at(40)) {
		text := fmt.Sprintf("%s %.0f s, %d times", r.Name, r.Seconds, r.Times)
		if r.Util != nil {
			text += fmt.Sprintf(", %.0f and %.0f %%, %d bytes, %.0f J", r.Util.Mean, r.Util.Highest, *r.GPUMemory,
				*r.Energy)
		}
		if r.To.IsZero() {
			text += ", goes on"
		}
		got = append(got, text)
	}
	want := "epoch 7 s, 2 times, 60 and 70 %, 70000 bytes, 3600 J|checkpoint 0 s, 1 times|open 10 s, 1 times, goes on"
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	for i := range 10 * maxTags {
		take(i, cluster.Begins, fmt.Sprint(i), "n1")
	}
	for i := range 3 * maxSpans {
		take(100+i, cluster.Begins, "epoch", "n1")
		take(100+i, cluster.Ends, "epoch", "n1")
	}
	if len(b.tags) != maxTags || len(b.tags[0].spans) > maxSpans {
		t.Errorf("%d tags, %d spans", len(b.tags), len(b.tags[0].spans))
	}
}

// What has ended before the time from which parts count is left out; what went on then counts.
func TestBookFrom(t *testing.T) {
	var b Book
	b.From(noon.Add(10 * time.Second))
	for _, m := range []struct {
		after int
		kind  cluster.MarkKind
		name  string
	}{{1, cluster.Begins, "earlier"}, {2, cluster.Ends, "earlier"}, {3, cluster.Moment, "word"},
		{4, cluster.Begins, "both"}, {5, cluster.Ends, "both"}, {8, cluster.Begins, "over"},
		{11, cluster.Begins, "both"}, {12, cluster.Ends, "both"}, {14, cluster.Ends, "over"}} {
		b.Take(&cluster.Mark{Name: m.name, Kind: m.kind, By: "n1", At: noon.Add(time.Duration(m.after) * time.Second)})
	}
	var got []string
	for _, r := range b.Tags(noon.Add(time.Minute)) {
		got = append(got, fmt.Sprintf("%s at %d, %.0f s, %d times", r.Name, r.From.Second(), r.Seconds, r.Times))
	}
	if text := strings.Join(got, "|"); text != "over at 8, 6 s, 1 times|both at 11, 1 s, 1 times" {
		t.Error(text)
	}
}

// A part in which an earlier program was killed begins anew with the next program, and what was added to it is lost. A
// program may say twice that a part begins.
func TestBookAfterAKill(t *testing.T) {
	var b Book
	at := func(after int) time.Time { return noon.Add(time.Duration(after) * time.Second) }
	b.From(at(100))
	begin := func(after int, name, by string) {
		b.Take(&cluster.Mark{Name: name, Kind: cluster.Begins, By: by, At: at(after)})
	}
	begin(1, "epoch", "n1/0")
	begin(1, "epoch", "n1/1")
	begin(2, "load", "n1/0")
	for _, tag := range b.Active(at(105)) {
		tag.GPU(2, 99, 1, 1)
	}
	begin(110, "epoch", "n1/0")
	begin(111, "epoch", "n1/1")
	begin(112, "epoch", "n1/0")
	for _, tag := range b.Active(at(113)) {
		tag.GPU(2, 10, 1, 1)
	}
	for _, by := range []string{"n1/0", "n1/1"} {
		b.Take(&cluster.Mark{Name: "epoch", Kind: cluster.Ends, By: by, At: at(120)})
	}
	list := b.Tags(at(200))
	if len(list) != 2 || list[1].Name != "epoch" || list[1].Seconds != 10 || list[1].Times != 1 ||
		list[1].Util.Highest != 10 || !list[1].From.Equal(at(110)) || list[1].To.IsZero() {
		t.Errorf("%+v", list)
	}
}

// The last look of a Follower finds what was written just before, and nobody waits for one that hangs.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	var marks []cluster.Mark
	f := Follow(dir, time.Hour, func() []string { return of7 }, func(m cluster.Mark) { marks = append(marks, m) })
	if err := Write(dir, &cluster.Mark{Job: "7", Name: "last", At: noon, By: "n1"}); err != nil {
		t.Fatal(err)
	}
	if f.Close(time.Minute); len(marks) != 1 || marks[0].Arrived.IsZero() {
		t.Errorf("%v", marks)
	}
	hang := make(chan bool)
	defer close(hang)
	f = Follow(dir, time.Hour, func() []string { <-hang; return nil }, func(cluster.Mark) {})
	began := time.Now()
	if f.Close(10 * time.Millisecond); time.Since(began) > 5*time.Second {
		t.Error("it waits for a file system that hangs")
	}
}
