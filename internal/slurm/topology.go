package slurm

import (
	"bytes"
	"context"
	"iter"
	"regexp"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

// switchTopology holds the switch of each node, as far as SLURM has named it.
type switchTopology struct {
	under map[string]string // the leaf switch, the block or the like, by node
	asked time.Time         // time of the last question to SLURM; zero: none yet
	// there was no answer, or squeue has failed since: the controller may have restarted with another topology
	upset bool
}

// A topology changes only when the controller starts or rereads its configuration, and matters only for jobs with many
// nodes. So most users never request it, and the others rarely do.
const (
	leastTopologyNodes = 5                // nodes of a job
	topologyEvery      = time.Hour        // between two questions
	topologyAgain      = 10 * time.Minute // the same after no answer, or after a failure of squeue
)

// Due reports whether to ask SLURM for its topology, for jobs on these nodes.
func (t *switchTopology) Due(now time.Time, jobs iter.Seq[[]string]) bool {
	age := topologyEvery
	if t.upset {
		age = topologyAgain
	}
	if !t.asked.IsZero() && now.Sub(t.asked) < age {
		return false
	}
	for nodes := range jobs {
		if len(nodes) >= leastTopologyNodes {
			return true
		}
	}
	return false
}

// Ask asks for the topology. If there is no usable answer the last topology stays: garbage must not remove the
// switches.
func (t *switchTopology) Ask(ctx context.Context, run command.Runner) {
	out, _, err := run.Within(ctx, "scontrol", "show", "topology")
	if ctx.Err() != nil {
		return
	}
	under := parseTopology(out)
	answered := err == nil && (len(under) > 0 || noTopology(out) || hasNoGroups(out))
	t.asked, t.upset = time.Now(), !answered
	if answered {
		t.under = under
	}
}

// Upset records that the controller may have restarted with another topology.
func (t *switchTopology) Upset() { t.upset = true }

// noTopology reports whether `scontrol show topology` says that there is none. If it says so on standard error, its
// output is empty.
func noTopology(out []byte) bool {
	out = bytes.TrimSpace(out)
	return len(out) == 0 || bytes.HasPrefix(out, []byte("No topology information available"))
}

// Switches returns the switches of the nodes of all jobs, in the order of the jobs.
func (t *switchTopology) Switches(jobs iter.Seq[[]string]) []cluster.Switch {
	if len(t.under) == 0 {
		return nil
	}
	var list []cluster.Switch
	at, seen := map[string]int{}, map[string]bool{}
	for nodes := range jobs {
		for _, node := range nodes {
			name, known := t.under[node]
			if !known || seen[node] {
				continue
			}
			seen[node] = true
			k, begun := at[name]
			if !begun {
				k = len(list)
				at[name], list = k, append(list, cluster.Switch{Name: name})
			}
			list[k].Nodes = append(list[k].Nodes, node)
		}
	}
	return list
}

// hasNoGroups reports whether an output is a complete topology, of a kind that names no nodes.
func hasNoGroups(out []byte) bool {
	if !bytes.HasSuffix(out, []byte("\n")) { // it was cut off
		return false
	}
	for line := range bytes.Lines(out) {
		if _, nodes := parseGroup(string(line)); nodes != "" || !anyTopologyLine.Match(line) {
			return false
		}
	}
	return true
}

// anyTopologyLine matches a line of any kind of topology.
var anyTopologyLine = regexp.MustCompile(`^\s*[A-Za-z0-9]+=\S+( [^<>]*)?\s*$`)

// parseTopology returns the leaf switch, the block, the ring or the like of each node, from the output of `scontrol
// show topology`:
//
//	SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-3]
//	SwitchName=s2 Level=1 LinkSpeed=1 Nodes=tux[0-7] Switches=s[0-1]
//	BlockName=b1 BlockIndex=0 Nodes=tux[0-3] BlockSize=4
//	RingName=r1 Nodes=tux[0-3] RingSize=4
//	TorusName=t1 Dims=2x2x2 Nodes=tux[0-7]
//
// A line that is not understood is left out. If a node is in several groups, the first one counts.
func parseTopology(out []byte) map[string]string {
	under := map[string]string{}
	for line := range bytes.Lines(out) {
		name, list := parseGroup(string(line))
		if name == "" || list == "" {
			continue
		}
		nodes, err := notation.ExpandHosts(list)
		if err != nil || notation.CheckHosts(nodes) != nil || len(under)+len(nodes) > 16*notation.MaxHosts {
			continue
		}
		for _, node := range nodes {
			if _, known := under[node]; !known {
				under[node] = name
			}
		}
	}
	return under
}

// parseGroup returns the name and the nodes of a group of nodes. The name is "" for any other line, such as that of a
// switch above others ("Level=1") or of a block of blocks ("AggregatedBlock=b"). Each kind of topology has its own key
// for the name of a group: "SwitchName", "BlockName".
func parseGroup(line string) (name, nodes string) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return "", ""
	}
	key, name, _ := strings.Cut(fields[0], "=")
	isGroup := strings.HasSuffix(key, "Name") && key != "SwitchName"
	for _, field := range fields[1:] {
		switch key, value, _ := strings.Cut(field, "="); key {
		case "Level":
			isGroup = value == "0"
		case "Nodes":
			nodes = value
		}
	}
	if !isGroup || !strings.HasSuffix(key, "Name") {
		return "", ""
	}
	return name, nodes
}
