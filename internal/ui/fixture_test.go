package ui

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// The fixtures are invented clusters, always the same: a training job with one of each trouble, a job on a shared node,
// a large job.

var fixtureNow = time.Date(2026, 11, 20, 18, 42, 7, 0, time.UTC)

func ago(d time.Duration) time.Time { return fixtureNow.Add(-d) }

func ptr[T any](v T) *T { return &v }

const mib = 1 << 20

// walk is a history that wanders around base and dips at checkpoints.
func walk(r *rand.Rand, n int, base, amp float64) []float32 {
	h := make([]float32, n)
	v := base
	for i := range h {
		v += (r.Float64()*2-1)*amp + (base-v)*.35
		h[i] = float32(min(max(v, 0), 100))
	}
	for k := 30; k < n-5; k += 97 {
		for i, d := range []float32{60, 75, 40} {
			h[k+i] = max(h[k+i]-d, 3)
		}
	}
	return h
}

func fixtureHost(cpu, load, gib float64) wire.Host {
	return wire.Host{Values: metric.Make(map[metric.ID]float64{
		metric.CPU: cpu, metric.Load: load, metric.HostMemoryUsed: gib * 1024 * mib,
		metric.HostMemoryTotal: 1008 * 1024 * mib, metric.Uptime: 41 * 86400,
	})}
}

func fixtureNode(r *rand.Rand, name string, gpus int) *cluster.Node {
	n := &cluster.Node{
		Name: name, State: cluster.NodeReporting, Since: ago(8 * time.Hour), Tries: 1, Interval: 3 * time.Second,
		Arrived: ago(time.Second), Age: time.Second,
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
			step.State, step.Text, step.At = state, text, ago(2*time.Second)
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
			GPUMemory: ptr(uint64(value(g.GPU, "used")-620) * mib), SMPercent: ptr(int(value(g.GPU, "util")) - 1),
			MemPercent: ptr(int(value(g.GPU, "bandwidth"))),
			CPUPercent: ptr(99.3 + float64(i)/2), RSS: ptr(uint64(31) << 30),
			ElapsedSec: ptr(int64(8*3600 + 2*60 + 41)),
		})
	}
	n.Processes = append(n.Processes, wire.Process{ // the last in the list, and the first of its GPU
		PID: firstPID - 41, StartTicks: uint64(firstPID - 41), GPU: n.GPUs[3].Index, Type: "C+G",
		Identity:  wire.Identity{User: "alice", Name: "python", Command: "python -m ray.worker", Job: "48211"},
		GPUMemory: ptr(uint64(512) * mib),
		SMPercent: ptr(1), MemPercent: ptr(0), CPUPercent: ptr(2.5), RSS: ptr(uint64(3) << 30),
		ElapsedSec: ptr(int64(8*3600 + 3*60 + 2)),
	})
}

// fixtureRank is a rank of the job with 32 of them.
func fixtureRank(rank int) *wire.Rank { return &wire.Rank{Rank: rank, World: ptr(32), From: "RANK"} }

// seen notes the ranks that a node lists, as the Store does.
func seen(n *cluster.Node) {
	for i := range n.Processes {
		p := &n.Processes[i]
		for k := range n.GPUs {
			if g := &n.GPUs[k]; p.Rank != nil && g.Index == p.GPU {
				n.Ranks = append(n.Ranks, cluster.SeenRank{Rank: *p.Rank, Job: "48211", PID: p.PID, Key: g.Key,
					Number: g.Number, Began: ago(8 * time.Hour), Seen: n.ListedAt})
			}
		}
	}
}

