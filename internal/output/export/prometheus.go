package export

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Names selects the names of metrics and labels for Prometheus.
type Names string

// Names for Prometheus.
const (
	OwnNames Names = "nvnodetop" // in base units
	// DCGM's usual names and units, for the metrics that DCGM has, with the labels of dcgm-exporter
	DCGMNames Names = "dcgm"
)

// MetricSelection selects the metrics for Prometheus.
type MetricSelection string

// The metrics for Prometheus.
const (
	AllMetrics  MetricSelection = "all"
	CoreMetrics MetricSelection = "core" // at most 25 samples a GPU: those of this repository's dashboard and alerts
)

// Prometheus writes the known values of the reporting nodes in Prometheus' text format. An unknown value has no sample.
// Jobs and users are labels only of nvnodetop_gpu_job_info, and jobs also of nvnodetop_problem and of the few
// numbers about jobs: a new job must not begin new series of all other metrics.
func Prometheus(w io.Writer, s *cluster.Snapshot, names Names, which MetricSelection) error {
	t := newTargets(s, names)
	e := exposition{out: bufio.NewWriterSize(w, 64<<10), which: which}
	e.writeStates(t)
	e.writeJobs(s)
	e.writeProgress(s)
	e.writeProblems(s, names)
	fresh := slices.DeleteFunc(slices.Clone(t.nodes), func(n nodeTarget) bool { return !n.fresh })
	e.writeTable(metric.Host, names, len(fresh), func(i int) (string, func(metric.ID) float64) {
		return fresh[i].labels,
			fresh[i].node.Host.Float
	})
	e.writeFacts(t)
	e.writeTable(metric.GPU, names, len(t.gpus), func(i int) (string, func(metric.ID) float64) {
		return t.gpus[i].labels,
			t.gpus[i].gpu.Float
	})
	e.memoryOfProcesses(t)
	e.writeXids(t, names)
	return e.out.Flush()
}

// exposition writes families one after the other, each with all its samples. Package expfmt would take three times the
// CPU time: 0.3 s for 1,000 nodes. The tests read the result with its parser.
type exposition struct {
	out   *bufio.Writer
	which MetricSelection
	open  string // the family that is being written
}

// writeSample writes one sample. Before the first sample of a family it writes the description. The writer keeps its
// first error.
func (e *exposition) writeSample(f *family, labels, more string, value float64) {
	if e.open != f.name {
		e.open = f.name
		_, _ = e.out.WriteString("# HELP " + f.name + " " + f.help + "\n# TYPE " + f.name + " " + f.kind + "\n")
	}
	b := e.out.AvailableBuffer()
	b = append(append(append(append(append(b, f.name...), '{'), labels...), more...), "} "...)
	_, _ = e.out.Write(append(metric.AppendNumber(b, value), '\n'))
}

// writeTable writes the metrics of a scope, of n nodes or GPUs. It reads all metrics of one GPU before those of the
// next: a GPU has thousands of bytes, and one pass over all GPUs per metric takes longer than writing the samples.
func (e *exposition) writeTable(s metric.Scope, names Names, n int,
	at func(i int) (labels string, value func(metric.ID) float64)) {
	ids := slices.Collect(metric.All(s))
	columns, about := make([][]float64, slices.Max(ids)+1), make([]string, n) // a metric that is left out has no column
	ids = slices.DeleteFunc(ids, e.leavesOut)
	for _, id := range ids {
		columns[id] = make([]float64, n)
	}
	for i := range n {
		labels, value := at(i)
		about[i] = labels
		for _, id := range ids {
			columns[id][i] = value(id)
		}
	}
	for _, f := range metricFamilies(s, names) {
		for i := range n {
			for k := range f.parts {
				p := &f.parts[k]
				if columns[p.id] == nil {
					continue
				}
				if v := columns[p.id][i]; v == v { // not NaN: it is known
					e.writeSample(&f, about[i], p.labels, p.convert(v))
				}
			}
		}
	}
}

