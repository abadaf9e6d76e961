package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// machine is a node in this process: a probe with a /proc of its own and no GPU.
type machine struct {
	number int
	proc   string
}

type noGPU struct{}

func (noGPU) Init() error                     { return nil }
func (noGPU) Shutdown()                       {}
func (noGPU) Versions() (string, string)      { return "550.54", "12.4" }
func (noGPU) Missing() []string               { return nil }
func (noGPU) Devices() ([]driver.Slot, error) { return nil, nil }

// newMachine makes a node with its number as its load, and with one process of ours, 42, that knows the number.
func newMachine(t *testing.T, number int) *machine {
	t.Helper()
	m := &machine{number: number, proc: t.TempDir()}
	uid := strconv.Itoa(os.Getuid())
	for path, content := range map[string]string{
		"stat":    "cpu  1000 20 300 8000 600 7 70 3 500 0\n",
		"meminfo": "MemTotal: 16318428 kB\nMemAvailable: 12318428 kB\n",
		"loadavg": fmt.Sprintf("%d.00 2.00 1.00 1/200 4242\n", number),
		"42/stat": "42 (python) S 1 1 1 0 -1 4194304 10 0 0 0 100 50 0 0 20 0 4 0 1000 1000000 256 " +
			"18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		"42/status":  "Name:\tpython\nUid:\t" + strings.Repeat(uid+"\t", 3) + uid + "\nGid:\t0\t0\t0\t0\n",
		"42/environ": fmt.Sprintf("NUMBER=%d\x00", number),
	} {
		path = filepath.Join(m.proc, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// run is the probe as a process: it returns its exit status.
func (m *machine) run(in io.Reader, out io.Writer) int {
	if err := probe.Run(context.Background(), in, out, probe.Options{Build: "test", Library: noGPU{},
		Proc: m.proc}); err != nil {
		return 1
	}
	return 0
}

// memoryDoor reaches machines through pipes in memory. At first no machine has a probe.
type memoryDoor struct {
	mu       sync.Mutex
	machines map[string]*machine
	copies   map[string]int
	running  sync.WaitGroup
}

const stageKnock reach.Stage = "knock"

func (d *memoryDoor) Stages() []reach.Stage { return []reach.Stage{stageKnock} }

func (d *memoryDoor) Dial(_ context.Context, node string, log *Log) (Shell, error) {
	log.Begin(stageKnock, "")
	m := d.machines[node]
	if m == nil {
		c := log.Case()
		c.Is(reach.ClassUnknownHost, "nobody is there")
		return nil, c.Settle(errors.New("nobody"), func(*Case, error) {})
	}
	log.Done("somebody is there")
	return &memoryShell{d: d, node: node, m: m}, nil
}

type memoryShell struct {
	d    *memoryDoor
	node string
	m    *machine
}

func (s *memoryShell) Ping(context.Context) error { return nil }
func (s *memoryShell) Close() error               { return nil }
func (s *memoryShell) Explain(c *Case, err error) {
	if c.Failure.Class == "" {
		c.Is(reach.ClassClosed, "the door fell shut")
		c.Say(err.Error())
	}
}

func (s *memoryShell) Run(_ context.Context, _ string, input io.Reader) (*link.Pipe, error) {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	p := &link.Pipe{Words: link.NewWords(), Kill: func() {}}
	if s.d.copies[s.node] == 0 && input == nil {
		io.WriteString(p.Words, "nvnodetop-need/1: Linux x86_64 1000 home:ok\n")
		p.Out, p.Wait = strings.NewReader(""), func() link.Exit { return link.Exit{Known: true, Status: 75} }
		return p, nil
	}
	if input != nil {
		s.d.copies[s.node]++
	}
	in, toProbe := io.Pipe()
	fromProbe, out := io.Pipe()
	status := make(chan int, 1)
	s.d.running.Go(func() {
		status <- s.m.run(in, out)
		_ = out.Close()
		_ = in.Close()
	})
	p.In, p.Out, p.Kill = toProbe, fromProbe, func() { _ = in.Close(); _ = fromProbe.Close() }
	p.Wait = func() link.Exit { return link.Exit{Known: true, Status: <-status} }
	return p, nil
}

// watched is a poller.Manager over a door, with its events.
type watched struct {
	t *testing.T
	*poller.Manager
	mu     sync.Mutex
	events []cluster.Event
	end    func()
}

func watch(t *testing.T, o *Opener, nodes ...string) *watched {
	t.Helper()
	w := &watched{t: t, Manager: poller.New(poller.Config{Opener: o, Interval: 250 * time.Millisecond, Retries: 8})}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx, func(e cluster.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, e)
		})
	}()
	w.end = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(w.end)
	w.SetNodes(nodes)
	return w
}

// sees waits for so many events for which is holds.
func (w *watched) sees(n int, is func(cluster.Event) bool) {
	w.t.Helper()
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		w.mu.Lock()
		count := 0
		for _, e := range w.events {
			if is(e) {
				count++
			}
		}
		w.mu.Unlock()
		if count >= n {
			return
		}
		if time.Since(began) > 20*time.Second {
			w.t.Fatalf("%d of %d such events", count, n)
		}
	}
}

// reports are the reports of a node, with its number as the load.
func reports(node string, number int) func(cluster.Event) bool {
	return func(e cluster.Event) bool {
		return e.Node == node && e.Report != nil && e.Report.Host.Float(metric.Load) == float64(number)
	}
}

// asksEach asks every node for its own environment.
func (w *watched) asksEach(numbers map[string]int) {
	w.t.Helper()
	for node, number := range numbers {
		reply, err := w.Ask(w.t.Context(), node, wire.Request{Environ: &wire.ProcessID{PID: 42, StartTicks: 1000}})
		if err != nil || reply.Environ == nil || len(reply.Environ.Variables) != 1 ||
			reply.Environ.Variables[0] != fmt.Sprintf("NUMBER=%d", number) {
			w.t.Errorf("%s answered %+v, %v", node, reply, err)
		}
	}
}

func testPayload() ([]install.Payload, error) {
	return []install.Payload{{OS: "linux", Arch: "amd64", Size: 1, SHA256: strings.Repeat("a", 64),
		Gzip: func() ([]byte, error) { return []byte("zip"), nil }}}, nil
}

func TestADoorInMemory(t *testing.T) {
	d := &memoryDoor{machines: map[string]*machine{"n1": newMachine(t, 1), "n2": newMachine(t, 2)},
		copies: map[string]int{}}
	o := New(d)
	o.Installer = install.New(testPayload)
	w := watch(t, o, "n1", "n2", "n3")
	for node, number := range map[string]int{"n1": 1, "n2": 2} {
		w.sees(2, reports(node, number))
		w.sees(1, func(e cluster.Event) bool {
			return e.Node == node && e.Step != nil && e.Step.Stage == StageProbe &&
				strings.HasPrefix(e.Step.Text, "copied ")
		})
	}
	w.sees(1, func(e cluster.Event) bool {
		return e.Node == "n3" && e.Down != nil && e.Down.Failure.Class == reach.ClassUnknownHost &&
			e.Down.Failure.Stage == stageKnock
	})
	w.sees(1, func(e cluster.Event) bool {
		return e.Try != nil && fmt.Sprint(e.Try.Stages) == "[knock probe driver stream]"
	})
	w.asksEach(map[string]int{"n1": 1, "n2": 2})
	w.end()
	d.running.Wait() // no probe is left
	if d.copies["n1"] != 1 || d.copies["n2"] != 1 {
		t.Errorf("copies %v", d.copies)
	}
}
