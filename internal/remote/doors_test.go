package remote

import (
	"bufio"
	"bytes"
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
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// machine is a node in this process: a probe with a /proc of its own and no GPU.
type machine struct {
	number int
	proc   string
}

type noGPU struct{}

func (noGPU) Init() error                    { return nil }
func (noGPU) Shutdown()                      {}
func (noGPU) Versions() (string, string)     { return "550.54", "12.4" }
func (noGPU) Missing() []string              { return nil }
func (noGPU) Devices() ([]probe.Slot, error) { return nil, nil }

// newMachine makes a node whose load is its number, and which has one process of ours, 42, that knows the number.
func newMachine(t *testing.T, number int) *machine {
	t.Helper()
	m := &machine{number: number, proc: t.TempDir()}
	uid := strconv.Itoa(os.Getuid())
	for path, content := range map[string]string{
		"stat":       "cpu  1000 20 300 8000 600 7 70 3 500 0\n",
		"meminfo":    "MemTotal: 16318428 kB\nMemAvailable: 12318428 kB\n",
		"loadavg":    fmt.Sprintf("%d.00 2.00 1.00 1/200 4242\n", number),
		"42/stat":    "42 (python) S 1 1 1 0 -1 4194304 10 0 0 0 100 50 0 0 20 0 4 0 1000 1000000 256 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		"42/status":  "Name:\tpython\nUid:\t" + strings.Repeat(uid+"\t", 3) + uid + "\nGid:\t0\t0\t0\t0\n",
		"42/environ": fmt.Sprintf("NUMBER=%d\x00", number),
	} {
		path = filepath.Join(m.proc, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// run is the probe, as a process would be: it returns its exit status.
func (m *machine) run(ctx context.Context, name string, in io.Reader, out io.Writer) int {
	err := probe.Run(ctx, in, out, probe.Options{Build: "test", Library: noGPU{}, Proc: m.proc, Name: name})
	if err != nil {
		return 1
	}
	return 0
}

// memoryDoor reaches machines through pipes in memory. None of them has a probe at first.
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
	door
	d    *memoryDoor
	node string
	m    *machine
}

// door is what the shells of both test doors have no use for.
type door struct{}

func (door) Ping(context.Context) error { return nil }
func (door) Close() error               { return nil }
func (door) Explain(c *Case, err error) {
	if c.Failure.Class == "" {
		c.Is(reach.ClassClosed, "the door fell shut")
		c.Say(err.Error())
	}
}

func (s *memoryShell) Run(ctx context.Context, _ string, input io.Reader) (*link.Pipe, error) {
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
		status <- s.m.run(context.Background(), "", in, out)
		_ = out.Close()
		_ = in.Close()
	})
	p.In, p.Out, p.Kill = toProbe, fromProbe, func() { _ = in.Close(); _ = fromProbe.Close() }
	p.Wait = func() link.Exit { return link.Exit{Known: true, Status: <-status} }
	return p, nil
}

// stepDoor reaches all its machines by one process, as srun does: it labels their lines, and what it hears they all hear.
type stepDoor struct {
	machines []*machine // by label

	mu    sync.Mutex // protects the following
	step  *step      // nil: none runs
	begun int        // steps
	ended chan int   // takes the number of each step that has ended
}

// step is the one process. Its far end knows no pipes but these two.
type step struct {
	in    io.WriteCloser
	tasks []*task // by label
	here  int     // of the tasks, how many are wanted
}

// task is the near end of one machine.
type task struct {
	out    *io.PipeWriter
	reader *io.PipeReader
	words  *text.Capture
	exit   chan link.Exit
	lines  chan []byte // that have come; nil: the last one has
	taken  bool
	left   sync.Once
}

func (d *stepDoor) Stages() []reach.Stage { return nil }

func (d *stepDoor) Dial(_ context.Context, node string, _ *Log) (Shell, error) {
	label, err := strconv.Atoi(strings.TrimPrefix(node, "n"))
	return &stepShell{d: d, label: label}, err
}

type stepShell struct {
	door
	d     *stepDoor
	label int
}

// Run joins the step that runs, or begins one on all machines.
func (s *stepShell) Run(context.Context, string, io.Reader) (*link.Pipe, error) {
	d := s.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.step == nil || d.step.tasks[s.label].taken {
		d.begin()
	}
	st := d.step
	t := st.tasks[s.label]
	t.taken = true
	st.here++
	leave := func() error {
		t.left.Do(func() { d.leave(st, t) })
		return nil
	}
	return &link.Pipe{
		In: &addressed{st, strconv.Itoa(s.label), leave}, Out: t.reader, Words: t.words,
		Wait: func() link.Exit { return <-t.exit },
		Kill: func() { _ = leave(); _ = t.reader.Close() },
	}, nil
}

// addressed is one task's way into the input that all hear.
type addressed struct {
	step  *step
	label string
	leave func() error
}

func (a *addressed) Write(line []byte) (int, error) {
	if _, err := a.step.in.Write(wire.Address(a.label, line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

func (a *addressed) Close() error { return a.leave() }

// leave is the end of one task's pipe, which the step outlives unless it was the last.
func (d *stepDoor) leave(st *step, t *task) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t.exit <- link.Exit{}
	if st.here--; st.here == 0 {
		_ = st.in.Close()
		d.step = nil
	}
}

// begin starts the one process, and parts what it says.
func (d *stepDoor) begin() {
	d.begun++
	number := d.begun
	in, toStep := io.Pipe()
	fromStep, out := io.Pipe()
	errs, errOut := io.Pipe()
	d.step = &step{in: toStep}
	for range d.machines {
		t := &task{words: link.NewWords(), exit: make(chan link.Exit, 2), lines: make(chan []byte, 1000)}
		t.reader, t.out = io.Pipe()
		go t.say()
		d.step.tasks = append(d.step.tasks, t)
	}
	tasks := d.step.tasks
	go part(fromStep, func(label int, line []byte) { tasks[label].lines <- line }, func() {})
	go part(errs, func(label int, line []byte) { tasks[label].hear(line) }, func() { d.ended <- number })
	go srun(d.machines, in, out, errOut)
}

// say hands on a task's lines, so that nobody's slow reader holds the others up.
func (t *task) say() {
	for line := range t.lines {
		if line == nil {
			_ = t.out.Close()
			return
		}
		_, _ = t.out.Write(line) // of one that nobody wants any more it goes nowhere
	}
}

func (t *task) hear(line []byte) {
	if status, ok := strings.CutPrefix(string(line), "exited with "); ok {
		code, _ := strconv.Atoi(strings.TrimSpace(status))
		t.exit <- link.Exit{Known: true, Status: code}
		t.lines <- nil
		return
	}
	_, _ = t.words.Write(line)
}

// part hands on the lines of a stream by their labels.
func part(r io.Reader, each func(label int, line []byte), end func()) {
	defer end()
	for lines := bufio.NewReader(r); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		label, rest, _ := bytes.Cut(line, []byte(": "))
		if n, err := strconv.Atoi(string(label)); err == nil {
			each(n, rest)
		}
	}
}

// srun is the far side: the machines' probes, each under its label. A machine whose number is 99 dies as soon as it hears a request.
func srun(machines []*machine, in io.Reader, out, errs *io.PipeWriter) {
	var tasks sync.WaitGroup
	var inputs []*io.PipeWriter
	for label, m := range machines {
		r, w := io.Pipe()
		inputs = append(inputs, w)
		tasks.Go(func() {
			fmt.Fprintf(errs, "%d: a warning of %d\n", label, label)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var input io.Reader = r
			if m.number == 99 {
				input = &mortal{r, cancel}
			}
			status := m.run(ctx, strconv.Itoa(label), input, &labeled{out, label})
			if m.number == 99 {
				status = 3
			}
			_ = r.Close()
			fmt.Fprintf(errs, "%d: exited with %d\n", label, status)
		})
	}
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		for _, w := range inputs {
			if err != nil {
				_ = w.Close()
				continue
			}
			_, _ = w.Write(line) // one that has ended hears nothing
		}
		if err != nil {
			break
		}
	}
	tasks.Wait()
	_ = out.Close()
	_ = errs.Close()
}

// mortal is an input that ends the probe with the first line.
type mortal struct {
	r   io.Reader
	end func()
}

func (m *mortal) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if n > 0 && bytes.Contains(p[:n], []byte("@2 ")) {
		m.end()
	}
	return n, err
}

