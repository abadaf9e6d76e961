package palette

import (
	"cmp"
	"slices"

	"github.com/sahilm/fuzzy"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// shown is the list on the screen: the items in their order, and how many there are without the search.
type shown struct {
	nav.List[string]
	items []*Item
	heads bool // groups have headings
	all   int
}

// The keys of the memory of a Snapshot, for one opening of the palette.
type (
	hereKey  struct{ of *Source }
	thereKey struct{ of *Source }
	foundKey struct {
		of   *Source
		text string
	}
)

// list returns the items that match the search: without one, what can be done here.
func (p *Page) list(s *part.Scene) shown {
	here := part.OfSnapshot(s, hereKey{p.of}, func() []Item { return p.of.Here(s) })
	there := part.OfSnapshot(s, thereKey{p.of}, func() []Item { return p.of.There(s) })
	l := shown{all: len(here) + len(there)}
	if text := p.line.Text(); text == "" {
		l.heads = true
		l.items = part.OfSnapshot(s, foundKey{p.of, text}, func() []*Item { return p.usedFirst(here, there) })
	} else {
		l.items = part.OfSnapshot(s, foundKey{p.of, text}, func() []*Item { return p.search(text, here, there) })
	}
	room, _ := p.rooms(s)
	l.List = nav.List[string]{N: len(l.items), Room: room, Key: func(i int) string {
		return l.items[i].Group + "\x00" + l.items[i].Text
	}}
	if l.heads {
		l.Lines = l.height
	}
	return l
}

// height is how many lines an item has, its heading among them.
func (l *shown) height(i int) int {
	switch {
	case i == 0:
		return 2
	case l.items[i].Group != l.items[i-1].Group:
		return 3
	}
	return 1
}

// most is the group of what was used most, and mostUsed the highest number of its items.
const (
	most     = "most used"
	mostUsed = 5
)

// usedFirst returns what can be done here, after what was used most if the user searches.
func (p *Page) usedFirst(here, there []Item) []*Item {
	list := pointers(here)
	if !p.of.Finds {
		return list
	}
	var used []*Item
	for _, it := range append(pointers(there), list...) {
		if p.used[it.Text] > 0 && !slices.ContainsFunc(used, func(u *Item) bool { return u.Text == it.Text }) {
			again := *it
			again.Group = most
			used = append(used, &again)
		}
	}
	slices.SortStableFunc(used, func(a, b *Item) int { return p.used[b.Text] - p.used[a.Text] })
	return append(used[:min(len(used), mostUsed)], list...)
}

func pointers(items []Item) []*Item {
	list := make([]*Item, len(items))
	for i := range items {
		list[i] = &items[i]
	}
	return list
}

// texts are what a search looks through: of things their names alone, of which there may be thousands.
type texts []*Item

func (t texts) Len() int { return len(t) }

func (t texts) String(i int) string {
	if t[i].Group == "" {
		return t[i].Text
	}
	return t[i].Text + " " + t[i].Note
}

// often is how much each use of an item adds to its score, and up to how many uses.
const often, mostOften = 10, 5

// search returns the items that match a text, the best first.
func (p *Page) search(text string, here, there []Item) []*Item {
	if !p.of.Finds {
		if list := p.matches(text, pointers(here)); len(list) > 0 {
			return list
		}
	}
	return p.matches(text, append(pointers(there), pointers(here)...)) // of two equally good ones what has a name is first
}

// matches returns the items that have the characters of a text in this order, the best first.
func (p *Page) matches(text string, all []*Item) []*Item {
	found := fuzzy.FindFrom(text, texts(all))
	for i := range found {
		found[i].Score += often * min(p.used[all[found[i].Index].Text], mostOften)
	}
	slices.SortStableFunc(found, func(a, b fuzzy.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
	})
	list := make([]*Item, len(found))
	for i, m := range found {
		list[i] = all[m.Index]
	}
	return list
}
