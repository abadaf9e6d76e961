package record

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/internal/source/mark"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// demoEvents are the Events of some minutes of the demo.
func demoEvents(t *testing.T) (events []cluster.Event) {
	t.Helper()
	const poll = 3 * time.Second
	feedtest.Record(t, filepath.Join(t.TempDir(), "run.nvr"), poll,
		demo.New(2, 4, demo.Seed, poll, 12*time.Minute+30*time.Second),
		func(e cluster.Event) { events = append(events, e) })
	return events
}

// background is a Background in an empty working directory, and a function that gives it Events.
func background(t *testing.T) (*Background, *store.Store) {
	t.Helper()
	t.Chdir(t.TempDir())
	cfg := config.Default()
	seen := store.New(cfg.Poll, health.Rules(cfg.Thresholds))
	return NewBackground(&cfg, func() string { return "" }), seen
}

// A recording that begins later has the earlier state, names its file, and overwrites no other.
func TestRecordFromTheScreen(t *testing.T) {
	events := demoEvents(t)
	o, _ := background(t)
	for _, e := range events[:len(events)-50] {
		o.writeEvent(e)
	}
	if o.Status() != "" {
		t.Errorf("status %q", o.Status())
	}
	said := o.Switch()
	name := regexp.MustCompile(`^recording to "(nvnodetop-[^/"]+-\d{8}-\d{6}\.nvr)"$`).FindStringSubmatch(said)
	if name == nil || o.Status() != "rec 0s" {
		t.Fatalf("said %q, status %q", said, o.Status())
	}
	for _, e := range events[len(events)-50:] {
		o.writeEvent(e)
	}
	if said := o.Switch(); !strings.HasPrefix(said, "recorded ") || !strings.Contains(said, name[1]) ||
		o.Status() != "" || o.lastMessage() != "" {
		t.Errorf("said %q, status %q, at the end %q", said, o.Status(), o.lastMessage())
	}
	info, err := os.Stat(name[1])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	found := false
	feedtest.Replay(t, name[1], func(e cluster.Event) {
		if d := e.Discovery; d != nil {
			found = found || slices.ContainsFunc(d.Jobs, func(j cluster.Job) bool { return j.Name == "llama-70b" })
		}
	})
	if !found {
		t.Error("the recording does not have what was known before")
	}
}

func TestRecordOverwritesNothing(t *testing.T) {
	o, _ := background(t)
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, want := range []string{"nvnodetop-123_-4-x-20260304-050607.nvr",
		"nvnodetop-123_-4-x-20260304-050607-2.nvr"} {
		r, err := o.createFile("123_[4]/x", at)
		if err != nil || r.path != want {
			t.Errorf("%v, %v, want %s", r.path, err, want)
		}
	}
	o.job = func() string { return "1" }
	if err := os.Mkdir("empty", 0o500); err != nil {
		t.Fatal(err)
	}
	t.Chdir("empty")
	if os.Getuid() != 0 {
		if said := o.Switch(); !strings.HasPrefix(said, "create the recording: ") || o.Status() != "" {
			t.Errorf("said %q", said)
		}
	}
}

// The end of the screens ends the recording, and the user is told its place.
func TestRecordUntilTheEnd(t *testing.T) {
	events := demoEvents(t)
	o, _ := background(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- o.Run(ctx) }()
	o.Switch()
	for _, e := range events[:200] {
		o.queue <- e
	}
	for len(o.queue) > 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; err != nil || !strings.HasPrefix(o.lastMessage(), "recorded ") {
		t.Errorf("%v, %q", err, o.lastMessage())
	}
}

// Events that wait for the disk are limited: the recording ends, and says so.
func TestRecordBehind(t *testing.T) {
	events := demoEvents(t)
	o, _ := background(t)
	o.Switch()
	o.writeEvent(events[0])
	for range waiting + 1 {
		o.Take(events[1])
	}
	o.writeEvent(events[2])
	if o.Status() != "not recorded" {
		t.Errorf("status %q", o.Status())
	}
	if said := o.Switch(); !strings.Contains(said, "the disk is too slow") || o.Status() != "" {
		t.Errorf("said %q, status %q", said, o.Status())
	}
}

func TestARecordingOnCallCountsAsAKeyNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config.Default()
		o := NewBackground(&cfg, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var keys atomic.Int32
		done := source.StartTask(func() error { return o.Hold(ctx, func() { keys.Add(1) }) })
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if n := keys.Load(); n != 0 {
			t.Errorf("%d keys while nothing is recorded", n)
		}
		o.status.Store("rec 1m")
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if n := keys.Load(); n < 5 || feed.TouchEvery >= source.IdleAfter {
			t.Errorf("%d keys in two hours", n)
		}
		cancel()
		_, _ = done.Wait(time.Minute)
	})
}

// Without a recording no Event waits in memory, and no Event overtakes a waiting one.
func TestNothingWaitsUnlessRecorded(t *testing.T) {
	events := demoEvents(t)
	o, _ := background(t)
	waits := func(when string, want int) {
		t.Helper()
		o.Take(events[0])
		if len(o.queue) != want || o.behind.Load() {
			t.Errorf("%s %d wait, want %d; behind: %v", when, len(o.queue), want, o.behind.Load())
		}
	}
	for range waiting {
		o.Take(events[0])
	}
	waits("before a recording", 0)
	o.Switch()
	waits("in it", 1)
	o.Switch()
	waits("after it", 2)
}

// Each recording from the screen has the marks of its jobs, those before it too, and no others.
func TestMarksFromTheScreen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "marks")
	t.Chdir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		cfg := config.Default()
		o := NewBackground(&cfg, func() string { return "7" })
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { _ = o.Run(ctx) })
		group.Go(func() { _ = o.Marks(ctx, dir) })
		o.Take(cluster.Event{At: time.Now(), Discovery: &cluster.Discovery{Answered: time.Now(),
			Jobs: []cluster.Job{{ID: "7", Number: "7"}}}})
		say := func(job, name string) {
			m := cluster.Mark{Job: job, Name: name, At: time.Now(), By: "n1"}
			if err := mark.Write(dir, &m); err != nil {
				t.Error(err)
			}
			time.Sleep(7 * time.Second)
		}
		recorded := func(names ...string) (list []string) {
			said := o.Switch()
			for _, name := range names {
				say("7", name)
			}
			say("8", "of another job")
			o.Switch()
			feedtest.Replay(t, strings.Split(said, `"`)[1], func(e cluster.Event) {
				if e.Mark != nil {
					list = append(list, e.Mark.Name)
				}
			})
			return list
		}
		say("7", "before")
		if got := recorded("a", "b"); !slices.Equal(got, []string{"before", "a", "b"}) {
			t.Errorf("%q", got)
		}
		time.Sleep(7 * time.Second)
		if got := recorded(); !slices.Equal(got, []string{"before", "a", "b"}) {
			t.Errorf("in the second recording %q", got)
		}
		o.Switch() // and a third one, which ends between two looks for recordings
		time.Sleep(7 * time.Second)
		o.Switch()
		if got := recorded("c"); !slices.Equal(got, []string{"before", "a", "b", "c"}) {
			t.Errorf("in a recording just after another one %q", got)
		}
		cancel()
		group.Wait()
	})
}
