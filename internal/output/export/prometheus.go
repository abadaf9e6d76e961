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
	// the classic names and units of DCGM, for the metrics that it has, with the labels of dcgm-exporter
	DCGMNames Names = "dcgm"
)

// Which selects the metrics for Prometheus.
type Which string

// The metrics for Prometheus.
const (
	AllMetrics  Which = "all"
	CoreMetrics Which = "core" // at most 25 samples a GPU: what the dashboard and the alerts of this repository need
)

// Prometheus writes the known values of the reporting nodes, in Prometheus' text format. An unknown value has no
// sample. Jobs and users are labels of nvnodetop_gpu_job_info only, and jobs of nvnodetop_problem: a new job must not
// begin new series of all other metrics.
func Prometheus(w io.Writer, s *cluster.Snapshot, names Names, which Which) error {
	t := newTargets(s, names)
	e := exposition{out: bufio.NewWriterSize(w, 64<<10), which: which}
	e.states(t)
	e.jobs(s)
	e.problems(s, names)
	fresh := slices.DeleteFunc(slices.Clone(t.nodes), func(n nodeTarget) bool { return !n.fresh })
	e.table(metric.Host, names, len(fresh), func(i int) (string, func(metric.ID) float64) {
		return fresh[i].labels,
			fresh[i].node.Host.Float
	})
	e.facts(t)
	e.table(metric.GPU, names, len(t.gpus), func(i int) (string, func(metric.ID) float64) {
		return t.gpus[i].labels,
			t.gpus[i].gpu.Float
	})
	e.memoryOfProcesses(t)
	e.xids(t, names)
	return e.out.Flush()
}

// exposition writes families one after the other, each with all its samples. Package expfmt takes three times as much
// CPU time, 0.3 s for 1,000 nodes; the tests read the result with its parser.
type exposition struct {
	out   *bufio.Writer
	which Which
	open  string // the family that has begun
}

// sample writes one sample, preceded by the description of a family if it is the first. The writer keeps its first
// error.
func (e *exposition) sample(f *family, labels, more string, value float64) {
	if e.open != f.name {
		e.open = f.name
		_, _ = e.out.WriteString("# HELP " + f.name + " " + f.help + "\n# TYPE " + f.name + " " + f.kind + "\n")
	}
	b := e.out.AvailableBuffer()
	b = append(append(append(append(append(b, f.name...), '{'), labels...), more...), "} "...)
	_, _ = e.out.Write(append(metric.AppendNumber(b, value), '\n'))
}

// table writes the metrics of a scope, of n nodes or GPUs. It reads all metrics of one GPU before those of the next: a
// GPU has thousands of bytes, and one pass over all GPUs per metric takes longer than writing the samples.
func (e *exposition) table(s metric.Scope, names Names, n int,
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
	for _, f := range families(s, names) {
		for i := range n {
			for k := range f.parts {
				p := &f.parts[k]
				if columns[p.id] == nil {
					continue
				}
				if v := columns[p.id][i]; v == v { // not NaN: it is known
					e.sample(&f, about[i], p.labels, p.convert(v))
				}
			}
		}
	}
}

// leavesOut reports whether a metric is not among the selected ones.
func (e *exposition) leavesOut(id metric.ID) bool { return e.which == CoreMetrics && !id.Row().Core }

// states writes which nodes report, and the jobs on them.
func (e *exposition) states(t *targets) {
	up := gauge("nvnodetop_node_up", "1 if the node reports, else 0.")
	for i := range t.nodes {
		e.sample(&up, t.nodes[i].labels, "", oneIf(t.nodes[i].fresh))
	}
	info := gauge("nvnodetop_node_info", "Host name and versions of the driver on a node.")
	for i := range t.nodes {
		if n := &t.nodes[i]; n.fresh && n.node.Hello != nil {
			h := n.node.Hello
			e.sample(&info, n.labels, labels("").add("hostname", h.Host).add("driver_version",
				h.Driver).add("cuda_version", h.CUDA).tail(), 1)
		}
	}
}

// facts writes the unchanging facts about the GPUs, their states, and their owners.
func (e *exposition) facts(t *targets) {
	up := gauge("nvnodetop_gpu_up", "1 if the driver answers for the GPU, 0 if the GPU is lost or a call for it hangs.")
	for i := range t.gpus {
		g := t.gpus[i].gpu
		e.sample(&up, t.gpus[i].labels, "", oneIf(g.Lost == "" && !g.Hung()))
	}
	info := gauge("nvnodetop_gpu_info", "What does not change about a GPU.")
	for i := range t.gpus {
		e.sample(&info, t.gpus[i].labels, t.gpus[i].info(), 1)
	}
	owner := gauge("nvnodetop_gpu_job_info", "The jobs to which SLURM has allocated the GPU.")
	for i := range t.gpus {
		g := &t.gpus[i]
		for _, j := range owners(g.node, g.gpu, g.jobs) {
			e.sample(&owner, g.labels, labels("").add("job_id", j.ID).add("job_name", j.Name).add("user",
				j.User).add("partition", j.Partition).tail(), 1)
		}
	}
}

// memoryOfProcesses stands for the used memory of GPUs whose memory the driver does not count.
func (e *exposition) memoryOfProcesses(t *targets) {
	sum := gauge("nvnodetop_gpu_memory_of_processes_bytes",
		"Memory of the processes of the GPU together, where the driver does not count the memory of the GPU.")
	for i := range t.gpus {
		g := &t.gpus[i]
		if bytes, known := g.node.MemoryOfProcesses(g.gpu); known {
			e.sample(&sum, g.labels, "", float64(bytes))
		}
	}
}

// xids are the last Xids of the GPUs that had any lately. There is no count: Xids are kept for only an hour.
func (e *exposition) xids(t *targets, names Names) {
	last := gauge("nvnodetop_gpu_xid_last", "The last Xid of the GPU, if it had one within the last hour.")
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
			e.sample(&last, g.labels, "", code)
		}
	}
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// labels are pairs as Prometheus writes them, with commas between them.
type labels string

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// add adds a pair, unless the value is unknown.
func (l labels) add(name, value string) labels {
	if value == "" {
		return l
	}
	if l != "" {
		l += ","
	}
	return l + labels(name+`="`+escapes.Replace(strings.ToValidUTF8(value, "\uFFFD"))+`"`)
}

// tail is the form of pairs after other pairs.
func (l labels) tail() string {
	if l == "" {
		return ""
	}
	return "," + string(l)
}
