package stacks

import (
	"cmp"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Question is what a survey asks of one node.
type Question struct {
	Node    string
	Request wire.Request
	ranks   []int // their indices in the look
}

// Survey asks the nodes of a job where its ranks are. It belongs to one goroutine.
type Survey struct {
	look      Observation
	questions []Question
	sent      int
	answered  int
	over      time.Duration  // how long the nodes follow the ranks
	hosts     nodesByAddress // the nodes that have answered
}

// newSurvey returns a survey of the processes of a job. It begins now, and is over after some time.
func newSurvey(job string, places []Place, now time.Time, over time.Duration) *Survey {
	places = slices.Clone(places)
	slices.SortStableFunc(places, byPlace)
	s := &Survey{over: over, hosts: nodesByAddress{}, look: Observation{Job: job, At: now.Add(over),
		Ranks: make([]Rank, len(places))}}
	at := map[string]int{} // the last question for each node
	for i, p := range places {
		r := &s.look.Ranks[i]
		r.Place = p
		if r.Why = p.whyNot(); r.Why != nil {
			continue
		}
		q, known := at[p.Node]
		if !known || len(s.questions[q].ranks) == wire.MaxStackTargets {
			q = len(s.questions)
			at[p.Node] = q
			s.questions = append(s.questions, Question{Node: p.Node, Request: wire.Request{
				Stacks: &wire.Stacks{OverMS: int(over.Milliseconds())}}})
		}
		to := &s.questions[q]
		to.Request.Stacks.Processes = append(to.Request.Stacks.Processes, p.ProcessID)
		to.ranks = append(to.ranks, i)
	}
	return s
}

// Job returns the ID of the job.
func (s *Survey) Job() string { return s.look.Job }

// Next returns the next question; false: all have been asked.
func (s *Survey) Next() (Question, bool) {
	if s.sent == len(s.questions) {
		return Question{}, false
	}
	s.sent++
	return s.questions[s.sent-1], true
}

// Progress returns how many answers there are, and how many questions.
func (s *Survey) Progress() (answered, all int) { return s.answered, len(s.questions) }

// Over reports whether all questions have an answer.
func (s *Survey) Over() bool { return s.answered == len(s.questions) }

// Look returns what is known so far. Later answers change it.
func (s *Survey) Look() *Observation { return &s.look }

// Take takes the answer to a question, or the reason why there is none.
func (s *Survey) Take(q Question, reply *wire.Reply, err error) {
	s.answered++
	switch {
	case err != nil:
		s.refuseRanks(q, wire.Refusal{ID: NoAnswer, Cause: err.Error()})
	case reply.Error != "":
		s.refuseRanks(q, wire.Refusal{ID: NoAnswer, Cause: reply.Error})
	default:
		s.readReply(q, reply)
		s.hosts.addAddresses(q.Node, reply.Addresses)
	}
	if s.Over() {
		s.look.namePeers(s.hosts)
	}
}

// GiveUp records that nobody waits any longer for the missing answers.
func (s *Survey) GiveUp(after time.Duration) {
	for i := range s.look.Ranks {
		if r := &s.look.Ranks[i]; r.Process == nil && r.Why == nil {
			r.Why = &wire.Refusal{ID: NoAnswer, Cause: "the node has not answered within " + formatSpan(after)}
		}
	}
	s.sent, s.answered = len(s.questions), len(s.questions)
	s.look.namePeers(s.hosts)
}

// NoAnswer is the refusal ID of a node that does not answer.
const NoAnswer = "no_answer"

func (s *Survey) refuseRanks(q Question, why wire.Refusal) {
	cleanRefusal(&why)
	for _, i := range q.ranks {
		s.look.Ranks[i].Why = &why
	}
}

// readReply takes the processes of an answer.
func (s *Survey) readReply(q Question, reply *wire.Reply) {
	at := map[int]*Rank{} // by PID
	for _, i := range q.ranks {
		at[s.look.Ranks[i].PID] = &s.look.Ranks[i]
	}
	for i := range reply.Stacks {
		p := &reply.Stacks[i]
		cleanProcess(p)
		r := at[cmp.Or(p.Of, p.PID)]
		switch {
		case r == nil: // nobody asked about it
		case p.Of != 0:
			r.Workers = append(r.Workers, *p)
		case p.StartTicks == r.StartTicks && r.Process == nil:
			r.addStacks(p, reply.ReadMS)
		}
	}
	for _, i := range q.ranks {
		if r := &s.look.Ranks[i]; r.Process == nil && r.Why == nil {
			r.Why = &wire.Refusal{ID: NoAnswer, Cause: "the node has not answered for the process"}
		}
	}
}

// addStacks adds what is known about a rank. If there is no thread, the reason why is all that is known.
func (r *Rank) addStacks(p *wire.ProcessStacks, readMS uint64) {
	if len(p.Threads) == 0 && !isHalted(p) {
		r.Why = cmp.Or(p.Refusal, &wire.Refusal{ID: NoAnswer, Cause: "the node knows no thread of the process"})
		return
	}
	r.Process, r.readMS = p, readMS
	if p.Rank != nil && r.Number == NoRank && r.NoRank != "" {
		r.Number, r.NoRank = p.Rank.Rank, ""
	}
}

// Limits of the strings of a node, in bytes.
const (
	maxName, maxFile, maxCause = 64, 512, 300
)

// cleanProcess makes the strings of a process harmless.
func cleanProcess(p *wire.ProcessStacks) {
	p.Name, p.Python, p.State = safe.Line(p.Name, maxName), safe.Line(p.Python, maxName), safe.Line(p.State, 1)
	if p.Refusal != nil {
		cleanRefusal(p.Refusal)
	}
	if r := p.Rank; r != nil && (r.Rank < 0 || r.World != nil && *r.World <= r.Rank) {
		p.Rank = nil
	}
	for i := range p.Unsent {
		c := &p.Unsent[i]
		c.Local, c.Peer = safe.Line(c.Local, maxName), safe.Line(c.Peer, maxName)
	}
	for i := range p.Threads {
		t := &p.Threads[i]
		t.Name, t.State, t.WChan = safe.Line(t.Name, maxName), safe.Line(t.State, 1), safe.Line(t.WChan, maxName)
		if w := t.WaitsFor; w != nil {
			w.Path, w.FileSystem = safe.Line(w.Path, maxFile), safe.Line(w.FileSystem, maxName)
			w.Mount, w.Source = safe.Line(w.Mount, maxFile), safe.Line(w.Source, maxFile)
		}
		if c := t.Call; c != nil {
			c.Does, c.File = safe.Line(c.Does, maxName), safe.Line(c.File, maxFile)
			c.Local, c.Peer = safe.Line(c.Local, maxName), safe.Line(c.Peer, maxName)
			c.HolderName = safe.Line(c.HolderName, maxName)
		}
		for j := range t.Frames {
			f := &t.Frames[j]
			f.Function, f.File = safe.Line(f.Function, wire.MaxFunction), safe.Line(f.File, maxFile)
		}
	}
}

func cleanRefusal(r *wire.Refusal) {
	r.ID, r.Cause, r.Hint = safe.Line(r.ID, maxName), safe.Line(r.Cause, maxCause), safe.Line(r.Hint, maxCause)
}
