package notify

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Message is what is delivered at one time.
type Message struct {
	At    time.Time
	Title string
	Text  string // lines; may be empty
	Items []Item // the newest, at most mostItems
	Count int    // number of all Items that it stands for
}

// Gatherer makes few Messages from many Items. Items that come together are one Message, and there is a limit per hour.
type Gatherer struct {
	PerHour int

	waiting     []Item
	dropped     itemCounts // of the waiting Items, those beyond mostItems
	first, last time.Time
	sent        []time.Time // within the last hour
	held        bool        // the limit has made Items wait
}

const (
	// quiet is how long no further Item must come before the waiting Items are sent. longest is how long they wait at
	// most: the nodes of a failed switch are lost one after the other.
	quiet   = 10 * time.Second
	longest = 2 * time.Minute

	// several is the number of similar Items from which one Message stands for them.
	several = 4

	// mostItems limits the Items of a Message. mostLines limits how many of them its text names.
	mostItems = 100
	mostLines = 10
)

// Take adds new Items, and returns the Messages that are due at a time.
func (g *Gatherer) Take(at time.Time, news []Item) []Message {
	if len(news) > 0 {
		if len(g.waiting) == 0 {
			g.first = at
		}
		g.last = at
		g.waiting = append(g.waiting, news...)
	}
	if more := len(g.waiting) - mostItems; more > 0 {
		g.dropped.addItems(g.waiting[:more])
		g.waiting = slices.Delete(g.waiting, 0, more)
	}
	g.sent = slices.DeleteFunc(g.sent, func(t time.Time) bool { return at.Sub(t) >= time.Hour })
	switch {
	case len(g.waiting) == 0, at.Sub(g.last) < quiet && at.Sub(g.first) < longest:
		return nil
	case len(g.sent) >= g.PerHour:
		g.held = true
		return nil
	}
	groups := groupItems(g.waiting)
	if g.held || len(g.dropped) > 0 || len(g.sent)+len(groups) > g.PerHour {
		groups = [][]Item{g.waiting}
	}
	var out []Message
	for _, of := range groups {
		g.sent = append(g.sent, at)
		out = append(out, messageOf(at, of, g.dropped))
	}
	g.waiting, g.dropped, g.held = nil, nil, false
	return out
}

// Rest returns everything that waits as one Message, beyond all limits, because nothing follows; false: nothing waits.
func (g *Gatherer) Rest(at time.Time) (Message, bool) {
	if len(g.waiting) == 0 {
		return Message{}, false
	}
	m := messageOf(at, g.waiting, g.dropped)
	g.waiting, g.dropped = nil, nil
	return m, true
}

// groupItems groups similar Items, if there are several.
func groupItems(items []Item) (groups [][]Item) {
	at := map[string]int{}
	for _, i := range items {
		key := i.groupKey()
		k, known := at[key]
		if !known {
			k = len(groups)
			at[key] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], i)
	}
	var out [][]Item
	for _, of := range groups {
		if len(of) >= several {
			out = append(out, of)
			continue
		}
		for i := range of {
			out = append(out, of[i:i+1])
		}
	}
	return out
}

// groupKey returns a key that is the same for all Items that one line can count.
func (i *Item) groupKey() string { return fmt.Sprint(i.Event, i.Over) }

// itemCounts are the numbers of Items with the same words, in order of arrival.
type itemCounts []itemCount

type itemCount struct {
	many      string // the words
	over      bool
	job, name string // of all of them, or of the array to which they belong; "": they are from several jobs
	n         int
}

func (t *itemCounts) addItems(items []Item) {
	for i := range items {
		c := itemCount{items[i].Many, items[i].Over, items[i].Job, items[i].Name, 1}
		at := slices.IndexFunc(*t, func(o itemCount) bool { return o.many == c.many && o.over == c.over })
		if at < 0 {
			*t = append(*t, c)
			continue
		}
		o := &(*t)[at]
		o.job = sharedJobID(o.job, c.job)
		o.n++
	}
}

func (t itemCounts) totalCount() (n int) {
	for i := range t {
		n += t[i].n
	}
	return n
}

// sharedJobID returns the ID that two jobs share, of the job or of its array; "": they share none.
func sharedJobID(a, b string) string {
	if a == b {
		return a
	}
	one, _, _ := strings.Cut(a, "_")
	other, _, _ := strings.Cut(b, "_")
	if one == other {
		return one
	}
	return ""
}

// messageOf makes one Message from Items. more counts the Items that are left out.
func messageOf(at time.Time, items []Item, more itemCounts) Message {
	all := slices.Clone(more)
	all.addItems(items)
	m := Message{At: at, Items: slices.Clone(items), Count: all.totalCount()}
	if m.Count == 1 {
		m.Title, m.Text = items[0].Title, items[0].Text
		return m
	}
	m.Title = all.summarizeCounts()
	var lines []string
	for i := range items[:min(len(items), mostLines)] {
		lines = append(lines, items[i].Title)
	}
	if rest := m.Count - len(lines); rest > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", rest))
	}
	m.Text = strings.Join(lines, "\n")
	return m
}

// mostWords is how many kinds of Items a title counts.
const mostWords = 3

// summarizeCounts puts the counts of Items into words: "48211 llama: 100 nodes unreachable", "48377: 390 jobs have
// ended, 10 jobs have failed", or "12 messages".
func (t itemCounts) summarizeCounts() string {
	job := t[0].job
	var parts []string
	mixed := false // beginnings and ends of problems
	for i := range t {
		mixed = mixed || t[i].over != t[0].over
		job = sharedJobID(job, t[i].job)
		words := fmt.Sprintf("%d %s", t[i].n, t[i].many)
		if t[i].over {
			words = "over: " + words
		}
		parts = append(parts, words)
	}
	if mixed || len(parts) > mostWords {
		parts = []string{fmt.Sprintf("%d messages", t.totalCount())}
	}
	return prependJob(job, t[0].name, strings.Join(parts, ", "))
}
