package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/joblog/runs"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// examination is the examination of one job.
type examination struct {
	*cluster.Snapshot
	job   *cluster.JobView
	rules cluster.Rules
	took  time.Duration

	earlier []runs.Run

	held []cluster.Finding // of package health
}

// all returns everything that is found.
func (e *examination) all() (found []Finding) {
	e.hold()
	for i := range e.held {
		found = append(found, e.say(&e.held[i]))
	}
	found = append(found, e.unreached()...)
	found = append(found, e.awaited()...)
	found = append(found, e.narrow()...)
	found = append(found, e.fewerLinks()...)
	found = append(found, e.differing()...)
	found = append(found, e.shmFull()...)
	found = append(found, e.faultsBefore()...)
	return append(found, e.memoryHeld()...)
}

// hold collects the findings that the Store has reported, and those that it would report later.
func (e *examination) hold() {
	for i := range e.job.Findings {
		if f := &e.job.Findings[i]; f.Holds() && f.Compared == nil && f.Severity != cluster.Waiting && f.Node != "" {
			e.held = append(e.held, *f)
		}
	}
	for _, name := range e.job.Nodes {
		if n := e.Nodes[name]; n != nil && n.State == cluster.NodeReporting {
			e.askNow(n)
		}
	}
}

// askNow asks the rules about a node that reports.
func (e *examination) askNow(n *cluster.Node) {
	own := tally.Own(e.job, n)
	whole := slices.Concat(e.rules(cluster.Subject{Scope: cluster.ScopeReport, Node: n}),
		e.rules(cluster.Subject{Scope: cluster.ScopeJob, Node: n, Job: &e.job.Job, Common: &e.job.Common,
			Discovery: &e.Discovery}))
	for i := range whole {
		if len(own) > 0 || !whole[i].OfGPUs {
			e.holdNow(n, &cluster.GPU{Number: cluster.NoNumber}, &whole[i])
		}
	}
	for _, g := range own {
		conditions := e.rules(cluster.Subject{Scope: cluster.ScopeGPU, Node: n, GPU: g})
		for i := range conditions {
			e.holdNow(n, g, &conditions[i])
		}
	}
}

// asMoment is the longest time for which a condition must hold that the Store itself can see in two samples.
const asMoment = time.Second

// holdNow keeps a condition that waits for longer than the program of the job would. A node that has just started gets
// its time, as for the registration with an NVLink fabric.
func (e *examination) holdNow(n *cluster.Node, g *cluster.GPU, c *cluster.Condition) {
	up := n.Host.Float(metric.Uptime)
	if c.After <= asMoment || c.Unclear || up < c.After.Seconds() || e.holds(n, g, c.Kind) {
		return
	}
	e.held = append(e.held, cluster.Finding{Kind: c.Kind, Severity: c.Severity, Since: e.At, Times: 1, Job: e.job.ID,
		Node: n.Name, GPU: g.Number, Key: g.Key, Every: c.Every})
}

// holds reports whether a kind of finding about a GPU, or about all GPUs of its node, is known already.
func (e *examination) holds(n *cluster.Node, g *cluster.GPU, kind cluster.Kind) bool {
	return slices.ContainsFunc(e.held, func(f cluster.Finding) bool {
		return f.Node == n.Name && f.Kind == kind && (f.Key == g.Key || f.Every)
	})
}

// ofTheJob are the kinds that the job itself causes: another node does not help.
var ofTheJob = []cluster.Kind{cluster.KindHostMemory, cluster.KindMemoryFull}

// say returns the Finding for one of package health. Nodes of one job that differ are worth a look before it starts,
// even if each of them is well.
func (e *examination) say(f *cluster.Finding) Finding {
	own := *f
	if f.Kind == cluster.KindMixed {
		own.Severity = cluster.Warning
	}
	words := say.Finding(e.Snapshot, &own)
	found := Finding{Kind: f.Kind, Node: f.Node, Text: words.Sentence, Hint: words.Hint, severity: own.Severity,
		excludes: own.Severity >= cluster.Warning && !slices.Contains(ofTheJob, f.Kind) &&
			(f.Kind != cluster.KindFailed || e.reachesOthers())}
	if found.Text == "" {
		found.Text = say.Sentence(words.One)
	}
	if f.GPU != cluster.NoNumber && !f.Every {
		found.GPUs = []int{f.GPU}
	}
	return found
}

// reachesOthers reports whether a node other than this host reports. If none does, nodes that do not report may be
// well: nvnodetop cannot reach them.
func (e *examination) reachesOthers() bool {
	return slices.ContainsFunc(e.job.Nodes, func(name string) bool {
		n := e.Nodes[name]
		return n != nil && n.HasNumbers() && n.Route.Door != reach.DoorHere
	})
}

// unreached finds nodes that have neither reported nor failed in time.
func (e *examination) unreached() (found []Finding) {
	for _, name := range e.job.Nodes {
		n := tally.Node(e.Snapshot, name)
		if n.State != cluster.NodeConnecting {
			continue
		}
		f := Finding{Kind: cluster.KindConnecting, Node: name, severity: cluster.Critical, excludes: e.reachesOthers(),
			Text: fmt.Sprintf("The node has not reported within %.0f s.", e.took.Seconds())}
		if n.Failure != nil {
			f.Text, f.Hint = say.Sentence(n.Failure.Short), n.Failure.Meaning
		}
		found = append(found, f)
	}
	return found
}

// awaited finds GPUs of which the driver has not given any value in time.
func (e *examination) awaited() (found []Finding) {
	for n, g := range tally.Awaited(e.Snapshot) {
		if !slices.Contains(e.job.Nodes, n.Name) || !e.job.Owns(n, g) || e.holds(n, g, cluster.KindHang) {
			continue
		}
		found = append(found, ofGPU(n, g, Finding{Kind: cluster.KindHang, severity: cluster.Critical, excludes: true,
			Text: "The driver has not given any value of the GPU.", Hint: "move the job and report it to your admins"}))
	}
	return found
}

// ofGPU returns a finding about a GPU.
func ofGPU(n *cluster.Node, g *cluster.GPU, f Finding) Finding {
	f.Node = n.Name
	if g.Number != cluster.NoNumber {
		f.GPUs = []int{g.Number}
	}
	return f
}
