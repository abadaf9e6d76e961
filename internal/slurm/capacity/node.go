package capacity

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// nodeOf counts the GPUs of a node, for a job in any of its partitions.
func nodeOf(n *SuppliedGPUs) Node {
	out := Node{Name: n.Name, States: []string{}, Silent: n.Silent, Partitions: []string{}, inUse: n.InUse}
	out.setReason(n.Reason)
	for _, state := range n.States {
		out.States = append(out.States, strings.ToLower(safe.Line(state, maxWord)))
	}
	for _, t := range n.Types {
		g := Count{Type: safe.Line(t.Name, maxWord), Total: t.Total}
		rest := t.Total
		if t.Known {
			g.Used = t.Used
			rest -= t.Used
		}
		if t.Known && !n.Full && !n.Silent && !slices.ContainsFunc(n.States, closesNode) {
			g.Free = rest
		} else {
			g.Out = rest
		}
		out.GPUs = append(out.GPUs, g)
	}
	return out
}

// signed matches the end of a reason: the user who gave it, and the time in UTC.
var signed = regexp.MustCompile(` \[([^\[\]@]+)@(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\]$`)

// setReason sets the reason from a text such as "bad fan [root@2026-11-20T18:22:34]".
func (n *Node) setReason(reason string) {
	if m := signed.FindStringSubmatch(reason); m != nil {
		if at, err := time.Parse("2006-01-02T15:04:05", m[2]); err == nil {
			n.ReasonBy, n.ReasonAt = safe.Line(m[1], maxWord), at
			reason = strings.TrimSuffix(reason, m[0])
		}
	}
	n.Reason = safe.Line(reason, maxReason)
}

// closing are the beginnings of the states in which a node takes no jobs. Two states are not among them. A node that is
// planned for a job still takes other jobs that end before that one begins. A node that is switched off to save power
// is switched on for a job.
var closing = []string{"DOWN", "DRAIN", "FAIL", "ERROR", "FUTURE", "INVAL", "MAINT", "RESERVED", "NOT_RESPONDING",
	"NO_RESPOND", "REBOOT", "BLOCKED", "UNKNOWN", "POWERING_DOWN", "PERFCTRS"}

func closesNode(state string) bool {
	return slices.ContainsFunc(closing, func(begin string) bool { return strings.HasPrefix(state, begin) })
}

// addUsers names the users and jobs on each node with GPUs in use, and counts the GPUs for which SLURM shows no job.
func (c *Cluster) addUsers(s *Supply, places map[string]int) {
	on := make([][]*SuppliedJob, len(c.Nodes))
	for i := range s.Jobs {
		for _, name := range s.Jobs[i].Nodes {
			if at, known := places[name]; known {
				on[at] = append(on[at], &s.Jobs[i])
			}
		}
	}
	for i := range c.Nodes {
		n, used := &c.Nodes[i], 0
		for _, g := range n.GPUs {
			used += g.Used
		}
		if used > 0 && s.NoJobs == nil && len(on[i]) == 0 {
			c.Hidden += used
		}
		for _, j := range findHolders(on[i], used) {
			n.Users, n.Jobs = append(n.Users, safe.Line(j.User, maxWord)), append(n.Jobs, safe.Line(j.ID, maxWord))
		}
		slices.Sort(n.Users)
		n.Users = slices.Compact(n.Users)
	}
}

// findHolders returns the jobs that have the GPUs in use on a node: the jobs that requested GPUs per node or, if these
// have too few, all jobs. SLURM's list of jobs does not say how many GPUs a job with another kind of request has.
func findHolders(jobs []*SuppliedJob, used int) (list []*SuppliedJob) {
	told := 0
	for _, j := range jobs {
		if j.PerNode > 0 {
			told += j.PerNode
			list = append(list, j)
		}
	}
	switch {
	case used == 0:
		return nil
	case told < used:
		return jobs
	}
	return list
}

// Untold says, in sentences, what SLURM does not show about the clusters and users.
func (c *Cluster) Untold() (lines []string) {
	if c.Note != "" {
		lines = append(lines, c.Note)
	}
	if c.NoJobs != "" {
		lines = append(lines, "SLURM does not say whose jobs use them: "+c.NoJobs)
	}
	if c.Hidden > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d GPUs in use have no job that SLURM shows you (PrivateData)",
			c.Hidden, c.Total().Used))
	}
	return lines
}
