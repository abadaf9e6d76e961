package signal

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// recipientKind is a choice of recipients.
type recipientKind uint8

const (
	theProcess recipientKind = iota
	theTagged
	theRank   // all processes of the process's rank
	theJob    // all ranks of its job, or all processes if no rank is known
	theFamily // the process and its children
	kinds
)

// recipients is the choice of recipients, with what it can choose from.
type recipients struct {
	kind   recipientKind
	at     tally.Target // the process under the cursor
	tagged []tally.Target
}

func (w *recipients) hasChoice(s *part.Scene, k recipientKind) bool {
	switch k {
	case theTagged:
		return len(w.tagged) > 0
	case theRank:
		return w.at.Rank != nil
	case theJob:
		return w.jobOfProcess(s) != nil
	case theFamily:
		return w.at.Refusal() == ""
	}
	return true
}

func (w *recipients) countChoices(s *part.Scene) (n int) {
	for k := range kinds {
		if w.hasChoice(s, k) {
			n++
		}
	}
	return n
}

// jobOfProcess returns the job of the process if it is one of the user's.
func (w *recipients) jobOfProcess(s *part.Scene) *cluster.JobView {
	if !w.at.Mine {
		return nil
	}
	return s.Snap.JobWith(w.at.Job)
}

// nextChoice goes to the next choice, with a wrap at the ends.
func (w *recipients) nextChoice(s *part.Scene, by int) {
	for {
		w.kind = (w.kind + kinds + recipientKind(by)) % kinds
		if w.hasChoice(s, w.kind) {
			return
		}
	}
}

// choiceName names a choice: "3 tagged", "rank 11".
func (w *recipients) choiceName(k recipientKind) string {
	switch k {
	case theTagged:
		return strconv.Itoa(len(w.tagged)) + " tagged"
	case theRank:
		return "rank " + strconv.Itoa(w.at.Rank.Rank)
	case theJob:
		if w.at.Rank != nil {
			return "all ranks"
		}
		return "whole job"
	case theFamily:
		return "with its children"
	}
	return "this process"
}

// listTargets returns the recipients that are known.
func (w *recipients) listTargets(s *part.Scene, family *kin) []tally.Target {
	switch w.kind {
	case theTagged:
		return w.tagged
	case theRank, theJob:
		return w.ofJob(s)
	case theFamily:
		return family.list
	}
	return []tally.Target{w.at}
}

// ofJob returns the processes of the rank, or of all ranks of the job.
func (w *recipients) ofJob(s *part.Scene) (list []tally.Target) {
	job := w.jobOfProcess(s)
	if job == nil { // the job of the rank is not listed
		return []tally.Target{w.at}
	}
	for _, t := range tally.Targets(s.Snap, job) {
		ranked := t.Rank != nil || w.at.Rank == nil
		if w.kind == theRank {
			ranked = tally.SameRank(t.Rank, w.at.Rank)
		}
		if ranked {
			list = append(list, t)
		}
	}
	return list
}

// unlistedNodes counts the nodes of a job that had no process list when the choice was made.
type unlistedNodes struct{ nodes, of int }

// countBlindNodes counts the nodes whose processes the choice cannot see.
func (w *recipients) countBlindNodes(s *part.Scene) (b unlistedNodes) {
	job := w.jobOfProcess(s)
	if job == nil || w.kind != theRank && w.kind != theJob {
		return b
	}
	b.of = len(job.Nodes)
	for _, name := range job.Nodes {
		if !s.NodeOf(name).Listed {
			b.nodes++
		}
	}
	return b
}

// kin is a process and its children, as reported by its node.
type kin struct {
	asked *wire.Family
	list  []tally.Target
	more  bool
	wrong string // the reason why the list is empty; "" until the node answers
}

// handleAnswer stores the answer of the node.
func (k *kin) handleAnswer(r nav.Result, s *part.Scene, of tally.Target) {
	if k.wrong = whyNoAnswer(r); k.wrong != "" {
		k.wrong = of.Node + " " + k.wrong
		return
	}
	for i := range r.Reply.Family {
		f := &r.Reply.Family[i]
		for _, text := range []*string{&f.User, &f.Name, &f.Command} {
			*text = safe.Line(*text, mostText)
		}
	}
	list, found := tally.Children(s.Snap, of, r.Reply.Family)
	switch {
	case found:
		k.list, k.more = list, r.Reply.Truncated
	case r.Reply.Truncated:
		k.wrong = of.Node + " lists only some of its processes, and this one is not among them"
	default:
		k.wrong = "the process has exited"
	}
}

// mostText limits a text from a node, in bytes.
const mostText = 300

// whyNoAnswer is the reason why a node has not answered, without its name; "": it has.
func whyNoAnswer(r nav.Result) string {
	switch {
	case r.Err != nil:
		return "did not answer: " + causeText(r)
	case r.Reply.Error != "":
		return "refused: " + safe.Line(r.Reply.Error, mostText)
	}
	return ""
}

// causeText is the error of a request, without the words that are already in the sentence.
func causeText(r nav.Result) string {
	name := strconv.Quote(r.Node)
	text := strings.TrimPrefix(r.Err.Error(), "ask "+name+": ")
	text = strings.TrimPrefix(text, reach.ErrNoReply.Error()+": ")
	if rest, ok := strings.CutPrefix(text, name); ok {
		text = "it" + rest
	}
	return safe.Line(text, mostText)
}
