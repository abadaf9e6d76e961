// Package joblog is the page of a job's log: its lines as they arrive, with a search and marks on important lines. The
// page with the report of a job that has ended is here too.
//
// The page asks for pieces of the log, and shows the answers. It asks for nothing until the user opens the page. From
// then on it reads new lines once a second while the page is on the screen, and every 10 s while it is not. That way
// findings can cite the log, and its length at the time of a finding is known.
package joblog

import (
	"context"
	"errors"
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// often and seldom are the times between two pieces of a log that is followed, on the screen and off it.
	often, seldom = time.Second, 10 * time.Second
	// late is the time after which the page stops waiting for an answer.
	late = 20 * time.Second
	// maxTrails is the maximum number of logs for which the lines to cite are remembered.
	maxTrails = 32
)

// log names one of the logs of a job.
type log struct {
	job string
	of  joblog.Stream
}

// Page shows the log of the selected job, or of a job that has ended.
type Page struct {
	log
	window *joblog.Window // nil: no log is followed
	trails map[log]*joblog.Trail

	piece joblog.Piece // the last one, for its facts about the file
	known bool         // piece is set
	err   string       // why the last question had no answer; "": it had one

	asked *joblog.Query // the question that has no answer yet
	back  bool          // asked is for earlier lines
	at    time.Time     // of the last question
	older bool          // the user wants earlier lines
	later bool          // the user wants later lines, and does not follow the log

	away  bool  // the user has left the end of the log: it is not followed
	top   int64 // offset of the first line on the screen, if away
	left  int   // characters at the left of the lines that are scrolled away
	match int64 // offset of the line that the search has found; negative: none

	hunt   timeSearch
	search search

	open   bool              // the page is on the screen
	held   bool              // it stays with its job, which the user has named, or which has ended on the screen
	beside string            // the job that is selected meanwhile
	ended  *cluster.EndedJob // what is known about the end of the job; nil: nothing
}

// New returns the page in its first state.
func New() *Page { return &Page{trails: map[log]*joblog.Trail{}, match: -1} }

// Arrive shows the log of the selected job, or of the job that the user has named. If a finding leads here, the log is
// shown at its time.
func (p *Page) Arrive(s *part.Scene, to nav.Go) nav.Answer {
	p.open, p.held = false, false
	if to.Log == "" {
		p.Settle(s)
	} else {
		p.holdJob(to.Log, s)
	}
	p.open = true
	p.hunt = timeSearch{goal: to.At}
	return nav.Answer{Notice: p.seekFinding()}
}

// Leave ends the stay with a job that is not the selected one.
func (p *Page) Leave() { p.open, p.held = false, false }

// Forget stops following the log when there is no job any more. The log of a job that has ended on the screen stays
// there.
func (p *Page) Forget() {
	if p.open && p.job != "" {
		p.held = true
	} else {
		p.switchLog(log{})
	}
}

// Settle turns to the log of the selected job. The log of a job that has ended on the screen stays there until the user
// selects another job.
func (p *Page) Settle(s *part.Scene) {
	p.ended = nil
	if s.Snap != nil {
		if at := slices.IndexFunc(s.Snap.Discovery.Ended,
			func(e cluster.EndedJob) bool { return e.ID == p.job }); at >= 0 {
			p.ended = &s.Snap.Discovery.Ended[at]
		}
	}
	switch {
	case s.Job == nil:
	case p.held && (p.beside == s.Job.ID || !isListedJob(s, p.beside)):
		p.beside = s.Job.ID
	case p.open && !p.held && p.job != "" && s.Job.ID != p.job && !isListedJob(s, p.job):
		p.holdJob(p.job, s)
	default:
		if p.held = false; s.Job.ID != p.job {
			p.switchLog(log{job: s.Job.ID})
		}
	}
}

// isListedJob reports whether a job is one of those that can be selected.
func isListedJob(s *part.Scene, job string) bool {
	return s.Snap == nil || slices.ContainsFunc(s.Snap.Jobs, func(j cluster.JobView) bool { return j.ID == job })
}

// holdJob makes the page stay with the log of a job.
func (p *Page) holdJob(job string, s *part.Scene) {
	if job != p.job {
		p.switchLog(log{job: job})
	}
	if p.held, p.beside = true, ""; s.Job != nil {
		p.beside = s.Job.ID
	}
}

// switchLog goes to another log. The trails, which have the lines to cite, are kept.
func (p *Page) switchLog(to log) {
	*p = Page{log: to, trails: p.trails, match: -1, search: search{text: p.search.text}, open: p.open}
	if to.job != "" {
		p.readFrom(-wire.MaxLog)
	}
}

func (p *Page) currentTrail() *joblog.Trail {
	t := p.trails[p.log]
	if t == nil {
		if len(p.trails) == maxTrails {
			clear(p.trails)
		}
		t = &joblog.Trail{}
		p.trails[p.log] = t
	}
	return t
}

