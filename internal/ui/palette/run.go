package palette

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// runAction does the action under the cursor. If it cannot be done now, or belongs to a thing that the user has not
// named, it says so, or asks.
func (p *Page) runAction(l shownItems, s *part.Scene) nav.Answer {
	if p.said = p.whyNothingRuns(l); p.said != "" {
		return nav.Taken
	}
	it := l.items[p.cursor.At(l.List)]
	p.used[it.Text]++
	if it.Away && it.Subject != 0 {
		return p.askSubject(it, s)
	}
	return p.run(it)
}

// whyNothingRuns says why Enter runs nothing; "": it runs the item under the cursor.
func (p *Page) whyNothingRuns(l shownItems) string {
	if len(l.items) == 0 {
		return "nothing to run: no name or word matches"
	}
	switch it := l.items[p.cursor.At(l.List)]; {
	case !p.hasChoice(l):
		return "no name or word matches: " + keys.Name(keys.Down) + " chooses one of these, which have only the letters"
	case it.Not != "":
		return "not now: " + it.Not
	case !it.Runs():
		return strconv.Quote(it.Text) + " is explained here: there is nothing to run"
	}
	return ""
}

// askSubject asks on which thing an action of another page is to be done. If there is only one, it is done there. The
// row of a list can only be chosen on its page.
func (p *Page) askSubject(it *Item, s *part.Scene) nav.Answer {
	if it.Subject == keys.OfRow {
		return p.leadThere(it)
	}
	things := p.of.Which(it, s)
	switch {
	case len(things) == 0:
		return p.leadThere(it)
	case len(things) == 1 && things[0].Not == "":
		return p.run(&things[0])
	}
	which := p.of.Which
	p.Open(&Source{
		About: it.Text + ": " + Question(it.Subject), Finds: true,
		Here:  func(s *part.Scene) []Item { return withGroup(Question(it.Subject), which(it, s)) },
		There: func(*part.Scene) []*Item { return nil },
	})
	return nav.Taken
}

// Question asks for a subject.
func Question(of keys.Subject) string {
	switch of {
	case keys.OfProcess:
		return "which rank or process?"
	case keys.OfNode:
		return "which node?"
	}
	return "which job?"
}

// leadThere goes to the page of an action, and says how it is done there.
func (p *Page) leadThere(it *Item) nav.Answer {
	p.open = false
	a := nav.To(it.Go)
	a.Notice = it.Text + ": choose the row, then press " + it.Key
	return a
}

// run closes the palette and does what an item stands for.
func (p *Page) run(it *Item) nav.Answer {
	p.open = false
	a := nav.To(it.Go)
	if a.Copy = it.Copy; a.Copy != "" {
		a.Notice = "copied, if your terminal lets programs copy (OSC 52): " + it.Copy
	}
	for _, next := range []tea.Msg{it.Do, it.Then} {
		if next != nil {
			a.Do = append(a.Do, next)
		}
	}
	return a
}
