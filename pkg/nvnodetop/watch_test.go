package nvnodetop

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
	"github.com/nvnodetop/nvnodetop/test/leaks"
)

// TestMain turns this test binary into the program for the nodes, as a program that uses the package does.
func TestMain(m *testing.M) {
	Probe()
	m.Run()
}

// alone hides the settings and the SLURM of this machine from a test.
func alone(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
}

// Each interval has a snapshot, with the numbers of its time.
func TestWatch(t *testing.T) {
	leaks.Check(t, "nvnodetop/internal/source/demo", "nvnodetop/pkg/")
	alone(t)
	var all []*schema.Snapshot
	// only break ends it
	for s, err := range Watch(context.WithoutCancel(t.Context()),
		Options{Demo: "2x4", Interval: 250 * time.Millisecond}) {
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, s); len(all) == 3 {
			break
		}
	}
	for i, s := range all {
		if s.Version != schema.Version || s.PollSeconds != 0.25 || len(s.Jobs) == 0 ||
			s.Node(s.Jobs[0].Nodes[0]) == nil || s.Node("nosuchnode") != nil {
			t.Fatalf("snapshot %d: %+v", i, s)
		}
		if i > 0 && !s.Time.After(all[i-1].Time) {
			t.Errorf("snapshot %d is of %v, the one before of %v", i, s.Time, all[i-1].Time)
		}
	}
	watts, processes := 0, 0
	for node, gpu := range all[2].GPUs() {
		if w, known := gpu.Metrics[schema.PowerWatts]; known && w > 0 && w < 2000 {
			watts++
		}
		processes += len(node.Processes)
	}
	if watts < 4 || processes == 0 {
		t.Errorf("%d GPUs draw power, %d processes", watts, processes)
	}
}

