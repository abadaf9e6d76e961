package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/demo"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/recording"
	"github.com/nvnodetop/nvnodetop/internal/report"
	"github.com/nvnodetop/nvnodetop/internal/session"
	"github.com/nvnodetop/nvnodetop/internal/ui"
)

// demoEvents are those of some minutes of the demo.
func demoEvents(t *testing.T) (events []cluster.Event) {
	t.Helper()
	path, _ := recordDemo(t)
	file, r, err := openRecording(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := r.Run(t.Context(), func(e cluster.Event) { events = append(events, e) }); err != nil {
		t.Fatal(err)
	}
	return events
}

// oncallHere is one in an empty working directory, and what gives it Events.
func oncallHere(t *testing.T) (o *onCall, store *cluster.Store) {
	t.Helper()
	t.Chdir(t.TempDir())
	cfg := config.Default()
	store = cluster.NewStore(cfg.Poll, health.Rules(cfg.Thresholds))
	return newOnCall(&cfg, func() string { return onlyJob(store) }), store
}

// A recording that begins later has what was known, says where it is, and no other file is overwritten.
func TestRecordFromTheScreen(t *testing.T) {
	events := demoEvents(t)
	o, _ := oncallHere(t)
	for _, e := range events[:len(events)-50] {
		o.write(e)
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
		o.write(e)
	}
	if said := o.Switch(); !strings.HasPrefix(said, "recorded ") || !strings.Contains(said, name[1]) ||
		o.Status() != "" || o.last() != "" {
		t.Errorf("said %q, status %q, at the end %q", said, o.Status(), o.last())
	}
	info, err := os.Stat(name[1])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	if code, out, errs := program(t, "replay", "--once", "--ascii", name[1]); code != exitOK ||
		!strings.Contains(out, "llama-70b") {
		t.Errorf("exit code %d, %.200q, %q", code, out, errs)
	}
}

func TestRecordOverwritesNothing(t *testing.T) {
	o, _ := oncallHere(t)
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, want := range []string{"nvnodetop-123_-4-x-20260304-050607.nvr",
		"nvnodetop-123_-4-x-20260304-050607-2.nvr"} {
		r, err := o.begin("123_[4]/x", at)
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

// When the screens end, so does the recording, and the user is told where it is.
func TestRecordUntilTheEnd(t *testing.T) {
	events := demoEvents(t)
	o, _ := oncallHere(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- o.run(ctx) }()
	o.Switch()
	for _, e := range events[:200] {
		o.queue <- e
	}
	for len(o.queue) > 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; err != nil || !strings.HasPrefix(o.last(), "recorded ") {
		t.Errorf("%v, %q", err, o.last())
	}
}

// Events that wait for the disk are limited: the recording ends, and says so.
func TestRecordBehind(t *testing.T) {
	events := demoEvents(t)
	o, _ := oncallHere(t)
	o.Switch()
	o.write(events[0])
	for range waiting + 1 {
		o.take(events[1])
	}
	o.write(events[2])
	if o.Status() != "not recorded" {
		t.Errorf("status %q", o.Status())
	}
	if said := o.Switch(); !strings.Contains(said, "the disk is too slow") || o.Status() != "" {
		t.Errorf("said %q, status %q", said, o.Status())
	}
}

// While nothing is recorded no Event waits in memory. None overtakes one that does.
func TestNothingWaitsUnlessRecorded(t *testing.T) {
	events := demoEvents(t)
	o, _ := oncallHere(t)
	waits := func(when string, want int) {
		t.Helper()
		o.take(events[0])
		if len(o.queue) != want || o.behind.Load() {
			t.Errorf("%s %d wait, want %d; behind: %v", when, len(o.queue), want, o.behind.Load())
		}
	}
	for range waiting {
		o.take(events[0])
	}
	waits("before a recording", 0)
	o.Switch()
	waits("in it", 1)
	o.Switch()
	waits("after it", 2)
}

// smallDisk is a file system of 64 KiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can mount")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// A full disk ends the recording with one line, and what was written can be shown.
func TestRecordOnAFullDisk(t *testing.T) {
	path := filepath.Join(smallDisk(t), "run.nvr")
	code, out, errs := program(t, "record", "--demo", "16x8", "--max-time", "1h", path)
	if code != exitFailed || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "no space left on device") ||
		!strings.HasPrefix(errs, "nvnodetop: the recording ends at ") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	code, out, errs = program(t, "replay", "--once", "--ascii", path)
	if !strings.Contains(out, "llama-70b") || !strings.Contains(errs, "is cut: it ends at ") || code == exitUsage {
		t.Errorf("exit code %d, %.300q, %q", code, out, errs)
	}
}

// The report of a recording has the digits of the report that was made while it was recorded.
func TestReplayReport(t *testing.T) {
	const poll = 3 * time.Second
	path := filepath.Join(t.TempDir(), "run.nvr")
	live := report.New("48211", poll, health.Rules(health.Defaults()))
	file := &recorder{path: path, w: recording.NewWriter(recording.Header{Poll: poll})}
	if err := file.begin(time.Now()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	now := time.Now()
	if err := demo.New(2, 4, 1, poll, 5*time.Minute).Run(ctx, func(e cluster.Event) {
		if live.Apply(e); !file.take(e) || e.At.After(now) {
			cancel()
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := file.end(); err != nil {
		t.Fatal(err)
	}
	for format, print := range reportFormats {
		var want bytes.Buffer
		if err := print(&want, live.Report()); err != nil {
			t.Fatal(err)
		}
		if _, out, errs := program(t, "replay", "--report="+format, "--job", "48211", path); out != want.String() ||
			errs != "" {
			t.Errorf("%s: %.500s\nwant %.500s\n%s", format, out, want.String(), errs)
		}
	}
	for args, want := range map[string]string{
		"--report":                     "the recording has several jobs: name one with --job: 48211, ",
		"--report --job 7":             `no job "7" has run in the recording`,
		"--report=pdf":                 `--report must be text, json or markdown, not "pdf"`,
		"--report --job 48211 --at 1m": "it cannot be combined with --at, --once or --json",
		"--job 48211 --once":           "--job is for --report",
	} {
		code, out, errs := program(t, append(append([]string{"replay"}, strings.Fields(args)...), path)...)
		if code == exitOK || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") > 2 {
			t.Errorf("%s: exit code %d, %.100q, %q, want %q", args, code, out, errs, want)
		}
	}
}

func TestARecordingOnCallCountsAsAKeyNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config.Default()
		o := newOnCall(&cfg, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var keys atomic.Int32
		done := session.Go(func() error { return o.hold(ctx, func() { keys.Add(1) }) })
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if n := keys.Load(); n != 0 {
			t.Errorf("%d keys while nothing is recorded", n)
		}
		o.status.Store("rec 1m")
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if n := keys.Load(); n < 5 || touchEvery >= ui.IdleAfter {
			t.Errorf("%d keys in two hours", n)
		}
		cancel()
		_, _ = done.Wait(time.Minute)
	})
}
