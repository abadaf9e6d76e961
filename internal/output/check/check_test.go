package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

var now = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// healthy are the values of a GPU on which nothing runs.
var healthy = map[metric.ID]float64{
	metric.PowerLimit: 700, metric.SMClockMax: 1980, metric.MemClockMax: 2619, metric.PCIeGenMax: 5,
	metric.PCIeGen: 1, metric.PCIeWidth: 16, metric.PCIeWidthMax: 16, metric.MemoryTotal: 80 << 30,
	metric.MemoryUsed: 600 << 20, metric.ECCMode: 1, metric.Throttle: wire.ThrottleGPUIdle, metric.NVLinks: 18,
	metric.NVLinkUp: 1<<18 - 1, metric.Util: 0, metric.FabricState: 3, metric.FabricStatus: 0,
}

// site is a job of some nodes with four healthy GPUs each.
func site(nodes int) *cluster.Snapshot {
	s := &cluster.Snapshot{At: now, Poll: 3 * time.Second, Nodes: map[string]*cluster.Node{}}
	job := cluster.JobView{Job: cluster.Job{ID: "7", Number: "7", User: "alice", Minors: map[string][]int{}}}
	s.Discovery = cluster.Discovery{User: "alice", Asked: now, Answered: now}
	for i := range nodes {
		n := &cluster.Node{Name: fmt.Sprintf("n%d", i+1), State: cluster.NodeReporting, Arrived: now,
			Since: now.Add(-time.Second), Interval: 3 * time.Second, Listed: true, ListedAt: now,
			Hello: &wire.Hello{Driver: "550.1", CPUs: 64}, Route: reach.Route{Door: "ssh"}}
		n.Host.Set(metric.Uptime, 86400)
		for k := range 4 {
			card := wire.Card{Index: k, Minor: &k, UUID: fmt.Sprintf("GPU-%d-%d", i, k), Name: "NVIDIA H100 80GB HBM3"}
			n.Hello.GPUs = append(n.Hello.GPUs, card)
			g := cluster.GPU{GPU: &wire.GPU{Index: k}, Card: &card, Key: card.UUID, Number: k}
			for id, v := range healthy {
				g.Values.Set(id, v)
			}
			n.GPUs = append(n.GPUs, g)
		}
		n.LayOut()
		s.Nodes[n.Name] = n
		job.Nodes = append(job.Nodes, n.Name)
		job.Minors[n.Name] = []int{0, 1, 2, 3}
	}
	job.Common = cluster.Common{Driver: "550.1"}
	s.Jobs, s.Discovery.Jobs = []cluster.JobView{job}, []cluster.Job{job.Job}
	return s
}

// set sets a metric of some GPUs of a node.
func set(s *cluster.Snapshot, node string, id metric.ID, v float64, gpus ...int) {
	for _, k := range gpus {
		s.Nodes[node].GPUs[k].Values.Set(id, v)
	}
}

// process puts a process on GPU 0 of a node.
func process(s *cluster.Snapshot, node string, p wire.Process) {
	memory, elapsed, uid := uint64(20<<30), int64(500), 1000
	p.PID, p.GPU, p.Type, p.GPUMemory, p.ElapsedSec, p.UID = 4711, 0, "C", &memory, &elapsed, &uid
	s.Nodes[node].Processes = append(s.Nodes[node].Processes, p)
}

func judge(s *cluster.Snapshot) *Report {
	return Judge(s, health.Rules(health.Defaults()), 1500*time.Millisecond, nil)
}