// labeled puts a label before each line. A probe writes whole lines.
type labeled struct {
	w     io.Writer
	label int
}

func (l *labeled) Write(p []byte) (int, error) {
	if _, err := fmt.Fprintf(l.w, "%d: %s", l.label, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// watched is a poller.Manager over a door, and what it emits.
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

// sees waits until as many events were emitted as is is true of.
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

// reports are those of a node, which carry its number as its load.
func reports(node string, number int) func(cluster.Event) bool {
	return func(e cluster.Event) bool {
		return e.Node == node && e.Report != nil && e.Report.Host.Float(metric.Load) == float64(number)
	}
}

// asksEach asks every node for the environment that only it has.
func (w *watched) asksEach(numbers map[string]int) {
	w.t.Helper()
	for node, number := range numbers {
		reply, err := w.Ask(w.t.Context(), node, wire.Request{Environ: &wire.ProcessID{PID: 42, StartTicks: 1000}})
		if err != nil || reply.Environ == nil || len(reply.Environ.Variables) != 1 || reply.Environ.Variables[0] != fmt.Sprintf("NUMBER=%d", number) {
			w.t.Errorf("%s answered %+v, %v", node, reply, err)
		}
	}
}

func testPayload() ([]install.Payload, error) {
	return []install.Payload{{OS: "linux", Arch: "amd64", Size: 1, SHA256: strings.Repeat("a", 64), Gzip: func() ([]byte, error) { return []byte("zip"), nil }}}, nil
}

func TestADoorInMemory(t *testing.T) {
	d := &memoryDoor{machines: map[string]*machine{"n1": newMachine(t, 1), "n2": newMachine(t, 2)}, copies: map[string]int{}}
	o := New(d)
	o.Installer = install.New(testPayload)
	w := watch(t, o, "n1", "n2", "n3")
	for node, number := range map[string]int{"n1": 1, "n2": 2} {
		w.sees(2, reports(node, number))
		w.sees(1, func(e cluster.Event) bool {
			return e.Node == node && e.Step != nil && e.Step.Stage == StageProbe && strings.HasPrefix(e.Step.Text, "copied ")
		})
	}
	w.sees(1, func(e cluster.Event) bool {
		return e.Node == "n3" && e.Down != nil && e.Down.Failure.Class == reach.ClassUnknownHost && e.Down.Failure.Stage == stageKnock
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

func TestADoorToManyNodesByOneProcess(t *testing.T) {
	d := &stepDoor{machines: []*machine{newMachine(t, 10), newMachine(t, 11), newMachine(t, 12)}, ended: make(chan int, 8)}
	o := New(d)
	o.Installer = install.New(testPayload)
	w := watch(t, o, "n0", "n1", "n2")
	numbers := map[string]int{"n0": 10, "n1": 11, "n2": 12}
	for node, number := range numbers {
		w.sees(2, reports(node, number))
	}
	w.asksEach(numbers)

	w.SetNodes([]string{"n1", "n2"}) // one leaves, the others do not notice
	w.sees(1, func(e cluster.Event) bool { return e.Node == "n0" && e.Gone })
	w.sees(5, reports("n1", 11))
	delete(numbers, "n0")
	w.asksEach(numbers)
	select {
	case <-d.ended:
		t.Fatal("the process has ended although two nodes are watched")
	default:
	}
	w.end()
	select {
	case <-d.ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the process lives on")
	}
	if d.begun != 1 {
		t.Errorf("%d processes were started for three nodes", d.begun)
	}
	for _, e := range w.events {
		if e.Down != nil {
			t.Errorf("%s was lost: %+v", e.Node, e.Down.Failure)
		}
	}
}

// One node's probe dies: that node says why, in its own words, and the others go on.
func TestOneOfManyNodesDies(t *testing.T) {
	d := &stepDoor{machines: []*machine{newMachine(t, 10), newMachine(t, 11), newMachine(t, 99)}, ended: make(chan int, 8)}
	o := New(d)
	o.Installer = install.New(testPayload)
	w := watch(t, o, "n0", "n1", "n2")
	w.sees(1, func(e cluster.Event) bool {
		return e.Node == "n2" && e.Down != nil && e.Down.Failure.Class == reach.ClassProbeFailed && e.Down.Failure.Words == "a warning of 2" &&
			e.Down.Failure.Summary() == "probe exited with status 3"
	})
	w.sees(4, reports("n0", 10))
	w.sees(4, reports("n1", 11))
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Down != nil && e.Node != "n2" {
			t.Errorf("%s was lost: %+v", e.Node, e.Down.Failure)
		}
	}
}
