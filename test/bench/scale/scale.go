// Package scale measures nvnodetop among a fleet: the nodes of a large cluster, which are ssh servers on loopback. It
// compares the costs with a baseline.
package scale

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
	"github.com/nvnodetop/nvnodetop/test/fleet"
	"github.com/nvnodetop/nvnodetop/test/term"
)

// Options say what is measured, and how.
type Options struct {
	Nodes, Trouble int
	RTT            time.Duration
	Loss           float64
	SLURM          bool // the nodes belong to a job of a real slurmctld
	Keep           bool // the result is the new baseline
	Against        string
	Poll, Display  string
	Seconds, Keys  int
}

// The load of Measure.
const (
	fleetGPUs   = 8
	fleetStarts = 3
	fleetStart  = 2 * time.Minute // maximum time until all healthy nodes report
)

// fleetFigures are the costs of one run of a program among a fleet. A figure that could not be measured is 0 and is not
// printed.
type fleetFigures struct {
	// times from the start: a number on the screen, all nodes there, a report of each healthy node
	first, all, healthy time.Duration
	startCPU            time.Duration   // until then
	startYards          []time.Duration // the yardstick meanwhile: other work slows both
	start               fleet.Counts    // counts of the fleet at that time

	seconds       float64 // of the steady state
	yards         []time.Duration
	cpu, servers  time.Duration
	threads       int // threads with a tenth of the work or more
	reports       uint64
	wire, written int64 // bytes from the nodes and to the terminal
	frame         int64 // bytes of a full frame
	peak          int64 // KiB
	key50, key99  time.Duration
	aside50       time.Duration // the same with servers that give way, as on other machines
	aside99       time.Duration
	keyCPU        time.Duration // per key, with its frame
}

// Measure measures nvnodetop among a fleet, and the program of Against.
func Measure(o Options) error {
	dir, err := os.MkdirTemp("", "nvnodetop-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ours, servers := filepath.Join(dir, "nvnodetop"), filepath.Join(dir, "fleetd")
	for _, build := range [][]string{{"-o", ours, "./cmd/nvnodetop"}, {"-o", servers, "./test/fleetd"}} {
		cmd := exec.Command("go", append([]string{"build", "-trimpath", "-ldflags", "-s -w"}, build...)...)
		// as in a release, but without probes, since no node here needs one
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w: %s", err, out)
		}
	}
	programs := []string{ours}
	if o.Against != "" {
		programs = append(programs, o.Against)
	}
	fmt.Printf("%d nodes with %d GPUs over ssh, round trip %v, loss %v, poll %s s, display %s s, %d s watched, "+
		"terminal %dx%d\n\n",
		o.Nodes, fleetGPUs, o.RTT, o.Loss, o.Poll, o.Display, o.Seconds, rig.Columns, rig.Rows)
	var results []fleetResult
	for _, p := range programs {
		r, err := fleetRun(o, servers, p)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(p), err)
		}
		results = append(results, r)
	}
	return reportFleet(o, programs, results)
}

// fleetResult is the result for one program.
type fleetResult struct {
	fleetFigures
	disturbed *fleetFigures // with nodes in trouble; nil: not measured
}

func fleetRun(o Options, servers, program string) (r fleetResult, err error) {
	var starts []fleetFigures
	for range fleetStarts {
		f, err := amongFleet(o, servers, program, 0, len(starts) == 0)
		if err != nil {
			return r, err
		}
		starts = append(starts, f)
	}
	r.fleetFigures = starts[0]
	r.ofStarts(starts)
	if o.Trouble > 0 {
		f, err := amongFleet(o, servers, program, o.Trouble, false)
		if err != nil {
			return r, err
		}
		r.disturbed = &f
	}
	return r, nil
}

