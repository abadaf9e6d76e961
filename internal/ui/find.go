package ui

import (
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/palette"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// find opens the palette over the page that has the keyboard: to search for anything, or as the help of the page.
func (v *view) find(s *part.Scene, anything bool) {
	v.palette.Open(v.paletteSource(v.focusedKeys(s), v.subjectText(s), anything))
}

// subjectText names the subject of the actions.
func (v *view) subjectText(s *part.Scene) string {
	at := string(v.focusedKeys(s))
	if p, is := v.chosenPage().(subjectNamer); is && s.Job != nil {
		if on := p.Subject(s); on != "" {
			return at + ": " + on
		}
	}
	switch {
	case s.Job == nil:
		return at
	case s.Node == nil || !v.hasProperty(keys.HasNode):
		return at + " of job " + s.Job.ID
	}
	return at + ", " + s.Node.Name + ", job " + s.Job.ID
}

// paletteSource collects the items of the palette over a page.
func (m keymap) paletteSource(at keys.Page, about string, anything bool) *palette.Source {
	elsewhere := palette.Pointers(m.otherPagesActions(at))
	return &palette.Source{
		About: about, Finds: anything,
		Here:  func(s *part.Scene) []palette.Item { return append(m.pageActions(at, s), palette.Explained(s)...) },
		There: func(s *part.Scene) []*palette.Item { return append(thingsOf(s), elsewhere...) },
	}
}

// pageActions returns the actions of a page, group by group.
func (m keymap) pageActions(at keys.Page, s *part.Scene) (list []palette.Item) {
	rows := m.helpOf(at)
	if s.Replay {
		rows = keys.InReplay(rows)
	}
	for _, a := range keys.Actions(rows) {
		needs := a.Needs
		if e := pageOfDigit(a.Do()); e != nil && e.has&keys.IsAside == 0 {
			needs |= keys.NeedsJob
		}
		list = append(list, paletteItem(&a, footer.WhyNoEffect(s, needs)))
	}
	return list
}

func paletteItem(a *keys.Action, not string) palette.Item {
	it := palette.Item{Group: keys.Groups[a.Group], Text: a.Text, Key: a.Keys, Do: a.Do(), Not: not}
	if a.Long != a.Text {
		it.Note = a.Long
	}
	return it
}

// otherPagesActions returns the actions that only other pages have, with the names of those pages.
func (m keymap) otherPagesActions(at keys.Page) (list []palette.Item) {
	known := map[string]bool{}
	for _, a := range m.actionsOf(at) {
		known[a.ID] = true
	}
	for i := range pages {
		e := &pages[i]
		if len(e.number.Keys()) == 0 {
			continue
		}
		for _, a := range m.actionsOf(e.id) {
			if !known[a.ID] {
				list = append(list, paletteItem(&a, "on the page "+e.number.Help().Desc+" ("+e.number.Help().Key+")"))
			}
			known[a.ID] = true
		}
	}
	return list
}

// thingsOf returns everything with a name: pages, and the things of the Scene.
func thingsOf(s *part.Scene) (list []*palette.Item) {
	for i := range pages {
		if e := &pages[i]; len(e.number.Keys()) > 0 && (s.Job != nil || e.has&keys.IsAside != 0) {
			list = append(list, &palette.Item{Text: "page: " + e.number.Help().Desc, Key: e.number.Help().Key,
				Do: keys.Pressed(e.number.Keys()[0])})
		}
	}
	return append(list, palette.FindItems(s)...)
}
