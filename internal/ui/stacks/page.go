// Package stacks is the page of a job's stacks: its ranks in groups by what they do.
//
// The page asks the nodes when the user opens it, and again a moment later, so that it can say which ranks have moved.
// It asks nothing before that, and does not poll: the refresh key asks again. Each node of the job gets one question
// for each look. Its answer counts if it arrives within 5 s. The result also goes to other outputs: the finding that
// the job seems to hang, recordings, reports. While the screen shows a recording, or the past, the page shows what was
// known then, and asks nobody.
package stacks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl/ask"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

const (
	// listedBy is the time for which the page waits until all nodes have listed their processes.
	listedBy = 4 * time.Second
)

// Page shows what the ranks of the selected job do.
type Page struct {
	job  string
	step step
	from time.Time // when the user opened the page, or refreshed it

	places []stacks.Place
	exam   *stacks.Examination // nil: none has begun
	survey *stacks.Survey      // nil: none is in progress
	asked  []stacks.Question   // questions without an answer
	fresh  bool                // answers have arrived that doc does not include

	library *nav.NCCL   // the question to the job's library; nil: none yet
	lag     laggingRank // a rank that lags

	doc    *rankstacks.Verdict // nil: nothing is known yet
	past   bool                // doc is what was known at the time on the screen, and nobody is asked
	live   *rankstacks.Verdict // the newest verdict, kept while the page shows the past
	news   bool                // the other outputs do not have the result yet
	failed string              // why there is no result

	cursor nav.Cursor[string]
	seeks  origin     // where the user came from, until a key moves the cursor
	marked string     // the group to compare with; "": the largest
	sheet  *groupText // what is open on top of the groups; nil: nothing is
}

// step is what the page does next.
type step int

const (
	idle   step = iota
	begins      // as soon as the nodes have listed their processes
	looks       // the first look
	waits       // until it is time for the second look
	looksAgain
)

// New returns the page in its first state.
func New() *Page { return &Page{} }

// Wants returns the processes of all nodes.
func (p *Page) Wants(*part.Scene) nav.Wants { return nav.Wants{Everywhere: true} }

// Arrive starts to ask.
func (p *Page) Arrive(s *part.Scene, g nav.Go) nav.Answer {
	if s.Job != nil {
		p.begin(s.Job.ID)
		p.lag, p.seeks = lagOf(s, g), originOf(s, g)
	}
	return nav.Answer{}
}

// Forget resets the page when there is no job any more.
func (p *Page) Forget() { *p = Page{} }

// Leave closes the sheet on top of the groups.
func (p *Page) Leave() { p.sheet = nil }

// begin starts to ask again. What is known about the job stays until there is something newer.
func (p *Page) begin(job string) {
	was := *p
	*p = Page{job: job, step: begins, past: was.past}
	if was.job == job {
		p.lag = laggingRank{node: was.lag.node, gpu: was.lag.gpu}
		p.doc, p.live, p.cursor, p.marked = was.doc, was.live, was.cursor, was.marked
	}
}

// Due returns the questions that are due now. shown says that the page is on the screen.
func (p *Page) Due(now time.Time, s *part.Scene, shown bool) nav.Answer {
	if p.from.IsZero() {
		p.from = now
	}
	if p.past {
		return nav.Answer{}
	}
	before := p.library
	switch p.step {
	case begins:
		if shown {
			p.startFirstLook(now, s)
		}
	case waits:
		if shown && !now.Before(p.exam.Due(stacks.Between)) {
			p.startLook(now, s)
			p.step = looksAgain
		}
	case looks, looksAgain:
		if now.Sub(p.survey.Look().At) >= stacks.AnswersBy {
			p.survey.GiveUp(stacks.AnswersBy)
		}
		p.advanceSurvey()
	}
	fresh := p.library
	answer := nav.Answer{Ask: p.nextQuestions(), Stacks: p.takeNews(shown)}
	if fresh != before && fresh != nil {
		answer.Ask = append(answer.Ask, nav.Ask{NCCL: fresh})
	}
	return answer
}