// Cites returns, for each job, the line of its log that explains its failure best.
func (p *Page) Cites() map[string]joblog.Cite {
	if len(p.trails) == 0 {
		return nil
	}
	cites := map[string]joblog.Cite{}
	for l, t := range p.trails {
		if c, is := t.Cite(); is {
			if other, too := cites[l.job]; !too || other.When.Before(c.When) {
				cites[l.job] = c
			}
		}
	}
	return cites
}

// Due returns the question that is due now. shown says that the page is on the screen.
func (p *Page) Due(now time.Time, shown bool) nav.Answer {
	pause := seldom
	if shown && p.ended == nil {
		pause = often
	}
	since := now.Sub(p.at)
	hurry := p.older || p.later
	switch {
	case p.window == nil, p.asked != nil && since < late, p.away && !hurry, !hurry && since < pause,
		p.err != "" && (since < pause || !shown):
		return nav.Answer{}
	}
	want := p.window.Next(!p.away)
	if p.back = p.older; p.older {
		want = p.window.Before()
	}
	q := joblog.Ask(p.job, p.of, want)
	p.asked, p.at = &q, now
	return nav.Answer{Ask: []nav.Ask{{Log: p.asked}}}
}

// Press answers a key, the wheel, or a piece of the log.
func (p *Page) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	if r, is := msg.(nav.Result); is {
		return nav.Answer{Taken: true, Notice: p.handleResult(r)}
	}
	p.hunt = timeSearch{}
	if p.search.line != nil {
		return p.editSearch(msg, s)
	}
	if a := code.Do(p, msg, s); a.Taken {
		return a
	}
	return p.scrollLog(msg, s)
}

// code is the code of the page's own actions.
var code = nav.CodeTable[*Page]{
	{Of: keys.Back, Do: endSearch},
	{Of: keys.Search, Do: nav.ChangePage(func(p *Page) { p.search.openInput() })},
	{Of: keys.NextMatch, Do: toMatch(+1)},
	{Of: keys.PrevMatch, Do: toMatch(-1)},
	{Of: keys.Left, Do: turnToOther},
	{Of: keys.Right, Do: turnToOther},
	{Of: keys.CommandLeft, Do: nav.ChangePage(func(p *Page) { p.left = max(p.left-sideways, 0) })},
	{Of: keys.CommandRight, Do: nav.ChangePage(func(p *Page) { p.left += sideways })},
	{Of: keys.First, Do: toBeginning},
	{Of: keys.Last, Do: toEnd},
}

// Actions returns the actions that have code.
func (p *Page) Actions() []key.Binding { return slices.Concat(code.Actions(), nav.Moves) }

// endSearch ends the search, if there is one.
func endSearch(p *Page, _ *part.Scene) nav.Answer {
	if p.search.text == "" {
		return nav.Answer{}
	}
	p.search, p.match = search{}, -1
	return nav.Taken
}

// toMatch is the code of an action that goes to a match.
func toMatch(by int) func(*Page, *part.Scene) nav.Answer {
	return func(p *Page, s *part.Scene) nav.Answer {
		return nav.Answer{Taken: true, Notice: p.goToNextMatch(s, by)}
	}
}

func turnToOther(p *Page, _ *part.Scene) nav.Answer {
	return nav.Answer{Taken: true, Notice: switchStream(p)}
}

// sideways is the number of characters that a key scrolls to the side.
const sideways = 20

// switchStream goes to the other output of the job.
func switchStream(p *Page) (notice string) {
	if p.known && p.piece.Both {
		return "standard output and error go to the same file"
	}
	p.switchLog(log{p.job, joblog.Err - p.of})
	return ""
}

// handleResult adds a piece of the log.
func (p *Page) handleResult(r nav.Result) (notice string) {
	if r.Ask.Log == nil || r.Ask.Log != p.asked { // a log that is not shown any more
		return ""
	}
	p.asked, p.older, p.later = nil, false, false
	if r.Err != nil {
		p.err = errorText(r.Err)
		return ""
	}
	p.piece, p.known, p.err = r.Log, true, ""
	p.piece.Data = nil
	if p.back {
		p.window.TakeBefore(&r.Log)
		return ""
	}
	p.window.Take(&r.Log)
	p.currentTrail().Note(&r.Log, p.window)
	return p.seekFinding()
}

// errorText is the reason why a question has no answer.
func errorText(err error) string {
	const most = 400
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer yet: SLURM, the node or the file system is slow"
	}
	return safe.Line(err.Error(), most)
}

// readFrom reads the log again from an offset, or from its end if the offset is negative.
func (p *Page) readFrom(at int64) {
	p.window, p.asked, p.older = joblog.NewWindow(at), nil, false
	p.away, p.later, p.top = at >= 0, true, max(at, 0)
}
