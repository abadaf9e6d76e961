package soak

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sample is the resources that nvnodetop uses at the end of a minute, and the nodes on its screen.
type sample struct {
	at       time.Time
	minute   int
	fds      int
	threads  int
	rss      int64 // KiB
	cpu      time.Duration
	written  int64 // bytes to the terminal
	probes   int
	open     int // nodes that report
	healthy  int // nodes without a fault
	children int
	sruns    int // sruns among the children: each has a step of SLURM with nodes whose sshd refused, and three pipes
	fault    string
	percent  float64 // of a core, since the previous sample
	perSec   float64 // bytes per second to the terminal, since then
}

// soakMeasures are the rows of the verdict. Beyond most-fold and by more than slack, a measure grows. Histories reach
// back 12 minutes, so in a run shorter than an hour the memory grows with them.
var soakMeasures = []struct {
	name        string
	value       func(sample) float64
	most, slack float64
}{
	{"descriptors, without sruns'", func(s sample) float64 { return float64(s.fds - 3*s.sruns) }, 1.2, 8},
	{"threads", func(s sample) float64 { return float64(s.threads) }, 1.2, 4},
	{"RSS, MiB", func(s sample) float64 { return float64(s.rss) / 1024 }, 1.2, 16},
	{"CPU, % of a core", func(s sample) float64 { return s.percent }, 0, 0},
	{"probes on the nodes", func(s sample) float64 { return float64(s.probes) }, 1.1, 4},
	{"child processes but sruns", func(s sample) float64 { return float64(s.children - s.sruns) }, 1.2, 4},
	{"sruns", func(s sample) float64 { return float64(s.sruns) }, 1.2, 4},
	{"bytes per second to the terminal", func(s sample) float64 { return s.perSec }, 0, 0},
}

const soakHead = "minute  fds threads  RSS MiB  CPU %  children sruns  probes  reporting healthy  bytes/s  fault (a " +
	"program in Go does not tell its goroutines)"

// since computes the use since the previous sample.
func (s *sample) since(before *sample) {
	sec := s.at.Sub(before.at).Seconds()
	s.percent = 100 * (s.cpu - before.cpu).Seconds() / sec
	s.perSec = float64(s.written-before.written) / sec
}

func (s *sample) row() string {
	return fmt.Sprintf("%6d %4d %7d %8.1f %6.2f %9d %5d %7d %10d %7d %8.0f  %s",
		s.minute, s.fds, s.threads, float64(s.rss)/1024, s.percent, s.children, s.sruns, s.probes, s.open, s.healthy,
		s.perSec, s.fault)
}

func (s *soak) sample(minute int) (sample, error) {
	n := sample{at: time.Now(), minute: minute, probes: probes(), open: len(s.log.open), written: s.screen.Written()}
	n.children, n.sruns = childrenOf(s.pid)
	n.healthy = len(s.nodes)
	for _, node := range s.nodes {
		if slices.ContainsFunc(s.active, func(t trouble) bool { return t.host == node }) {
			n.healthy--
		}
	}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.pid))
	if err != nil {
		return n, fmt.Errorf("nvnodetop has ended: %w; the screen:\n%s", err, s.screen.Screen())
	}
	n.fds = len(fds)
	n.threads, n.rss = int(statusOf(s.pid, "Threads")), statusOf(s.pid, "VmRSS")
	n.cpu = cpuTimeOf(s.pid)
	return n, nil
}

// pidOf returns the process that runs program.
func pidOf(program string) (int, error) {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		for _, pid := range pidsNamed(filepath.Base(program)) {
			if exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); exe == program {
				return pid, nil
			}
		}
	}
	return 0, fmt.Errorf("%s does not run", program)
}

// pidsNamed lists the processes with that name, on all hosts of the cluster.
func pidsNamed(name string) (pids []int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, path := range paths {
		if comm, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(comm)) == name {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// probes counts the probes on all nodes. Each host is a PID namespace: a probe in this program's namespace belongs to
// somebody else.
func probes() (count int) {
	ours, _ := os.Readlink("/proc/self/ns/pid")
	for _, pid := range pidsNamed("nvnodetop-probe") {
		if its, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", pid)); err == nil && its != ours {
			count++
		}
	}
	return count
}

// statusOf reads a number of /proc/PID/status.
func statusOf(pid int, key string) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	m := regexp.MustCompile(`(?m)^` + key + `:\s+(\d+)`).FindSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return n
}

// cpuTimeOf is the CPU time of a process and of the children that it has waited for.
func cpuTimeOf(pid int) (used time.Duration) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 15 {
		return 0
	}
	for _, ticks := range fields[11:15] { // utime, stime, cutime, cstime
		n, _ := strconv.ParseInt(ticks, 10, 64)
		used += time.Duration(n) * 10 * time.Millisecond
	}
	return used
}

// childrenOf counts the children of a process, and those of them that are sruns.
func childrenOf(pid int) (all, sruns int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range tasks {
		text, _ := os.ReadFile(path)
		for child := range strings.FieldsSeq(string(text)) {
			all++
			if comm, _ := os.ReadFile("/proc/" + child + "/comm"); strings.TrimSpace(string(comm)) == "srun" {
				sruns++
			}
		}
	}
	return all, sruns
}

func medianOf(samples []sample, value func(sample) float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = value(s)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// sessionLog follows nvnodetop's log, which has the beginning and end of each node's sessions.
type sessionLog struct {
	path string
	seen int64
	rest []byte
	open map[string]time.Time // nodes that report, with the time since when
	lost map[string]time.Time // other nodes that had a session, with the time since when
}

func newSessionLog(path string) *sessionLog {
	return &sessionLog{path: path, open: map[string]time.Time{}, lost: map[string]time.Time{}}
}

var aSession = regexp.MustCompile(`^time=(\S+) .*msg="(session (?:begins|ended|closed))" .*?node=(\S+) door=`)

// read reads the new lines.
func (l *sessionLog) read() error {
	f, err := os.Open(l.path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	text, err := io.ReadAll(io.NewSectionReader(f, l.seen, 1<<40))
	l.seen += int64(len(text))
	l.rest = append(l.rest, text...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return err
		}
		l.rest = rest
		l.note(line)
	}
}

func (l *sessionLog) note(line []byte) {
	m := aSession.FindSubmatch(line)
	if m == nil {
		return
	}
	at, _ := time.Parse(time.RFC3339Nano, string(m[1]))
	node := string(m[3])
	if string(m[2]) == "session begins" {
		l.open[node] = at
		delete(l.lost, node)
		return
	}
	delete(l.open, node)
	l.lost[node] = at
}