// startFirstLook begins the first look as soon as the job's processes are known.
func (p *Page) startFirstLook(now time.Time, s *part.Scene) {
	places, ready := hang.PlacesOf(s.Snap, s.Job)
	switch {
	case !ready && now.Sub(p.from) < listedBy:
		return
	case len(places) == 0:
		p.failed = part.NoProcessesOfJob(&part.Frame{Scene: s})
		p.step = idle
		return
	}
	p.places, p.exam = places, stacks.Examine(p.job, places)
	p.startLook(now, s)
	p.step = looks
	p.library = &nav.NCCL{Job: p.job, Places: ask.Places(s.Snap, s.Job)}
}

// startLook begins a look at the job's processes.
func (p *Page) startLook(now time.Time, s *part.Scene) {
	var gpus stacks.GPUs
	if s.Job != nil && s.Job.ID == p.job {
		gpus = stacks.GPUsOf(s.Snap, s.Job, p.places)
	}
	p.survey = p.exam.Survey(now, gpus)
	p.asked, p.fresh = nil, true
}

// nextQuestions returns the next questions, as many as may be open at a time.
func (p *Page) nextQuestions() (asks []nav.Ask) {
	for p.survey != nil && len(p.asked) < stacks.Abreast {
		q, is := p.survey.Next()
		if !is {
			break
		}
		p.asked = append(p.asked, q)
		asks = append(asks, nav.Ask{Node: q.Node, Request: q.Request})
	}
	return asks
}

// handleResult stores an answer, and asks the next question.
func (p *Page) handleResult(r nav.Result) nav.Answer {
	if r.NCCL != nil {
		if r.NCCL == p.library && r.Err == nil {
			p.exam.Hear(stacks.OfNCCL(r.Verdict.Verdict))
			p.updateDocument()
		}
		return nav.Answer{Taken: true, Stacks: p.takeNews(true)}
	}
	at := slices.IndexFunc(p.asked, func(q stacks.Question) bool { return q.Request.Stacks == r.Request.Stacks })
	if at < 0 || p.survey == nil || p.survey.Over() { // from a look that is over
		return nav.Taken
	}
	q := p.asked[at]
	p.asked = slices.Delete(p.asked, at, at+1)
	p.survey.Take(q, &r.Reply, r.Err)
	p.fresh = true
	if p.survey.Over() {
		p.advanceSurvey()
	}
	return nav.Answer{Taken: true, Ask: p.nextQuestions(), Stacks: p.takeNews(true)}
}

// advanceSurvey adds what is known by now to the document. Once the survey is over, the page waits for the next look,
// or is idle.
func (p *Page) advanceSurvey() {
	if p.survey == nil || !p.fresh && !p.survey.Over() {
		return
	}
	p.fresh = false
	look := p.survey.Look()
	if p.step == looks || p.survey.Over() {
		p.exam.Take(look, p.survey.Over())
		p.updateDocument()
	}
	if !p.survey.Over() {
		return
	}
	if p.survey = nil; p.lag.addLook(look) || p.step == looks {
		p.step = waits
	} else {
		p.step = idle
	}
}

// updateDocument makes the document from what is known. It is news once there are two complete looks.
func (p *Page) updateDocument() {
	d := p.exam.Document()
	if d == nil {
		return
	}
	p.news = p.exam.Compared()
	if p.past {
		p.live = d
	} else {
		p.doc = d
	}
}

// takeNews returns the result if it is news for the other outputs, and no answer is expected soon. A further look does
// not count if the page is not shown: it waits for the user, who may not return.
func (p *Page) takeNews(shown bool) *rankstacks.Verdict {
	if !p.news || p.step != idle && (p.step != waits || shown) {
		return nil
	}
	p.news = false
	if p.past {
		return p.live
	}
	return p.doc
}

// Press answers a key, the mouse, or the answer of a node.
func (p *Page) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if r, is := msg.(nav.Result); is {
		return p.handleResult(r)
	}
	if p.sheet != nil {
		return p.onSheet(msg, s)
	}
	rows := p.listRows()
	l := p.cursorList(s, rows)
	if _, moved := p.cursor.Move(msg, l); moved {
		p.seeks = origin{}
		return nav.Taken
	}
	if click, is := msg.(tea.MouseClickMsg); is {
		at, again := p.cursor.Click(click, l, p.firstListRow(s))
		if p.seeks = (origin{}); again {
			p.openRow(rows[at])
		}
		return nav.Answer{Taken: at >= 0}
	}
	return code.Do(p, msg, s)
}

