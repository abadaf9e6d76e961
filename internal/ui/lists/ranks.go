package lists

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Ranks lists the processes of all nodes of the job by rank, including the ranks without a process. The node of the row
// under the cursor is the selected node.
type Ranks struct {
	*list.List[tally.RankRow, rank]
	of string // ID of the job for which the cursor was placed
}

// rank identifies a row, even after the rows are sorted again.
type rank struct {
	node          string
	rank, number  int
	pid, gpuIndex int
}

func rankOf(r *tally.RankRow) rank {
	p := rank{node: r.Node, rank: -1, number: r.Number}
	if r.Rank != nil {
		p.rank = r.Rank.Rank
	}
	if r.Process != nil {
		p.pid, p.gpuIndex = r.Process.PID, r.Process.GPU
	}
	return p
}

// NewRanks returns the page in its first state.
func NewRanks(past *footer.History) *Ranks {
	p := &Ranks{}
	p.List = list.New(past, list.Of[tally.RankRow, rank]{
		Name: func(s *part.Scene) string { return "Ranks" + ofJob(s) }, Noun: "rows", OfJob: true,
		Rows: func(s *part.Scene) []tally.RankRow { return tally.Ranks(s.Snap, s.Job) }, Key: rankOf, Class: classOf,
		Reads: list.By(&rows.Processes, func(s *part.Scene) func(*tally.RankRow) *rows.Process {
			return (&rows.Rank{Snapshot: s.Snap, Job: s.Job, Findings: s.Health.ByNode}).Of
		}),
		Orders: rankOrders(), Usual: append([]string{"rank"}, field.Keys(rows.RankOrders)...),
		Node: func(r *tally.RankRow) string { return r.Node },
		On:   onRank, Open: openRank, Own: nav.BindCode(ranksCode, p), Problem: inTrouble,
		Header: func(f *part.Frame) { header.Draw(f, false) }, Count: p.writeCount, Above: p.whyNoRanks,
		Table: func(f *part.Frame, v *list.View[tally.RankRow]) list.Table[tally.RankRow] {
			return table.NewRanks(f, v.Find(func(r *tally.RankRow) bool { return r.Program > 0 }) >= 0)
		},
		None: part.NoProcessesOfJob, Detail: fullRank,
		Hints: []keys.Hint{keys.HintOf(keys.Open), keys.HintOf(keys.Worst), keys.Jobs, keys.HintOf(keys.Filter),
			keys.Problem, keys.HintOf(keys.Problems), keys.HintOf(keys.Refresh)},
		Opens: rankOpens, RowHints: rankHints,
		Wants: nav.Wants{Everywhere: true},
	})
	return p
}

// noProcess is why a row takes no signal.
const noProcess = "there is no process to send a signal to"

// Settle tells the scene whether the process under the cursor takes signals.
func (p *Ranks) Settle(s *part.Scene) {
	s.NoSignal = noProcess
	if v := p.View(s); v.Len() > 0 {
		if r := v.At(p.At(s)); r.Process != nil {
			t := tally.TargetOf(s.Snap, s.NodeOf(r.Node), r.Process)
			s.NoSignal = t.WhyNoSignal(s.Snap)
		}
	}
}

// rankOrders begin with the slowest, or with the rank whose memory runs out first.
func rankOrders() []list.Order[tally.RankRow] {
	orders := []list.Order[tally.RankRow]{{Column: "rank", AsListed: true}, {Column: "node"}, {Column: "gpu"},
		{Column: "pid"}}
	for _, f := range rows.RankNumbers {
		o := list.Order[tally.RankRow]{Column: f.Key, LowFirst: f.Pace}
		if f.Key == "memory_peak_percent" {
			o.Number = func(r *tally.RankRow) (float64, bool) { return rows.MemoryUrgency(r.GPU) }
		}
		orders = append(orders, o)
	}
	return orders
}

// classOf separates rows whatever the order: gone or missing ranks, processes with a rank, processes without one, and
// unknown ranks.
func classOf(r *tally.RankRow) int {
	switch {
	case r.State == tally.RankGone, r.State == tally.RankUnseen:
		return 0
	case r.Process == nil:
		return 3
	case r.Rank == nil:
		return 2
	}
	return 1
}

