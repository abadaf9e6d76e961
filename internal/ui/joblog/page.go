// Package joblog is the page of a job's log: its lines as they come, with a search and marks on those that matter.
//
// The page asks for pieces of the log, and shows the answers. Nothing is asked before the user has
// opened the page. From then on the log is followed once a second while the page is on the screen, and every 10 s while
// it is not: so findings can cite it, and the length of the log at the time of a finding is known.
package joblog

import (
	"context"
	"errors"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// often and seldom are the times between two pieces of a log that is followed, on the screen and off it.
	often, seldom = time.Second, 10 * time.Second
	// lost is the time after which no answer is waited for.
	lost = 20 * time.Second
	// maxTrails is the maximum number of logs whose lines to cite are remembered.
	maxTrails = 32
	// ahead is the number of bytes before a place in the log that are read with it.
	ahead = wire.MaxLog / 2
)

// log names one of the logs of a job.
type log struct {
	job string
	of  joblog.Stream
}

// Page shows the log of the selected job.
type Page struct {
	log
	window *joblog.Window // nil: nothing is followed
	trails map[log]*joblog.Trail

	piece joblog.Piece // the last one, for what it says about the file
	known bool         // there was one
	err   string       // why the last question had no answer; "": it had

	asked *joblog.Query // the question that has no answer yet
	back  bool          // it is for earlier lines
	at    time.Time     // of the last question
	older bool          // the user wants earlier lines
	later bool          // the user wants later lines, where he does not follow the log

	away  bool  // the user has left the end of the log: it is not followed
	top   int64 // offset of the first line on the screen, if he has
	left  int   // characters of the lines that are scrolled away
	match int64 // offset of the line that the user has searched for; negative: none

	goal time.Time // the place to show; zero: none

	search search
}

// New returns the page in its first state.
func New() *Page { return &Page{trails: map[log]*joblog.Trail{}, match: -1} }

// Arrive shows the log at the time of a finding, if one leads here.
func (p *Page) Arrive(s *part.Scene, to nav.Go) nav.Answer {
	p.Settle(s)
	if !to.At.IsZero() {
		p.goal = to.At
		return nav.Answer{Notice: p.seek()}
	}
	return nav.Answer{}
}

// Forget ends the following of a log when there is no job any more.
func (p *Page) Forget() { p.turn(log{}) }

// Settle turns to the log of the selected job.
func (p *Page) Settle(s *part.Scene) {
	if s.Job != nil && s.Job.ID != p.job {
		p.turn(log{job: s.Job.ID})
	}
}

// turn goes to another log. The line to cite stays.
func (p *Page) turn(to log) {
	*p = Page{log: to, trails: p.trails, match: -1, search: search{text: p.search.text}}
	if to.job != "" {
		p.open(-wire.MaxLog)
	}
}

// trail returns the Trail of the present log.
func (p *Page) trail() *joblog.Trail {
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

// Cites returns, by job, the line of its log that explains its failure best.
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
	if shown {
		pause = often
	}
	since := now.Sub(p.at)
	hurry := p.older || p.later
	switch {
	case p.window == nil, p.asked != nil && since < lost, p.away && !hurry, !hurry && since < pause,
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
		return nav.Answer{Taken: true, Notice: p.hear(r)}
	}
	if p.search.line != nil {
		return p.edit(msg, s)
	}
	k, _ := msg.(tea.KeyPressMsg)
	switch {
	case key.Matches(k, keys.Back) && p.search.text != "":
		p.search, p.match = search{}, -1
	case key.Matches(k, keys.Search):
		p.search.open()
	case key.Matches(k, keys.NextMatch):
		return nav.Answer{Taken: true, Notice: p.find(s, +1)}
	case key.Matches(k, keys.PrevMatch):
		return nav.Answer{Taken: true, Notice: p.find(s, -1)}
	case key.Matches(k, keys.Left, keys.Right):
		return nav.Answer{Taken: true, Notice: p.other()}
	case key.Matches(k, keys.CommandLeft):
		p.left = max(p.left-sideways, 0)
	case key.Matches(k, keys.CommandRight):
		p.left += sideways
	default:
		return p.scroll(msg, s)
	}
	return nav.Taken
}

// sideways is the number of characters that a key scrolls to the side.
const sideways = 20

// other turns to the other output of the job.
func (p *Page) other() (notice string) {
	if p.known && p.piece.Both {
		return "standard output and error go to the same file"
	}
	p.turn(log{p.job, joblog.Err - p.of})
	return ""
}

// hear takes a piece of the log.
func (p *Page) hear(r nav.Result) (notice string) {
	if r.Ask.Log == nil || r.Ask.Log != p.asked { // of a log that is not shown any more
		return ""
	}
	p.asked, p.older, p.later = nil, false, false
	if r.Err != nil {
		p.err = words(r.Err)
		return ""
	}
	p.piece, p.known, p.err = r.Log, true, ""
	p.piece.Data = nil
	if p.back {
		p.window.TakeBefore(&r.Log)
		return ""
	}
	p.window.Take(&r.Log)
	p.trail().Note(&r.Log, p.window)
	return p.seek()
}

// words are the reason why a question has no answer.
func words(err error) string {
	const most = 400
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer yet: SLURM, the node or the file system is slow"
	}
	return safe.Line(err.Error(), most)
}

// seek shows the log at the time of a finding, once it is known where that is.
func (p *Page) seek() (notice string) {
	if p.goal.IsZero() || p.window == nil {
		return ""
	}
	if at, known := p.trail().At(p.goal); known {
		if p.window.Known() && at >= p.window.From() && at <= p.window.To() {
			p.goal = time.Time{}
			p.away, p.top, p.match = true, at, at
		} else {
			p.open(max(at-ahead, 0))
		}
		return ""
	}
	if !p.window.Known() {
		return ""
	}
	goal, lines := p.goal, p.window.Lines()
	p.goal = time.Time{}
	if at, known := joblog.Stamped(lines, goal); known {
		p.away, p.top, p.match = true, lines[at].At, lines[at].At
		return ""
	}
	return "nothing says where the log was at " + goal.Format(time.TimeOnly) + ": this is its end"
}

// open reads the log anew from an offset, or from its end if that is negative.
func (p *Page) open(at int64) {
	p.window, p.asked, p.older = joblog.NewWindow(at), nil, false
	p.away, p.later, p.top = at >= 0, true, max(at, 0)
}