// code is the code of the page's own actions.
var code = nav.CodeTable[*Page]{
	{Of: keys.Refresh, Do: refreshNow},
	{Of: keys.Open, Do: ofRow(func(p *Page, on groupRow) nav.Answer { p.openRow(on); return nav.Taken })},
	{Of: keys.MarkStack, Do: ofRow(markRow)},
	{Of: keys.CompareStacks, Do: ofRow((*Page).compareGroups)},
	{Of: keys.CopyLine, Do: ofRow(func(_ *Page, on groupRow) nav.Answer {
		return copyText("the group", hang.GroupText(on.group, on.refusal))
	})},
	{Of: keys.CopyAll, Do: ofRow(func(p *Page, _ groupRow) nav.Answer {
		return copyText("all groups", hang.VerdictText(p.doc, hang.FullText))
	})},
}

// Actions returns the actions that have code.
func (p *Page) Actions() []key.Binding { return slices.Concat(code.Actions(), nav.Moves) }

// ofRow is the code of an action on the row under the cursor, if there is one.
func ofRow(do func(p *Page, on groupRow) nav.Answer) func(*Page, *part.Scene) nav.Answer {
	return func(p *Page, s *part.Scene) nav.Answer {
		rows := p.listRows()
		if len(rows) == 0 {
			return nav.Answer{}
		}
		return do(p, rows[p.cursor.At(p.cursorList(s, rows))])
	}
}

// refreshNow looks again. SLURM is asked, too.
func refreshNow(p *Page, _ *part.Scene) nav.Answer {
	if !p.past {
		p.begin(p.job)
	}
	return nav.Answer{}
}

// markRow marks the row with which to compare others, or removes the mark.
func markRow(p *Page, on groupRow) nav.Answer {
	if p.marked == on.key {
		p.marked = ""
	} else {
		p.marked = on.key
	}
	return nav.Taken
}

func copyText(what, text string) nav.Answer {
	return nav.Answer{Taken: true, Copy: text, Notice: "copied, if your terminal lets programs copy (OSC 52): " + what}
}

// groupRow is a row of the list: a group, or the ranks that have no stack for the same reason.
type groupRow struct {
	key     string
	group   *rankstacks.Group
	refusal *rankstacks.Refusal
}

// listRows returns the groups, and then the reasons.
func (p *Page) listRows() (rows []groupRow) {
	if p.doc == nil {
		return nil
	}
	for i := range p.doc.Groups {
		g := &p.doc.Groups[i]
		rows = append(rows, groupRow{key: groupKey(g), group: g})
	}
	for _, r := range hang.Ungrouped(p.doc) {
		rows = append(rows, groupRow{key: "r" + r.ID + "\x00" + r.Cause + "\x00" + r.Hint, refusal: r})
	}
	return rows
}

// groupKey identifies a group. It is made of all frames, since two groups may have the same summary, which has at most
// three frames. Lines are left out, so that ranks that move on keep their group. Ranks that are stopped or have ended
// have another key than ranks that run at the same place.
func groupKey(g *rankstacks.Group) string {
	if len(g.Frames) == 0 && g.Summary == "" { // a recording without names
		return fmt.Sprintf("g%s %d", g.Ranks[0].Node, g.Ranks[0].PID)
	}
	if len(g.Frames) == 0 {
		return fmt.Sprintf("g%t%s\x00%s", g.Vague, g.Summary, g.Cause)
	}
	key := strings.Builder{}
	key.WriteByte('g')
	if state := g.Ranks[0].State; strings.Contains("TtZX", state) {
		key.WriteString(strings.ToUpper(state))
	}
	for i := range g.Frames {
		key.WriteString("\x00" + g.Frames[i].Function + "\x00" + g.Frames[i].File)
	}
	return key.String()
}
