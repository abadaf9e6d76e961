package signal

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// fate is what became of a signal to a process.
type fate uint8

const (
	notAsked fate = iota // it was not sent to this one
	waiting
	sent
	exited
	reused
	foreign  // belongs to somebody else
	failed   // the node says why
	unasked  // the node could not be asked, or refuses: it was not sent
	unheard  // the node does not answer: nobody knows whether it was sent
	fateKind // how many there are
)

// target is a process that is meant, and what became of the signal.
type target struct {
	tally.Target
	fate fate
	why  string // in words
}

// errand is a signal on its way.
type errand struct {
	by    Signal
	parts map[*wire.Signal][]int // the requests whose results have not come, and which of the targets each is for
}

// newErrand makes the requests: one for each node, several where it has very many targets.
func newErrand(by Signal, list []target) (*errand, []nav.Ask) {
	e := &errand{by: by, parts: map[*wire.Signal][]int{}}
	var asks []nav.Ask
	open := map[string]*wire.Signal{} // the last request to each node
	for i := range list {
		t := &list[i]
		if t.Refusal() != "" {
			continue
		}
		t.fate = waiting
		r := open[t.Node]
		if r == nil || len(r.Processes) == wire.MaxTargets {
			r = &wire.Signal{Number: int(by)}
			open[t.Node] = r
			asks = append(asks, nav.Ask{Node: t.Node, Request: wire.Request{Signal: r}})
		}
		r.Processes = append(r.Processes, t.ProcessID)
		e.parts[r] = append(e.parts[r], i)
	}
	return e, asks
}

// take takes the result of one of the requests.
func (e *errand) take(r nav.Result, list []target) {
	at := e.parts[r.Request.Signal]
	delete(e.parts, r.Request.Signal)
	fated, wrong := unanswered(r)
	for k, i := range at {
		t := &list[i]
		switch {
		case wrong != "":
			t.fate, t.why = fated, wrong
		case k >= len(r.Reply.Signaled), r.Reply.Signaled[k].PID != t.PID:
			t.fate, t.why = failed, "the node does not say what became of it"
		default:
			t.fate, t.why = fateOf(&r.Reply.Signaled[k])
		}
	}
}

// unanswered is what became of a signal that the node says nothing about, and why that is; "": it says something.
func unanswered(r nav.Result) (fate, string) {
	switch {
	case errors.Is(r.Err, context.DeadlineExceeded):
		return unheard, "does not answer: the signal may still arrive"
	case errors.Is(r.Err, reach.ErrNoReply):
		return unheard, "does not answer, nobody knows whether it arrived: " + cause(r)
	case r.Err != nil:
		return unasked, "cannot be asked, not sent: " + cause(r)
	}
	return unasked, trouble(r)
}

// fateOf is what a node says of one process.
func fateOf(w *wire.Signaled) (fate, string) {
	why := safe.Line(w.Error, mostText)
	switch w.ErrorID {
	case "":
		if why == "" {
			return sent, "sent"
		}
	case wire.SignalGone:
		return exited, "has exited"
	case wire.SignalReused:
		return reused, "pid was reused: not signaled"
	case wire.SignalOtherUser:
		if why == "" {
			why = "belongs to another user"
		}
		return foreign, why
	}
	if why == "" {
		why = "not sent, and the node does not say why"
	}
	return failed, why
}

// counts are how many targets have each fate.
func counts(list []target) (n [fateKind]int) {
	for i := range list {
		n[list[i].fate]++
	}
	return n
}

// summary groups what became of the signal: "sent to 126, 2 have exited".
func summary(list []target) string {
	n := counts(list)
	n[failed] += n[unasked]
	var parts []string
	for _, p := range []struct {
		fate
		one, many string
	}{
		{exited, " has exited", " have exited"},
		{reused, " pid was reused", " pids were reused"},
		{foreign, " belongs to somebody else", " belong to somebody else"},
		{failed, " was not sent", " were not sent"},
		{unheard, " is on a node that does not answer", " are on nodes that do not answer"},
		{waiting, " has no answer yet", " have no answer yet"},
	} {
		switch count := n[p.fate]; count {
		case 0:
		case 1:
			parts = append(parts, "1"+p.one)
		default:
			parts = append(parts, strconv.Itoa(count)+p.many)
		}
	}
	if n[sent] > 0 {
		parts = append([]string{"sent to " + strconv.Itoa(n[sent])}, parts...)
	}
	return strings.Join(parts, ", ")
}
