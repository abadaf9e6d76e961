package smi

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/inputs"
)

// machine is a node with the nvidia-smi of testdata. It implements install.Shell.
type machine struct {
	t   *testing.T
	dir string // files of the fake nvidia-smi
	env []string
	cmd *exec.Cmd
}

func newMachine(t *testing.T) *machine {
	inputs.Watch(t, "testdata")
	bin, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, dir: t.TempDir()}
	m.env = append(os.Environ(), "FAKE="+m.dir, "PATH="+bin+":"+os.Getenv("PATH"))
	return m
}

// put writes a file for the fake nvidia-smi.
func (m *machine) put(name, content string) {
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(content), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// ran returns the command lines of nvidia-smi.
func (m *machine) ran() string {
	text, _ := os.ReadFile(filepath.Join(m.dir, "ran"))
	return string(text)
}

func (m *machine) Run(_ context.Context, script string, input io.Reader) (*link.Pipe, error) {
	cmd := exec.Command("/bin/sh", "-c", "echo welcome; "+script)
	m.cmd = cmd
	cmd.Env = m.env
	words := link.NewWords()
	cmd.Stderr = words
	in, err1 := cmd.StdinPipe()
	out, theirs, err2 := os.Pipe()
	cmd.Stdout = theirs
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		return nil, err
	}
	_ = theirs.Close()
	_, _ = io.Copy(in, input)
	kill := sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = in.Close()
		_ = out.Close()
	})
	m.t.Cleanup(kill)
	wait := func() link.Exit {
		_ = cmd.Wait()
		return link.Exit{Known: true, Status: cmd.ProcessState.ExitCode()}
	}
	return &link.Pipe{In: in, Out: out, Words: words, Wait: wait, Kill: kill}, nil
}

// way is a connection that is always up.
type way struct{}

func (way) Ping(context.Context) error { return nil }
func (way) Close() error               { return nil }

// session is a Session whose messages are always taken, as the program takes them: a report that nobody took would keep
// the answer behind it from Call.
type session struct {
	*link.Session
	messages chan wire.Message // closed at the end
	end      error             // why there is no next message; set before messages is closed
}

// keepTaking takes messages until there is no next one.
func (s *session) keepTaking() {
	defer close(s.messages)
	for {
		msg, err := s.Session.Next()
		if err != nil {
			s.end = err
			return
		}
		s.messages <- msg
	}
}

// Next returns the next message that was taken.
func (s *session) Next() (wire.Message, error) {
	if msg, more := <-s.messages; more {
		return msg, nil
	}
	return wire.Message{}, s.end
}

