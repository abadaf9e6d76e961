// Package soak lets nvnodetop watch the test cluster under a fault a minute, and looks for growth, and for nodes that
// do not come back.
package soak

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
	"github.com/nvnodetop/nvnodetop/test/term"
)

// Options say what runs, and for how long.
type Options struct {
	Program       string // its path on the cluster
	Nodes         int
	Minutes       int
	Seed          int64 // for the faults
	Poll, Display string
	AnotherJob    func() error // ends the job and starts one like it
}

// The limits of a soak.
const (
	backWithin = time.Minute // maximum time until a node reports after its fault is healed
	// maximum life of a probe on a node that lost its connection: it exits after 60 s of silence
	leftWithin  = 70 * time.Second
	soakLook    = 5 * time.Second  // time between two looks at the nodes that report
	soakShort   = 35 * time.Second // duration of a fault
	soakLong    = 100 * time.Second
	soakJobs    = 10 // after this number of minutes the job ends and another one starts
	soakColumns = 200
	soakRows    = 90
)

// soak is a run of nvnodetop in a terminal under faults.
type soak struct {
	Options
	random *rand.Rand
	log    *sessionLog
	screen *term.Terminal
	pid    int

	nodes  []string
	active []trouble            // faults that are not healed
	well   map[string]time.Time // nodes without a fault, with the time since when
	late   map[string]bool      // nodes that took too long, until they report
	faults []string             // verdicts against the run
	last   sample
	table  []sample
}

// trouble is a fault on a host, until it is healed.
type trouble struct {
	fault
	host  string
	until time.Time
}

// Run watches a job for a number of minutes, with a fault in each of them, and prints any growth.
func Run(o Options) error {
	s := &soak{Options: o, random: rand.New(rand.NewPCG(uint64(o.Seed), 1)), well: map[string]time.Time{},
		late: map[string]bool{}}
	for k := range o.Nodes {
		s.nodes = append(s.nodes, fmt.Sprintf("node%02d", k+1))
	}
	defer func() { _, _ = rig.Cluster("heal") }()
	if err := s.begin(); err != nil {
		return err
	}
	defer s.screen.Close()
	fmt.Printf("%d nodes, a fault a minute for %d minutes, seed %d\n\n", o.Nodes, o.Minutes, o.Seed)
	fmt.Println(soakHead)
	for minute := range o.Minutes {
		if err := s.minute(minute + 1); err != nil {
			return err
		}
	}
	if err := s.end(); err != nil {
		return err
	}
	return s.verdict()
}

// begin starts nvnodetop and waits until every node reports.
func (s *soak) begin() error {
	path := filepath.Join(filepath.Dir(s.Program), "soak.log")
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	cmd := exec.Command("scripts/testcluster", "on", "-u", "alice", "login", s.Program, s.Poll, s.Display, "--log",
		path)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor")
	var err error
	if s.screen, err = term.Start(cmd, soakColumns, soakRows); err != nil {
		return err
	}
	s.log = newSessionLog(path)
	if s.pid, err = pidOf(s.Program); err == nil {
		err = s.awaitAll()
	}
	if err != nil {
		s.screen.Close()
		return err
	}
	s.last, err = s.sample(0)
	return err
}

// awaitAll waits until every node reports.
func (s *soak) awaitAll() error {
	for deadline := time.Now().Add(2 * backWithin); time.Now().Before(deadline); time.Sleep(time.Second) {
		if err := s.log.read(); err != nil {
			return err
		}
		if len(s.log.open) == len(s.nodes) {
			return nil
		}
	}
	return fmt.Errorf("%d of %d nodes report after %v", len(s.log.open), len(s.nodes), 2*backWithin)
}

// minute makes a fault, heals the faults whose time is over, and looks at the nodes that report.
func (s *soak) minute(number int) error {
	ends := time.Now().Add(time.Minute)
	what, err := s.strike()
	if err != nil { // it is healed as if it had come about
		what += ", not made: " + err.Error()
	}
	for time.Now().Before(ends) {
		time.Sleep(soakLook)
		if err := s.healDue(time.Now()); err != nil {
			return err
		}
		if err := s.look(); err != nil {
			return err
		}
	}
	now, err := s.sample(number)
	if err != nil {
		return err
	}
	now.fault = what
	now.since(&s.last)
	s.table = append(s.table, now)
	fmt.Println(now.row())
	s.last = now
	return nil
}

