package notify

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

func later(sec int) time.Time { return began.Add(time.Duration(sec) * time.Second) }

func lost(n int) Item {
	place := fmt.Sprintf("n%03d", n)
	return Item{Event: say.EventNode, Job: "7", Name: "train", Node: place, Place: place, Many: "nodes unreachable",
		Title: "7 train: " + place + " unreachable"}
}

// The nodes that a switch takes away one after the other are one Message.
func TestManyAtOnce(t *testing.T) {
	g := &Gatherer{PerHour: 20}
	for n := range 100 {
		if early := g.Take(later(n/2), []Item{lost(n)}); len(early) > 0 {
			t.Fatalf("after %d nodes: %v", n, early)
		}
	}
	all := g.Take(later(60), nil)
	if len(all) != 1 || all[0].Title != "7 train: 100 nodes unreachable" || all[0].Count != 100 ||
		strings.Count(all[0].Text, "\n") != mostLines || !strings.HasSuffix(all[0].Text, "and 90 more") {
		t.Fatalf("%+v", all)
	}
	for n := range 1000 {
		g.Take(later(100), []Item{lost(n)})
	}
	if all = g.Take(later(120), nil); len(all) != 1 || all[0].Count != 1000 || len(all[0].Items) != mostItems {
		t.Errorf("%d messages, the first of %d", len(all), all[0].Count)
	}
}

// An array of many tasks is one Message that counts how they have ended, also those that it does not list.
func TestEndsOfAnArray(t *testing.T) {
	g := &Gatherer{PerHour: 20}
	var ends []Item
	for n := range 400 {
		i := Item{Event: say.EventEnd, Job: fmt.Sprintf("7_%d", n), Name: "sweep", Many: "jobs have ended", Title: "x"}
		if n < 10 {
			i.Event, i.Many = say.EventFailure, "jobs have failed"
		}
		ends = append(ends, i)
	}
	g.Take(later(0), ends)
	said := g.Take(later(10), nil)
	if len(said) != 1 || said[0].Title != "7 sweep: 10 jobs have failed, 390 jobs have ended" || said[0].Count != 400 ||
		len(said[0].Items) != mostItems {
		t.Errorf("%d messages, the first is %q of %d", len(said), said[0].Title, said[0].Count)
	}
}

// News that never pauses is told all the same.
func TestNewsWithoutAPause(t *testing.T) {
	g := &Gatherer{PerHour: 20}
	for sec := range 300 {
		if said := g.Take(later(sec), []Item{lost(sec)}); len(said) > 0 {
			if sec != 120 {
				t.Errorf("told after %d s", sec)
			}
			return
		}
	}
	t.Error("nothing is told")
}

// Few Items are Messages of their own; one alone has its own text.
func TestFewAtOnce(t *testing.T) {
	g := &Gatherer{PerHour: 20}
	end := Item{Event: say.EventEnd, Job: "7", Title: "7 train: completed", Text: "x"}
	if early := g.Take(later(0), []Item{lost(1), end, lost(2)}); len(early) != 0 {
		t.Errorf("too early: %v", early)
	}
	said := g.Take(later(10), nil)
	if len(said) != 3 || said[2].Title != end.Title || said[2].Text != "x" || len(g.Take(later(30), nil)) != 0 {
		t.Errorf("%+v", said)
	}
}

// There are only so many Messages in an hour; the rest waits, and is one.
func TestPerHour(t *testing.T) {
	g := &Gatherer{PerHour: 3}
	sent, last := 0, Message{}
	for min := range 120 {
		over := lost(min)
		over.Over = min%2 == 1
		for _, m := range append(g.Take(later(60*min), []Item{over}), g.Take(later(60*min+30), nil)...) {
			sent, last = sent+1, m
			if (sent == 1) != (min == 0) && sent < 4 && m.Count != 1 {
				t.Errorf("message %d after %d min has %d items", sent, min, m.Count)
			}
			if sent == 4 && (min != 60 || m.Title != "7 train: 58 messages") {
				t.Errorf("after %d min: %s", min, m.Title)
			}
		}
	}
	if sent != 6 {
		t.Errorf("%d messages in two hours, the last is %q", sent, last.Title)
	}
	if m, some := g.Rest(later(7200)); !some || m.Count != 57 {
		t.Errorf("the rest is %d", m.Count)
	}
	if _, some := g.Rest(later(7200)); some {
		t.Error("there is a rest of the rest")
	}
}
