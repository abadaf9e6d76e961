package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/output/report/advice"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// draft is what a report is made from.
type draft struct {
	job      *cluster.JobView
	from, to time.Time
	rested   time.Duration
	sum      *account
	over     *cluster.EndedJob
	stage    Stage
	stacks   []report.Stacks
}

func (d *draft) makeReport(l *problemLog) *Report {
	r := &Report{Version: Version, Job: d.describeJob(), Nodes: []Node{}}
	r.Watched = Watched{From: d.from.UTC(), To: d.to.UTC(), Seconds: metric.InSeconds(d.watchedTime()),
		Suspended: metric.InSeconds(d.rested)}
	for _, name := range d.job.Nodes {
		r.Nodes = append(r.Nodes, d.makeNode(name))
	}
	r.Total = d.makeTotal(r)
	r.Ranks = d.sum.sortedRanks()
	r.Tags = d.sum.book.Tags(d.to)
	ended := d.stage >= Ends && (d.over == nil || d.over.State != cluster.JobNodeFailed)
	r.Findings = l.findingsUntil(d.to, ended)
	r.Stacks = d.stacks
	r.Notes = d.makeNotes(r)
	r.Advice = advice.Of(r)
	return r
}

func (d *draft) watchedTime() time.Duration { return d.to.Sub(d.from) }

func (d *draft) describeJob() Job {
	j := d.job
	out := Job{ID: j.ID, Number: j.Number, Name: j.Name, User: j.User, Partition: j.Partition, Start: j.Start.UTC(),
		Limit: metric.InSeconds(j.Limit), State: "RUNNING"}
	if j.Start.IsZero() {
		out.Start = j.Start
	}
	switch {
	case d.stage >= Ends:
		out.State = "ENDED"
	case j.Suspended:
		out.State = "SUSPENDED"
	}
	if d.over == nil {
		return out
	}
	out.State = cmp.Or(string(d.over.State), out.State)
	if !d.over.End.IsZero() {
		out.End = d.over.End.UTC()
	}
	out.Cause = d.over.Cause
	if d.over.Exit != nil {
		out.Code, out.Signal = &d.over.Exit.Code, d.over.Exit.Signal
	}
	return out
}

// jobGPUs returns the job's GPUs of a node, in the order of their numbers.
func (n *nodeAccount) jobGPUs() []*gpuAccount {
	var own []*gpuAccount
	for i := range n.gpus {
		if g := &n.gpus[i]; g.own {
			own = append(own, g)
		}
	}
	// NoNumber goes last
	slices.SortStableFunc(own, func(a, b *gpuAccount) int { return cmp.Compare(uint(a.number), uint(b.number)) })
	return own
}

func (d *draft) makeNode(name string) Node {
	n := &nodeAccount{name: name}
	if i := slices.IndexFunc(d.sum.nodes, func(n nodeAccount) bool { return n.name == name }); i >= 0 {
		n = &d.sum.nodes[i]
	}
	out := Node{Name: name, Seen: metric.InSeconds(n.seen), CPU: roundedOrNil(n.cpu.mean(), 2), List: []GPU{}}
	if n.used > 0 {
		out.HostMemory = newMemory(n.used, n.limit)
	}
	if n.jobCPU.spans > 0 && n.ms > n.jobFrom {
		out.JobCPU = &report.JobCPU{Seconds: metric.Round(n.jobCPU.sum/1e6, 3),
			Busy: metric.Round(n.jobCPU.sum/1e3/float64(n.ms-n.jobFrom), 2)}
	}
	unseen, gaps := d.unseenTime(n)
	out.Unseen, out.Gaps = metric.InSeconds(unseen), gaps
	own := n.jobGPUs()
	for _, g := range own {
		out.List = append(out.List, g.makeGPU())
	}
	var counted bool
	if out.GPUs, counted = d.job.GPUsOn(name); !counted {
		out.GPUs = len(own)
	}
	out.Hours = d.gpuHours(out.GPUs, own)
	out.Numbers = combineNumbers([]*nodeAccount{n})
	if out.Power != nil {
		out.Power.Peak = metric.Round(n.peak, 1)
	}
	return out
}

// unseenTime returns how long a node was silent, including the time before its first report and after its last one.
func (d *draft) unseenTime(n *nodeAccount) (time.Duration, int) {
	if n.first.IsZero() {
		return max(d.watchedTime()-d.rested, 0), 1
	}
	unseen, gaps := n.unseen, n.gaps
	for _, away := range []time.Duration{n.first.Sub(d.from), d.to.Sub(n.last)} {
		if away > n.patience && !n.rested {
			unseen, gaps = unseen+away, gaps+1
		}
	}
	return unseen, gaps
}