// strike makes the fault of a minute: on a node without one, on the controller, or another job.
func (s *soak) strike() (what string, err error) {
	if len(s.active) == 0 && s.random.IntN(soakJobs) == 0 {
		return "another job", s.anotherJob()
	}
	f := soakFaults[s.random.IntN(len(soakFaults))]
	host := s.nodes[s.random.IntN(len(s.nodes))]
	if f.controller {
		host = "ctl"
	}
	if slices.ContainsFunc(s.active, func(t trouble) bool { return t.host == host }) {
		return "none: " + host + " has one", nil
	}
	hold := soakShort
	if f.long && s.random.IntN(3) == 0 {
		hold = soakLong
	}
	s.active = append(s.active, trouble{f, host, time.Now().Add(hold)})
	return f.make[0][0] + " " + host, inject(host, f.make)
}

// anotherJob ends the job and starts one like it.
func (s *soak) anotherJob() error {
	if err := s.AnotherJob(); err != nil {
		return err
	}
	for _, node := range s.nodes {
		s.well[node] = time.Now()
	}
	return s.screen.Type("r") // a user who has started a job presses this key; by itself nvnodetop asks within 30 s
}

// healDue heals the faults whose time is over at now.
func (s *soak) healDue(now time.Time) error {
	for _, t := range s.active {
		if t.until.After(now) {
			continue
		}
		if err := inject(t.host, t.heal); err != nil {
			fmt.Println("  " + err.Error())
			if _, err := rig.Cluster("heal", t.host); err != nil {
				return err
			}
		}
		s.well[t.host] = time.Now()
		// the person who has cured it tells nvnodetop; by itself it tries again within 5 minutes, so that nobody is
		// locked out
		if t.person {
			if err := s.screen.Type("r"); err != nil {
				return err
			}
		}
	}
	s.active = slices.DeleteFunc(s.active, func(t trouble) bool { return !t.until.After(now) })
	return nil
}

// look notes the nodes without a fault that have not reported for too long.
func (s *soak) look() error {
	if err := s.log.read(); err != nil {
		return err
	}
	for _, node := range s.nodes {
		quiet := s.silent(node)
		if quiet > backWithin && !s.late[node] {
			s.late[node] = true
			s.blame("%s %s has no fault and does not report for %v", time.Now().Format(time.TimeOnly), node,
				quiet.Round(time.Second))
		}
		if quiet == 0 {
			delete(s.late, node)
		}
	}
	return nil
}

// silent returns the time for which a node without a fault has not reported.
func (s *soak) silent(node string) time.Duration {
	if slices.ContainsFunc(s.active, func(t trouble) bool { return t.host == node }) || !s.log.open[node].IsZero() {
		return 0
	}
	since := s.log.lost[node]
	if well := s.well[node]; well.After(since) {
		since = well
	}
	return time.Since(since)
}

func (s *soak) blame(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	fmt.Println("  " + line)
	s.faults = append(s.faults, line)
}

// end heals the remaining faults, waits until all nodes report, quits, and looks for processes left behind.
func (s *soak) end() error {
	if err := s.healDue(time.Now().Add(time.Hour)); err != nil {
		return err
	}
	if err := s.awaitAll(); err != nil {
		s.blame("at the end %v", err)
	}
	if err := rig.Quit(s.screen); err != nil {
		return err
	}
	for deadline := time.Now().Add(leftWithin); probes() > 0; time.Sleep(time.Second) {
		if time.Now().After(deadline) {
			s.blame("%d probes are left %v after the end", probes(), leftWithin)
			return nil
		}
	}
	return nil
}

// verdict compares the last quarter with the first. It returns an error if something is wrong.
func (s *soak) verdict() error {
	quarter := max(1, len(s.table)/4)
	first, last := s.table[:quarter], s.table[len(s.table)-quarter:]
	fmt.Printf("\nmedians of the first and the last %d minutes\n", quarter)
	for _, m := range soakMeasures {
		a, b := medianOf(first, m.value), medianOf(last, m.value)
		ratio := "–"
		if a > 0 {
			ratio = strconv.FormatFloat(b/a, 'f', 2, 64)
		}
		fmt.Printf("%-28s %10.1f %10.1f   ratio %s\n", m.name, a, b, ratio)
		if m.most > 0 && a > 0 && b/a > m.most && b-a > m.slack {
			s.blame("%s grew %s-fold, and may grow %.1f-fold", m.name, ratio, m.most)
		}
	}
	if len(s.faults) > 0 {
		return errors.New("not as it should be:\n" + strings.Join(s.faults, "\n"))
	}
	fmt.Println("\nnothing grows, every healthy node reported within a minute, no process is left")
	return nil
}
