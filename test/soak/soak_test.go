package soak

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// The fleet, and the settings of nvnodetop.
const (
	size       = 64
	poll       = 6 * time.Second
	idleAfter  = 30 * time.Minute // the same as in package ui
	idleFactor = 10
)

// soak is a run of nvnodetop under faults. Only the test's goroutine uses it, except the counters.
type soak struct {
	t          *testing.T
	seed       uint64
	random     *rand.Rand
	began      time.Time
	fleet      *fleet
	controller *controller
	live       *source.Live
	store      *store.Store
	disk       *disk
	recorder   *recorder

	events, reports atomic.Int64

	over     map[string]time.Time // end of each node's condition
	struck   map[string]time.Time // time of the last event of each node
	personal map[string]bool      // a person had to cure the node, and it was not seen healthy since
	shown    map[string]time.Time // the time since when a node is shown
	moodOver time.Time
	seen     time.Time // time of the user's last key
	paced    time.Time // time when the user went or came back: the interval changed
	kept     []string  // the jobs shown last
	answers  int       // answers of squeue by then
	faults   map[string]int
	failures int
	table    []figures
}

// TestADay watches a faulty cluster for two hours of simulated time, or for as long as NVNODETOP_SOAK says.
func TestADay(t *testing.T) {
	lasts, nodes, seed := 2*time.Hour, size, uint64(1)
	if raced.On {
		lasts, nodes = 2*roundLast, size/2
	}
	if text := os.Getenv("NVNODETOP_SOAK"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		lasts = d
	}
	if text := os.Getenv("NVNODETOP_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	real := time.Now()
	synctest.Test(t, func(t *testing.T) { newSoak(t, nodes, seed).run(lasts) })
	t.Logf("%v of simulated time took %v", lasts, time.Since(real).Round(100*time.Millisecond))
}

func newSoak(t *testing.T, nodes int, seed uint64) *soak {
	s := &soak{
		t: t, seed: seed, random: rand.New(rand.NewPCG(seed, 1)), began: time.Now(), fleet: newFleet(nodes),
		disk: &disk{},
		controller: &controller{random: rand.New(rand.NewPCG(seed, 2)), mood: fine, ended: map[string]*fakeJob{},
			drained: map[string]bool{}, next: 48000},
		store: store.New(poll, health.Rules(health.Defaults())),
		over:  map[string]time.Time{}, struck: map[string]time.Time{}, personal: map[string]bool{},
		shown: map[string]time.Time{}, faults: map[string]int{},
	}
	s.recorder = newRecorder(s.disk, poll)
	opener := remote.New(s.fleet)
	opener.Name, opener.Installer = "ssh", install.New(payload)
	pollers := poller.New(poller.Config{
		Opener: opener, Interval: poll, Retries: 64, IdleAfter: idleAfter, IdleFactor: idleFactor,
		Log: slog.New(slog.NewTextHandler(s.disk, nil)),
	})
	s.live = source.NewLive(slurm.New(s.controller.run), pollers, "alice", "login1")
	s.live.Floor = 2 * time.Second
	return s
}

// emit stands in for the program: it feeds the Store and the recordings.
func (s *soak) emit(e cluster.Event) {
	s.events.Add(1)
	if e.Report != nil {
		s.reports.Add(1)
	}
	s.store.Apply(e)
	s.recorder.take(e)
}

func (s *soak) run(lasts time.Duration) {
	s.turn()
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan error)
	go func() { done <- s.live.Run(ctx, s.emit) }()
	s.t.Log("   time    events   reports    jobs  asked  dials   copies sessions   probes goroutines heap, MiB " +
		"allocated")
	time.Sleep(333 * time.Microsecond) // nothing else happens at these moments
	for s.seen = s.began; time.Since(s.began) < lasts && s.failures < 20; {
		s.second()
	}
	s.checkGrowth()
	cancel()
	if err := <-done; err != nil {
		s.fail("Run: %v", err)
	}
	time.Sleep(2 * time.Minute) // a probe whose connection is gone notices within a minute
	if shells, pipes, probes := s.fleet.open(); shells+pipes+probes > 0 {
		s.fail("after the end %d connections, %d pipes and %d probes are open", shells, pipes, probes)
	}
	for _, name := range slices.Sorted(maps.Keys(s.faults)) {
		s.t.Logf("%-24s %d times", name, s.faults[name])
	}
	s.t.Logf("recordings: %d begun, %d failed; %d writes found a full disk", s.recorder.begun, s.recorder.failed,
		s.disk.refused)
}

// second is one second of the run.
func (s *soak) second() {
	time.Sleep(time.Second)
	synctest.Wait()
	now := time.Now()
	passed := int(now.Sub(s.began) / time.Second)
	round, phase := passed/int(roundLast/time.Second), time.Duration(passed%int(roundLast/time.Second))*time.Second
	quiet := phase >= faultsFor
	idle := s.interval(now)
	s.attend(now, round, quiet)
	if s.interval(now) != idle || now.Sub(s.seen) == idleAfter+time.Second {
		s.paced = now
	}
	s.heal(now, quiet)
	if !quiet {
		s.disturb(now, passed)
	} else if phase == faultsFor {
		s.settle()
	}
	snap := s.store.Snapshot(now)
	s.follow(snap)
	s.checkJobs(snap)
	if passed%60 == 0 {
		s.checkNodes(snap)
		s.checkLimits(snap)
	}
	if passed%600 == 0 {
		if err := export.JSON(io.Discard, export.Document(snap)); err != nil {
			s.fail("the Snapshot cannot be printed: %v", err)
		}
	}
	if phase == roundLast-time.Second {
		s.checkRound(snap)
	}
}

// turn lets half of the nodes have the lasting job.
func (s *soak) turn() {
	large := len(s.fleet.names) / 2
	s.controller.turn(s.fleet.names[:large], s.fleet.names[large:])
}

// disturb makes jobs come and go, faults happen, and recordings begin and end.
func (s *soak) disturb(now time.Time, passed int) {
	if passed%10 == 0 {
		s.turn()
	}
	if s.random.IntN(8) == 0 {
		s.strike(now)
	}
	switch passed % 300 {
	case 60:
		s.recorder.press(true)
	case 90:
		s.disk.fill(passed%600 < 300)
	case 120:
		s.recorder.press(false)
		s.disk.fill(false)
	}
}

// settle ends the disturbances: each node without a job gets one, so that all rounds end alike.
func (s *soak) settle() {
	s.recorder.press(false)
	s.disk.fill(false)
	watched := s.controller.watched()
	s.controller.mu.Lock()
	defer s.controller.mu.Unlock()
	for _, name := range s.fleet.names {
		if !watched[name] {
			s.controller.submit("eval", []string{name}, quietFor)
		}
	}
}

func (s *soak) note(fault string) { s.faults[fault]++ }

// fail names the seed and the time, with which the run can be repeated.
func (s *soak) fail(format string, args ...any) {
	s.failures++
	s.t.Helper()
	s.t.Errorf("seed %d, after %v: "+format, append([]any{s.seed, time.Since(s.began)}, args...)...)
}