// ofStarts fills a result with the medians of several starts, and the maxima that servers have seen in any.
func (r *fleetResult) ofStarts(starts []fleetFigures) {
	of := func(value func(*fleetFigures) time.Duration) time.Duration {
		var all []time.Duration
		for i := range starts {
			all = append(all, value(&starts[i]))
		}
		return middle(all)
	}
	r.first = of(func(f *fleetFigures) time.Duration { return f.first })
	r.all = of(func(f *fleetFigures) time.Duration { return f.all })
	r.healthy = of(func(f *fleetFigures) time.Duration { return f.healthy })
	r.startCPU = of(func(f *fleetFigures) time.Duration { return f.startCPU })
	for _, f := range starts[1:] {
		r.startYards = append(r.startYards, f.startYards...)
		r.start.Handshakes.Most = max(r.start.Handshakes.Most, f.start.Handshakes.Most)
		r.start.Exchanges.Most = max(r.start.Exchanges.Most, f.start.Exchanges.Most)
		r.start.Unauthenticated.Most = max(r.start.Unauthenticated.Most, f.start.Unauthenticated.Most)
		r.start.OnOneNode = max(r.start.OnOneNode, f.start.OnOneNode)
	}
}

// fleetServer is a running fleet.
type fleetServer struct {
	cmd        *exec.Cmd
	in         io.WriteCloser
	out        *bufio.Reader
	with, list string // a command that runs another among the nodes; the nodes, unless they belong to a job
}

// startFleet starts the servers, and with --slurm a controller with a job on them.
func startFleet(o Options, program string, trouble int) (*fleetServer, error) {
	args := []string{program}
	ready := regexp.MustCompile(`(\S+/with) nvnodetop --nodes '([^']+)'`)
	if o.SLURM {
		args = []string{"scripts/fleet", "--slurm"}
		ready = regexp.MustCompile(`(\S+/with) nvnodetop()$`)
	}
	args = append(args, "--gpus", strconv.Itoa(fleetGPUs), "--trouble", strconv.Itoa(trouble), "--rtt", o.RTT.String(),
		"--loss", fmt.Sprint(o.Loss), strconv.Itoa(o.Nodes))
	s := &fleetServer{cmd: exec.Command(args[0], args[1:]...)}
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	for s.with == "" {
		line, err := s.out.ReadString('\n')
		if err != nil {
			_ = s.in.Close()
			return nil, fmt.Errorf("the fleet did not start: %w", s.cmd.Wait())
		}
		if m := ready.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			s.with, s.list = m[1], m[2]
		}
	}
	return s, nil
}

func (s *fleetServer) stop() {
	_ = s.in.Close()
	_ = s.cmd.Wait()
}

// giveWay makes the servers wait whenever the measured program wants a core: real nodes have cores of their own.
func (s *fleetServer) giveWay() error {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", s.cmd.Process.Pid))
	for _, path := range threads { // later ones take after those that start them
		thread, _ := strconv.Atoi(filepath.Base(path))
		err = cmp.Or(err, syscall.Setpriority(syscall.PRIO_PROCESS, thread, 19))
	}
	return err
}

// counts asks the servers for their counts.
func (s *fleetServer) counts() (c fleet.Counts, err error) {
	_, err = io.WriteString(s.in, "\n")
	line := ""
	if err == nil {
		line, err = s.out.ReadString('\n')
	}
	if err != nil {
		return c, fmt.Errorf("the fleet has ended: %w", err)
	}
	return c, json.Unmarshal([]byte(line), &c)
}

