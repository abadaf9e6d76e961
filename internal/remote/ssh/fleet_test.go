package ssh

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/test/fakeprobe"
	"github.com/nvnodetop/nvnodetop/test/fleet"
)

// fleetPace is short, for many reports soon.
const fleetPace = 500 * time.Millisecond

// fleetTime limits every wait for a fleet, and ends a hanging test.
const fleetTime = 50 * time.Second

// audience watches a fleet: a source and a Store.
type audience struct {
	t     *testing.T
	fleet *fleet.Fleet
	store *store.Store
	tell  chan struct{}

	mu      sync.Mutex // protects the following
	reports map[string]int
}

// watch lets nvnodetop watch a fleet over real connections. Its timeout for a silent node is longer than any test.
func watch(t *testing.T, o fleet.Options) *audience {
	t.Helper()
	o.GPUs, o.Dir = 8, t.TempDir()
	f, err := fleet.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	d, err := New("test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	program, _ := exec.LookPath("ssh")
	d.home = filepath.Join(f.Dir, "home")
	d.settings = settings.New(settings.Config{Home: d.home, User: d.user, Program: program,
		File: filepath.Join(d.home, ".ssh", "config")})
	d.limits.tcp, d.limits.ssh = 2*fleetTime, 2*fleetTime
	d.limits.turn, d.limits.login = fleetTime, fleetTime // a busy machine is no reason to fail
	opener := remote.New(d)
	opener.Installer = install.New(func() ([]install.Payload, error) {
		return []install.Payload{scriptPayload(fakeprobe.Script)}, nil
	})
	opener.Installer.Limits.Start, opener.Installer.Link.Driver = fleetTime, fleetTime // likewise

	a := &audience{t: t, fleet: f, store: store.New(fleetPace, health.Rules(health.Defaults())),
		tell: make(chan struct{}, 1), reports: map[string]int{}}
	nodes := poller.New(poller.Config{Opener: opener, Interval: fleetPace, Retries: 64})
	ctx, cancel := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	t.Cleanup(func() { cancel(); watching.Wait() })
	watching.Go(func() { _ = source.NewHosts("fleet", f.Addresses(), nodes, d.user, "here").Run(ctx, a.hear) })
	return a
}

func (a *audience) hear(e cluster.Event) {
	a.store.Apply(e)
	if e.Report == nil {
		return
	}
	a.mu.Lock()
	a.reports[e.Node]++
	a.mu.Unlock()
	select {
	case a.tell <- struct{}{}:
	default:
	}
}

// await waits until each healthy node has reported so often.
func (a *audience) await(reports int) {
	a.t.Helper()
	late := time.After(fleetTime)
	for {
		reached, all := 0, a.fleet.Healthy()
		a.mu.Lock()
		for _, node := range all {
			if a.reports[node] >= reports {
				reached++
			}
		}
		a.mu.Unlock()
		if reached == len(all) {
			return
		}
		select {
		case <-a.tell:
		case <-late:
			a.t.Fatalf("%d of %d healthy nodes have reported %d times, after %v: %+v", reached, len(all), reports,
				fleetTime, a.fleet.Counts())
		}
	}
}

// openFiles counts the open files of this process.
func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("needs /proc: ", err)
	}
	return len(files)
}

// TestFleet watches a hundred nodes at once.
func TestFleet(t *testing.T) {
	before := openFiles(t)
	t.Run("watched", func(t *testing.T) {
		noLeaks(t)
		const nodes = 100
		began := time.Now()
		a := watch(t, fleet.Options{Nodes: nodes})
		a.await(2)
		first := a.fleet.Counts()
		a.await(5)
		c := a.fleet.Counts()
		t.Logf("%+v", c)
		if c.Connections != nodes || c.Logins != nodes || c.OnOneNode != 1 {
			t.Errorf("%d connections, %d logins, up to %d at a time on one node; want one of each node", c.Connections,
				c.Logins, c.OnOneNode)
		}
		a.takesTurns()
		// A complete report has more than 10,000 bytes.
		if each := (c.Bytes - first.Bytes) / (c.Reports - first.Reports); each > 3000 {
			t.Errorf("%d bytes per report", each)
		}
		if lists := c.Lists; lists != nodes && time.Since(began) < time.Minute { // the next lists come after a minute
			t.Errorf("%d lists of processes, want one of each node: nobody looks at them", lists)
		}
		a.wants(nodes)
	})
	for began := time.Now(); openFiles(t) > before; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 3*time.Second {
			t.Fatalf("%d open files, %d before", openFiles(t), before)
		}
	}
}

// takesTurns: a server sees the end of a login before the client, so servers never see more handshakes than turns.
func (a *audience) takesTurns() {
	a.t.Helper()
	if most := a.fleet.Counts().Handshakes.Most; most > parallelHandshakes {
		a.t.Errorf("%d handshakes at a time, want at most %d", most, parallelHandshakes)
	}
}

// wants compares the Snapshot with the healthy nodes.
func (a *audience) wants(nodes int) {
	a.t.Helper()
	reporting, healthy := 0, a.fleet.Healthy()
	for _, n := range a.store.Snapshot(time.Now()).Nodes {
		if slices.Contains(healthy, n.Name) && !n.Arrived.IsZero() && len(n.GPUs) == 8 {
			reporting++
		}
	}
	if reporting != nodes {
		a.t.Errorf("%d healthy nodes with 8 GPUs in the Snapshot, want %d", reporting, nodes)
	}
}

// TestFleetInTrouble: there are more silent nodes and flooding nodes than simultaneous dials. No healthy node waits
// behind them, since none of them times out before the end of the test.
func TestFleetInTrouble(t *testing.T) {
	noLeaks(t)
	const healthy, trouble = 40, 120
	a := watch(t, fleet.Options{Nodes: healthy + trouble, Trouble: trouble})
	a.await(2)
	a.wants(healthy)
	a.takesTurns()
	if c := a.fleet.Counts(); c.OnOneNode > 2 {
		t.Errorf("%d connections at a time on one node", c.OnOneNode)
	}
}