// open returns a session with the stand-in for a probe, and its Hello.
func (m *machine) open() (*session, *wire.Hello) {
	m.t.Helper()
	p, err := Start(m.t.Context(), m, "no probe for a test")
	if err != nil {
		m.t.Fatal(err)
	}
	s := &session{Session: link.New(p, link.DefaultLimits), messages: make(chan wire.Message, 1000)}
	if err := s.Magic(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
	hello, err := s.Hello(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	s.Tend(way{}, func(err error) error { return err })
	m.t.Cleanup(func() { _ = s.Close() })
	go s.keepTaking()
	if msg, err := s.Next(); err != nil || msg.Hello == nil {
		m.t.Fatal(msg, err)
	}
	return s, hello
}

// report returns the next report for which is holds.
func report(t *testing.T, s *session, is func(*wire.Report) bool) *wire.Report {
	t.Helper()
	for range 50 {
		msg, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if r := msg.Report; r != nil && is(r) {
			return r
		}
	}
	t.Fatal("no such report")
	return nil
}

func anyReport(*wire.Report) bool { return true }

func pace(t *testing.T, s *session, p wire.Pace) {
	t.Helper()
	if r, err := s.Call(t.Context(), wire.Request{Pace: &p}); err != nil || r.Error != "" {
		t.Fatal(r, err)
	}
}

func value(v *metric.Values, id metric.ID) float64 {
	x, ok := v.Get(id)
	if !ok {
		return -1
	}
	return x
}

// TestSession is about the whole path, from the GPUs of the node to reports with processes.
func TestSession(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.put("apps", "GPU-1111, 4242, 512, /opt/a, b/python3\nGPU-9999, 1, 1, other\nnonsense\n")
	s, hello := m.open()
	if hello.StandIn != "no probe for a test" || hello.Driver != "550.54.15" || hello.CPUs == 0 || hello.Host == "" ||
		hello.Kernel == "" || len(hello.GPUs) != 2 {
		t.Fatalf("hello %+v", hello)
	}
	c := &hello.GPUs[1]
	if c.Index != 1 || c.UUID != "GPU-1111" || c.PCIBus != "00000000:17:00.0" || c.Name != "NVIDIA A100-SXM4-80GB" ||
		c.Serial != "" || c.MIG {
		t.Errorf("card %+v", c)
	}
	if value(&c.Values, metric.MemoryTotal) != 81920<<20 || value(&c.Values, metric.ECCMode) != 1 ||
		c.Values.Has(metric.Util) {
		t.Errorf("values of the card: %v", c.Values)
	}
	if absent := c.Absent[notListed]; !strings.Contains(strings.Join(absent, " "), "xids") ||
		!strings.Contains(strings.Join(absent, " "), metric.NVLinkTX.String()) {
		t.Errorf("absent: %v", c.Absent)
	}
	pace(t, s, wire.Pace{IntervalMS: 250, Processes: true})
	r := report(t, s, func(r *wire.Report) bool { return r.Listed })
	v := &r.GPUs[1].Values
	if len(r.GPUs) != 2 || value(v, metric.Util) != 91 || value(v, metric.MemoryUsed) != 1<<30 ||
		value(v, metric.Power) != 62.31 || value(v, metric.Throttle) != 4 ||
		value(v, metric.PerformanceState) != 0 || v.Has(metric.Fan) || v.Has(metric.Temperature) ||
		v.Has(metric.MemoryTotal) || !r.Host.Empty() {
		t.Errorf("report %+v", r)
	}
	if len(r.Processes) != 1 || r.Processes[0].PID != 4242 || r.Processes[0].GPU != 1 ||
		*r.Processes[0].GPUMemory != 512<<20 || r.Processes[0].Name != "python3" {
		t.Errorf("processes %+v", r.Processes)
	}
	if r, err := s.Call(t.Context(), wire.Request{Environ: &wire.ProcessID{PID: 1}}); err != nil || r.Error == "" {
		t.Errorf("environment: %+v, %v", r, err)
	}
	if r, err := s.Call(t.Context(), wire.Request{Alive: &wire.Alive{}}); err != nil || r.Error != "" {
		t.Errorf("sign of life: %+v, %v", r, err)
	}
	if n := strings.Count(m.ran(), "--loop-ms"); n != 1 {
		t.Errorf("nvidia-smi ran %d times in a loop:\n%s", n, m.ran())
	}
}

// TestPace: a new interval starts a new loop in place of the old one, and reports follow it.
func TestPace(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	s, _ := m.open()
	pace(t, s, wire.Pace{IntervalMS: 600_000})
	first := report(t, s, anyReport)
	pace(t, s, wire.Pace{IntervalMS: 250})
	var last *wire.Report
	for range 4 {
		last = report(t, s, anyReport)
	}
	if last.Seq != first.Seq+4 || last.MonoMS-first.MonoMS < 3*125 {
		t.Errorf("%+v after %+v", last, first)
	}
	if n := strings.Count(m.ran(), "--loop-ms"); n != 2 {
		t.Errorf("nvidia-smi ran %d times in a loop", n)
	}
}

// TestSecondReport: the second report may come sooner than the others: until then nvidia-smi loops faster.
func TestSecondReport(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	s, _ := m.open()
	pace(t, s, wire.Pace{IntervalMS: 600_000, SecondMS: 250})
	first, second := report(t, s, anyReport), report(t, s, anyReport)
	if second.Seq != 2 || second.MonoMS-first.MonoMS < 125 {
		t.Errorf("%+v after %+v", second, first)
	}
	for range 100 {
		if strings.Count(m.ran(), "--loop-ms=600000") == 1 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if ran := m.ran(); strings.Count(ran, "--loop-ms=250") != 1 || strings.Count(ran, "--loop-ms=600000") != 1 {
		t.Errorf("nvidia-smi ran as %s", ran)
	}
}

// TestUnknownFields: fields that an old nvidia-smi does not know are left out, and reported as absent.
func TestUnknownFields(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.put("unknown", "clocks_event_reasons.active remapped_rows.pending power.draw")
	s, hello := m.open()
	absent := strings.Join(hello.GPUs[0].Absent[notListed], " ")
	if !strings.Contains(absent, metric.Power.String()) || !strings.Contains(absent, metric.RemapPending.String()) ||
		strings.Contains(absent, metric.Throttle.String()) {
		t.Errorf("absent: %s", absent)
	}
	pace(t, s, wire.Pace{IntervalMS: 250})
	if r := report(t, s, anyReport); r.GPUs[0].Values.Has(metric.Power) || value(&r.GPUs[0].Values, metric.Util) != 90 {
		t.Errorf("report %+v", r)
	}
}

// TestUnusable: without a working nvidia-smi no session begins, and the error has the words of nvidia-smi.
func TestUnusable(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(m *machine)
		want  string
	}{
		"fails": {func(m *machine) { m.put("fail", "NVIDIA-SMI has failed because it couldn't communicate\n") },
			"NVIDIA-SMI has failed because"},
		"missing": {func(m *machine) { m.env = append(m.env, "PATH=/nowhere") }, "no nvidia-smi in /nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			tc.spoil(m)
			_, err := Start(t.Context(), m, "")
			if e, ok := errors.AsType[*UnusableError](err); !ok || !strings.HasPrefix(e.Words, tc.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestNothingStays: at the end of the input, the script and its nvidia-smi end.
func TestNothingStays(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	s, _ := m.open()
	pace(t, s, wire.Pace{IntervalMS: 250})
	report(t, s, anyReport)
	loop := func() bool {
		out, err := exec.Command("pgrep", "-f", "query-gpu=index,uuid,utilization.gpu.*--loop-ms=250").Output()
		return err == nil && strings.Contains(environs(strings.Fields(string(out))), "FAKE="+m.dir)
	}
	if !loop() {
		t.Fatal("there is no loop")
	}
	_ = s.Close()
	for deadline := time.Now().Add(5 * time.Second); loop(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nvidia-smi still runs")
		}
	}
}

// environs returns the environments of processes.
func environs(pids []string) (all string) {
	for _, pid := range pids {
		text, _ := os.ReadFile("/proc/" + pid + "/environ")
		all += string(text)
	}
	return all
}

// TestEnds: when nvidia-smi ends, the session ends.
func TestEnds(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	s, _ := m.open()
	m.put("fail", "GPU is lost\n")
	_, _ = s.Call(t.Context(), wire.Request{Pace: &wire.Pace{IntervalMS: 250}}) // the session may end before the reply
	_, err := s.Next()
	if e, ok := errors.AsType[*link.EndError](err); !ok || !strings.Contains(e.Stderr, "GPU is lost") {
		t.Errorf("error %v", err)
	}
}

func TestScriptSuitsAnyLoginShell(t *testing.T) {
	if i := strings.IndexAny(script, "'\\!\n"); i >= 0 {
		t.Errorf("%q in the script: %q", script[i], script[max(0, i-20):i+1])
	}
	if strings.Contains(program, "\n") {
		t.Error("the program is more than a line")
	}
}

func TestParsers(t *testing.T) {
	for _, tc := range []struct {
		parse func(string) (float64, bool)
		cell  string
		want  float64
		ok    bool
	}{
		{parseNumber(1), "62.31", 62.31, true}, {parseNumber(1 << 20), "2", 2 << 20, true},
		{parseNumber(1), "[N/A]", 0, false},
		{parseNumber(1), "NaN", 0, false},
		{parseNumber(1), "Inf", 0, false}, {parsePState, "P8", 8, true}, {parsePState, "8", 0, false},
		{parseBitmask, "0x0000000000000044", 0x44, true},
		{parseBitmask, "0xffffffffffffffff", 0, false}, {parseSwitch, "Enabled", 1, true}, {parseSwitch, "No", 0, true},
		{parseSwitch, "[N/A]", 0, false},
		{parseRecovery, "None", 0, true}, {parseRecovery, "Reset", 1, true}, {parseRecovery, "GPU Reset", 1, true},
		{parseRecovery, "Node Reboot", 2, true}, {parseRecovery, "Drain P2P", 3, true},
		{parseRecovery, "Drain and Reset", 4, true},
		{parseRecovery, "[GPU requires reset]", 0, false}, {parseRecovery, "[N/A]", 0, false},
		{parseRecovery, "Pray", 0, false},
	} {
		if x, ok := tc.parse(tc.cell); ok != tc.ok || ok && x != tc.want {
			t.Errorf("%q: %v %v", tc.cell, x, ok)
		}
	}
}

func FuzzRows(f *testing.F) {
	f.Add("0, GPU-0, x")
	f.Add("GPU-0, 1, 2, a, b")
	f.Fuzz(func(t *testing.T, line string) {
		gpus := &roster{query: columns[:1], list: []*gpu{{Card: wire.Card{UUID: "GPU-0"}}}}
		if cells, ok := gpus.query.splitRow(line, all); ok {
			gpus.addGPU(gpus.newGPU(cells))
		}
		new(introduction).parseLine(line)
		if p := new(processes); p.addProcess(line, gpus) && len(p.list) != 1 {
			t.Errorf("%q: %+v", line, p.list)
		}
	})
}