// ranksFixture is a job whose rank 13 has left its GPU, with a GPU that lags, a node that is silent, and one that was
// never reached.
func ranksFixture() *cluster.Snapshot {
	s := fixture()
	job := &s.Jobs[0]
	n2, n3 := s.Nodes["gpu-n02"], fixtureNode(rand.New(rand.NewPCG(3, 3)), "gpu-n03", 8)
	n2.Processes[3].SMPercent, n2.Processes[3].CPUPercent = ptr(23), ptr(12.4)
	listProcesses(n3, 361402, 16)
	n3.Age, n3.Arrived, n3.State = 48*time.Second, ago(48*time.Second), cluster.NodeStale
	n3.ListedAt = n3.Arrived
	s.Nodes["gpu-n03"] = n3
	for _, n := range []*cluster.Node{s.Nodes["gpu-n01"], n2, n3} {
		seen(n)
	}
	n2.Ranks[5].Seen = ago(40 * time.Second)
	n2.Processes = slices.Delete(n2.Processes, 5, 6)
	job.Reporting, job.GPUsSeen = 2, 16
	job.Findings = []cluster.Finding{
		job.Findings[0], job.Findings[1],
		{Kind: cluster.KindStale, Severity: cluster.Warning, Since: ago(39 * time.Second), Node: "gpu-n03", GPU: -1},
	}
	return keyed(s)
}

// unrankedFixture is a job whose processes name no ranks.
func unrankedFixture() *cluster.Snapshot {
	s := fixture()
	for _, name := range []string{"gpu-n01", "gpu-n02"} {
		n := s.Nodes[name]
		for i := range n.Processes {
			n.Processes[i].Rank = nil
		}
	}
	return s
}

// overwrittenFixture is a job whose programs have overwritten their environments, on one of two nodes.
func overwrittenFixture() *cluster.Snapshot {
	s := fixture()
	n := s.Nodes["gpu-n02"]
	for i := range n.Processes {
		n.Processes[i].Rank, n.Processes[i].NoRank = nil, wire.NoRankOverwritten
	}
	return s
}

// fixture is the snapshot of most golden frames: two jobs, on two nodes that stream, one that connects, one that
// refuses, and a shared one.
func fixture() *cluster.Snapshot {
	r := rand.New(rand.NewPCG(48211, 1))
	n1, n2 := fixtureNode(r, "gpu-n01", 8), fixtureNode(r, "gpu-n02", 8)
	hot := &n1.GPUs[5]
	set(hot.GPU, values{"temp": 87, "sm": 1215, "power": 418, "util": 100, "throttle": wire.ThrottleHWThermal})
	lag := &n2.GPUs[3]
	set(lag.GPU, values{"util": 24, "power": 262, "temp": 49, "bandwidth": 12, "ecc": 2})
	lagged := utilOf(lag)
	copy(lagged[72:], walk(r, 12, 62, 8))
	copy(lagged[84:], walk(r, historyLen-84, 25, 4))
	remember(hot, utilOf(hot))
	remember(lag, lagged)
	n2.Host = fixtureHost(31, 41.2, 421)
	n2.Hello.Driver, n2.Hello.Missing = "550.54.15", []string{"nvmlDeviceGetMemoryInfo_v2"}
	listProcesses(n1, 318802, 0)
	listProcesses(n2, 358802, 8)
	n3 := &cluster.Node{Name: "gpu-n03", State: cluster.NodeConnecting, Since: ago(2 * time.Second), Tries: 1,
		Route: reach.Route{Door: "ssh", Stages: stages},
		Steps: reached("login", reach.StepBegan, "trying publickey (key 1 of 3)")}
	s11 := sharedNode(r)
	job := cluster.JobView{
		Job: cluster.Job{
			ID: "48211", Number: "48211", Name: "llama-70b", User: "alice",
			Start: ago(8*time.Hour + 3*time.Minute + 12*time.Second),
			End:   fixtureNow.Add(15*time.Hour + 56*time.Minute + 48*time.Second), Limit: 24 * time.Hour,
			Nodes: []string{"gpu-n01", "gpu-n02", "gpu-n03", "gpu-n04"},
		},
		Reporting: 2, GPUs: 32, GPUsSeen: 16, Findings: fixtureFindings(),
	}
	eval := cluster.JobView{
		Job: cluster.Job{
			ID: "48377", Number: "48377", Name: "eval-mmlu", User: "alice", Start: ago(41*time.Minute + 50*time.Second),
			End: fixtureNow.Add(3*time.Hour + 18*time.Minute + 10*time.Second), Limit: 4 * time.Hour,
			Nodes: []string{"gpu-s11"}, Minors: map[string][]int{"gpu-s11": {2, 3}},
		},
		Reporting: 1, GPUs: 2, GPUsSeen: 2,
	}
	return keyed(&cluster.Snapshot{
		At: fixtureNow, Poll: 3 * time.Second, Jobs: []cluster.JobView{job, eval},
		Nodes: map[string]*cluster.Node{"gpu-n01": n1, "gpu-n02": n2, "gpu-n03": n3, "gpu-n04": refusedNode(),
			"gpu-s11": s11},
		Discovery: cluster.Discovery{Command: "squeue --me --states=R,PD", User: "alice", Host: "login1",
			Asked: ago(6 * time.Second), Answered: ago(6 * time.Second), Took: 40 * time.Millisecond,
			Next: fixtureNow.Add(24 * time.Second)},
	})
}

