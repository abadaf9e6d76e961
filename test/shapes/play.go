package shapes

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// begins is when the watch of every shape begins.
var begins = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

const (
	listEvery   = metric.SlowSeconds * time.Second // interval at which a probe lists processes nobody looks at
	slurmEvery  = 30 * time.Second
	lostReports = 0.002 // share of reports that come so late that they count as lost
)

// Episode is a period in which a finding was present.
type Episode struct {
	cluster.Finding
	Say      string
	Hint     string
	From, To time.Duration // time since the beginning of the watch
}

// player plays one shape.
type player struct {
	*Shape
	job     *rig
	r       *rand.Rand
	store   *store.Store
	silicon []silicon
	lost    []bool             // by node, whether its last report was lost
	listed  []time.Duration    // by node, the time of its next list of processes
	groups  []wire.JobMemory   // by node, the cgroup of the job
	read    []time.Duration    // by node, when that was read last
	met     map[[2]uint64]bool // processes that were in a list: before that their use of a CPU is unknown
	slurm   slurmWord
	open    map[string]int // positions in the episodes of the present findings
	said    []Episode
	see     []func(*cluster.Snapshot)
}

// Play plays a shape and returns its episodes in order. A higher severity begins a new episode. Each of see gets every
// Snapshot.
func Play(s Shape, seed uint64, see ...func(*cluster.Snapshot)) []Episode {
	p := newPlayer(&s, seed)
	p.see = see
	for at := time.Duration(0); at < s.Length; at += s.Poll {
		p.discover(at)
		for n := range s.Nodes {
			p.report(at, n)
		}
		p.look(at + s.Poll)
	}
	return p.said
}

func newPlayer(s *Shape, seed uint64) *player {
	name := uint64(0)
	for _, c := range s.Name {
		name = name*131 + uint64(c)
	}
	p := &player{Shape: s, lost: make([]bool, s.Nodes), listed: make([]time.Duration, s.Nodes),
		groups: make([]wire.JobMemory, s.Nodes), read: make([]time.Duration, s.Nodes), open: map[string]int{},
		met: map[[2]uint64]bool{}}
	p.r = rand.New(rand.NewPCG(seed, name))
	p.job = newRig(s, rand.New(rand.NewPCG(name, seed)))
	p.store = store.New(s.Poll, health.Rules(health.Defaults()))
	for range s.Nodes * (s.GPUs + s.Beside) {
		p.silicon = append(p.silicon, newSilicon(p.r))
	}
	p.tell(0)
	for n := range s.Nodes {
		p.listed[n] = time.Duration(n%20) * p.Poll
		p.store.Apply(cluster.Event{At: begins, Node: nodeName(n), Try: &cluster.Try{Interval: p.Poll}})
		p.store.Apply(cluster.Event{At: begins, Node: nodeName(n), Hello: p.hello(n)})
	}
	return p
}

func nodeName(n int) string { return fmt.Sprintf("n%02d", n+1) }

func (p *player) hello(node int) *wire.Hello {
	h := &wire.Hello{Host: nodeName(node)}
	if p.NUMA != nil {
		h.NUMA = p.NUMA.nodes
	}
	for g := range p.GPUs + p.Beside {
		card := metric.Make(map[metric.ID]float64{metric.MemoryTotal: p.On.memory * (1 << 30),
			metric.SMClockMax: p.On.clock})
		if p.NUMA != nil {
			card.Set(metric.NUMANode, float64(p.NUMA.near(g)))
		}
		uuid := fmt.Sprintf("GPU-%d-%d", node, g)
		h.GPUs = append(h.GPUs, wire.Card{Index: g, Minor: &g, UUID: uuid, Name: p.On.model, MIG: p.On.mig,
			Values: card})
	}
	return h
}

// discover asks SLURM now and then, and tells the Store about changes.
func (p *player) discover(at time.Duration) {
	if p.Slurm == nil || at%slurmEvery >= p.Poll {
		return
	}
	if word := p.Slurm(at); word != p.slurm {
		p.slurm = word
		p.tell(at)
	}
}

