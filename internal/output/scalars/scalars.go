// Package scalars turns Snapshots into scalars, tagged by rank, and appends them to files: event files of TensorBoard,
// CSV and JSON lines.
//
// Each report of a node becomes one Sample for each GPU of a job there, with the time at which the report arrived.
// Unknown values are left out. The Outputs write whole samples only: a sample cut off by a full disk is removed, so
// that the file stays readable.
//
// A Log and an Output are for one goroutine.
package scalars

import (
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/source/mark"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Sample is one reading of a GPU, or of all GPUs of a job.
type Sample struct {
	At      time.Time
	Elapsed int64  // whole seconds since the job began, or since the first sample if SLURM does not give the start
	Job     string // job ID; "" without SLURM
	Tag     string // "rank3" for the GPU of a rank, "gpu01/gpu2" without one; Whole for all GPUs of the job

	Rank *int // nil: no known rank
	Node string
	GPU  string // number on the screen
	UUID string

	Values []float64 // in the order of Names; NaN: unknown

	Progress []float64 // of the job, in the order of ProgressNames; NaN: unknown; nil: the sample is not over all GPUs

	Parts []string      // open parts that the job marked, and words since the previous sample
	Mark  *cluster.Mark // what a program of the job marked, instead of a GPU; nil: it is a GPU
	Curve []float64     // the points of the mark's curve: 1 while the part is open
}

// Whole is the Tag of the samples over all GPUs of a job.
const Whole = "job"

// Output receives the samples of one moment, in time order.
type Output interface {
	Write(samples []Sample) error
	Close() error
}

// numbers are the logged metrics of a GPU.
var numbers = []metric.ID{
	metric.Util, metric.MemUtil, metric.SMActive, metric.SMOccupancy, metric.TensorActive, metric.DRAMActive,
	metric.MemoryUsed,
	metric.Temperature, metric.MemoryTemperature, metric.Fan, metric.Power, metric.Energy, metric.SMClock,
	metric.MemClock,
	metric.PCIeTX, metric.PCIeRX, metric.NVLinkTX, metric.NVLinkRX, metric.ECCUncorrected,
}

// Names are the names of a Sample's values: the keys of the metrics, derived values, and values of the rank's process.
var Names = func() (names []string) {
	for _, id := range numbers {
		names = append(names, id.Row().Key)
	}
	return append(names, "memory_used_percent", "process_gpu_memory_bytes", "process_cpu_percent", "process_rss_bytes")
}()

// ProgressNames are the names of what the log of a job says.
var ProgressNames = []string{"step", "seconds_per_step", "loss", "learning_rate"}

// progressOf returns what the log of a job says.
func progressOf(p *cluster.JobProgress) []float64 {
	values := []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if p == nil {
		return values
	}
	if p.Step != nil {
		values[0] = float64(*p.Step)
	}
	for i, v := range []*float64{p.SecondsPerStep, p.Loss, p.LearningRate} {
		if v != nil {
			values[1+i] = *v
		}
	}
	return values
}

// valuesOf returns the values of a GPU and of a process on it; the process may be nil.
func valuesOf(g *cluster.GPU, p *wire.Process) []float64 {
	values := make([]float64, 0, len(Names))
	for _, id := range numbers {
		values = append(values, g.Float(id))
	}
	values = append(values, percentOrNaN(g.Float(metric.MemoryUsed), g.Float(metric.MemoryTotal)))
	if p == nil {
		p = &wire.Process{}
	}
	cpu := math.NaN()
	if p.CPUPercent != nil {
		cpu = *p.CPUPercent
	}
	return append(values, amountOrNaN(p.GPUMemory), cpu, amountOrNaN(p.RSS))
}

// valuesOver returns the values of several GPUs together. A sum needs all of them: unknown must not look like less.
func valuesOver(gpus []*cluster.GPU, all bool) []float64 {
	nan := math.NaN()
	values := make([]float64, 0, len(Names))
	for _, id := range numbers {
		v := nan
		if all || id.Row().Sum != metric.Add {
			v = tally.Of(gpus, id).Value
		}
		values = append(values, v)
	}
	used, size := tally.Of(gpus, metric.MemoryUsed, metric.MemoryTotal),
		tally.Of(gpus, metric.MemoryTotal, metric.MemoryUsed)
	return append(values, percentOrNaN(used.Value, size.Value), nan, nan, nan)
}

func percentOrNaN(used, total float64) float64 {
	if v, known := cluster.Percent(used, total); known {
		return v
	}
	return math.NaN()
}

func amountOrNaN(n *uint64) float64 {
	if n == nil {
		return math.NaN()
	}
	return float64(*n)
}

// Log makes samples from Snapshots. It remembers the reports, so that each is logged only once.
type Log struct {
	every time.Duration
	began time.Time
	whole time.Time             // time of the last samples over all GPUs of the jobs
	had   map[string]time.Time  // when each node's last logged report arrived
	ranks map[gpuKey]int        // the last rank of a GPU
	marks time.Time             // when the last logged mark arrived
	books map[string]*mark.Book // of the jobs, by their numbers
}

// gpuKey is a GPU of a job.
type gpuKey struct{ job, node, key string }

// New returns a Log for nodes that report at this interval. It needs two Snapshots per interval, so that it misses no
// report.
func New(every time.Duration) *Log {
	return &Log{every: every, had: map[string]time.Time{}, books: map[string]*mark.Book{}}
}

// Samples returns the samples of the reports that arrived since the previous Snapshot, in order of arrival. Once per
// interval it also returns one sample over all GPUs of each job.
func (l *Log) Samples(s *cluster.Snapshot) []Sample {
	if l.began.IsZero() {
		l.began = s.At
	}
	fresh, had := map[string]*cluster.Node{}, map[string]time.Time{}
	for name, n := range s.Nodes {
		if n.State == cluster.NodeReporting && n.Arrived.After(l.had[name]) {
			fresh[name] = n
		}
		had[name] = n.Arrived
	}
	before := l.had
	l.had = had
	marked := l.markSamples(s)
	together := s.At.Sub(l.whole) >= l.every-l.every/4 // every second Snapshot
	if together {
		l.whole = s.At
	}
	var samples []Sample
	ranks := map[gpuKey]int{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		begins := len(samples)
		samples = l.addGPUs(samples, s, j, fresh, ranks)
		l.addParts(samples[begins:], s, j, before)
		if together {
			samples = l.addWhole(samples, s, j)
		}
	}
	l.ranks = ranks
	samples = append(samples, marked...)
	slices.SortStableFunc(samples, func(a, b Sample) int { return a.At.Compare(b.At) })
	return samples
}

// addGPUs adds the samples of a job's GPUs on nodes with a new report.
func (l *Log) addGPUs(samples []Sample, s *cluster.Snapshot, j *cluster.JobView, fresh map[string]*cluster.Node,
	ranks map[gpuKey]int) []Sample {
	for _, p := range l.jobGPUs(s, j, ranks) {
		n := fresh[p.node]
		if n == nil || tally.Lost(p.gpu) != "" || p.gpu.Hung() {
			continue
		}
		samples = append(samples, Sample{
			At: n.Arrived, Elapsed: l.runTime(j, n.Arrived), Job: j.ID, Tag: p.tag,
			Rank: p.rank, Node: n.Name, GPU: tally.NumberText(p.gpu), UUID: p.gpu.Card.UUID,
			Values: valuesOf(p.gpu, p.process),
		})
	}
	return samples
}

// addWhole adds the sample over all GPUs of a job, if its GPUs are known.
func (l *Log) addWhole(samples []Sample, s *cluster.Snapshot, j *cluster.JobView) []Sample {
	gpus := tally.Fresh(s, j)
	unknown := slices.ContainsFunc(j.Nodes, func(name string) bool { return !j.Share(tally.Node(s, name)).Known })
	if len(gpus) == 0 || unknown {
		return samples
	}
	return append(samples, Sample{At: s.At, Elapsed: l.runTime(j, s.At), Job: j.ID, Tag: Whole,
		Values: valuesOver(gpus, j.Reporting == len(j.Nodes)), Progress: progressOf(j.Progress)})
}

// runTime returns how long the job has run. It is never negative, although clocks may differ.
func (l *Log) runTime(j *cluster.JobView, at time.Time) int64 {
	began := j.Start
	if began.IsZero() {
		began = l.began
	}
	return max(int64(at.Sub(began)/time.Second), 0)
}
