package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
	"github.com/nvnodetop/nvnodetop/test/term"
)

// The load of measureProcesses, two processes on each GPU, and its signals: SIGCONT does nothing to a process that
// runs.
const (
	perNode      = 8
	signalNodes  = 16 // at most
	signalRounds = 10
)

// measureProcesses measures the pages of the processes of a job, beside the node view, the time of a signal to all of
// its ranks, and frames of 10,000 processes.
func measureProcesses(o options, program string) error {
	fmt.Printf("%d nodes, %d processes on each, %d s watched on each page; memory is the peak up to then\n\n", o.nodes,
		perNode, o.seconds)
	if err := comparePages(o, program); err != nil {
		return err
	}
	if err := timeSignals(o, program); err != nil {
		return err
	}
	return benchmarkFrames()
}

// comparePages measures the node view, the processes of the whole job and their tree in one run, one after the other.
// The cost of the nodes without nvnodetop is measured last, since the job has just started at the beginning.
func comparePages(o options, program string) error {
	results, err := watchPages(o, program)
	if err != nil {
		return err
	}
	time.Sleep(rig.Settling)
	idle, err := idleCost(20 * time.Second)
	if err != nil {
		return err
	}
	for _, f := range results {
		f[0].nodes -= idle.nodes
	}
	report(costs, []string{"node view", "processes of the job", "as a tree"}, results, false)
	return nil
}

func watchPages(o options, program string) (results [][]figures, err error) {
	t, err := openNodeView(o, program)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	for _, open := range []func() error{
		func() error { return nil },
		func() error { return openJob(t, perNode*o.nodes) },
		func() error { return press(t, "t", "as a tree") },
	} {
		if err := open(); err != nil {
			return nil, err
		}
		f, err := watched(o, t)
		if err != nil {
			return nil, err
		}
		f.rss, f.probeRSS = rig.PeakRSS(filepath.Base(program)), rig.PeakRSS("nvnodetop-probe")
		results = append(results, []figures{f})
	}
	return results, rig.Quit(t)
}

// openNodeView starts program in the node view.
func openNodeView(o options, program string) (*term.Terminal, error) {
	if err := rig.AsAlice(firstRun); err != nil {
		return nil, err
	}
	t, _, _, err := start(o, program)
	return t, err
}

// openJob opens the page of the processes of the whole job, and waits until it has them all.
func openJob(t *term.Terminal, count int) error {
	if err := press(t, "P", "Processes of node"); err != nil {
		return err
	}
	return press(t, "w", "Processes of job", " "+strconv.Itoa(count)+" processes")
}

// press sends keys and waits for words.
func press(t *term.Terminal, keys string, words ...string) error {
	_, err := timePress(t, keys, words...)
	return err
}

// timePress returns the time until the words are on the screen.
func timePress(t *term.Terminal, keys string, words ...string) (time.Duration, error) {
	if err := t.Type(keys); err != nil {
		return 0, err
	}
	return t.WaitFor(20*time.Second, strings.Join(words, ", "), func(s string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(s, w) })
	})
}

// timeSignals times signals to all ranks of a job, from the key that confirms to the result of the last process.
func timeSignals(o options, program string) error {
	o.nodes = min(o.nodes, signalNodes)
	if err := restartJob(o); err != nil {
		return err
	}
	t, err := openNodeView(o, program)
	if err != nil {
		return err
	}
	defer t.Close()
	count := perNode * o.nodes
	if err := openJob(t, count); err != nil {
		return err
	}
	var took []time.Duration
	for range signalRounds {
		d, err := signalRanks(t, count)
		if err != nil {
			return err
		}
		took = append(took, d)
	}
	slices.Sort(took)
	fmt.Printf("\na signal to %d ranks on %d nodes, %d times: all results after %.1f ms (median), %.1f ms (worst)\n",
		count, o.nodes, signalRounds, rig.MS(took[len(took)/2]), rig.MS(took[len(took)-1]))
	return rig.Quit(t)
}

// signalRanks sends SIGCONT to all ranks of the job and returns the time until the results are there.
func signalRanks(t *term.Terminal, count int) (time.Duration, error) {
	n := strconv.Itoa(count)
	for _, step := range [][2]string{
		{"S", "Send which signal"}, {"cont\r", "Send SIGCONT to 1 process?"},
		{"\t\t", "Send SIGCONT to " + n + " processes?"}, // past its rank to all ranks
	} {
		if err := press(t, step[0], step[1]); err != nil {
			return 0, err
		}
	}
	took, err := timePress(t, "y", "Sent SIGCONT to "+n+" of "+n+" processes")
	if err != nil {
		return 0, err
	}
	if err := t.Type("\x1b"); err != nil {
		return 0, err
	}
	_, err = t.WaitFor(time.Second, "the dialog closed",
		func(s string) bool { return !strings.Contains(s, "Sent SIGCONT") })
	return took, err
}

// aFrame matches a line of the benchmark.
var aFrame = regexp.MustCompile(`(?m)^BenchmarkProcesses/([a-z]+)\S*\s.*?([0-9.]+) p99-ms`)

// benchmarkFrames measures the time from a key to the encoded frame, with 10,000 processes and without a cluster.
func benchmarkFrames() error {
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", "^BenchmarkProcesses$", "./internal/ui")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go test: %w: %s", err, out)
	}
	fmt.Printf("\n10,000 processes, key to frame, 99th percentile, ms:")
	for _, m := range aFrame.FindAllSubmatch(out, -1) {
		fmt.Printf(" %s %s ", m[1], m[2])
	}
	fmt.Println()
	return nil
}
