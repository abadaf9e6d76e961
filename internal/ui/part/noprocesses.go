package part

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
)

// FilterClip is the maximum width of a filter in a title or a sentence.
const FilterClip = 40

// Quote is a filter in a title or a sentence, with at most w columns of its text. It is in quotes unless the text
// itself has some.
func Quote(filter string, w int) string {
	if filter = draw.Clip(filter, w); strings.Contains(filter, `"`) {
		return filter
	}
	return `"` + filter + `"`
}

// NoProcesses says why no processes are listed.
func NoProcesses(f *Frame) string {
	switch h := f.Node.Hello; {
	case h != nil && h.Fault != "":
		return "no NVML here: processes cannot be listed"
	case f.Node.Listed:
		if f.Matching != nil && len(f.Node.Processes) > 0 {
			return `no processes match ` + Quote(f.Matching.String(), FilterClip)
		}
		return cmp.Or(unlistedGPUs(f.Node), "no processes on these GPUs")
	case f.Node.State == cluster.NodeStale:
		return "· no process list: node not responding"
	case f.Node.Past != nil:
		return "· no process list from before the node failed"
	}
	return "· waiting for the process list"
}

// unlistedGPUs names the GPUs whose processes the driver does not list, and the reason; "" if it lists all.
func unlistedGPUs(n *cluster.Node) string {
	var names, why []string
	for i := range n.GPUs {
		if g := &n.GPUs[i]; g.Unlisted != "" {
			names = append(names, GPUNumber(g))
			if !slices.Contains(why, g.Unlisted) {
				why = append(why, g.Unlisted)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "processes on " + strings.Join(names, ", ") + " cannot be listed (" + strings.Join(why, "; ") + ")"
}

// NoProcessesOn says why no processes are listed for a GPU.
func NoProcessesOn(f *Frame, g *cluster.GPU) string {
	switch {
	case !f.Node.Listed:
		return NoProcesses(f)
	case g.Unlisted != "":
		return "processes on this GPU cannot be listed (" + g.Unlisted + ")"
	case tally.Lost(g) != "":
		return "processes on a lost GPU cannot be listed"
	}
	return "no processes on this GPU"
}

// NoProcessesOfJob says why no processes are listed for the job.
func NoProcessesOfJob(f *Frame) string {
	listed, waits := 0, 0
	for _, name := range f.Job.Nodes {
		switch n := f.NodeOf(name); {
		case n.State != cluster.NodeReporting || !n.Listed:
			waits++
		default:
			listed++
		}
	}
	switch {
	case waits == 0:
		return "no processes on the GPUs of this job"
	case listed == 0:
		return "· waiting for the process lists of the nodes"
	}
	return "no processes on " + Plural(listed, "node", "nodes") + ", waiting for " + strconv.Itoa(waits)
}