// The end of a loop leaves nothing behind, and the end of ctx ends the sequence without an error.
func TestWatchEnds(t *testing.T) {
	leaks.Check(t, "nvnodetop/internal/source/demo", "nvnodetop/pkg/")
	alone(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	count := 0
	for _, err := range Watch(ctx, Options{Demo: "1x1", Interval: 250 * time.Millisecond}) {
		if count++; err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	if count != 1 {
		t.Errorf("%d snapshots after the end of ctx", count-1)
	}
}

func TestSnapshotOfNoTime(t *testing.T) {
	alone(t)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if s, err := Snapshot(ctx, Options{Demo: "1x1"}); s != nil || !errors.Is(err, why) {
		t.Errorf("%v, %v", s, err)
	}
}

// The limits of the system's file hold for programs, too, and options override the environment.
func TestLimits(t *testing.T) {
	alone(t)
	defer func(before string) { systemFile = before }(systemFile)
	systemFile = filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(systemFile, []byte("[poll]\nmin_interval = 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NVNODETOP_POLL_INTERVAL", "5")
	for want, interval := range map[float64]time.Duration{2: time.Second, 4: 4 * time.Second, 5: 0} {
		if s, err := Snapshot(t.Context(), Options{Demo: "1x1", Interval: interval}); err != nil ||
			s.PollSeconds != want {
			t.Errorf("an interval of %v: %+v, %v", interval, s, err)
		}
	}
	t.Setenv("NVNODETOP_POLL_INTERVAL", "soon")
	if _, err := Snapshot(t.Context(), Options{Demo: "1x1"}); err == nil ||
		!strings.Contains(err.Error(), "NVNODETOP_POLL_INTERVAL must be") {
		t.Errorf("got %v", err)
	}
}

// The limit of nodes holds, too.
func TestMostNodes(t *testing.T) {
	alone(t)
	defer func(before string) { systemFile = before }(systemFile)
	systemFile = filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(systemFile, []byte("max_nodes = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	leads := filepath.Join(t.TempDir(), "ssh")
	if err := os.WriteFile(leads, []byte("#!/bin/sh\nexit 255\n"), 0o700); err != nil { //nolint:gosec // it must run
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(leads)+":/bin:/usr/bin")
	t.Setenv("NVNODETOP_TRANSPORT", "openssh")
	defer probed.Store(probed.Swap(true))
	s, err := Snapshot(t.Context(), Options{Nodes: "a,b"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, true} {
		f := s.Nodes[i].Failure
		if f == nil || (f.Class == "not_watched") != want || want && !strings.Contains(f.Summary, systemFile+":1") {
			t.Errorf("%s: %+v, want that it is not watched: %v", s.Nodes[i].Name, f, want)
		}
	}
}

// The report is about the time until the end of ctx.
func TestReportSoFar(t *testing.T) {
	alone(t)
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	r, err := Report(ctx, "48211", Options{Demo: "2x4", Interval: 250 * time.Millisecond})
	if !errors.Is(err, context.DeadlineExceeded) || r == nil || r.Job.ID != "48211" || r.Job.State != "RUNNING" ||
		len(r.Nodes) != 2 || r.Total.Energy == nil {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestErrors(t *testing.T) {
	alone(t)
	take := func(o Options) error {
		_, err := Snapshot(t.Context(), o)
		return err
	}
	report := func(job string) error {
		_, err := Report(t.Context(), job, Options{Demo: "1x1"})
		return err
	}
	for name, tc := range map[string]struct {
		err  error
		is   error
		says string
	}{
		"interval": {take(Options{Interval: time.Nanosecond}), nil,
			"Options.Interval must be a time from 250ms to 10m"},
		"size":       {take(Options{Demo: "1x"}), nil, `Options.Demo is "1x": it must be NODESxGPUS`},
		"demo, node": {take(Options{Demo: "1x1", Nodes: "a"}), nil, "cannot be combined"},
		"job, node":  {take(Options{Job: "1", Nodes: "a"}), nil, "cannot be combined"},
		"hosts":      {take(Options{Nodes: "a b;c"}), nil, "Options.Nodes: "},
		"login":      {take(Options{Login: "a:x"}), nil, "Options.Login takes [USER@]HOST[:PORT], such as alice@cluster: invalid port"},
		"no GPU":     {take(Options{}), ErrNoSlurm, "there is no SLURM on this host, and it"},
		"no SLURM":   {take(Options{Job: "7"}), ErrNoSlurm, `there is no SLURM on this host to ask for job "7"`},
		"no job":     {report("7"), ErrNoJob, `no job "7" of user`},
		"empty job":  {report(""), ErrNoJob, "its ID is empty"},
	} {
		if tc.err == nil || tc.is != nil && !errors.Is(tc.err, tc.is) || !strings.Contains(tc.err.Error(), tc.says) {
			t.Errorf("%s: %v, want %v with %q", name, tc.err, tc.is, tc.says)
		}
	}
}

// SLURM that is installed without a configuration is no SLURM.
func TestUnconfiguredSlurm(t *testing.T) {
	alone(t)
	script := "#!/bin/sh\necho 'squeue: fatal: Could not establish a configuration source' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(os.Getenv("PATH"), "squeue"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for job, want := range map[string]string{"": "there is no SLURM on this host, and it",
		"7": `there is no SLURM on this host to ask for job "7"`} {
		calls := 0
		for s, err := range Watch(t.Context(), Options{Job: job}) {
			if calls++; s != nil || !errors.Is(err, ErrNoSlurm) || !strings.Contains(err.Error(), want) {
				t.Errorf("job %q: %v, %v", job, s, err)
			}
		}
		if calls != 1 {
			t.Errorf("job %q: %d results", job, calls)
		}
	}
}

// A program with a main that does not call Probe is never started on a node.
func TestNoProbe(t *testing.T) {
	alone(t)
	probed.Store(false)
	defer probed.Store(true)
	for _, o := range []Options{{}, {Nodes: "a"}, {Login: "a"}} {
		for s, err := range Watch(t.Context(), o) {
			if s != nil || !errors.Is(err, ErrNoProbe) {
				t.Errorf("%+v: %v, %v", o, s, err)
			}
		}
	}
}

// The details of a process are those of the node. Of another user's there are fewer, with the reason, and of a process
// that has ended none.
func TestInspect(t *testing.T) {
	alone(t)
	o := Options{Demo: "2x4", FirstSample: true}
	s, err := Snapshot(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	node := &s.Nodes[0]
	p := &node.Processes[0]
	d, err := Inspect(t.Context(), node.Name, p, true, o)
	if err != nil || d.PID != p.PID || len(d.Arguments) < 2 || d.Full == nil || d.Full.USS == 0 || len(d.Threads) == 0 {
		t.Errorf("%+v, %v", d, err)
	}
	gone := *p
	gone.StartTicks++
	if d, err := Inspect(t.Context(), node.Name, &gone, false, o); err == nil || d != nil ||
		!strings.Contains(err.Error(), "has been reused") || !strings.Contains(err.Error(), node.Name) {
		t.Errorf("of another process: %+v, %v", d, err)
	}
	if _, err := Inspect(t.Context(), "nosuchnode", p, false, o); err == nil {
		t.Error("an unknown node answers")
	}
}