// Arrive puts the cursor on the worst row of the selected node. The first time that the user comes for a job, without
// having chosen a node, it puts the cursor on the rank that holds the job up. Later, a cursor that is already on the
// selected node stays. A column of choice sorts the ranks.
func (p *Ranks) Arrive(s *part.Scene, to nav.Go) nav.Answer {
	if to.Choice != "" {
		p.Sorted = p.By(to.Choice, false)
		p.of = s.Job.ID
		p.Top()
		return p.GoTo(s, 0)
	}
	v, first := p.View(s), p.of != s.Job.ID
	p.of = s.Job.ID
	here := func(r *tally.RankRow) bool { return r.Node == s.Node.Name }
	at := v.Find(func(r *tally.RankRow) bool { return here(r) && rankOf(r) == p.Cursor() })
	if !first && at >= 0 {
		return p.GoTo(s, at)
	}
	p.Top()
	at = mostUrgentRow(s, v, func(*tally.RankRow) bool { return true })
	if first && to.Job != "" && at >= 0 && rankUrgency(s, v.At(at)) >= holdsUp {
		return p.GoTo(s, at)
	}
	return p.GoTo(s, max(mostUrgentRow(s, v, here), 0))
}

// mostUrgentRow returns the index of the first of the most urgent rows for which among is true, -1 if there are none.
func mostUrgentRow(s *part.Scene, v *list.View[tally.RankRow], among func(r *tally.RankRow) bool) int {
	at, most := -1, -1
	for i := range v.Len() {
		if !among(v.At(i)) {
			continue
		}
		if u := rankUrgency(s, v.At(i)); u > most {
			at, most = i, u
		}
	}
	return at
}

// rankUrgency orders rows by how bad they are. Among equal rows, those that slow the job come first.
func rankUrgency(s *part.Scene, r *tally.RankRow) (u int) {
	switch header.RankRole(s, r) {
	case draw.Warn:
		u = 1
	case draw.Crit:
		u = holdsUp + 1
	default:
		return 0
	}
	if slowsJob(s, r) {
		u++
	}
	return u
}

// holdsUp is the lowest urgency at which a rank holds up the whole job: the rank is slow, missing or gone, or its GPU
// is lost.
const holdsUp = 2

// slowsJob reports whether the job waits for a rank.
func slowsJob(s *part.Scene, r *tally.RankRow) bool {
	if r.State == tally.RankGone || r.State == tally.RankUnseen {
		return true
	}
	return r.GPU != nil && slices.ContainsFunc(s.Health.OfGPU(r.Node, r.GPU),
		func(f *cluster.Finding) bool { return f.Kind.SlowsJob() })
}

// inTrouble reports whether a row has a warning or an error. The ranks of a node that does not report do not count.
func inTrouble(s *part.Scene, r *tally.RankRow) bool {
	role := header.RankRole(s, r)
	return role == draw.Warn || role == draw.Crit
}

// onRank selects the node of a row.
func onRank(_ *part.Scene, r *tally.RankRow) nav.Answer { return nav.To(nav.Go{Node: r.Node}) }

// openRank goes to the GPU of a row, or to its node.
func openRank(s *part.Scene, r *tally.RankRow) nav.Answer {
	a := onRank(s, r)
	switch {
	case r.Node == "":
	case r.GPU != nil && tally.Shows(s.NodeOf(r.Node)):
		a.Page, a.GPU = keys.OnGPU, r.GPU.Key
	default:
		a.Page = keys.OnNode
	}
	return a
}

// rankOpens says what openRank opens: a rank that was never seen has no place.
func rankOpens(_ *part.Scene, r *tally.RankRow) string {
	if r.Node == "" {
		return ""
	}
	return keys.Open.Help().Desc
}

// rankHints has the key of the signals, if the process takes them.
func rankHints(s *part.Scene, _ *tally.RankRow) []keys.Hint {
	if footer.WhyNoEffect(s, keys.NeedsSignals|keys.NeedsProcess) != "" {
		return nil
	}
	return []keys.Hint{keys.HintOf(keys.SignalTerm).As("signal")}
}

// ranksCode is the code of the page's own actions.
var ranksCode = nav.CodeTable[*Ranks]{
	{Of: keys.SignalInt, Do: signalBy(keys.SignalInt)},
	{Of: keys.SignalTerm, Do: signalBy(keys.SignalTerm)},
	{Of: keys.SignalKill, Do: signalBy(keys.SignalKill)},
	{Of: keys.SignalAny, Do: signalBy(keys.SignalAny)},
	{Of: keys.Renice, Do: signalBy(keys.Renice)},
}

func signalBy(of key.Binding) func(*Ranks, *part.Scene) nav.Answer {
	return func(p *Ranks, s *part.Scene) nav.Answer { return p.signalRank(s, keys.Pressed(of.Keys()[0])) }
}

// signalRank goes to the process under the cursor on the page of processes, where the key opens the dialog about the
// signal.
func (p *Ranks) signalRank(s *part.Scene, k tea.KeyPressMsg) nav.Answer {
	v, at := p.View(s), p.At(s)
	a := p.GoTo(s, at)
	if a.Notice = s.Forbidden(); a.Notice != "" || a.Node == "" {
		return a
	}
	r := v.At(at)
	if r.Process == nil {
		a.Notice = noProcess
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
