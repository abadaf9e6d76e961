package ui

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

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
	return &palette.Source{
		About: about, Finds: anything,
		Here: func(s *part.Scene) []palette.Item { return append(m.pageActions(at, s), palette.Explained(s)...) },
		There: func(s *part.Scene) []*palette.Item {
			return append(thingsOf(s), palette.Pointers(m.otherPagesActions(at, s))...)
		},
		Which: m.subjectsOf,
	}
}

// rowsShown returns the rows of the keys of a page, as a scene has them.
func (m keymap) rowsShown(at keys.Page, s *part.Scene) []keys.Row {
	if s.Replay {
		return keys.InReplay(m.helpOf(at))
	}
	return m.helpOf(at)
}

// pageActions returns the actions of a page, group by group.
func (m keymap) pageActions(at keys.Page, s *part.Scene) (list []palette.Item) {
	for _, a := range keys.Actions(m.rowsShown(at, s)) {
		needs := a.Needs
		if e := pageOfDigit(a.Do()); e != nil && e.has&keys.IsAside == 0 {
			needs |= keys.NeedsJob
		}
		list = append(list, paletteItem(&a, footer.WhyNoEffect(s, needs)))
	}
	return list
}

func paletteItem(a *keys.Action, not string) palette.Item {
	it := palette.Item{Group: keys.Groups[a.Group], Text: a.Text, Key: a.Keys, Also: a.Also, Do: a.Do(), Not: not,
		Subject: a.Subject, Needs: a.Needs}
	if e := pageOfDigit(it.Do); e != nil {
		it.Subject = subjectOf(e)
	}
	if a.Long != a.Text {
		it.Note = withoutTopic(a)
	}
	return it
}

// withoutTopic returns the full text of an action without the topic that its short text has too: "sort: ".
func withoutTopic(a *keys.Action) string {
	if topic, _, is := strings.Cut(a.Text, ": "); is {
		return strings.TrimPrefix(a.Long, topic+": ")
	}
	return a.Long
}

// subjectOf returns what a page is about.
func subjectOf(e *pageEntry) keys.Subject {
	switch {
	case e.has&keys.IsAside != 0:
		return 0
	case e.id == keys.OnNode || e.id == keys.OnGPU || e.id == keys.OnConnection:
		return keys.OfNode
	}
	return keys.OfJob
}

// otherPagesActions returns the actions that only other pages have. Each leads to its page, and is done there.
func (m keymap) otherPagesActions(at keys.Page, s *part.Scene) (list []palette.Item) {
	known := map[string]bool{}
	for _, a := range m.actionsOf(at) {
		known[a.ID] = true
	}
	for i := range pages {
		e := &pages[i]
		if len(e.number.Keys()) == 0 && len(e.key.Keys()) == 0 {
			continue
		}
		for _, a := range keys.Actions(m.rowsShown(e.id, s)) {
			if !known[a.ID] {
				list = append(list, itemOfPage(&a, e, s))
			}
			known[a.ID] = true
		}
	}
	return list
}

// itemOfPage returns the item of an action of another page.
func itemOfPage(a *keys.Action, e *pageEntry, s *part.Scene) palette.Item {
	needs := a.Needs &^ keys.OfCursor
	if e.has&needsNoJob == 0 {
		needs |= keys.NeedsJob
	}
	it := paletteItem(a, footer.WhyNoEffect(s, needs))
	it.Away, it.Go.Page = true, e.id
	if it.Note = "on the page " + e.pageWord() + e.digit(); it.Subject != 0 && it.Subject != keys.OfRow {
		it.Note = palette.Question(it.Subject)
		if a.Long != a.Text {
			it.Note = withoutTopic(a)
		}
	}
	return it
}

// digit names the key that leads to the page: " (5)"; "": no digit does.
func (e *pageEntry) digit() string {
	if key := cmp.Or(e.number.Help().Key, e.key.Help().Key); key != "" {
		return " (" + key + ")"
	}
	return ""
}

// subjectsOf returns the things that an action can act on, each with the way to do it.
func (m keymap) subjectsOf(it *palette.Item, s *part.Scene) (list []palette.Item) {
	if s.Job == nil && it.Subject != keys.OfLog {
		return nil
	}
	do, to := it.Do, it.Go.Page
	if k, is := do.(tea.KeyPressMsg); is && to == "" {
		if e := cmp.Or(pageOfDigit(k), m.ledTo(k, keys.OnOverview)); e != nil {
			do, to = nil, e.id
		}
	}
	switch it.Subject {
	case keys.OfProcess:
		list, to = palette.Processes(s, it.Needs), keys.OnProcesses
	case keys.OfJob:
		list = palette.RunningJobs(s)
	case keys.OfNode:
		list = palette.Nodes(s)
	case keys.OfLog:
		return palette.Logs(s)
	}
	for i := range list {
		list[i].Do, list[i].Not = do, cmp.Or(it.Not, list[i].Not)
		list[i].Go.Page = cmp.Or(to, list[i].Go.Page)
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