// amongFleet runs a program among a new fleet, to the end of its start or until it was watched.
func amongFleet(o Options, server, program string, trouble int, watched bool) (f fleetFigures, err error) {
	s, err := startFleet(o, server, trouble)
	if err != nil {
		return f, err
	}
	defer s.stop()
	args := []string{program, o.Poll, o.Display, "--view", "overview"}
	if s.list != "" {
		args = append(args, "--nodes", s.list)
	}
	cmd := exec.Command(s.with, args...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor")
	began := time.Now()
	t, err := term.Start(cmd, rig.Columns, rig.Rows)
	if err != nil {
		return f, err
	}
	defer t.Close()
	pid := cmd.Process.Pid
	if err := f.started(s, t, pid, began); err != nil || trouble > 0 {
		return f, err
	}
	if _, err := t.WaitFor(fleetStart, "all nodes", showsAll(o.Nodes)); err != nil {
		return f, err
	}
	f.all = time.Since(began)
	if !watched {
		return f, rig.Quit(t)
	}
	time.Sleep(rig.Settling)
	if err := f.steady(o, s, t, pid); err != nil {
		return f, err
	}
	if f.frame, err = fullFrame(t); err != nil {
		return f, err
	}
	if err := f.pressed(o, t, pid); err != nil {
		return f, err
	}
	if !o.SLURM { // there the servers belong to scripts/fleet
		if err := s.giveWay(); err != nil {
			return f, err
		}
		if f.aside50, f.aside99, err = rig.KeyToFrame(t, o.Keys); err != nil {
			return f, err
		}
	}
	f.peak = rig.PeakOf(pid)
	return f, rig.Quit(t)
}

// showsAll reports whether a screen says that all nodes report.
func showsAll(nodes int) func(string) bool {
	return regexp.MustCompile(fmt.Sprintf(`\b%[1]d of %[1]d nodes reporting|\b%[2]d GPUs OK`, nodes,
		nodes*fleetGPUs)).MatchString
}

// started waits until each healthy node has sent a report.
func (f *fleetFigures) started(s *fleetServer, t *term.Terminal, pid int, began time.Time) error {
	for {
		c, err := s.counts()
		switch {
		case err != nil:
			return err
		case f.first == 0 && rig.Number.MatchString(t.Screen()):
			f.first = time.Since(began)
		case time.Since(began) > fleetStart:
			return fmt.Errorf("%d of %d healthy nodes report after %v; the screen:\n%s", c.Reporting, c.Healthy,
				fleetStart, t.Screen())
		}
		one, err := yard()
		if err != nil {
			return err
		}
		f.startYards = append(f.startYards, one)
		if !c.AllAt.IsZero() && f.first > 0 {
			f.healthy, f.startCPU, f.start = c.AllAt.Sub(began), rig.CPUOf(pid), c
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// steady measures the cost of watching.
func (f *fleetFigures) steady(o Options, s *fleetServer, t *term.Terminal, pid int) error {
	before, err := s.counts()
	if err != nil {
		return err
	}
	began, cpu, threads, written := time.Now(), rig.CPUOf(pid), threadsOf(pid), t.Written()
	for time.Since(began) < time.Duration(o.Seconds)*time.Second {
		time.Sleep(time.Second)
		one, err := yard()
		if err != nil {
			return err
		}
		f.yards = append(f.yards, one)
	}
	after, err := s.counts()
	if err != nil {
		return err
	}
	f.seconds = time.Since(began).Seconds()
	f.cpu, f.servers, f.written = rig.CPUOf(pid)-cpu, after.CPU-before.CPU, t.Written()-written
	f.reports, f.wire = after.Reports-before.Reports, int64(after.Bytes-before.Bytes)
	if f.reports == 0 {
		return errors.New("the nodes sent no report")
	}
	for thread, used := range threadsOf(pid) {
		if used-threads[thread] >= f.cpu/10 {
			f.threads++
		}
	}
	return nil
}

// pressed measures the time of keys, and their cost beyond the steady state.
func (f *fleetFigures) pressed(o Options, t *term.Terminal, pid int) (err error) {
	began, cpu := time.Now(), rig.CPUOf(pid)
	if f.key50, f.key99, err = rig.KeyToFrame(t, o.Keys); err != nil {
		return err
	}
	without := f.cpu.Seconds() / f.seconds * time.Since(began).Seconds()
	f.keyCPU = max(0, rig.CPUOf(pid)-cpu-time.Duration(without*float64(time.Second))) / time.Duration(o.Keys)
	return nil
}

// threadsOf returns the CPU time of each thread of a process.
func threadsOf(pid int) map[string]time.Duration {
	used := map[string]time.Duration{}
	paths, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		ns, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(ns, 10, 64)
		used[path] = time.Duration(n)
	}
	return used
}

// fullFrame returns the bytes of a frame that draws everything, as after a change of the size.
func fullFrame(t *term.Terminal) (int64, error) {
	var sizes []int64
	for _, width := range []int{rig.Columns - 1, rig.Columns, rig.Columns - 1, rig.Columns} {
		before := t.Written()
		if err := t.Resize(width, rig.Rows); err != nil {
			return 0, err
		}
		if _, err := t.WaitFor(10*time.Second, "a frame",
			func(string) bool { return t.Written()-before > rig.Columns*rig.Rows/4 }); err != nil {
			return 0, err
		}
		time.Sleep(50 * time.Millisecond)
		sizes = append(sizes, t.Written()-before)
		time.Sleep(time.Second)
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2], nil
}
