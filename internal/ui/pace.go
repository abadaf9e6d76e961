package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// fast is the redraw interval until every node has reported or failed (at most for fastFirst), and until the data that
// a key requested has arrived (at most for fastKey).
const (
	fast      = 200 * time.Millisecond
	fastFirst = 15 * time.Second
	fastKey   = 1500 * time.Millisecond
)

// tick asks for a new Snapshot. Only the latest chain of ticks counts: a key that requests something starts a new
// chain.
type tick struct{ chain int }

// pace times the ticks. They come fast while the user waits. While nobody is looking they come source.IdleFactor
// times less often, as the reports of the nodes do. A detached terminal slows the screen at once. A recording keeps its
// pace.
type pace struct {
	options      *Options
	began, asked time.Time // start of the program, and time of the last key that requested something
	awaited      string    // the node, or cluster.EveryNode, whose processes were requested then; "": something else
	touched      time.Time // time of the last key
	touches      int       // number of keys so far
	detached     bool      // the terminal is detached, and no key was pressed since
	chain        int       // number of the current chain of ticks
}

func newPace(o *Options) pace {
	now := o.Now()
	return pace{options: o, began: now, touched: now}
}

// nextTick waits for the next display tick. Ticks are aligned with the clock, so that seconds change on time.
func (p *pace) nextTick(s *part.Scene) tea.Cmd {
	every, chain := p.options.Display*time.Duration(s.Slow), p.chain
	if p.isUserWaiting(s) {
		every = min(every, fast)
	}
	return tea.Every(every, func(time.Time) tea.Msg { return tick{chain} })
}

// isUserWaiting reports whether the user is waiting: for the answer to a key, or for the first values of the job's
// nodes.
func (p *pace) isUserWaiting(s *part.Scene) bool {
	now := p.options.Now()
	if now.Sub(p.asked) < fastKey && !p.hasAnswer(s) {
		return true
	}
	if now.Sub(p.began) > fastFirst {
		return false
	}
	if s.Job == nil {
		return true
	}
	return slices.ContainsFunc(s.Job.Nodes, func(name string) bool {
		state := s.NodeOf(name).State // a stale node has only old values: the demo begins with the past
		return state == cluster.NodeConnecting || state == cluster.NodeStale
	})
}

// hasAnswer reports whether the processes of the awaited node have arrived. Making a Snapshot of a thousand nodes takes
// longer than handling a key, so none is made for an answer that is already on the screen.
func (p *pace) hasAnswer(s *part.Scene) bool {
	return s.NodeOf(p.awaited).ListedAt.After(p.asked)
}

// hurryTicks starts a new, fast chain of ticks, so that the screen soon shows the answer to a request. awaited is the
// node whose processes were requested, cluster.EveryNode, or "" for anything else.
func (p *pace) hurryTicks(s *part.Scene, awaited string) tea.Cmd {
	p.asked, p.awaited = p.options.Now(), awaited
	p.chain++
	return p.nextTick(s)
}

// noteKey records that a key was pressed.
func (p *pace) noteKey() {
	p.touched, p.detached = p.options.Now(), false
	p.touches++
}

// isUnseen reports whether nobody is looking at the screen.
func (p *pace) isUnseen() bool {
	return p.detached || p.options.Now().Sub(p.touched) >= source.IdleAfter
}

// fadeMsg is the message that a notice, or the mark of another job, has been shown long enough.
type fadeMsg struct{ touches int }

// scheduleFade ends a key's notice, unless another key is pressed before.
func (p *pace) scheduleFade(after time.Duration) tea.Cmd {
	now := fadeMsg{p.touches}
	return tea.Tick(after, func(time.Time) tea.Msg { return now })
}
