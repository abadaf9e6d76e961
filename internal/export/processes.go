package export

import (
	"bufio"
	"io"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// processFamily is a number of a process for Prometheus.
type processFamily struct {
	family
	of func(t *processTarget) (value float64, known bool)
}

type processTarget struct {
	process *wire.Process
	gpu     *gpuTarget
	labels  string
	age     float64 // seconds since it was listed
}

var processFamilies = []processFamily{
	{gauge("nvnodetop_process_running_seconds", "How long the process has run."),
		func(t *processTarget) (float64, bool) {
			v, known := number(t.process.ElapsedSec)
			return v + t.age, known
		}},
	{gauge("nvnodetop_process_cpu_ratio", "CPUs that the process uses: 1 is one CPU."),
		func(t *processTarget) (float64, bool) { return ratio(number(t.process.CPUPercent)) }},
	{gauge("nvnodetop_process_resident_memory_bytes", "Host memory of the process."),
		func(t *processTarget) (float64, bool) { return number(t.process.RSS) }},
	{gauge("nvnodetop_process_memory_ratio", "Its share of the node's memory."),
		func(t *processTarget) (float64, bool) { return ratio(tally.HostPercent(t.gpu.node, t.process)) }},
	{gauge("nvnodetop_process_gpu_memory_bytes", "GPU memory of the process."),
		func(t *processTarget) (float64, bool) { return number(t.process.GPUMemory) }},
	{gauge("nvnodetop_process_gpu_sm_utilization_ratio", "Its share of the SMs' time."),
		func(t *processTarget) (float64, bool) { return ratio(number(t.process.SMPercent)) }},
	{gauge("nvnodetop_process_gpu_memory_utilization_ratio",
		"Share of the time in which it reads or writes GPU memory."),
		func(t *processTarget) (float64, bool) { return ratio(number(t.process.MemPercent)) }},
	{gauge("nvnodetop_process_gpu_encoder_utilization_ratio", "Its share of the video encoder's time."),
		func(t *processTarget) (float64, bool) { return ratio(number(t.process.EncPercent)) }},
	{gauge("nvnodetop_process_gpu_decoder_utilization_ratio", "Its share of the video decoder's time."),
		func(t *processTarget) (float64, bool) { return ratio(number(t.process.DecPercent)) }},
}

func number[T int | int64 | uint64 | float64](v *T) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return float64(*v), true
}

func ratio(percent float64, known bool) (float64, bool) { return percent / 100, known }

// PrometheusProcesses writes the processes on the GPUs of the reporting nodes, behind what Prometheus writes: nothing
// else has a PID as label, since each process begins series of its own. Its user, job and rank are labels of one metric
// only. Its command line, which may have secrets, is no label.
func PrometheusProcesses(w io.Writer, s *cluster.Snapshot, names Names) error {
	e := exposition{out: bufio.NewWriterSize(w, 64<<10)}
	all := processTargets(s, names)
	info := gauge("nvnodetop_process_info", "What does not change about a process on a GPU.")
	for i := range all {
		p := all[i].process
		l := labels("").add("user", p.User).add("name", p.Name).add("type", p.Type).add("job", p.Job).add("step", p.Step)
		if p.Rank != nil {
			l = l.add("rank", strconv.Itoa(p.Rank.Rank))
		}
		e.sample(&info, all[i].labels, l.tail(), 1)
	}
	for k := range processFamilies {
		f := &processFamilies[k]
		for i := range all {
			if v, known := f.of(&all[i]); known {
				e.sample(&f.family, all[i].labels, "", v)
			}
		}
	}
	return e.out.Flush()
}

// processTargets are the processes on the GPUs, each once, whatever a node says.
func processTargets(s *cluster.Snapshot, names Names) (all []processTarget) {
	t := newTargets(s, names)
	taken := map[string]bool{}
	for i := range t.gpus {
		g := &t.gpus[i]
		for k := range g.node.Processes {
			p := &g.node.Processes[k]
			if p.GPU != g.gpu.Index {
				continue
			}
			l := string(labels(g.labels).add("pid", strconv.Itoa(p.PID)))
			if taken[l] {
				continue
			}
			taken[l] = true
			all = append(all, processTarget{p, g, l, max(s.At.Sub(g.node.ListedAt).Seconds(), 0)})
		}
	}
	return all
}
