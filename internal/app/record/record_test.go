package record

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/internal/source/recording"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// However a recording ends, its last state is the state before the sessions closed.
func TestARecordingEndsWithTheNodesAsTheyWere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.nvr")
	r := &recorder{path: path, w: recording.NewWriter(recording.Header{Poll: config.Default().Poll})}
	if err := r.openNextFile(time.Now()); err != nil {
		t.Fatal(err)
	}
	feedtest.EndsWell(t, path, func(ctx context.Context, from *feedtest.PolledJob) error {
		defer func() { _ = r.closeFile() }()
		cfg := config.Default()
		cfg.Job = "7"
		return (&Options{}).recordEvents(&cfg, r)(ctx, from)
	})
}

// A job that hangs while it is recorded is asked once, and the recording has the answer; not with hang.ask = false.
func TestAHangIsRecorded(t *testing.T) {
	for ask, want := range map[bool]int{true: 1, false: 0} {
		path := filepath.Join(t.TempDir(), "run.nvr")
		cfg := config.Default()
		cfg.HangAsk = ask
		synctest.Test(t, func(t *testing.T) {
			r := &recorder{path: path, w: recording.NewWriter(recording.Header{Poll: cfg.Poll})}
			if err := r.openNextFile(time.Now()); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			from := demo.New(2, 8, demo.Seed, cfg.Poll, 10*time.Minute).Hang()
			if err := (&Options{}).recordEvents(&cfg, r)(ctx, from); err != nil {
				t.Error(err)
			}
			if err := r.closeFile(); err != nil {
				t.Error(err)
			}
			time.Sleep(2 * time.Minute) // until NCCL's answers are not awaited any more
		})
		if got := recordedStacks(t, path); got != want {
			t.Errorf("hang.ask = %t: the recording has %d answers", ask, got)
		}
	}
}

// recordedStacks counts what ranks did in a recording.
func recordedStacks(t *testing.T, path string) (n int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read, err := recording.Open(t.Context(), bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := read.Run(t.Context(), func(e cluster.Event) {
		if e.Stacks != nil {
			n++
		}
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// A file of an earlier run ends a recording to several files before it begins, and not hours later.
func TestFilesAreFree(t *testing.T) {
	for left, free := range map[string]bool{"x.2": false, "x.24": false, "x.25": false, "x.1": true, "x.02": true,
		"x.2.gz": true, "y.2": true, "x.old": true} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, left), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := noneOf(filepath.Join(dir, "x")); (err == nil) != free {
			t.Errorf("beside %s: %v", left, err)
		}
	}
}

// With --files a recording goes on in other files, and the oldest are removed.
func TestRecordFiles(t *testing.T) {
	dir := t.TempDir()
	w := recording.NewWriter(recording.Header{Poll: time.Second})
	r := &recorder{path: filepath.Join(dir, "x"), limit: fileLimits{time: time.Minute}, keep: 2, w: w}
	events := demoEvents(t)
	if err := r.openNextFile(events[0].At); err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		r.take(e)
	}
	if err := r.closeFile(); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != 2 || len(r.files) != 2 || r.files[1] != left[1] || r.count < 10 {
		t.Fatalf("files %q, %q of %d", left, r.files, r.count)
	}
	if !strings.Contains(r.describeRecording(), "2 files, the last of them ") {
		t.Error(r.describeRecording())
	}
	for _, path := range left {
		store := store.New(time.Second, health.Rules(health.Defaults()))
		if end := feedtest.Replay(t, path, store.Apply); len(store.Snapshot(end).Jobs) == 0 {
			t.Errorf("%s has no job", path)
		}
	}
}

// A full disk ends the recording with one line, and the written part can be replayed.
func TestRecordFullDisk(t *testing.T) {
	full := filepath.Join(t.TempDir(), "full.nvr")
	r := &recorder{path: full, w: recording.NewWriter(recording.Header{Poll: 3 * time.Second})}
	events := demoEvents(t)
	if err := r.openNextFile(events[0].At); err != nil {
		t.Fatal(err)
	}
	for n, e := range events {
		if n == 400 {
			r.file.Close() // no write succeeds any more
		}
		r.take(e)
	}
	if err := r.closeFile(); err == nil || !strings.HasPrefix(err.Error(), "the recording ends at ") ||
		r.take(cluster.Event{}) {
		t.Errorf("error %v", err)
	}
	file, err := os.Open(full)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if left, err := recording.Open(t.Context(), file, info.Size()); err != nil || !left.Cut {
		t.Errorf("what is there: %v", err)
	}
}
