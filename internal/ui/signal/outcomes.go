package signal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// signalOutcome is the result of a signal for a process.
type signalOutcome uint8

const (
	notAsked signalOutcome = iota // the signal was not for this process
	waiting
	sent
	exited
	reused
	foreign  // it belongs to another user
	failed   // the signal was not sent, and the node says why
	unsure   // the node answers, but not whether the signal was sent
	unasked  // the node could not be asked, or refused: the signal was not sent
	unheard  // the node did not answer: nobody knows whether the signal was sent
	fateKind // number of fates
)

// target is a recipient, and the result of the signal.
type target struct {
	tally.Target
	fate signalOutcome
	why  string // in words
}

// sentSignal is a signal on its way.
type sentSignal struct {
	by    command
	parts map[*wire.Signal][]int // the requests that have no result yet, each with its targets
}

// newErrand makes the requests: one for each node and owner, or several if there are very many targets.
func newErrand(by command, list []target) (*sentSignal, []nav.Ask) {
	type to struct {
		node  string
		owner int
	}
	e := &sentSignal{by: by, parts: map[*wire.Signal][]int{}}
	var asks []nav.Ask
	open := map[to]*wire.Signal{} // the newest request to each
	for i := range list {
		t := &list[i]
		if t.Refusal() != "" {
			continue
		}
		t.fate = waiting
		at := to{t.Node, -1}
		if t.Owner != nil {
			at.owner = *t.Owner
		}
		r := open[at]
		if r == nil || len(r.Processes) == wire.MaxTargets {
			r = &wire.Signal{Number: int(by.signal), Schedule: by.schedule, Owner: t.Owner}
			open[at] = r
			asks = append(asks, nav.Ask{Node: t.Node, Request: wire.Request{Signal: r}})
		}
		r.Processes = append(r.Processes, t.ProcessID)
		e.parts[r] = append(e.parts[r], i)
	}
	return e, asks
}

// handleResult stores the result of one of the requests.
func (e *sentSignal) handleResult(r nav.Result, list []target) {
	at, words := e.parts[r.Request.Signal], e.by.words()
	delete(e.parts, r.Request.Signal)
	fated, wrong := fateWithoutAnswer(r, words)
	for k, i := range at {
		t := &list[i]
		switch {
		case wrong != "":
			t.fate, t.why = fated, wrong
		case k >= len(r.Reply.Signaled), r.Reply.Signaled[k].PID != t.PID:
			t.fate, t.why = unsure, "the node did not say whether it was "+words.done
		default:
			t.fate, t.why = fateOf(&r.Reply.Signaled[k], words)
		}
	}
}

// fateWithoutAnswer returns the result of a signal about which the node says nothing, and the reason; "": the node says
// something.
func fateWithoutAnswer(r nav.Result, words *commandWords) (signalOutcome, string) {
	switch {
	case errors.Is(r.Err, context.DeadlineExceeded):
		return unheard, "no answer: " + words.late
	case errors.Is(r.Err, reach.ErrNoReply):
		return unheard, "no answer, " + words.perhaps + ": " + causeText(r)
	case r.Err != nil:
		return unasked, "not " + words.done + ": " + causeText(r)
	}
	return unasked, whyNoAnswer(r)
}

// fateOf returns the result for one process as reported by its node.
func fateOf(w *wire.Signaled, words *commandWords) (signalOutcome, string) {
	why := safe.Line(w.Error, mostText)
	switch w.ErrorID {
	case "":
		if why == "" {
			return sent, words.done
		}
	case wire.SignalGone:
		return exited, "has exited"
	case wire.SignalReused:
		return reused, "not " + words.done + ": PID reused by another process"
	case wire.SignalOtherUser:
		if why == "" {
			why = "belongs to another user"
		}
		return foreign, why
	case wire.SignalNoAnswer:
		return unsure, cmp.Or(why, "the node does not know whether it was "+words.done)
	}
	return failed, cmp.Or(why, "not "+words.done+", and the node did not say why")
}

// countFates returns the number of targets with each fate.
func countFates(list []target) (n [fateKind]int) {
	for i := range list {
		n[list[i].fate]++
	}
	return n
}

// summarizeFates sums up the results of the signal: "sent to 126, 2 had already exited".
func summarizeFates(list []target, words *commandWords) string {
	n, did := countFates(list), words.done+" "+words.to+" %d"
	n[failed] += n[unasked]
	n[unheard] += n[unsure]
	var parts []string
	for _, p := range []struct {
		signalOutcome
		one, many string
	}{
		{sent, did, did},
		{exited, "%d had already exited", "%d had already exited"},
		{reused, "%d PID was reused", "%d PIDs were reused"},
		{foreign, "%d belongs to another user", "%d belong to other users"},
		{failed, "not " + did, "not " + did},
		{unheard, "outcome unknown for %d", "outcome unknown for %d"},
		{waiting, "no answer yet for %d", "no answer yet for %d"},
	} {
		switch count := n[p.signalOutcome]; count {
		case 0:
		case 1:
			parts = append(parts, fmt.Sprintf(p.one, count))
		default:
			parts = append(parts, fmt.Sprintf(p.many, count))
		}
	}
	return strings.Join(parts, ", ")
}