// keyed gives each finding on a GPU the key of that GPU, as the Store does.
func keyed(s *cluster.Snapshot) *cluster.Snapshot {
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

func refusedNode() *cluster.Node {
	n := &cluster.Node{
		Name: "gpu-n04", State: cluster.NodeFailed, Since: ago(3 * time.Minute), Tries: 6,
		RetryAt: fixtureNow.Add(14 * time.Second),
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
		n.Attempts = append(n.Attempts, cluster.Attempt{At: ago(time.Duration(s) * time.Second),
			Summary: "login refused (pam_slurm_adopt)", Took: time.Duration(39+i) * time.Millisecond})
	}
	return n
}

// doorsFixture has a node to which no transport leads.
func doorsFixture() *cluster.Snapshot {
	s := fixture()
	n := s.Nodes["gpu-n04"]
	n.Route, n.Steps = reach.Route{Door: "openssh", Stages: []reach.Stage{"ssh", "probe", "driver", "stream"}},
		reached("ssh", reach.StepFailed, "permission denied (publickey)")
	n.Failure = &reach.Failure{
		Class: reach.ClassAuth, Stage: "ssh", Short: "permission denied", Detail: "publickey,hostbased",
		Words:   "alice@gpu-n04: Permission denied (publickey,hostbased).",
		Meaning: "The node accepts none of the logins that OpenSSH can make without asking you.",
		Hints:   []string{"see what is tried: ssh -v gpu-n04 true"},
		Doors: []reach.Tried{
			{Door: "ssh", Class: reach.ClassAuth, Summary: "permission denied (publickey,hostbased)",
				Hint: "check that your public key is in ~/.ssh/authorized_keys on gpu-n04"},
			{Door: "control", Class: reach.ClassNoDoor, Summary: "no ControlMaster is running"},
			{Door: "openssh", Class: reach.ClassAuth, Summary: "permission denied (publickey,hostbased)",
				Hint: "see what is tried: ssh -v gpu-n04 true"},
		},
	}
	for i := range n.Attempts {
		n.Attempts[i].Door, n.Attempts[i].Summary = []string{"openssh", "ssh"}[i%2],
			"permission denied (publickey,hostbased)"
	}
	return s
}

// passedFixture has a node that only a step reaches, since its host key has changed, and where not all can be seen.
func passedFixture() *cluster.Snapshot {
	s := fixture()
	n := s.Nodes["gpu-n02"]
	hello := *n.Hello
	hello.Build, hello.System, hello.Program = "1.0.0", "linux/amd64",
		"/home/alice/.cache/nvnodetop/nvnodetop-probe-0123456789abcdef"
	n.Hello, n.Clocked, n.Offset = &hello, true, -95*time.Second
	n.Listed, n.Processes = true, append(slices.Clone(n.Processes),
		wire.Process{PID: 4711, Identity: wire.Identity{Foreign: true}})
	n.Route = reach.Route{Door: "srun", Stages: n.Route.Stages, Passed: &reach.Tried{
		Door: "ssh", Class: reach.ClassHostKeyChanged, Summary: "host key changed",
		Hint: "ask your admins whether gpu-n02's key was changed (known: /etc/ssh/ssh_known_hosts:7)",
	}}
	return s
}

func fixtureFindings() []cluster.Finding {
	return []cluster.Finding{
		{Kind: cluster.KindFailed, Class: reach.ClassAdopt, Severity: cluster.Critical, Since: ago(3 * time.Minute),
			Node: "gpu-n04", GPU: -1},
		{Kind: cluster.KindThermal, Severity: cluster.Warning, Since: ago(40 * time.Second), Node: "gpu-n01", GPU: 5},
		{Kind: cluster.KindECC, Severity: cluster.Warning, Since: ago(4 * time.Minute), Node: "gpu-n02", GPU: 3},
		{Kind: cluster.KindConnecting, Severity: cluster.Waiting, Since: ago(2 * time.Second), Node: "gpu-n03",
			GPU: -1},
		{Kind: cluster.KindOldDriver, Severity: cluster.Note, Since: ago(8 * time.Hour), Node: "gpu-n02", GPU: -1},
	}
}

// sharedNode has two GPUs of alice's and six of others.
func sharedNode(r *rand.Rand) *cluster.Node {
	n := fixtureNode(r, "gpu-s11", 8)
	n.Listed, n.ListedAt = true, n.Arrived
	for i := range n.GPUs {
		g := &n.GPUs[i]
		g.Card.Name = "NVIDIA A100-SXM4-80GB"
		set(g.GPU, values{"limit": 400, "power": float64(241 + r.IntN(95)), "sm": 1410, "mem": 1593})
		util := 55 + r.IntN(38)
		set(g.GPU, values{"util": float64(util)})
		setUtil(g, walk(r, historyLen, float64(util), 9))
		p := wire.Process{PID: 901220 + 7*i, StartTicks: uint64(9000 + i), GPU: g.Index, Type: "C",
			Identity: wire.Identity{User: "carol", Command: "/opt/gromacs/bin/gmx_mpi mdrun -deffnm prod",
				Job: "47990"}, GPUMemory: ptr(uint64(value(g.GPU, "used")-500) * mib), SMPercent: ptr(util),
			CPUPercent: ptr(104.1)}
		switch {
		case i < 2:
			p.User, p.Job, p.Command = "bob", "48150", "python finetune.py"
		case i < 4:
			p.User, p.Job, p.Command = "alice", "48377", "python eval.py --suite mmlu --tp 2"
		case i == 7:
			set(g.GPU, values{"util": 0, "used": 4, "power": 61, "temp": 33})
			continue
		}
		n.Processes = append(n.Processes, p)
	}
	return n
}

// troubledFixture is fixture with a past: a GPU that lags, a node that was silent for a while, one that has joined
// late, one that never did.
func troubledFixture() *cluster.Snapshot {
	s := fixture()
	n := s.Nodes["gpu-n02"]
	for i := range n.GPUs {
		util := utilOf(&n.GPUs[i])
		for k := 200; k < 214; k++ {
			util[k] = history.Gap
		}
		setUtil(&n.GPUs[i], util)
	}
	late := fixtureNode(rand.New(rand.NewPCG(3, 3)), "gpu-n03", 8)
	for i := range late.GPUs {
		util := utilOf(&late.GPUs[i])
		for k := range 150 {
			util[k] = history.Gap
		}
		setUtil(&late.GPUs[i], util)
	}
	s.Nodes["gpu-n03"] = late
	job := &s.Jobs[0]
	job.Reporting, job.GPUsSeen = 3, 24
	job.Findings = []cluster.Finding{
		{Kind: cluster.KindFailed, Class: reach.ClassAdopt, Severity: cluster.Critical, Since: ago(3 * time.Minute),
			Node: "gpu-n04", GPU: -1},
		{Kind: cluster.KindThermal, Severity: cluster.Warning, Since: ago(40 * time.Second), Node: "gpu-n01", GPU: 5},
		{Kind: cluster.KindECC, Severity: cluster.Warning, Since: ago(8 * time.Minute), Node: "gpu-n02", GPU: 3},
	}
	job.Cleared = []cluster.Finding{
		{Kind: cluster.KindStale, Severity: cluster.Warning, Since: ago(110 * time.Second), Over: ago(76 * time.Second),
			Node: "gpu-n02", GPU: -1},
		{Kind: cluster.KindPowerBrake, Severity: cluster.Warning, Since: ago(6 * time.Minute),
			Over: ago(5 * time.Minute), Node: "gpu-n01", GPU: 2},
		{Kind: cluster.KindConnecting, Severity: cluster.Waiting, Since: ago(6 * time.Minute),
			Over: ago(270 * time.Second), Node: "gpu-n03", GPU: -1},
	}
	return keyed(s)
}

// statesFixture has every state that a GPU's row can be in, on a node that has gone silent.
func statesFixture() *cluster.Snapshot {
	s := fixture()
	r := rand.New(rand.NewPCG(7, 7))
	n := fixtureNode(r, "gpu-n01", 8)
	n.State, n.Age, n.Arrived, n.Since = cluster.NodeStale, 12*time.Second, ago(12*time.Second), ago(3*time.Second)
	gap := utilOf(&n.GPUs[1])
	for i := 225; i < 237; i++ {
		gap[i] = history.Gap
	}
	setUtil(&n.GPUs[1], gap)
	n.GPUs[0].Card.Values.Set(metric.Slowdown, math.NaN())
	set(n.GPUs[0].GPU, values{"temp": 85})
	forget(&n.GPUs[2], "GPU is lost")
	unset(n.GPUs[3].GPU, "util", "bandwidth")
	n.GPUs[3].Card.MIG = true
	setUtil(&n.GPUs[3], nil)
	unset(n.GPUs[4].GPU, "power", "temp")
	set(n.GPUs[5].GPU, values{"ecc": 2})
	set(n.GPUs[6].GPU, values{"sm": 990})
	set(n.GPUs[7].GPU, values{"used": 81000})
	s.Nodes["gpu-n01"] = n
	s.Jobs[0].GPUsSeen, s.Jobs[0].Reporting = 8, 1
	s.Jobs[0].Findings = []cluster.Finding{
		{Kind: cluster.KindLost, Severity: cluster.Critical, Since: ago(12 * time.Second), Node: "gpu-n01", GPU: 2},
		{Kind: cluster.KindStale, Severity: cluster.Warning, Since: ago(3 * time.Second), Node: "gpu-n01", GPU: -1},
		{Kind: cluster.KindECC, Severity: cluster.Warning, Since: ago(2 * time.Hour), Node: "gpu-n01", GPU: 5},
		{Kind: cluster.KindPowerBrake, Severity: cluster.Warning, Since: ago(3 * time.Minute), Node: "gpu-n01", GPU: 6},
	}
	return keyed(s)
}

// bigFixture is a job of 64 nodes with 8 GPUs each, nearly all well.
func bigFixture() *cluster.Snapshot {
	r := rand.New(rand.NewPCG(51877, 1))
	s := &cluster.Snapshot{At: fixtureNow, Poll: 3 * time.Second, Nodes: map[string]*cluster.Node{}}
	job := cluster.JobView{Job: cluster.Job{
		ID: "51877", Number: "51877", Name: "moe-314b", User: "alice",
		Start: ago(27*time.Hour + 22*time.Minute + 40*time.Second),
		End:   fixtureNow.Add(44*time.Hour + 37*time.Minute + 20*time.Second), Limit: 72 * time.Hour,
	}, Reporting: 61, GPUs: 512, GPUsSeen: 488}
	for i := range 64 {
		name := fmt.Sprintf("gpu-n%03d", i+1)
		job.Nodes = append(job.Nodes, name)
		s.Nodes[name] = fixtureNode(r, name, 8)
	}
	bad := func(node, gpu int, kind cluster.Kind, severity cluster.Severity, age time.Duration) {
		name := fmt.Sprintf("gpu-n%03d", node)
		job.Findings = append(job.Findings, cluster.Finding{Kind: kind, Severity: severity, Since: ago(age), Node: name,
			GPU: gpu})
	}
	bad(44, 2, cluster.KindLost, cluster.Critical, 12*time.Second)
	forget(&s.Nodes["gpu-n044"].GPUs[2], "GPU is lost")
	refused := refusedNode()
	refused.Name = "gpu-n039"
	s.Nodes["gpu-n039"] = refused
	job.Findings = append(job.Findings, cluster.Finding{Kind: cluster.KindFailed, Class: reach.ClassAdopt,
		Severity: cluster.Critical, Since: ago(6 * time.Minute), Node: "gpu-n039", GPU: -1})
	silent := s.Nodes["gpu-n031"]
	silent.State, silent.Age, silent.Arrived = cluster.NodeStale, 48*time.Second, ago(48*time.Second)
	job.Findings = append(job.Findings, cluster.Finding{Kind: cluster.KindStale, Severity: cluster.Warning,
		Since: ago(39 * time.Second), Node: "gpu-n031", GPU: -1})
	for _, gpu := range []int{5, 6} {
		bad(23, gpu, cluster.KindThermal, cluster.Warning, 11*time.Minute)
		set(s.Nodes["gpu-n023"].GPUs[gpu].GPU, values{"temp": 88, "sm": 1215})
	}
	bad(52, 0, cluster.KindECC, cluster.Warning, 2*time.Hour)
	set(s.Nodes["gpu-n052"].GPUs[0].GPU, values{"ecc": 2})
	s.Nodes["gpu-n058"] = &cluster.Node{Name: "gpu-n058", State: cluster.NodeConnecting, Since: ago(3 * time.Second),
		Tries: 1, Route: reach.Route{Door: "ssh", Stages: stages}, Steps: reached("probe", reach.StepBegan, "copying")}
	job.Findings = append(job.Findings, cluster.Finding{Kind: cluster.KindConnecting, Severity: cluster.Waiting,
		Since: ago(3 * time.Second), Node: "gpu-n058", GPU: -1})
	s.Jobs = []cluster.JobView{job}
	return keyed(s)
}

// manyFixture is a job of so many nodes, which share the GPUs of a few. The last node refuses the login, and three are
// in trouble.
func manyFixture(nodes int) *cluster.Snapshot {
	s := bigFixture()
	job := &s.Jobs[0]
	like := slices.Clone(job.Nodes[:16])
	job.Nodes, job.Findings = nil, nil
	job.Reporting, job.GPUs, job.GPUsSeen = nodes-1, 8*nodes, 8*nodes-8
	for i := range nodes {
		name := fmt.Sprintf("gpu-n%04d", i+1)
		n := *s.Nodes[like[i%len(like)]]
		n.Name = name
		s.Nodes[name] = &n
		job.Nodes = append(job.Nodes, name)
	}
	refused := refusedNode()
	refused.Name = job.Nodes[nodes-1]
	s.Nodes[refused.Name] = refused
	job.Findings = []cluster.Finding{
		{Kind: cluster.KindFailed, Class: reach.ClassAdopt, Severity: cluster.Critical, Since: ago(3 * time.Minute),
			Node: refused.Name, GPU: -1},
		{Kind: cluster.KindECC, Severity: cluster.Warning, Since: ago(4 * time.Minute), Node: job.Nodes[nodes/2],
			GPU: 3},
		{Kind: cluster.KindThermal, Severity: cluster.Warning, Since: ago(40 * time.Second), Node: job.Nodes[0],
			GPU: 5},
		{Kind: cluster.KindPowerBrake, Severity: cluster.Warning, Since: ago(50 * time.Second),
			Node: job.Nodes[nodes-3], GPU: 0},
	}
	for _, name := range like {
		delete(s.Nodes, name)
	}
	return keyed(s)
}

// switchedFixture is a job of so many nodes under leaf switches of 32, but for the last nodes of the job, which are
// under none.
func switchedFixture(nodes int) *cluster.Snapshot {
	const leaf, bare = 32, 8
	s := manyFixture(nodes)
	for i, name := range s.Jobs[0].Nodes[:nodes-bare] {
		if i%leaf == 0 {
			s.Discovery.Switches = append(s.Discovery.Switches, cluster.Switch{Name: fmt.Sprintf("leaf%d", i/leaf+1)})
		}
		under := &s.Discovery.Switches[i/leaf]
		under.Nodes = append(under.Nodes, name)
		s.Nodes[name].Switch = under.Name
	}
	return s
}

// noJobsFixture is the screen of somebody who waits.
func noJobsFixture() *cluster.Snapshot {
	s := fixture()
	s.Jobs, s.Nodes = nil, nil
	s.Discovery.Pending = []cluster.PendingJob{
		{ID: "48390", Name: "llama-70b-cont", Partition: "gpu-long", Nodes: 4, GPUs: ptr(32), Reason: "Priority",
			Start: fixtureNow.Add(3*time.Hour + 10*time.Minute)},
		{ID: "48402", Name: "eval-mmlu", Partition: "gpu", Nodes: 1, Reason: "Resources"},
		{ID: "48500_[1-400%12]", Name: "a-very-long-job-name-for-a-sweep", Partition: "gpu-preemptible", Nodes: 16,
			GPUs: ptr(128), Reason: "QOSMaxGRESPerUser"},
	}
	return s
}

// byHandFixture is a cluster whose hosts were named, without SLURM.
func byHandFixture() *cluster.Snapshot {
	s := fixture()
	s.Jobs = s.Jobs[:1]
	s.Jobs[0].Job = cluster.Job{Nodes: s.Jobs[0].Nodes}
	s.Discovery = cluster.Discovery{}
	return s
}

// awayFixture is a cluster whose controller has stopped to answer.
func awayFixture() *cluster.Snapshot {
	s := fixture()
	s.Discovery.Asked, s.Discovery.Answered = ago(2*time.Second), ago(3*time.Minute)
	s.Discovery.Failure = &reach.Failure{Class: reach.ClassSlurmTimeout, Short: "squeue failed",
		Cause: "Unable to contact slurm controller (connect failure)",
		Words: "slurm_load_jobs error: Unable to contact slurm controller (connect failure)"}
	return s
}

// slurmFailedFixture is a first question that failed.
func slurmFailedFixture() *cluster.Snapshot {
	s := awayFixture()
	s.Jobs, s.Nodes, s.Discovery.Answered = nil, nil, time.Time{}
	s.Discovery.Failure.Meaning = "The daemon that knows the jobs does not answer; running jobs are not touched by " +
		"that."
	s.Discovery.Failure.Hints = []string{"scontrol ping says which controller is down."}
	return s
}

// noGPUsFixture is a node whose probe cannot use NVML.
func noGPUsFixture() *cluster.Snapshot {
	s := fixture()
	n := s.Nodes["gpu-n01"]
	n.GPUs, n.Processes = nil, nil
	n.Hello.Fault, n.Hello.FaultID = "Driver/library version mismatch", wire.FaultMismatch
	return s
}
