package uitest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// BigFixture is a job of 64 nodes with 8 GPUs each, nearly all well.
func BigFixture() *cluster.Snapshot {
	r := rand.New(rand.NewPCG(51877, 1))
	s := &cluster.Snapshot{At: Now, Poll: 3 * time.Second, Nodes: map[string]*cluster.Node{}}
	job := cluster.JobView{Job: cluster.Job{
		ID: "51877", Number: "51877", Name: "moe-314b", User: "alice",
		Start: Ago(27*time.Hour + 22*time.Minute + 40*time.Second),
		End:   Now.Add(44*time.Hour + 37*time.Minute + 20*time.Second), Limit: 72 * time.Hour,
	}, Reporting: 61, GPUs: 512, GPUsSeen: 488}
	for i := range 64 {
		name := fmt.Sprintf("gpu-n%03d", i+1)
		job.Nodes = append(job.Nodes, name)
		s.Nodes[name] = NodeOf(r, name, 8)
	}
	bad := func(node, gpu int, kind cluster.Kind, severity cluster.Severity, age time.Duration) {
		name := fmt.Sprintf("gpu-n%03d", node)
		job.Findings = append(job.Findings, cluster.Finding{Kind: kind, Severity: severity, Since: Ago(age), Node: name,
			GPU: gpu})
	}
	bad(44, 2, cluster.KindLost, cluster.Critical, 12*time.Second)
	Forget(&s.Nodes["gpu-n044"].GPUs[2], "GPU is lost")
	refused := RefusedNode()
	refused.Name = "gpu-n039"
	s.Nodes["gpu-n039"] = refused
	job.Findings = append(job.Findings, cluster.Finding{Kind: cluster.KindFailed, Class: reach.ClassAdopt,
		Severity: cluster.Critical, Since: Ago(6 * time.Minute), Node: "gpu-n039", GPU: -1})
	silent := s.Nodes["gpu-n031"]
	silent.State, silent.Age, silent.Arrived = cluster.NodeStale, 48*time.Second, Ago(48*time.Second)
	job.Findings = append(job.Findings, cluster.Finding{Kind: cluster.KindStale, Severity: cluster.Warning,
		Since: Ago(39 * time.Second), Node: "gpu-n031", GPU: -1})
	for _, gpu := range []int{5, 6} {
		bad(23, gpu, cluster.KindThermal, cluster.Warning, 11*time.Minute)
		Set(s.Nodes["gpu-n023"].GPUs[gpu].GPU, Values{"temp": 88, "sm": 1215})
	}
	bad(52, 0, cluster.KindECC, cluster.Warning, 2*time.Hour)
	Set(s.Nodes["gpu-n052"].GPUs[0].GPU, Values{"ecc": 2})
	s.Nodes["gpu-n058"] = &cluster.Node{Name: "gpu-n058", State: cluster.NodeConnecting, Since: Ago(3 * time.Second),
		Tries: 1, Route: reach.Route{Door: "ssh", Stages: stages}, Steps: reached("probe", reach.StepBegan, "copying")}
	job.Findings = append(job.Findings, cluster.Finding{Kind: cluster.KindConnecting, Severity: cluster.Waiting,
		Since: Ago(3 * time.Second), Node: "gpu-n058", GPU: -1})
	s.Jobs = []cluster.JobView{job}
	return Keyed(s)
}

// ManyFixture is a job of so many nodes, which share the GPUs of a few. The last node refuses the login, and three are
// in trouble.
func ManyFixture(nodes int) *cluster.Snapshot {
	s := BigFixture()
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
	refused := RefusedNode()
	refused.Name = job.Nodes[nodes-1]
	s.Nodes[refused.Name] = refused
	job.Findings = []cluster.Finding{
		{Kind: cluster.KindFailed, Class: reach.ClassAdopt, Severity: cluster.Critical, Since: Ago(3 * time.Minute),
			Node: refused.Name, GPU: -1},
		{Kind: cluster.KindECC, Severity: cluster.Warning, Since: Ago(4 * time.Minute), Node: job.Nodes[nodes/2],
			GPU: 3},
		{Kind: cluster.KindThermal, Severity: cluster.Warning, Since: Ago(40 * time.Second), Node: job.Nodes[0],
			GPU: 5},
		{Kind: cluster.KindPowerBrake, Severity: cluster.Warning, Since: Ago(50 * time.Second),
			Node: job.Nodes[nodes-3], GPU: 0},
	}
	for _, name := range like {
		delete(s.Nodes, name)
	}
	return Keyed(s)
}

// SwitchedFixture is a job of so many nodes under leaf switches of 32, but for the last nodes of the job, which are
// under none.
func SwitchedFixture(nodes int) *cluster.Snapshot {
	const leaf, bare = 32, 8
	s := ManyFixture(nodes)
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
