package page

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// open goes to the GPU of the row at that place, or to its node.
func (p *Ranks) open(s *part.Scene, rows []tally.RankRow, at int) nav.Answer {
	a := p.goTo(s, rows, at)
	if a.Node == "" {
		return a
	}
	if g := rows[max(min(at, len(rows)-1), 0)].GPU; g != nil && tally.Shows(s.NodeOf(a.Node)) {
		a.Page, a.GPU = keys.OnGPU, g.Key
	} else {
		a.Page = keys.OnNode
	}
	return a
}

// signal goes to the process of the row at that place, where the key asks whether to send a signal to it.
func (p *Ranks) signal(k tea.KeyPressMsg, s *part.Scene, rows []tally.RankRow, at int) nav.Answer {
	a := p.goTo(s, rows, at)
	if a.Notice = s.Forbidden(); a.Notice != "" || a.Node == "" {
		return a
	}
	r := &rows[max(min(at, len(rows)-1), 0)]
	if r.Process == nil {
		a.Notice = "there is no process to send a signal to"
		return a
	}
	id := wire.ProcessID{PID: r.Process.PID, StartTicks: r.Process.StartTicks}
	if !s.Only.ShowsProcess(s.NodeOf(r.Node), id) { // the page of processes does not list it
		a.Notice = "this process is on a GPU that --only hides: start without it to signal the process"
		return a
	}
	a.Page, a.Key = keys.OnProcesses, k
	a.Process = &nav.Process{Node: r.Node, ProcessID: id, GPU: r.Process.GPU}
	return a
}
