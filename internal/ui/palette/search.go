package palette

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// shownItems is the list on the screen: the items in their order, and how many there would be without the search.
type shownItems struct {
	nav.List[string]
	items []*Item
	heads bool // groups have headings
	all   int
}

// itemsKey is the key of the items in the scene's memory, for one opening of the palette.
type itemsKey struct{ of *Source }

// items are the items of a search, and its results by text. A search takes long, so they are kept from Snapshot to
// Snapshot until an item changes.
type items struct {
	here, there []*Item
	found       map[string][]*Item
}

func (p *Page) currentItems(s *part.Scene) *items {
	return part.Onward(s, itemsKey{p.of}, func(before *items) *items {
		now := &items{Pointers(p.of.Here(s)), p.of.There(s), map[string][]*Item{}}
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
	found, there := all.found[text]
	if !there {
		if l.heads {
			found = p.usedFirst(all.here, all.there)
		} else {
			found = p.searchItems(text, all.here, all.there)
		}
		all.found[text] = found
	}
	l.items = found
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

// texts are the texts that a search covers: things have only their names, since there may be thousands of them.
type texts []*Item

func (t texts) Len() int { return len(t) }

func (t texts) String(i int) string {
	if t[i].Group == "" {
		return t[i].Text
	}
	return t[i].Text + " " + t[i].Note
}

// often is how much each use of an item adds to its score, and mostOften the number of uses that count.
const often, mostOften = 10, 5

// searchItems returns the items that match a text, the best first.
func (p *Page) searchItems(text string, here, there []*Item) []*Item {
	if !p.of.Finds {
		if list := p.fuzzyMatches(text, here); len(list) > 0 {
			return list
		}
	}
	return p.fuzzyMatches(text, slices.Concat(there, here)) // of two equally good matches, things come first
}

// fuzzyMatches returns the items that have the characters of a text in this order, the best first.
func (p *Page) fuzzyMatches(text string, all []*Item) []*Item {
	found := fuzzy.FindFrom(text, texts(all))
	ranked := make([]match, len(found))
	for i := range found {
		it := all[found[i].Index]
		score := found[i].Score + often*min(p.used[it.Text], mostOften)
		ranked[i] = match{it, matchDistance(it.Text, strings.ToLower(text)), score, found[i].Index}
	}
	slices.SortFunc(ranked, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), b.runnableScore()-a.runnableScore(), cmp.Compare(b.score, a.score),
			cmp.Compare(a.index, b.index))
	})
	list := make([]*Item, len(ranked))
	for i := range ranked {
		list[i] = ranked[i].Item
	}
	return list
}

// match is an item that was found.
type match struct {
	*Item
	distance, score, index int
}

// runnableScore is 1 if the item can be run now, else 0.
func (m *match) runnableScore() int {
	if m.Not != "" {
		return 0
	}
	return 1
}

// matchDistance is 0 if a name begins with a text in lower case, 1 if one of its words does, 2 if the text is inside,
// and 3 if its characters are apart.
func matchDistance(name, text string) int {
	name = strings.ToLower(name)
	switch at := strings.Index(name, text); {
	case at == 0:
		return 0
	case strings.Contains(name, " "+text):
		return 1
	case at > 0:
		return 2
	}
	return 3
}