// leavesOut reports whether a metric is not among the selected ones.
func (e *exposition) leavesOut(id metric.ID) bool { return e.which == CoreMetrics && !id.Row().Core }

// writeStates writes which nodes report, and the jobs on them.
func (e *exposition) writeStates(t *targets) {
	up := gaugeFamily("nvnodetop_node_up", "1 if the node reports, else 0.")
	for i := range t.nodes {
		e.writeSample(&up, t.nodes[i].labels, "", oneIf(t.nodes[i].fresh))
	}
	info := gaugeFamily("nvnodetop_node_info", "Host name and versions of the driver on a node.")
	for i := range t.nodes {
		if n := &t.nodes[i]; n.fresh && n.node.Hello != nil {
			h := n.node.Hello
			e.writeSample(&info, n.labels, labels("").addPair("hostname", h.Host).addPair("driver_version",
				h.Driver).addPair("cuda_version", h.CUDA).withComma(), 1)
		}
	}
}

// writeFacts writes the unchanging facts about the GPUs, their states, and their owners.
func (e *exposition) writeFacts(t *targets) {
	up := gaugeFamily("nvnodetop_gpu_up",
		"1 if the driver answers for the GPU, 0 if the GPU is lost or a call for it hangs.")
	for i := range t.gpus {
		g := t.gpus[i].gpu
		e.writeSample(&up, t.gpus[i].labels, "", oneIf(g.Lost == "" && !g.Hung()))
	}
	info := gaugeFamily("nvnodetop_gpu_info", "What does not change about a GPU.")
	for i := range t.gpus {
		e.writeSample(&info, t.gpus[i].labels, t.gpus[i].infoLabels(), 1)
	}
	owner := gaugeFamily("nvnodetop_gpu_job_info", "The jobs to which SLURM has allocated the GPU.")
	for i := range t.gpus {
		g := &t.gpus[i]
		for _, j := range gpuOwners(g.node, g.gpu, g.jobs) {
			e.writeSample(&owner, g.labels, labels("").addPair("job_id", j.ID).addPair("job_name", j.Name).addPair("user",
				j.User).addPair("partition", j.Partition).withComma(), 1)
		}
	}
}

// memoryOfProcesses writes a substitute for the used memory, for GPUs whose memory the driver does not count.
func (e *exposition) memoryOfProcesses(t *targets) {
	sum := gaugeFamily("nvnodetop_gpu_memory_of_processes_bytes",
		"Memory of the processes of the GPU together, where the driver does not count the memory of the GPU.")
	for i := range t.gpus {
		g := &t.gpus[i]
		if bytes, known := g.node.MemoryOfProcesses(g.gpu); known {
			e.writeSample(&sum, g.labels, "", float64(bytes))
		}
	}
}

// writeXids writes the last Xids of the GPUs that had any lately. There is no count: Xids are kept for only an hour.
func (e *exposition) writeXids(t *targets, names Names) {
	last := gaugeFamily("nvnodetop_gpu_xid_last", "The last Xid of the GPU, if it had one within the last hour.")
	if names == DCGMNames {
		last.name = "DCGM_FI_DEV_XID_ERRORS"
	}
	for i := range t.gpus {
		g := &t.gpus[i]
		code, had := 0.0, false
		for _, x := range g.node.Xids {
			if x.Key == g.gpu.Key {
				code, had = float64(x.Code), true
			}
		}
		if had {
			e.writeSample(&last, g.labels, "", code)
		}
	}
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// labels are pairs in Prometheus' format, with commas between them.
type labels string

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// addPair adds a pair, unless the value is unknown.
func (l labels) addPair(name, value string) labels {
	if value == "" {
		return l
	}
	if l != "" {
		l += ","
	}
	return l + labels(name+`="`+escapes.Replace(strings.ToValidUTF8(value, "\uFFFD"))+`"`)
}

// withComma returns the pairs in the form in which they follow other pairs.
func (l labels) withComma() string {
	if l == "" {
		return ""
	}
	return "," + string(l)
}
