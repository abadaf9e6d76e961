package slurm

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

// nodeGPUs is the number of GPUs of a node in SLURM's configuration. The indices of GPUs are minor numbers only if the
// node has this many.
type nodeGPUs struct {
	count int
	known bool
	final bool // SLURM has given it, or has contradicted itself, which it would do again
	retry
}

// unconfiguredNodes lists the nodes of jobs for which SLURM has not given the number of GPUs. It is empty as long as no
// job is known to have GPUs. After that, one question covers all nodes.
func (c *Client) unconfiguredNodes(now time.Time) []string {
	if !c.anyGPUs() {
		return nil
	}
	due := map[string]bool{}
	for i := range c.jobs {
		for _, name := range c.hosts[c.jobs[i].nodelist].names {
			if n := c.nodes[name]; !n.final && !now.Before(n.again) {
				due[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(due))
}

// anyGPUs reports whether a job has GPUs on a node that SLURM has not been asked about.
func (c *Client) anyGPUs() bool {
	for i := range c.jobs {
		for node, own := range c.gpus[c.jobs[i].Number].on {
			if own.count > 0 && !c.nodes[node].final {
				return true
			}
		}
	}
	return false
}

// askNodes asks about these nodes and stores the answer. Without a usable answer, the jobs are shown without this
// proof, and the question is repeated more and more rarely, since some answers never become usable. A contradictory
// answer proves nothing either, but counts as an answer.
func (c *Client) askNodes(ctx context.Context, names []string) {
	// one unknown name makes the result an error
	out, _, _ := c.run.Within(ctx, "scontrol", "show", "node", strings.Join(names, ","))
	if ctx.Err() != nil {
		return
	}
	configured, contrary := parseShowNode(out)
	for _, name := range names {
		n := c.nodes[name]
		n.count, n.known = configured[name]
		if n.final = n.known || contrary[name]; !n.final {
			n.delayRetry(time.Now())
		}
		c.nodes[name] = n
	}
}

// parseShowNode returns the number of GPUs of each node, from the output of `scontrol show node`. A node that does not
// state its number is left out. A node that occurs twice, or states two numbers, is in contrary instead.
func parseShowNode(out []byte) (nodes map[string]int, contrary map[string]bool) {
	nodes, contrary = map[string]int{}, map[string]bool{}
	unread := map[string]bool{}
	for _, r := range command.RecordsOf(out, command.NodeLine) {
		name, _, _ := strings.Cut(r[0].Text, " ")
		list, said := r.First("Gres") // texts come after it
		if !said {
			continue
		}
		_, twice := nodes[name]
		n, err := notation.CountGPUs(list)
		nodes[name] = n
		unread[name] = unread[name] || err != nil
		tres, _ := r.First("CfgTRES")
		t := notation.ReadTRES(tres)
		contrary[name] = twice || t.Told && (t.Count > n || t.Whole && t.Count < n)
	}
	maps.DeleteFunc(contrary, func(name string, is bool) bool { return !is || unread[name] })
	maps.DeleteFunc(nodes, func(name string, _ int) bool { return unread[name] || contrary[name] })
	return nodes, contrary
}

// retry holds the time of the next try of a failed question.
type retry struct {
	wait  time.Duration
	again time.Time
}

// A question that failed is asked again after firstWait. The wait doubles with each failure, up to maxWait.
const (
	firstWait = time.Minute
	maxWait   = 16 * time.Minute
)

func (r *retry) delayRetry(now time.Time) {
	r.wait = min(max(2*r.wait, firstWait), maxWait)
	r.again = now.Add(r.wait)
}
