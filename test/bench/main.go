// Command bench measures what nvnodetop costs on a real cluster on this machine. scripts/bench runs it.
//
// The user alice has a job on all nodes and watches it in a terminal of 200x50. CPU time is that of whole cgroups, so
// that processes that have ended count as well. The cost of the nodes without nvnodetop is measured first and
// subtracted.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
	"github.com/nvnodetop/nvnodetop/test/bench/scale"
	"github.com/nvnodetop/nvnodetop/test/bench/soak"
)

type options struct {
	nodes, seconds, keys int
	rounds               int
	poll, display        string
	against              string
	probe                int
	costs, host          bool
	sized                bool // the number of nodes is given

	fleet, trouble int
	rtt            time.Duration
	loss           float64
	keep, slurm    bool
	log            bool
	soak           int
	seed           int64
}

func main() {
	var o options
	flag.IntVar(&o.nodes, "nodes", 0, "nodes of the cluster, and of the job (default 16; 64 with --soak)")
	flag.IntVar(&o.seconds, "seconds", 60, "duration of the steady state")
	flag.IntVar(&o.keys, "keys", 200, "number of keys to time")
	flag.IntVar(&o.rounds, "rounds", 1, "number of measurements per program; results are medians")
	flag.StringVar(&o.poll, "poll", "3", "poll interval in seconds")
	flag.StringVar(&o.display, "display", "1", "display interval in seconds")
	flag.StringVar(&o.against, "against", "", "another program with the same arguments to measure in the same run")
	flag.IntVar(&o.probe, "probe", 0, "measure only the probe, without a cluster, over this many reports")
	flag.BoolVar(&o.costs, "costs", false,
		"measure what the screen of 8,000 GPUs costs, and the probe; with --nodes the nodes of the cluster")
	flag.BoolVar(&o.host, "host", false,
		"measure the screen of one host with 8 GPUs, and nvtop and nvitop where they are installed, without a cluster")
	flag.IntVar(&o.fleet, "fleet", 0, "measure only nvnodetop among a fleet of this many nodes on loopback, without "+
		"a cluster")
	flag.IntVar(&o.trouble, "trouble", 0, "with --fleet: once more with so many of the nodes in trouble")
	flag.DurationVar(&o.rtt, "rtt", 0, "with --fleet: round trip `time` to the nodes")
	flag.Float64Var(&o.loss, "loss", 0, "with --fleet: `share` of segments that come late")
	flag.BoolVar(&o.slurm, "slurm", false, "with --fleet: they are the nodes of a job of a real slurmctld (root)")
	flag.BoolVar(&o.keep, "keep", false, "with --fleet: make the result the baseline, "+scale.Baseline)
	flag.BoolVar(&o.log, "log", false, "measure nvnodetop without following the log of the job, beside it")
	flag.IntVar(&o.soak, "soak", 0, "watch under a fault a minute, for this many minutes (64 nodes unless --nodes "+
		"says otherwise)")
	flag.Int64Var(&o.seed, "seed", 1, "of the faults of --soak")
	flag.Parse()
	o.sized, o.nodes = o.nodes > 0, o.size()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// size is the number of nodes.
func (o options) size() int {
	if o.soak > 0 {
		return cmp.Or(o.nodes, 64)
	}
	return cmp.Or(o.nodes, 16)
}

func run(o options) error {
	if o.costs {
		return measureCosts(o)
	}
	if o.host {
		return measureHost(o)
	}
	if o.probe > 0 {
		return measureProbe(o.probe)
	}
	if o.fleet > 0 {
		return scale.Measure(scale.Options{Nodes: o.fleet, Trouble: o.trouble, RTT: o.rtt, Loss: o.loss, SLURM: o.slurm,
			Keep: o.keep, Against: o.against, Poll: o.poll, Display: o.display, Seconds: o.seconds, Keys: o.keys})
	}
	ours, err := prepare(o)
	if err != nil {
		return err
	}
	if o.soak > 0 {
		return soak.Run(soak.Options{Program: ours, Nodes: o.nodes, Minutes: o.soak, Seed: o.seed, Poll: o.poll,
			Display: o.display, AnotherJob: func() error { return restartJob(o) }})
	}
	return comparePrograms(o, ours)
}

// comparePrograms measures nvnodetop, and the program given by --against.
func comparePrograms(o options, ours string) error {
	programs, err := o.programPaths(ours)
	if err != nil {
		return err
	}
	fmt.Printf("%d nodes, poll %s s, display %s s, %d s watched, terminal %dx%d\n\n", o.nodes, o.poll, o.display,
		o.seconds, rig.Columns, rig.Rows)
	idle, err := idleCost(20 * time.Second)
	if err != nil {
		return err
	}
	results := make([][]figures, len(programs))
	for round := range o.rounds {
		for k := range programs {
			at := k
			if round%2 == 1 { // the other order, so that drift favors neither program
				at = len(programs) - 1 - k
			}
			f, err := measure(o, programs[at], idle)
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.Base(programs[at]), err)
			}
			results[at] = append(results[at], f)
		}
	}
	report(programs, results)
	return nil
}

// programPaths returns the programs to compare, as paths on the cluster.
func (o options) programPaths(ours string) ([]string, error) {
	switch {
	case o.log:
		other, err := withoutLog(ours)
		return []string{other, ours}, err
	case o.against != "":
		other, err := rig.Cluster("put", o.against)
		return []string{ours, other}, err
	}
	return []string{ours}, nil
}

// prepare starts the cluster and the job, builds nvnodetop as for a release and returns its path on the cluster.
func prepare(o options) (string, error) {
	if out, err := exec.Command("scripts/build").CombinedOutput(); err != nil {
		return "", fmt.Errorf("scripts/build: %w: %s", err, out)
	}
	for _, args := range [][]string{{"install"}, {"up", strconv.Itoa(o.nodes)}, {"heal"}} {
		if _, err := rig.Cluster(args...); err != nil {
			return "", err
		}
	}
	if err := restartJob(o); err != nil {
		return "", err
	}
	return rig.Cluster("put", "bin/nvnodetop")
}

// buildProgram builds nvnodetop without probes for other platforms, for measurements that need none, and returns its
// path.
func buildProgram(dir string) (string, error) {
	exe := filepath.Join(dir, "nvnodetop")
	if out, err := exec.Command("go", "build", "-o", exe, "./cmd/nvnodetop").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return exe, nil
}

// restartJob starts a job once the earlier ones have ended.
func restartJob(o options) error {
	if _, err := rig.Cluster("on", "login", "sh", "-c",
		`scancel -u alice; while [ -n "$(squeue -h -u alice)" ]; do sleep 0.2; done`); err != nil {
		return err
	}
	_, err := rig.Cluster("job", strconv.Itoa(o.nodes), "bench")
	return err
}