func (p *player) tell(at time.Duration) {
	d := cluster.Discovery{Answered: begins.Add(at)}
	job := cluster.Job{
		ID: "7", Number: "7", Name: p.Name, User: "alice", Start: begins.Add(-p.Age),
		Minors: map[string][]int{}, Suspended: p.slurm.suspended,
	}
	if p.slurm.start > 0 {
		job.Start = begins.Add(p.slurm.start)
	}
	for n := range p.Nodes {
		job.Nodes = append(job.Nodes, nodeName(n))
		for g := range p.GPUs {
			job.Minors[nodeName(n)] = append(job.Minors[nodeName(n)], g)
		}
	}
	if !p.slurm.queued {
		d.Jobs = append(d.Jobs, job)
	}
	p.store.Apply(cluster.Event{At: begins.Add(at), Discovery: &d})
	if p.Steps {
		p.store.Apply(cluster.Event{At: begins.Add(at), Progress: &cluster.JobProgress{Job: job.ID,
			Progress: progress.Progress{Form: "steps", At: begins.Add(at), Step: new(int64)}}})
	}
}

// report applies the report of a node in an interval. Each node has its own moment in it.
func (p *player) report(at time.Duration, node int) {
	now := at + p.Poll*time.Duration(node)/time.Duration(p.Nodes) + time.Duration(p.r.IntN(60))*time.Millisecond
	p.lost[node] = p.r.Float64() < lostReports && !p.lost[node] // a node that loses two is stale
	if p.lost[node] || p.Silent != nil && p.Silent(now, node) {
		return
	}
	rep := &wire.Report{MonoMS: now.Milliseconds(), GPUs: make([]wire.GPU, 0, p.GPUs+p.Beside)}
	var net, disk, read float64
	for g := range p.GPUs + p.Beside {
		w := train // of the other user
		if g < p.GPUs {
			w = p.job.work(now, node*p.GPUs+g)
		}
		net, disk, read = net+w.Net, disk+w.Disk, read+w.Read
		is := p.silicon[node*(p.GPUs+p.Beside)+g]
		rep.GPUs = append(rep.GPUs, wire.GPU{Index: g, Values: p.On.sample(w, is, p.r)})
	}
	rep.Host = p.host(net, disk, read)
	rep.Jobs = p.cgroups(now, node)
	if !p.Unlisted && now >= p.listed[node] {
		p.listed[node] = now + listEvery - p.Poll/2
		rep.Listed = true
		for g := range p.GPUs {
			for _, process := range p.job.runs(now, node*p.GPUs+g) {
				process.CPU *= 1 + 0.02*p.r.NormFloat64()
				out := process.wire(now, g)
				if is := [2]uint64{uint64(node), out.StartTicks<<16 + uint64(out.PID)}; !p.met[is] {
					p.met[is], out.CPUPercent, out.IORead, out.IOWrite = true, nil, nil, nil
				}
				rep.Processes = append(rep.Processes, out)
			}
		}
	}
	p.store.Apply(cluster.Event{At: begins.Add(now), Node: nodeName(node), Report: rep})
}

// host is the traffic of a node. On nodes with InfiniBand the file system is behind it.
func (p *player) host(net, disk, read float64) wire.Host {
	noise := 40e3 * (1 + p.r.Float64())
	shake := func(v float64) float64 { return v*(0.95+0.1*p.r.Float64()) + noise }
	values := map[metric.ID]float64{metric.NetTX: noise, metric.NetRX: noise}
	if p.Nodes == 1 && p.Beside == 0 {
		net = 0
	}
	if p.NoNet {
		return wire.Host{Values: metric.Make(values)}
	}
	if p.On.infiniband {
		values[metric.InfiniBandTX], values[metric.InfiniBandRX] = shake(net+disk), shake(net+read)
	} else {
		values[metric.NetTX], values[metric.NetRX] = shake(net/8+disk), shake(net/8+read)
	}
	return wire.Host{Values: metric.Make(values)}
}

// look takes a Snapshot, and notes its findings.
func (p *player) look(at time.Duration) {
	snap := p.store.Snapshot(begins.Add(at))
	for _, see := range p.see {
		see(snap)
	}
	now := map[string]bool{}
	for i := range snap.Jobs {
		for k := range snap.Jobs[i].Findings {
			f := &snap.Jobs[i].Findings[k]
			if !f.Holds() {
				continue
			}
			key := fmt.Sprint(f.Kind, f.Node, f.Key, f.Severity)
			now[key] = true
			if _, known := p.open[key]; !known {
				words := say.Finding(snap, f)
				p.open[key] = len(p.said)
				p.said = append(p.said, Episode{Finding: *f, Say: words.Sentence, Hint: words.Hint,
					From: at})
			}
			p.said[p.open[key]].To = at
		}
	}
	for key := range p.open {
		if !now[key] {
			delete(p.open, key)
		}
	}
}