func printed(t *testing.T, s *cluster.Snapshot) string {
	t.Helper()
	var out bytes.Buffer
	if err := Text(&out, judge(s)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Jobs on which nothing is wrong, though something differs.
func TestHealthy(t *testing.T) {
	for name, change := range map[string]func(*cluster.Snapshot){
		"all well": func(*cluster.Snapshot) {},
		"one node": func(s *cluster.Snapshot) { *s = *site(1) },
		"shared memory": func(s *cluster.Snapshot) {
			s.Nodes["n2"].Host.Set(metric.ShmFree, 30<<30)
			s.Nodes["n2"].Host.Set(metric.ShmTotal, 500<<30)
		},
		"all GPUs have a lower power limit": func(s *cluster.Snapshot) {
			for name := range s.Nodes {
				set(s, name, metric.PowerLimit, 500, 0, 1, 2, 3)
			}
		},
		"a limit by rounding": func(s *cluster.Snapshot) { set(s, "n2", metric.PowerLimit, 699.4, 1) },
		"two models": func(s *cluster.Snapshot) {
			for k := range s.Nodes["n3"].GPUs {
				s.Nodes["n3"].GPUs[k].Card.Name = "NVIDIA A100-SXM4-80GB"
			}
			set(s, "n3", metric.PowerLimit, 400, 0, 1, 2, 3)
			set(s, "n3", metric.NVLinks, 12, 0, 1, 2, 3)
			set(s, "n3", metric.NVLinkUp, 1<<12-1, 0, 1, 2, 3)
		},
		"own processes": func(s *cluster.Snapshot) {
			process(s, "n1", wire.Process{Identity: wire.Identity{User: "alice", Job: "7"}})
			set(s, "n1", metric.MemoryUsed, 21<<30, 0)
		},
		"the driver keeps memory for itself, on all": func(s *cluster.Snapshot) {
			for name := range s.Nodes {
				set(s, name, metric.MemoryUsed, 2<<30, 0, 1, 2, 3)
			}
		},
		"processes are not listed": func(s *cluster.Snapshot) {
			s.Nodes["n2"].GPUs[0].Unlisted = "not supported"
			set(s, "n2", metric.MemoryUsed, 70<<30, 0)
		},
		"what the driver does not report": func(s *cluster.Snapshot) {
			for i := range s.Nodes["n2"].GPUs {
				s.Nodes["n2"].GPUs[i].GPU = &wire.GPU{Index: i}
			}
		},
		"no NVLink bridge on a node": func(s *cluster.Snapshot) {
			for i := range s.Nodes["n2"].GPUs {
				set(s, "n2", metric.NVLinkUp, 0, i)
				set(s, "n2", metric.FabricState, 0, i)
			}
		},
		"a node that has just started": func(s *cluster.Snapshot) {
			s.Nodes["n2"].Host.Set(metric.Uptime, 30)
			set(s, "n2", metric.FabricState, 2, 0, 1, 2, 3)
		},
	} {
		s := site(3)
		change(s)
		if r := judge(s); len(r.Findings) > 0 || r.Found() || len(r.Exclude) > 0 {
			t.Errorf("%s: %+v", name, r.Findings)
		}
	}
	if got, want := printed(t, site(3)), "job 7: 3 nodes with 12 GPUs: nothing found (1.5 s)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Each fault is one line that names its node, and --exclude has the node if another one would be better.
func TestFaults(t *testing.T) {
	for name, test := range map[string]struct {
		change  func(*cluster.Snapshot)
		want    string // the line
		exclude bool
	}{
		"a power limit": {func(s *cluster.Snapshot) { set(s, "n2", metric.PowerLimit, 500, 0, 1, 3) },
			"warning: n2 GPU0,1,3: The power limit is 500 W, that of most is 700 W.", true},
		"a higher one": {func(s *cluster.Snapshot) { set(s, "n2", metric.PowerLimit, 800, 0) },
			"note: n2 GPU0: The power limit is 800 W, that of most is 700 W.", false},
		"a clock": {func(s *cluster.Snapshot) { set(s, "n2", metric.SMClockMax, 1755, 2) },
			"warning: n2 GPU2: The highest SM clock is 1755 MHz, that of most is 1980 MHz.", true},
		"ECC off": {func(s *cluster.Snapshot) { set(s, "n2", metric.ECCMode, 0, 2) },
			"warning: n2 GPU2: ECC is off, and on on most.", true},
		"application clocks": {func(s *cluster.Snapshot) { set(s, "n2", metric.Throttle, 3, 2) },
			"warning: n2 GPU2: A setting limits its clocks (application clocks), and not those of most.", true},
		"PCIe lanes of an idle GPU": {func(s *cluster.Snapshot) { set(s, "n2", metric.PCIeWidth, 8, 1) },
			"warning: n2 GPU1: PCIe runs with 8 of 16 lanes.", true},
		"PCIe lanes of all": {func(s *cluster.Snapshot) {
			for name := range s.Nodes {
				set(s, name, metric.PCIeWidth, 8, 0, 1, 2, 3)
			}
		}, "note: n2 GPU0-3: PCIe runs with 8 of 16 lanes.", false},
		"a link of all GPUs of a node": {func(s *cluster.Snapshot) {
			set(s, "n2", metric.NVLinkUp, 1<<17-1, 0, 1, 2, 3)
			set(s, "n2", metric.FabricState, 0, 0, 1, 2, 3)
		}, "warning: n2 GPU0-3: 17 NVLinks are up, and 18 on most of the job's GPUs of this model.", true},
		"memory without a process": {func(s *cluster.Snapshot) { set(s, "n2", metric.MemoryUsed, 9<<30, 1) },
			"warning: n2 GPU1: 9.0 GiB of its memory are in use, and the driver lists no process.", true},
		"memory without a process, on all": {func(s *cluster.Snapshot) {
			for name := range s.Nodes {
				set(s, name, metric.MemoryUsed, 40<<30, 0, 1, 2, 3)
			}
		}, "warning: n2 GPU0-3: 40.0 GiB of its memory are in use, and the driver lists no process.", false},
		"a process of another user": {func(s *cluster.Snapshot) {
			process(s, "n2", wire.Process{Identity: wire.Identity{User: "bob", Job: "6", Name: "python"}})
		}, "warning: n2: ", true},
		"a process of an ended job": {func(s *cluster.Snapshot) {
			process(s, "n2", wire.Process{Identity: wire.Identity{User: "alice", Job: "6", Name: "python"}})
		}, "warning: n2: ", true},
		"no NVLink fabric": {func(s *cluster.Snapshot) { set(s, "n2", metric.FabricState, 2, 0, 1, 2, 3) },
			"critical: n2: The 4 GPUs of the node are not registered with the NVLink fabric", true},
		"a driver": {func(s *cluster.Snapshot) {
			s.Nodes["n2"].Hello.Driver = "535.1"
			hold(s, "n2", cluster.KindMixed, cluster.Note)
		}, "warning: n2: This node runs driver 535.1, most other nodes run 550.1.", true},
		"host memory": {func(s *cluster.Snapshot) { hold(s, "n2", cluster.KindHostMemory, cluster.Warning) },
			"warning: n2: Host memory", false},
		"a node that fails": {func(s *cluster.Snapshot) { silence(s, "n2", cluster.NodeFailed) },
			"critical: n2: Unreachable.", true},
		"a node that does not answer": {func(s *cluster.Snapshot) { silence(s, "n2", cluster.NodeConnecting) },
			"critical: n2: The node has not reported within 2 s.", true},
		"all other nodes fail": {func(s *cluster.Snapshot) {
			s.Nodes["n1"].Route.Door = reach.DoorHere
			silence(s, "n2", cluster.NodeFailed)
			silence(s, "n3", cluster.NodeFailed)
		}, "critical: n2: Unreachable.", false},
		"shared memory": {func(s *cluster.Snapshot) {
			s.Nodes["n2"].Host.Set(metric.ShmFree, 20<<30)
			s.Nodes["n2"].Host.Set(metric.ShmTotal, 500<<30)
		}, "warning: n2: /dev/shm has 20.0 of 500.0 GiB left.", true},
		"no value": {func(s *cluster.Snapshot) {
			s.Nodes["n2"].GPUs[1].GPU = &wire.GPU{Index: 1, Reading: true, HangsMS: 4000}
		}, "critical: n2 GPU1: The driver has not given any value of the GPU.", true},
	} {
		s := site(3)
		test.change(s)
		r, said := judge(s), printed(t, s)
		bad := strings.HasPrefix(test.want, "note")
		if !slices.ContainsFunc(strings.Split(said, "\n"), func(l string) bool { return strings.HasPrefix(l, test.want) }) ||
			r.Found() == bad || strings.Contains(said, "--exclude=n2\n") != test.exclude {
			t.Errorf("%s: %s", name, said)
		}
		if others := len(r.Findings); others != 1 && !strings.Contains(name, "all") {
			t.Errorf("%s: %d findings: %s", name, others, said)
		}
	}
}

// hold adds a finding of the Store about a node.
func hold(s *cluster.Snapshot, node string, kind cluster.Kind, severity cluster.Severity) {
	s.Jobs[0].Findings = append(s.Jobs[0].Findings, cluster.Finding{Kind: kind, Severity: severity, Since: now,
		Job: "7", Node: node, GPU: cluster.NoNumber})
}

// silence makes a node one that has not reported.
func silence(s *cluster.Snapshot, node string, state cluster.NodeState) {
	s.Nodes[node] = &cluster.Node{Name: node, State: state}
	if state == cluster.NodeFailed {
		s.Nodes[node].Failure = &reach.Failure{Class: reach.ClassNoRoute, Short: "unreachable"}
		hold(s, node, cluster.KindFailed, cluster.Critical)
		s.Jobs[0].Findings[len(s.Jobs[0].Findings)-1].Class = reach.ClassNoRoute
	}
}

// The same finding of two jobs that share a node is one, and nodes that the user named are of no job.
func TestJobsThatShareANode(t *testing.T) {
	s := site(1)
	set(s, "n1", metric.PCIeWidth, 8, 1)
	s.Jobs = append(s.Jobs, s.Jobs[0])
	s.Jobs[0].ID, s.Jobs[1].ID = "", ""
	if r := judge(s); len(r.Findings) != 1 || !slices.Equal(r.Nodes, []string{"n1"}) || len(r.Jobs) > 0 {
		t.Errorf("%+v", r)
	}
	if said := printed(t, s); !strings.Contains(said, "\n1 node with ") {
		t.Error(said)
	}
}
