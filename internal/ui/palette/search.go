package palette

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// shownItems is the list on the screen: the items in their order, and how many there would be without the search.
type shownItems struct {
	nav.List[string]
	found
	heads bool // groups have headings
	all   int
}

// itemsKey is the key of the items in the scene's memory, for one opening of the palette.
type itemsKey struct{ of *Source }

// items are the items of a search, and its results by text. A search takes long, so they are kept from Snapshot to
// Snapshot until an item changes.
type items struct {
	here, there []*Item
	found       map[string]found
}

func (p *Page) currentItems(s *part.Scene) *items {
	return part.Onward(s, itemsKey{p.of}, func(before *items) *items {
		now := &items{Pointers(p.of.Here(s)), p.of.There(s), map[string]found{}}
		if before != nil && slices.EqualFunc(now.here, before.here, looksSame) &&
			slices.EqualFunc(now.there, before.there, looksSame) {
			return before
		}
		return now
	})
}

// looksSame reports whether two items look the same and lead to the same place.
func looksSame(a, b *Item) bool {
	if a == b {
		return true
	}
	x, y := *a, *b
	if p, q := x.Go.Process, y.Go.Process; p != nil && q != nil && *p == *q {
		x.Go.Process, y.Go.Process = nil, nil
	}
	return x == y
}

// shownItems returns the items that match the search; without a search, the actions of the page.
func (p *Page) shownItems(s *part.Scene) shownItems {
	all, text := p.currentItems(s), p.line.Text()
	l := shownItems{all: len(all.here) + len(all.there), heads: text == ""}
	if known, is := all.found[text]; is {
		l.found = known
	} else {
		if l.heads {
			l.found = found{items: p.usedFirst(all.here, all.there)}
		} else {
			l.found = p.searchItems(s, text, all)
		}
		all.found[text] = l.found
	}
	room, _ := p.divideBox(s)
	l.List = nav.List[string]{N: len(l.items), Room: room, Key: func(i int) string {
		return l.items[i].Group + "\x00" + l.items[i].Text
	}}
	if l.heads {
		l.Lines = l.itemHeight
	}
	return l
}

// itemHeight returns how many lines an item has, including its heading.
func (l *shownItems) itemHeight(i int) int {
	switch {
	case i == 0:
		return 2
	case l.items[i].Group != l.items[i-1].Group:
		return 3
	}
	return 1
}

// most is the name of the group of the most used items, and mostUsed their maximum number.
const (
	most     = "most used"
	mostUsed = 5
)

// usedFirst returns the actions of the page, after the most used items if the user searches.
func (p *Page) usedFirst(here, there []*Item) []*Item {
	if !p.of.Finds || len(p.used) == 0 {
		return here
	}
	var used []*Item
	for _, it := range slices.Concat(there, here) {
		if p.used[it.Text] > 0 && !slices.ContainsFunc(used, func(u *Item) bool { return u.Text == it.Text }) {
			again := *it
			again.Group = most
			used = append(used, &again)
		}
	}
	slices.SortStableFunc(used, func(a, b *Item) int { return p.used[b.Text] - p.used[a.Text] })
	return append(used[:min(len(used), mostUsed)], here...)
}

// Pointers returns pointers to items.
func Pointers(items []Item) []*Item {
	list := make([]*Item, len(items))
	for i := range items {
		list[i] = &items[i]
	}
	return list
}

// mostOften is the number of uses of an item that count.
const mostOften = 5

// found is the result of a search.
type found struct {
	items []*Item
	best  class // of the first item
	weak  bool  // nothing matches by a word or a name: the first item is a guess, which the user has to choose
}

// searchItems returns the items that match a text, the best first. The help of a page stays there, unless nothing there
// matches, or only something elsewhere has the text as its name.
func (p *Page) searchItems(s *part.Scene, text string, all *items) found {
	everywhere := p.searchIn(s, text, slices.Concat(all.there, all.here)) // of two equal matches, things come first
	if p.of.Finds {
		return everywhere
	}
	here := p.searchIn(s, text, all.here)
	if here.weak || !here.items[0].Runs() || everywhere.best == exact && here.best > exact {
		return everywhere
	}
	return here
}

// searchIn returns the items of a list that match a text. The text is tried as typed first, then without fillers. If a
// name is the text, parts of words do not count; scattered letters count only if nothing else matches.
func (p *Page) searchIn(s *part.Scene, text string, list []*Item) found {
	all := searchTexts(list)
	var guesses []match
	for _, words := range wordings(text) {
		ranked := p.rankItems(words, all)
		if best := slices.Concat(p.actOnNamed(s, words, all), ranked); len(best) > 0 && best[0].class < inside {
			slices.SortStableFunc(best, compareMatches)
			if best[0].class == exact {
				best = slices.DeleteFunc(best, func(m match) bool { return m.class >= inside })
			}
			return found{items: itemsOf(best), best: best[0].class}
		}
		if guesses == nil {
			guesses = ranked
		}
	}
	if guesses == nil {
		guesses = scattered(text, all)
	}
	if len(guesses) == 0 {
		return found{best: nowhere, weak: true}
	}
	best := guesses[0].class
	return found{itemsOf(guesses), best, best == apart || !guesses[0].onlyGoes()}
}

// actOnNamed returns the actions on a thing that the search names: "kill rank 11", "log 48377_2".
func (p *Page) actOnNamed(s *part.Scene, words []string, all []searchText) (list []match) {
	for n := 1; n < len(words) && p.of.Which != nil; n++ {
		for _, m := range p.rankItems(words[:n], all) {
			if m.class > whole || m.Subject == 0 || m.Subject == keys.OfRow {
				continue
			}
			things := p.of.Which(m.Item, s)
			for _, named := range p.rankItems(words[n:], searchTexts(Pointers(things))) {
				if named.class <= begun {
					it := *named.Item
					it.Text, it.Group = m.Text+": "+it.Text, m.Group
					list = append(list, match{Item: &it, rank: rank{max(m.class, named.class), atStart}, index: -1})
				}
			}
		}
	}
	return list
}

func itemsOf(list []match) []*Item {
	items := make([]*Item, len(list))
	for i := range list {
		items[i] = list[i].Item
	}
	return items
}