// gpuHours returns the GPU-hours of count GPUs. Of these, own have reported.
func (d *draft) gpuHours(count int, own []*gpuAccount) Hours {
	h := Hours{Given: metric.Round(float64(count)*d.watchedTime().Hours(), 4)}
	seen, used, told := 0.0, 0.0, false
	for _, g := range own {
		seen += g.seen.Hours()
		used += g.util.sum / 100 / 3600
		told = told || g.util.n > 0
	}
	h.Seen = metric.Round(seen, 4)
	if told {
		used = metric.Round(used, 4)
		h.Used = &used
	}
	return h
}

func (d *draft) makeTotal(r *Report) Total {
	t := Total{Nodes: len(d.job.Nodes)}
	var nodes []*nodeAccount
	var own []*gpuAccount
	for i := range d.sum.nodes {
		nodes = append(nodes, &d.sum.nodes[i])
	}
	slices.SortStableFunc(nodes, func(a, b *nodeAccount) int {
		return cmp.Compare(slices.Index(d.job.Nodes, a.name), slices.Index(d.job.Nodes, b.name))
	})
	for _, n := range nodes {
		own = append(own, n.jobGPUs()...)
	}
	for i := range r.Nodes {
		t.GPUs += r.Nodes[i].GPUs
		if c := r.Nodes[i].JobCPU; c != nil {
			if t.JobCPU == nil {
				t.JobCPU = &report.JobCPU{}
			}
			t.JobCPU.Seconds, t.JobCPU.Busy = metric.Round(t.JobCPU.Seconds+c.Seconds, 3),
				metric.Round(t.JobCPU.Busy+c.Busy, 2)
		}
		if m := r.Nodes[i].HostMemory; m != nil && isTighter(m, t.HostMemory) {
			tight := *m
			tight.At = &Place{Node: r.Nodes[i].Name}
			t.HostMemory = &tight
		}
	}
	for _, g := range own {
		if g.util.n+g.memory.n+g.power.n > 0 {
			t.GPUsSeen++
		}
	}
	t.Hours = d.gpuHours(t.GPUs, own)
	t.Numbers = combineNumbers(nodes)
	if t.Power != nil {
		t.Power.Peak = metric.Round(d.sum.peak, 1)
	}
	return t
}

// isTighter reports whether a leaves a smaller share of its limit than b. Memory with a limit comes before memory
// without one.
func isTighter(a, b *Memory) bool {
	if b == nil || a.Limit == nil || b.Limit == nil {
		return b == nil || a.Limit != nil && b.Limit == nil || a.Limit == nil && b.Limit == nil && a.Peak > b.Peak
	}
	return float64(a.Peak)/float64(*a.Limit) > float64(b.Peak)/float64(*b.Limit)
}

func newMemory(used, limit uint64) *Memory {
	m := &Memory{Peak: used}
	if limit > 0 {
		left := limit - min(used, limit)
		m.Limit, m.Headroom = &limit, &left
	}
	return m
}

func (g *gpuAccount) makePlace(node string) Place {
	p := Place{Node: node}
	if g.number != cluster.NoNumber {
		p.GPU = &g.number
	} else {
		p.Key = g.key
	}
	return p
}

func (g *gpuAccount) makeGPU() GPU {
	p := g.makePlace("")
	return GPU{Number: p.GPU, Key: p.Key, UUID: g.uuid, Model: g.model, Seen: metric.InSeconds(g.seen),
		Numbers: g.gpuNumbers()}
}

// gpuNumbers returns the numbers of one GPU.
func (m *meter) gpuNumbers() Numbers {
	var out Numbers
	if m.util.n > 0 {
		out.Util = &Util{Mean: metric.Round(m.util.mean(), 2), Lowest: m.util.low, Highest: m.util.high}
	}
	if m.memory.n > 0 {
		out.Memory = newMemory(uint64(m.memory.high), uint64(m.size))
	}
	if m.temperature.n > 0 {
		out.Temperature = &m.temperature.high
	}
	if m.power.n > 0 {
		out.Power = &Power{Mean: metric.Round(m.power.mean(), 1), Peak: metric.Round(m.power.high, 1)}
	}
	if joules, from := m.energyTotal(); from != "" {
		out.Energy = newEnergy(joules, from)
	}
	for i, why := range reasons {
		if s, from := m.throttledTime(i); s > 0 {
			out.Throttled = append(out.Throttled, Throttled{Reason: why.name, Seconds: metric.Round(s, 1), From: from})
		}
	}
	return out
}

func newEnergy(joules float64, from string) *Energy {
	return &Energy{KWh: metric.Round(joules/3.6e6, 6), Joules: metric.Round(joules, 1), From: from}
}

// roundedOrNil returns a rounded number; nil if it is NaN.
func roundedOrNil(v float64, decimals int) *float64 {
	if v != v {
		return nil
	}
	return new(metric.Round(v, decimals))
}
