package palette

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"
)

// class says how an item matches a search. The lowest is the best.
type class uint8

const (
	exact   class = iota // the search is its name
	whole                // each word of the search is a word of a name
	begun                // each word of the search begins a word of a name
	noted                // each word of the search begins a word of the names or of the note
	inside               // each word of the search is a part of a name
	apart                // the letters of the search are in its text, in this order
	nowhere              // it does not match
)

// searchText is what a search covers of an item, in lower case.
type searchText struct {
	*Item
	names []string // its text, then its other names
	all   string   // the names and the note
}

// searchTexts prepares items for a search. Things have no Group, and only their names are searched, since there may be
// thousands of them.
func searchTexts(items []*Item) []searchText {
	list := make([]searchText, len(items))
	for i, it := range items {
		names := []string{strings.ToLower(it.Text)}
		if it.Also != "" {
			names = append(names, strings.Split(strings.ToLower(it.Also), ", ")...)
		}
		list[i] = searchText{Item: it, names: names}
		if it.Group != "" {
			list[i].all = strings.Join(names, " ") + " " + strings.ToLower(it.Note)
		}
	}
	return list
}

// rank is the place of an item in the results: by its class, and in a class names that begin with the search come
// first, then other names, then synonyms.
type rank struct {
	class
	place uint8
}

const (
	atStart uint8 = iota
	inText
	inOther
)

// rankOf returns the rank of an item for the words of a search.
func (t *searchText) rankOf(words []string) rank {
	best := rank{class: nowhere}
	search := strings.Join(words, " ")
	for i, name := range t.names {
		r := rank{classOf(name, search, words), inOther}
		if i == 0 {
			if r.place = inText; strings.HasPrefix(name, search) {
				r.place = atStart
			}
		}
		if compareRanks(r, best) < 0 {
			best = r
		}
	}
	if best.class > noted && t.all != "" && classOf(t.all, "", words) <= begun {
		return rank{noted, inOther}
	}
	return best
}

func compareRanks(a, b rank) int {
	return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.place, b.place))
}

// classOf returns the class of a name: that of the word of the search that fits worst.
func classOf(name, search string, words []string) class {
	if name == search {
		return exact
	}
	worst := whole
	for _, w := range words {
		worst = max(worst, wordClass(name, w))
	}
	return worst
}

// wordClass says how a name has a word.
func wordClass(name, word string) class {
	best := nowhere
	for from := 0; from < len(name); {
		at := strings.Index(name[from:], word)
		if at < 0 {
			break
		}
		at += from
		_, size := utf8.DecodeRuneInString(name[at:])
		from = at + size
		switch before, after := endsWord(name[:at]), beginsWord(name[at+len(word):]); {
		case before && after:
			return whole
		case before:
			best = begun
		default:
			best = min(best, inside)
		}
	}
	return best
}

// endsWord and beginsWord report whether a text ends or begins with something that is no part of a word.
func endsWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return text == "" || !isWordPart(r)
}

func beginsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text == "" || !isWordPart(r)
}

func isWordPart(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// fillers are words that a question has beside what it asks for.
var fillers = strings.Fields("a an the of my me i is are does do did it its to in on at for with and or how what can " +
	"please")

// units are words that a number has behind it when it is an amount, and not the name of a job or a rank.
var units = strings.Fields("second seconds sec minute minutes min hour hours day days")

// wordings returns a search in other words: as typed, and without fillers and amounts.
func wordings(text string) (all [][]string) {
	words := strings.Fields(strings.ToLower(text))
	var named []string
	for i, w := range words {
		_, err := strconv.Atoi(w)
		isAmount := err == nil && i+1 < len(words) && slices.Contains(units, words[i+1])
		if !isAmount && !slices.Contains(fillers, w) {
			named = append(named, w)
		}
	}
	if len(words) > 0 {
		all = append(all, words)
	}
	if len(named) > 0 && len(named) < len(words) {
		all = append(all, named)
	}
	return all
}

// match is an item that was found.
type match struct {
	*Item
	rank
	used, index int
}

// rankItems returns the items that match the words of a search, the best first; the legend comes last.
func (p *Page) rankItems(words []string, all []searchText) (found []match) {
	for i := range all {
		if r := all[i].rankOf(words); r.class < nowhere {
			found = append(found, match{all[i].Item, r, min(p.used[all[i].Text], mostOften), i})
		}
	}
	slices.SortFunc(found, compareMatches)
	return found
}

func compareMatches(a, b match) int {
	return cmp.Or(falseFirst(!a.Runs(), !b.Runs()), compareRanks(a.rank, b.rank), falseFirst(a.Not != "", b.Not != ""),
		falseFirst(a.Away, b.Away), cmp.Compare(b.used, a.used), cmp.Compare(a.index, b.index))
}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// texts are the texts that a search for scattered letters covers.
type texts []searchText

func (t texts) Len() int            { return len(t) }
func (t texts) String(i int) string { return t[i].Text }

// scattered returns the items that have the letters of a search in this order, the best first.
func scattered(text string, all []searchText) (found []match) {
	for i, f := range fuzzy.FindFrom(text, texts(all)) {
		if it := all[f.Index].Item; it.Runs() {
			found = append(found, match{Item: it, rank: rank{class: apart}, index: i})
		}
	}
	return found
}
