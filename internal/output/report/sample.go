package report

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/source/mark"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// sample is what one report of a node says about the job. It waits until SLURM says that the job was still running at
// that time.
type sample struct {
	node      string
	at        time.Time
	ms        int64 // the node's clock
	patience  time.Duration
	suspended bool
	cpu       float64 // percent; NaN: unknown
	memory    wire.JobMemory
	gpus      []gpuSample
	listed    bool // the report has a list of processes; ranks are the job's ranks in it
	ranks     []runningRank
}

// gpuIdentity identifies a GPU, and says whether the job owns it.
type gpuIdentity struct {
	key, uuid, model string
	number           int
	own              bool
}

// gpuSample is one GPU in a sample.
type gpuSample struct {
	gpuIdentity
	fresh  bool // the values are new
	values metric.Values
	size   float64 // of the memory; 0: unknown
}

// runningRank is a rank that runs.
type runningRank struct {
	wire.Rank
	pid int
	key string // of its GPU
}

// newSample collects what n says about the job, just after a report.
func newSample(job *cluster.Job, n *cluster.Node, r *wire.Report) sample {
	s := sample{node: n.Name, at: n.Arrived, ms: r.MonoMS, patience: patienceOf(n), suspended: job.Suspended,
		cpu: n.Host.Float(metric.CPU), listed: r.Listed}
	for _, m := range n.Memory {
		if m.Job == job.Number {
			s.memory = m.JobMemory
		}
	}
	share := job.Share(n)
	for i := range n.GPUs {
		g := &n.GPUs[i]
		if g.Instance() {
			continue // the numbers of its GPU include it
		}
		size, _ := g.Get(metric.MemoryTotal)
		s.gpus = append(s.gpus, gpuSample{
			gpuIdentity: gpuIdentity{g.Key, g.Card.UUID, g.Card.Name, g.Number, share.Has(&g.Number)},
			fresh:       !g.Repeated && !g.Values.Empty(), values: g.Values, size: size,
		})
	}
	for i := range n.Ranks {
		if k := &n.Ranks[i]; r.Listed && k.Job == job.ID && k.Seen.Equal(n.ListedAt) {
			s.ranks = append(s.ranks, runningRank{k.Rank, k.PID, k.Key})
		}
	}
	return s
}

// longestReading limits how late a slow driver may make a report, whatever the node says.
const longestReading = time.Minute

// patienceOf is the time between two reports that counts as a gap. After the same time, the Store calls a node silent.
func patienceOf(n *cluster.Node) time.Duration {
	return 3 * max(n.Interval, min(n.Took, longestReading))
}

// account has all numbers so far. Its method copy copies it.
type account struct {
	nodes []nodeAccount
	ranks []rankAccount
	peak  float64 // watts of all GPUs at one time
	book  mark.Book
}

type nodeAccount struct {
	name         string
	gpus         []gpuAccount
	cpu          stat
	jobCPU       counterIncrease // µs of CPU time of the job's own processes
	jobFrom      int64           // the node's clock at the first reading
	used, limit  uint64          // the job's host memory at its peak, and its limit; 0: unknown
	watts        float64
	peak         float64 // of watts
	first, last  time.Time
	ms           int64 // of the last sample
	patience     time.Duration
	seen, unseen time.Duration
	gaps         int
	rested       bool // the job was suspended since the last sample
}

type gpuAccount struct {
	gpuIdentity
	meter
	ranks []int // ranks on it, in account.ranks
}

type rankAccount struct {
	runningRank
	meter
	node string
}

func (a *account) copyAccount() *account {
	c := &account{nodes: slices.Clone(a.nodes), ranks: slices.Clone(a.ranks), peak: a.peak, book: a.book.Copy()}
	for i := range c.nodes {
		c.nodes[i].gpus = slices.Clone(c.nodes[i].gpus)
	}
	return c
}

// Limits on the memory that a node can make us use.
const (
	maxGPUs  = 512 // all GPUs that a node ever had
	maxRanks = 1 << 14
)

func (a *account) ensureNode(name string) *nodeAccount {
	i := slices.IndexFunc(a.nodes, func(n nodeAccount) bool { return n.name == name })
	if i < 0 {
		i = len(a.nodes)
		a.nodes = append(a.nodes, nodeAccount{name: name})
	}
	return &a.nodes[i]
}

// ensureGPU returns the GPU with a key; nil: there are too many.
func (n *nodeAccount) ensureGPU(key string) *gpuAccount {
	i := slices.IndexFunc(n.gpus, func(g gpuAccount) bool { return g.key == key })
	if i < 0 {
		if i = len(n.gpus); i == maxGPUs {
			return nil
		}
		n.gpus = append(n.gpus, gpuAccount{gpuIdentity: gpuIdentity{key: key}, meter: newMeter()})
	}
	return &n.gpus[i]
}

// take adds a sample.
func (a *account) take(s *sample) {
	n := a.ensureNode(s.node)
	span := n.noteElapsed(s)
	if n.rested = s.suspended; n.rested {
		return // the driver's counters continue
	}
	n.cpu.addSample(s.cpu, span.Seconds())
	if s.memory.CPU > 0 {
		if !n.jobCPU.known {
			n.jobFrom = s.ms
		}
		n.jobCPU.addReading(float64(s.memory.CPU))
	}
	if s.memory.Used > n.used {
		n.used = s.memory.Used
	}
	n.limit = max(n.limit, s.memory.Limit)
	if s.listed {
		a.updateRanks(n, s)
	}
	n.watts = 0
	for i := range s.gpus {
		a.addReading(n, &s.gpus[i], s)
	}
	for _, t := range a.book.Active(s.at) {
		for i := range s.gpus {
			if g := &s.gpus[i]; g.own && g.fresh {
				t.GPU(span.Seconds(), g.values.Float(metric.Util), g.values.Float(metric.MemoryUsed),
					g.values.Float(metric.Power))
			}
		}
	}
	n.peak = max(n.peak, n.watts)
	a.peak = max(a.peak, a.totalPower(s.at))
}

// noteElapsed notes the time since the last sample, and returns it unless it is a gap.
func (n *nodeAccount) noteElapsed(s *sample) time.Duration {
	span := spanOf(n.ms, s.ms, s.patience)
	if away := s.at.Sub(n.last); n.ms != 0 && !n.rested && !s.suspended && away > s.patience && span == 0 {
		n.gaps++
		n.unseen += away
	}
	if n.first.IsZero() {
		n.first = s.at
	}
	n.ms, n.last, n.patience, n.seen = s.ms, s.at, s.patience, n.seen+span
	return span
}

// addReading adds a reading of a GPU, and adds it to the ranks on the GPU.
func (a *account) addReading(n *nodeAccount, r *gpuSample, s *sample) {
	g := n.ensureGPU(r.key)
	if g == nil {
		return
	}
	if g.gpuIdentity = r.gpuIdentity; !r.fresh {
		return
	}
	g.addReading(&r.values, r.size, s.ms, s.patience)
	if watts := r.values.Float(metric.Power); r.own && watts == watts {
		n.watts += watts
	}
	for _, i := range g.ranks {
		if k := &a.ranks[i]; k.node == n.name && k.key == r.key {
			k.addReading(&r.values, r.size, s.ms, s.patience)
		}
	}
}

// totalPower returns the power of all nodes that report.
func (a *account) totalPower(at time.Time) float64 {
	sum := 0.0
	for i := range a.nodes {
		if n := &a.nodes[i]; at.Sub(n.last) <= n.patience {
			sum += n.watts
		}
	}
	return sum
}
