// Package capacity is the page of the cluster: the GPUs that SLURM can still give to jobs, by partition and by node,
// and the user's jobs that wait for GPUs. The page of a user without running jobs is here too: SLURM's last answer, and
// the jobs that wait in the queue.
//
// The page asks SLURM only while it is on the screen. It asks no node: only the idle GPUs come from reports of nodes,
// and only of nodes that are watched anyway.
package capacity

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

const (
	// often is the time between two questions. The source of the answers decides how often SLURM itself is asked.
	often = 5 * time.Second
	// lost is the time after which the page stops waiting for an answer.
	lost = 3 * time.Minute
)

// capacityView is what the page shows.
type capacityView int

// The views. Only users who may see them have the jobs of all users and the idle GPUs.
const (
	byPartition capacityView = iota
	byNode
	ofAll
	ofIdle
	views
)

// words are the names of the views in footers.
var words = [views]string{"partitions", "nodes", "all jobs", "idle GPUs"}

// viewList is the list of a view.
type viewList interface {
	Draw(f *part.Frame)
	Press(msg tea.Msg, s *part.Scene) nav.Answer
	Actions() []key.Binding
}

// Page shows the GPUs of the cluster.
type Page struct {
	partitions *partitions
	nodes      *nodes
	sheets     []viewList // of the views that the user may see
	on         capacityView
	into       bool // the nodes are those of the partition that the user has opened

	known   *capacity.Cluster // the last good answer; nil: none yet
	failure *reach.Failure    // of the last question

	asked *nav.Cluster // the question that has no answer yet
	at    time.Time    // of the last question
	fresh bool         // the user wants a new answer
}

// New returns the page in its first state. all says that the user may see the jobs of all users.
func New(past *footer.History, all bool) *Page {
	p := &Page{}
	if all {
		p.sheets = make([]viewList, views)
		p.sheets[ofAll], p.sheets[ofIdle] = newJobs(p, past), newIdle(p, past)
	} else {
		p.sheets = make([]viewList, ofAll)
	}
	p.partitions, p.nodes = newPartitions(p, past), newNodes(p, past)
	p.sheets[byPartition], p.sheets[byNode] = p.partitions, p.nodes
	return p
}

// nextView is the view that follows another one.
func (p *Page) nextView(v capacityView) capacityView { return (v + 1) % capacityView(len(p.sheets)) }

// Due returns the question that is due now. shown says that the page is on the screen.
func (p *Page) Due(now time.Time, shown bool) nav.Answer {
	since := now.Sub(p.at)
	if !shown || p.asked != nil && since < lost || since < often && !p.fresh {
		return nav.Answer{}
	}
	p.asked, p.at = &nav.Cluster{Fresh: p.fresh}, now
	p.fresh = false
	return nav.Answer{Ask: []nav.Ask{{Cluster: p.asked}}}
}

// Wants returns nothing: no node is asked.
func (p *Page) Wants(*part.Scene) nav.Wants { return nav.Wants{} }

// Draw draws the page.
func (p *Page) Draw(f *part.Frame) {
	p.sheets[p.on].Draw(f)
	if p.on == byPartition {
		p.drawQueue(f)
	}
}

// Press answers a key, the mouse, or SLURM's answer.
func (p *Page) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if r, is := msg.(nav.Result); is {
		p.handleResult(&r)
		return nav.Taken
	}
	if a := outward.Do(p, msg, s); a.Taken {
		return a
	}
	if a := p.sheets[p.on].Press(msg, s); a.Taken {
		return a
	}
	return code.Do(p, msg, s)
}

// outward has the action that comes before those of the list, and code the actions that come after them.
var (
	outward = nav.CodeTable[*Page]{{Of: keys.Back, Do: (*Page).leavePartition}}
	code    = nav.CodeTable[*Page]{
		{Of: keys.Grid, Do: nav.ChangePage(func(p *Page) { p.on = p.nextView(p.on) })},
		{Of: keys.Refresh, Do: (*Page).refresh},
	}
)

// Actions returns the actions that have code.
func (p *Page) Actions() []key.Binding {
	return slices.Concat(outward.Actions(), code.Actions(), p.sheets[p.on].Actions())
}

// leavePartition goes back from the nodes of a partition.
func (p *Page) leavePartition(*part.Scene) nav.Answer {
	if !p.into || p.on != byNode || p.nodes.Filter.Typing("") {
		return nav.Answer{}
	}
	p.nodes.Filter.Clear("")
	p.on, p.into = byPartition, false
	return nav.Taken
}

// refresh asks again, as the list of jobs does.
func (p *Page) refresh(*part.Scene) nav.Answer {
	p.fresh = true
	return nav.Answer{}
}

// handleResult stores SLURM's answer. Without a new one, the last good answer stays, with its age.
func (p *Page) handleResult(r *nav.Result) {
	if r.Cluster != p.asked {
		return
	}
	p.asked = nil
	if r.Err == nil {
		p.known, p.failure = r.GPUs, nil
		return
	}
	p.failure = reach.AsFailure(r.Err, reach.ClassSlurm)
	if errors.Is(r.Err, context.DeadlineExceeded) {
		p.failure = &reach.Failure{Class: reach.ClassSlurmTimeout, Short: "no answer yet: SLURM is slow"}
	}
}

// listVersion is everything that the lists depend on besides the Snapshot.
func (p *Page) listVersion(*part.Scene) any { return p.known }

// gpuCountText writes a number of GPUs with words.
func gpuCountText(n int, words string) string { return strconv.Itoa(n) + " " + words }
