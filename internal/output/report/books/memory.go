package books

import (
	"cmp"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// maxShares limits the work of adding up steps per node.
const maxShares = 100_000

// estimateMemory estimates the most memory that the job used on a node. SLURM only has the largest task of each step,
// and the sum of all tasks. nil: SLURM has gathered none.
func estimateMemory(j *sacct.Job) *report.Memory {
	peak, node := peakOf(j)
	if peak == 0 {
		return nil
	}
	m := &report.Memory{Peak: peak}
	if node != "" {
		m.At = &report.Place{Node: safeLine(node)}
	}
	if limit := limitOf(j); limit > 0 {
		left := limit - min(peak, limit)
		m.Limit, m.Headroom = &limit, &left
	}
	return m
}

// limitOf returns how much memory the job may use on a node; 0: not known.
func limitOf(j *sacct.Job) uint64 {
	if j.Memory.PerCPU {
		return j.Memory.Bytes * uint64((j.CPUs+max(j.Nodes, 1)-1)/max(j.Nodes, 1))
	}
	return j.Memory.Bytes
}

// killedWithin returns how much memory the step that ran out of memory could use on a node; nil: as much as the job.
func killedWithin(j *sacct.Job) *uint64 {
	name := j.OutOfMemory()
	for i := range j.Steps {
		if s := &j.Steps[i]; s.Name == name && s.Memory > 0 && s.Memory < limitOf(j) {
			return &s.Memory
		}
	}
	return nil
}

// stepMemory returns the most memory that a step can have used on each of its nodes: its largest task, times the number
// of tasks that may be there.
func stepMemory(s *sacct.Step) uint64 {
	each := s.MaxRSS * uint64((max(s.Tasks, 1)+max(s.Nodes, 1)-1)/max(s.Nodes, 1))
	if s.TotalRSS >= s.MaxRSS && s.TotalRSS > 0 {
		each = min(each, s.TotalRSS)
	}
	return each
}

// change is a step that begins on a node, or ends there.
type change struct {
	at    time.Time
	node  string
	bytes int64
}

// peakOf returns the highest sum of the memory of steps that run on a node at the same time.
func peakOf(j *sacct.Job) (peak uint64, node string) {
	var changes []change
	for i := range j.Steps {
		s := &j.Steps[i]
		if s.MaxRSS == 0 {
			continue
		}
		if one := stepMemory(s); one > peak { // alone
			peak, node = one, s.MaxRSSNode
		}
		nodes, err := notation.ExpandHosts(s.NodeList)
		if err != nil || s.Start.IsZero() || len(changes)+2*len(nodes) > maxShares {
			continue
		}
		for _, name := range nodes {
			changes = append(changes, change{s.Start, name, int64(stepMemory(s))})
			if !s.End.IsZero() {
				changes = append(changes, change{s.End, name, -int64(stepMemory(s))})
			}
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { // steps that end make room first
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.bytes, b.bytes))
	})
	now := map[string]int64{}
	for _, c := range changes {
		now[c.node] += c.bytes
		if sum := now[c.node]; sum > 0 && uint64(sum) > peak {
			peak, node = uint64(sum), c.node
		}
	}
	return peak, node
}
