package export

import (
	"bufio"
	"io"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// processFamily is a Prometheus metric of processes.
type processFamily struct {
	place int
	family
	of func(t *processTarget) (value float64, known bool)
}

type processTarget struct {
	process *wire.Process
	gpu     *gpuTarget
	labels  string
	age     float64 // seconds since it was listed
}

// processFamilies are the numbers of a process in package wire that have a series, and the process's share of the
// node's memory.
var processFamilies = familiesOfProcesses()

func familiesOfProcesses() []processFamily {
	list := []processFamily{{4, gaugeFamily("nvnodetop_process_memory_ratio", "Its share of the node's memory."),
		func(t *processTarget) (float64, bool) { return toRatio(tally.HostPercent(t.gpu.node, t.process)) }}}
	for _, f := range wire.Numbers() {
		if f.Series.Name == "" {
			continue
		}
		of := func(t *processTarget) (float64, bool) { return f.Number(t.process) }
		switch f.Unit {
		case field.Percent:
			of = func(t *processTarget) (float64, bool) { return toRatio(f.Number(t.process)) }
		case field.Seconds: // the process has kept running since then
			of = func(t *processTarget) (float64, bool) {
				v, known := f.Number(t.process)
				return v + t.age, known
			}
		}
		list = append(list, processFamily{f.Series.Place, gaugeFamily(f.Series.Name, f.Series.Help), of})
	}
	slices.SortFunc(list, func(a, b processFamily) int { return a.place - b.place })
	return list
}

func toRatio(percent float64, known bool) (float64, bool) { return metric.Round(percent/100, 4), known }

// PrometheusProcesses writes the processes on the GPUs of the reporting nodes. They follow what Prometheus writes. Only
// these samples have a PID label, since each process begins new series. User, job and rank are labels of only one
// metric. The command line is never a label, because it may contain secrets.
func PrometheusProcesses(w io.Writer, s *cluster.Snapshot, names Names) error {
	e := exposition{out: bufio.NewWriterSize(w, 64<<10)}
	all := processTargets(s, names)
	info := gaugeFamily("nvnodetop_process_info", "What does not change about a process on a GPU.")
	for i := range all {
		p := all[i].process
		l := labels("").addPair("user", p.User).addPair("name", p.Name).addPair("type", p.Type).addPair("job",
			p.Job).addPair("step", p.Step)
		if p.Rank != nil {
			l = l.addPair("rank", strconv.Itoa(p.Rank.Rank))
		}
		e.writeSample(&info, all[i].labels, l.withComma(), 1)
	}
	for k := range processFamilies {
		f := &processFamilies[k]
		for i := range all {
			if v, known := f.of(&all[i]); known {
				e.writeSample(&f.family, all[i].labels, "", v)
			}
		}
	}
	return e.out.Flush()
}

// processTargets returns the processes on the GPUs, each only once, whatever a node says.
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
			l := string(labels(g.labels).addPair("pid", strconv.Itoa(p.PID)))
			if taken[l] {
				continue
			}
			taken[l] = true
			all = append(all, processTarget{p, g, l, max(metric.InSeconds(s.At.Sub(g.node.ListedAt)), 0)})
		}
	}
	return all
}
