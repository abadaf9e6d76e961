package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/terminal"
)

const (
	// patience is the timeout of a request to a node.
	patience = 10 * time.Second
	// cancelPatience is the timeout of a request to SLURM, which may have to wait for another command to end, and for
	// the controller to rest.
	cancelPatience = 40 * time.Second
)

// told brings a Result to the page that asked.
type told struct {
	page   Page
	result nav.Result
}

// errands does the work outside the screen that a page wants, without blocking the page.
func (m *model) errands(p Page, a nav.Answer) tea.Cmd {
	if a.Notice != "" {
		m.scene.Notice = a.Notice
	}
	if a.Copy != "" && !m.terminal.Copy(a.Copy) {
		m.scene.Notice = fmt.Sprintf("not copied: terminals take at most %d kB", terminal.MaxClip/1000)
	}
	var asked []tea.Cmd
	for _, ask := range a.Ask {
		asked = append(asked, m.ask(p, ask))
	}
	if a.Still {
		asked = append(asked, m.rest(m.scene))
	}
	return tea.Batch(asked...)
}

// askOn asks what the pages of the log and of the stacks want to know now.
func (m *model) askOn() tea.Cmd {
	if !m.past.Live() || m.scene.Job == nil {
		return nil
	}
	log, stacks, on := m.view.log, m.view.stacks, m.view.body()
	return tea.Batch(m.errands(log, log.Due(m.Now(), on == log)),
		m.errands(stacks, stacks.Due(m.Now(), m.scene, on == stacks)))
}

// ask sends a request to the probe of a node or to SLURM.
func (m *model) ask(p Page, a nav.Ask) tea.Cmd {
	if !m.past.Live() {
		return func() tea.Msg { return told{p, nav.Result{Ask: a, Err: errPast}} }
	}
	limit := patience
	if a.Cancel != nil {
		limit = cancelPatience
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		result := nav.Result{Ask: a}
		if a.Log != nil {
			result.Log, result.Err = m.Controls.Log(ctx, *a.Log)
		} else if a.Cancel != nil {
			result.Err = m.Controls.Cancel(ctx, a.Cancel.Job, a.Cancel.Signal)
		} else {
			result.Reply, result.Err = m.Controls.Ask(ctx, a.Node, a.Request)
		}
		return told{p, result}
	}
}
