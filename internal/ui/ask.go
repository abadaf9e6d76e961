package ui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/terminal"
)

const (
	// patience is the timeout of a request to a node.
	patience = 10 * time.Second
	// ncclPatience is the timeout of a question to the library of a job: there are two answers, and other nodes are
	// asked if one refuses.
	ncclPatience = 50 * time.Second
	// cancelPatience is the timeout of a request to SLURM: other commands go first, with pauses for the controller
	// between them.
	cancelPatience  = 40 * time.Second
	clusterPatience = 2 * time.Minute
	// reportPatience is the timeout of a report: SLURM's accounting may lag behind, and a recording may be large.
	reportPatience = 2 * time.Minute
	// waitingPatience is the timeout of the question why a job waits: six commands, each of which may take its time.
	waitingPatience = 2 * time.Minute
)

// resultMsg brings a Result to the page that asked.
type resultMsg struct {
	page   Page
	result nav.Result
}

// runErrands does the work outside the screen that a page asks for, without blocking the page.
func (m *model) runErrands(p Page, a nav.Answer) tea.Cmd {
	if a.Notice != "" {
		m.scene.Notice = a.Notice
	}
	if a.Copy != "" && !m.terminal.Copy(a.Copy) {
		m.scene.Notice = fmt.Sprintf("not copied: terminals take at most %d kB", terminal.MaxClip/1000)
	}
	if a.Stacks != nil && m.Tell != nil {
		m.Tell(cluster.Event{At: m.Now(), Stacks: a.Stacks})
	}
	var asked []tea.Cmd
	for _, ask := range a.Ask {
		asked = append(asked, m.sendRequest(p, ask))
	}
	if a.Still {
		asked = append(asked, m.awaitStill(m.scene))
	}
	return tea.Batch(asked...)
}

// errNoReports is the reason why the screen makes no report.
var errNoReports = errors.New("the screen shows a recording: on the login node, nvnodetop report JOB asks SLURM for it")

// askOn asks the questions that the pages of the cluster, of the log, of the report and of the stacks have now.
func (m *model) askOn() tea.Cmd {
	if !m.past.Live() {
		return nil
	}
	log, stacks, on := m.view.log, m.view.stacks, m.view.chosenPage()
	cluster := m.view.pages[keys.OnCluster].(*capacity.Page)
	report := m.view.report
	asked := []tea.Cmd{m.runErrands(cluster, cluster.Due(m.Now(), on == cluster)), m.runErrands(report, report.Due())}
	if m.scene.Job != nil || on == log {
		asked = append(asked, m.runErrands(log, log.Due(m.Now(), on == log)))
	}
	if m.scene.Job != nil {
		asked = append(asked, m.runErrands(stacks, stacks.Due(m.Now(), m.scene, on == stacks)))
	}
	return tea.Batch(asked...)
}

// passResult passes the result of an Ask to the page that asked. If the last job has ended in the meantime, most pages
// have nothing left on which to draw it.
func (m *model) passResult(t resultMsg) tea.Cmd {
	if m.scene.Node == nil && t.page != m.view.pages[keys.OnCluster] && t.page != m.view.pages[keys.OnWaiting] &&
		t.page != m.view.log && t.page != m.view.report {
		return nil
	}
	did := m.runErrands(t.page, t.page.Press(t.result, m.scene))
	m.resolveScene()
	return tea.Batch(did, m.askOn())
}

// sendRequest sends a request to the probe of a node or to SLURM.
func (m *model) sendRequest(p Page, a nav.Ask) tea.Cmd {
	if !m.past.Live() {
		return func() tea.Msg { return resultMsg{p, nav.Result{Ask: a, Err: errPast}} }
	}
	limit := patience
	switch {
	case a.Cancel != nil:
		limit = cancelPatience
	case a.Cluster != nil:
		limit = clusterPatience
	case a.NCCL != nil:
		limit = ncclPatience
	case a.Report != nil:
		limit = reportPatience
	case a.Waiting != nil:
		limit = waitingPatience
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		result := nav.Result{Ask: a}
		switch {
		case a.Log != nil:
			result.Log, result.Err = m.Controls.Log(ctx, *a.Log)
		case a.Cancel != nil:
			result.Err = m.Controls.Cancel(ctx, a.Cancel.Job, a.Cancel.Signal)
		case a.Cluster != nil:
			result.GPUs, result.Err = m.Controls.Cluster(ctx, a.Cluster.Fresh)
		case a.NCCL != nil:
			result.Verdict, result.Err = m.nccl.Job(ctx, a.NCCL.Job, a.NCCL.Places)
		case a.Waiting != nil:
			result.Wait, result.Err = m.Controls.Waiting(ctx, a.Waiting.Job)
		case a.Report != nil && m.Report == nil:
			result.Err = errNoReports
		case a.Report != nil:
			result.Report, result.Err = m.Report(ctx, a.Report.Job)
		default:
			result.Reply, result.Err = m.Controls.Ask(ctx, a.Node, a.Request)
		}
		return resultMsg{p, result}
	}
}
