package tree

import (
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// field is a number of a Summary.
type field int

const (
	state      field = iota // its place in states
	gpus                    // of the job
	util                    // percent, the sum over GPUs
	utilCount               // GPUs that give it
	lowest                  // percent
	lowestGPU               // the number of that GPU
	used                    // MiB
	memory                  // MiB, of the GPUs that give both
	power                   // W
	powerLimit              // W
	hottest                 // °C
	hottestGPU              // the number of that GPU
	problems                // a bit for each of Kinds
	fields
)

// absent is a number that is not known. None of them is negative.
const absent = -1

// Summary is what the overview says of one node, in the units of the screen.
type Summary [fields]int64

// reporting is the place of that state in states.
const reporting = 1

var states = []cluster.NodeState{cluster.NodeConnecting, cluster.NodeReporting, cluster.NodeStale, cluster.NodeFailed}

// Kinds are the problems that a Summary tells. Those that show only when the nodes of a job are compared are not among
// them: nobody on the way knows all nodes.
var Kinds = []cluster.Kind{
	cluster.KindMissing, cluster.KindHidden, cluster.KindLost, cluster.KindUnusable, cluster.KindHang,
	cluster.KindFailed, cluster.KindNoDriver,
	cluster.KindStale, cluster.KindSlow, cluster.KindECC, cluster.KindThermal, cluster.KindPowerBrake,
	cluster.KindSlowdown, cluster.KindFault,
	cluster.KindXid, cluster.KindRecovery, cluster.KindRemap, cluster.KindRemapFailed, cluster.KindRetired,
	cluster.KindECCGrowing,
	cluster.KindNVLinkDown, cluster.KindNVLink, cluster.KindPCIe, cluster.KindPCIeReplays, cluster.KindPersistence,
	cluster.KindHostMemory,
	cluster.KindMemoryFull, cluster.KindLeftOver, cluster.KindStranger, cluster.KindWrongCgroup, cluster.KindDisk,
	cluster.KindConnecting,
	cluster.KindOwner, cluster.KindOldDriver,
}

// summarize puts into to what a Snapshot says of the nodes of a job.
func summarize(s *cluster.Snapshot, id string, names []string, to []Summary) {
	at := slices.IndexFunc(s.Jobs, func(j cluster.JobView) bool { return j.ID == id })
	job := &s.Jobs[at]
	found := map[string]int64{}
	for i := range job.Findings {
		f := &job.Findings[i]
		if k := slices.Index(Kinds, f.Kind); k >= 0 && f.Holds() {
			found[f.Node] |= 1 << k
		}
	}
	for i, name := range names {
		to[i] = of(job, tally.Node(s, name))
		to[i][problems] = found[name]
	}
}

// of summarizes a node, without its problems. A node without numbers has none.
func of(job *cluster.JobView, n *cluster.Node) (s Summary) {
	for f := range s {
		s[f] = absent
	}
	s[state] = int64(slices.Index(states, n.State))
	if !tally.HasNumbers(n) {
		return s
	}
	own := tally.Own(job, n)
	t := tally.Total(own)
	low := tally.Lowest(own, metric.Util)
	s[gpus], s[utilCount] = int64(t.GPUs), int64(t.Util.Count)
	s[util] = rounded(t.Util.Value * float64(t.Util.Count))
	s[lowest], s[lowestGPU] = rounded(low.Value), number(low)
	s[used], s[memory] = rounded(t.Used.Value/(1<<20)), rounded(t.Memory.Value/(1<<20))
	s[power], s[powerLimit] = rounded(t.Power.Value), rounded(t.PowerLimit.Value)
	s[hottest], s[hottestGPU] = rounded(t.Temperature.Value), number(t.Temperature)
	return s
}

func rounded(x float64) int64 {
	if math.IsNaN(x) {
		return absent
	}
	return int64(math.Round(x))
}

func number(s tally.Sum) int64 {
	if s.GPU == nil || s.GPU.Number < 0 {
		return absent
	}
	return int64(s.GPU.Number)
}

// Total adds up Summaries to what the overview says of the whole job: sums, the lowest utilization and the highest
// temperature. The fields of those GPUs hold the place of their node, and that of the state the number of nodes that
// report. Problems are those that some node has.
func Total(of []Summary) Summary {
	var t Summary
	t[lowest], t[hottest], t[lowestGPU], t[hottestGPU] = absent, absent, absent, absent
	for i := range of {
		s := &of[i]
		t[problems] |= s[problems]
		if s[state] != reporting {
			continue
		}
		t[state]++
		for _, f := range []field{gpus, util, utilCount, used, memory, power, powerLimit} {
			t[f] += max(s[f], 0)
		}
		if s[lowest] != absent && (t[lowest] == absent || s[lowest] < t[lowest]) {
			t[lowest], t[lowestGPU] = s[lowest], int64(i)
		}
		if s[hottest] > t[hottest] {
			t[hottest], t[hottestGPU] = s[hottest], int64(i)
		}
	}
	return t
}
