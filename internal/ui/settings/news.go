package settings

import (
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// News is a way to tell the user what happens to jobs.
type News struct {
	Way string
	On  bool   // the user's settings name it
	Not string // the reason why it cannot be used; "": it can
}

// Tried is the message that a test message was sent, or why it was not.
type Tried struct {
	Way string
	Err error
}

// NewsTitle is the title of the ways, and a choice for Arrive.
const NewsTitle = "Notifications about your jobs"

// tries are the test messages of the page.
type tries struct {
	wants string // the way that the user wants to try; "": none
	last  *Tried // nil: there was none, or one is in progress
	on    string // the way that is being tried; "": none
}

// newsRows are the lines of the ways.
func (p *Page) newsRows() (rows []row) {
	if len(p.News) == 0 {
		return nil
	}
	rows = append(rows, row{what: news})
	for _, n := range p.News {
		rows = append(rows, row{what: news, name: n.Way})
	}
	return rows
}

// Ways returns the names of the ways that can be tried.
func (p *Page) Ways() (names []string) {
	for _, n := range p.News {
		if n.Not == "" {
			names = append(names, n.Way)
		}
	}
	return names
}

// startTest requests a test message. Only one runs at a time.
func (p *Page) startTest(way string) {
	for _, n := range p.News {
		switch {
		case n.Way != way || p.tries.on != "":
		case n.Not == "":
			p.tries = tries{wants: way, on: way}
		default:
			p.tries.last = &Tried{Way: way, Err: errNot(n.Not)}
		}
	}
}

type errNot string

func (e errNot) Error() string { return string(e) }

// Wanted returns, once, the way that the user wants to try; "": none.
func (p *Page) Wanted() (way string) {
	way, p.tries.wants = p.tries.wants, ""
	return way
}

// Answered stores the result of a test message.
func (p *Page) Answered(t Tried) { p.tries = tries{last: &t} }

// testStatus says how the test message is going; "": there is none.
func (t *tries) testStatus() (string, draw.Role) {
	switch {
	case t.on != "":
		return "sending a test message by " + t.on, draw.Dim
	case t.last == nil:
		return "", draw.Dim
	case t.last.Err != nil:
		return "no message by " + t.last.Way + ": " + t.last.Err.Error(), draw.Crit
	}
	return "a test message was sent by " + t.last.Way, draw.Strong
}

// drawChannel draws a way of notification: whether it is on, and if not, why.
func (p *Page) drawChannel(f *part.Frame, y int, r row) {
	for _, n := range p.News {
		if n.Way != r.name {
			continue
		}
		test := f.KeyName(keys.Name(keys.NextValue))
		state, about := "off", test+" tests it; notify.ways turns it on"
		if n.On {
			state, about = "on", test+" tests it: sends a message"
		}
		if n.Not != "" {
			about = n.Not
		}
		f.Left(label+2, y, valueAt-label-3, n.Way, draw.Text)
		f.Left(valueAt, y, aboutAt-valueAt-1, state, draw.Strong)
		f.Left(aboutAt, y, f.W-aboutAt-1, about, draw.Dim)
	}
}
