package uitest

import (
	"math/rand/v2"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Now is the time of all fixtures.
var Now = time.Date(2026, 11, 20, 18, 42, 7, 0, time.UTC)

// Ago is a time before Now.
func Ago(d time.Duration) time.Time { return Now.Add(-d) }

const mib = 1 << 20

func fixtureHost(cpu, load, gib float64) wire.Host {
	return wire.Host{Values: metric.Make(map[metric.ID]float64{
		metric.CPU: cpu, metric.Load: load, metric.HostMemoryUsed: gib * 1024 * mib,
		metric.HostMemoryTotal: 1008 * 1024 * mib, metric.Uptime: 41 * 86400,
	})}
}

// NodeOf is a node that reports, with so many GPUs.
func NodeOf(r *rand.Rand, name string, gpus int) *cluster.Node {
	n := &cluster.Node{
		Name: name, State: cluster.NodeReporting, Since: Ago(8 * time.Hour), Tries: 1, Interval: 3 * time.Second,
		Arrived: Ago(time.Second), Age: time.Second,
		Hello: &wire.Hello{CPUs: 128, Driver: "550.90.07", CUDA: "12.4"},
		Host:  fixtureHost(34, 38.2, 412),
		Route: reach.Route{Door: "ssh", Stages: stages},
		Steps: reached("stream", reach.StepDone, "first report after 0.4 s"),
	}
	for i := range gpus {
		n.GPUs = append(n.GPUs, fixtureGPU(r, i, fixtureIndex(i, gpus)))
	}
	return n
}

// stages are those of a node that is reached by ssh.
var stages = []reach.Stage{"name", "TCP", "ssh", "host key", "login", "probe", "driver", "stream"}

// reached is an attempt that got to the stage, which is in that state.
func reached(stage reach.Stage, state reach.StepState, text string) []reach.Step {
	texts := map[reach.Stage]string{
		"name": "gpu-n04 is 10.12.0.14", "TCP": "port 22 answers", "ssh": "OpenSSH_8.7",
		"host key": "ed25519, known (known_hosts line 113)", "login": "publickey, key 1 of 3",
		"probe": "was there already", "driver": "550.90.07, 8 GPUs",
	}
	var steps []reach.Step
	for i, s := range stages {
		step := reach.Step{Stage: s, State: reach.StepDone, Text: texts[s],
			Took: time.Duration(i*9+1) * time.Millisecond}
		if s == stage {
			step.State, step.Text, step.At = state, text, Ago(2*time.Second)
			return append(steps, step)
		}
		steps = append(steps, step)
	}
	return steps
}

// listProcesses gives a node a process per GPU, with ranks from firstRank on, and one more.
func listProcesses(n *cluster.Node, firstPID, firstRank int) {
	n.Listed, n.ListedAt = true, n.Arrived
	for i := range n.GPUs {
		g := &n.GPUs[i]
		n.Processes = append(n.Processes, wire.Process{
			PID: firstPID + 3*i, StartTicks: uint64(firstPID + i), GPU: g.Index, Type: "C",
			Identity: wire.Identity{User: "alice", Name: "python",
				Command: "python -u train.py --config configs/llama70b.yaml --tp 8 --pp 4", Job: "48211",
				Rank: fixtureRank(firstRank + i)},
			State:     "R",
			GPUMemory: new(uint64(Value(g.GPU, "used")-620) * mib), SMPercent: new(int(Value(g.GPU, "util")) - 1),
			MemPercent: new(int(Value(g.GPU, "bandwidth"))),
			CPUPercent: new(99.3 + float64(i)/2), RSS: new(uint64(31) << 30),
			ElapsedSec: new(int64(8*3600 + 2*60 + 41)),
		})
	}
	n.Processes = append(n.Processes, wire.Process{ // the last in the list, and the first of its GPU
		PID: firstPID - 41, StartTicks: uint64(firstPID - 41), GPU: n.GPUs[3].Index, Type: "C+G",
		Identity:  wire.Identity{User: "alice", Name: "python", Command: "python -m ray.worker", Job: "48211"},
		GPUMemory: new(uint64(512) * mib),
		SMPercent: new(1), MemPercent: new(0), CPUPercent: new(2.5), RSS: new(uint64(3) << 30),
		ElapsedSec: new(int64(8*3600 + 3*60 + 2)),
	})
}

// fixtureRank is a rank of the job with 32 of them.
func fixtureRank(rank int) *wire.Rank { return &wire.Rank{Rank: rank, World: new(32), From: "RANK"} }

// Fixture is the snapshot of most golden frames: two jobs, on two nodes that stream, one that connects, one that
// refuses, and a shared one.
func Fixture() *cluster.Snapshot {
	r := rand.New(rand.NewPCG(48211, 1))
	n1, n2 := NodeOf(r, "gpu-n01", 8), NodeOf(r, "gpu-n02", 8)
	hot := &n1.GPUs[5]
	Set(hot.GPU, Values{"temp": 87, "sm": 1215, "power": 418, "util": 100, "throttle": wire.ThrottleHWThermal})
	lag := &n2.GPUs[3]
	Set(lag.GPU, Values{"util": 24, "power": 262, "temp": 49, "bandwidth": 12, "ecc": 2})
	lagged := UtilOf(lag)
	copy(lagged[72:], walk(r, 12, 62, 8))
	copy(lagged[84:], walk(r, HistoryLen-84, 25, 4))
	Remember(hot, UtilOf(hot))
	Remember(lag, lagged)
	n2.Host = fixtureHost(31, 41.2, 421)
	n2.Hello.Driver, n2.Hello.Missing = "550.54.15", []string{"nvmlDeviceGetMemoryInfo_v2"}
	listProcesses(n1, 318802, 0)
	listProcesses(n2, 358802, 8)
	n3 := &cluster.Node{Name: "gpu-n03", State: cluster.NodeConnecting, Since: Ago(2 * time.Second), Tries: 1,
		Route: reach.Route{Door: "ssh", Stages: stages},
		Steps: reached("login", reach.StepBegan, "trying publickey (key 1 of 3)")}
	s11 := sharedNode(r)
	job := cluster.JobView{
		Job: cluster.Job{
			ID: "48211", Number: "48211", Name: "llama-70b", User: "alice",
			Start: Ago(8*time.Hour + 3*time.Minute + 12*time.Second),
			End:   Now.Add(15*time.Hour + 56*time.Minute + 48*time.Second), Limit: 24 * time.Hour,
			Nodes: []string{"gpu-n01", "gpu-n02", "gpu-n03", "gpu-n04"},
		},
		Reporting: 2, GPUs: 32, GPUsSeen: 16, Findings: fixtureFindings(),
	}
	eval := cluster.JobView{
		Job: cluster.Job{
			ID: "48377", Number: "48377", Name: "eval-mmlu", User: "alice", Start: Ago(41*time.Minute + 50*time.Second),
			End: Now.Add(3*time.Hour + 18*time.Minute + 10*time.Second), Limit: 4 * time.Hour,
			Nodes: []string{"gpu-s11"}, Minors: map[string][]int{"gpu-s11": {2, 3}},
		},
		Reporting: 1, GPUs: 2, GPUsSeen: 2,
	}
	return Keyed(&cluster.Snapshot{
		At: Now, Poll: 3 * time.Second, Jobs: []cluster.JobView{job, eval},
		Nodes: map[string]*cluster.Node{"gpu-n01": n1, "gpu-n02": n2, "gpu-n03": n3, "gpu-n04": RefusedNode(),
			"gpu-s11": s11},
		Discovery: cluster.Discovery{Command: "squeue --me --states=R,PD", User: "alice", Host: "login1",
			Asked: Ago(6 * time.Second), Answered: Ago(6 * time.Second), Took: 40 * time.Millisecond,
			Next: Now.Add(24 * time.Second)},
	})
}

// Keyed gives each finding on a GPU the key of that GPU, as the Store does.
func Keyed(s *cluster.Snapshot) *cluster.Snapshot {
	for i := range s.Jobs {
		for k := range s.Jobs[i].Findings {
			f := &s.Jobs[i].Findings[k]
			for _, g := range s.Nodes[f.Node].GPUs {
				if f.GPU >= 0 && g.Number == f.GPU {
					f.Key = g.Key
				}
			}
		}
	}
	return s
}

// RefusedNode is a node that lets nobody in.
func RefusedNode() *cluster.Node {
	n := &cluster.Node{
		Name: "gpu-n04", State: cluster.NodeFailed, Since: Ago(3 * time.Minute), Tries: 6,
		RetryAt: Now.Add(14 * time.Second),
		Route:   reach.Route{Door: "ssh", Stages: stages},
		Steps:   reached("login", reach.StepFailed, "publickey accepted, then closed by PAM"),
		Failure: &reach.Failure{
			Class: reach.ClassAdopt, Stage: "login", Short: "login refused", Detail: "pam_slurm_adopt",
			Words: "Access denied by pam_slurm_adopt: you have no active jobs on this node\nConnection closed by " +
				"10.12.0.14 port 22",
			Meaning: "SLURM lists this node for the job, but the node knows no running step of yours. Either the " +
				"job's step there has ended, or the site lets nobody in by ssh.",
			Hints: []string{"Look for a crashed rank in the job's output.", "ssh -v gpu-n04 true shows the refusal."},
		},
	}
	for i, s := range []int{47, 108, 147, 168, 179, 185} {
		n.Attempts = append(n.Attempts, cluster.Attempt{At: Ago(time.Duration(s) * time.Second),
			Summary: "login refused (pam_slurm_adopt)", Took: time.Duration(39+i) * time.Millisecond})
	}
	return n
}

func fixtureFindings() []cluster.Finding {
	return []cluster.Finding{
		{Kind: cluster.KindFailed, Class: reach.ClassAdopt, Severity: cluster.Critical, Since: Ago(3 * time.Minute),
			Node: "gpu-n04", GPU: -1},
		{Kind: cluster.KindThermal, Severity: cluster.Warning, Since: Ago(40 * time.Second), Node: "gpu-n01", GPU: 5},
		{Kind: cluster.KindECC, Severity: cluster.Warning, Since: Ago(4 * time.Minute), Node: "gpu-n02", GPU: 3},
		{Kind: cluster.KindConnecting, Severity: cluster.Waiting, Since: Ago(2 * time.Second), Node: "gpu-n03",
			GPU: -1},
		{Kind: cluster.KindOldDriver, Severity: cluster.Note, Since: Ago(8 * time.Hour), Node: "gpu-n02", GPU: -1},
	}
}

// sharedNode has two GPUs of alice's and six of others.
func sharedNode(r *rand.Rand) *cluster.Node {
	n := NodeOf(r, "gpu-s11", 8)
	n.Listed, n.ListedAt = true, n.Arrived
	for i := range n.GPUs {
		g := &n.GPUs[i]
		g.Card.Name = "NVIDIA A100-SXM4-80GB"
		Set(g.GPU, Values{"limit": 400, "power": float64(241 + r.IntN(95)), "sm": 1410, "mem": 1593})
		util := 55 + r.IntN(38)
		Set(g.GPU, Values{"util": float64(util)})
		SetUtil(g, walk(r, HistoryLen, float64(util), 9))
		p := wire.Process{PID: 901220 + 7*i, StartTicks: uint64(9000 + i), GPU: g.Index, Type: "C",
			Identity: wire.Identity{User: "carol", Command: "/opt/gromacs/bin/gmx_mpi mdrun -deffnm prod",
				Job: "47990"}, GPUMemory: new(uint64(Value(g.GPU, "used")-500) * mib), SMPercent: new(util),
			CPUPercent: new(104.1)}
		switch {
		case i < 2:
			p.User, p.Job, p.Command = "bob", "48150", "python finetune.py"
		case i < 4:
			p.User, p.Job, p.Command = "alice", "48377", "python eval.py --suite mmlu --tp 2"
		case i == 7:
			Set(g.GPU, Values{"util": 0, "used": 4, "power": 61, "temp": 33})
			continue
		}
		n.Processes = append(n.Processes, p)
	}
	return n
}
