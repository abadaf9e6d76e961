package stacks

import (
	_ "embed"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks/frames"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Schema is the JSON Schema of the document.
//
//go:embed schema.json
var Schema []byte

// Evidence is what else is known about a job.
type Evidence struct {
	// Halted says that the job's GPUs are known to have stopped computing.
	Halted bool
	// GPUsWait says that they were seen to wait or to stand still at each look.
	GPUsWait bool
	// NCCL is what the job's own NCCL says; nil: nothing.
	NCCL *NCCL
}

// NCCL is what NCCL's RAS says about the collectives of a job, between two answers.
type NCCL struct {
	// Behind: ranks wait for others, as they do for some seconds in any job. Lost: processes do not answer, as at the
	// end of any job. If none is set, nothing is known.
	Moving, Stuck, Behind, Lost bool
	rankstacks.NCCL
}

// Of makes the document of one look or two.
func Of(p *Pair, also Evidence) *rankstacks.Verdict {
	l := p.Now
	d := &rankstacks.Verdict{Version: rankstacks.Version, Job: l.Job, Time: l.At, Asked: len(l.Ranks), Read: l.Read(),
		Groups: []rankstacks.Group{}}
	if p.Before != nil {
		d.ComparedSeconds = new(metric.InSeconds(p.Between()))
	}
	groups := l.Groups()
	v := p.judgeLooks(groups, also)
	for i := range groups {
		d.Groups = append(d.Groups, p.describeGroup(&groups[i], v.moves[i]))
	}
	for _, r := range l.Refusals() {
		d.Refused = append(d.Refused, rankstacks.Refusal{ID: r.ID, Cause: r.Cause, Hint: r.Hint, Count: len(r.Ranks),
			Members: Members(r.Ranks), Grouped: r.grouped})
	}
	if also.NCCL != nil {
		d.NCCL = &also.NCCL.NCCL
	}
	w := verdictWriter{v}
	d.State, d.Said, d.Headline = v.jobState(), w.allSentences(), w.shortHeadline()
	return d
}

// describeGroup returns a group in the document's form.
func (p *Pair) describeGroup(g *Group, of motions) rankstacks.Group {
	t := rankstacks.Group{Summary: g.Words(), Members: Members(g.Ranks), Outlier: g.Outlier, Vague: g.Vague,
		Collective: frames.Collective(g.firstRank().pythonFrames())}
	if g.Vague {
		why := g.firstRank().Process.Refusal
		t.Cause, t.Hint = why.Cause, why.Hint
	}
	if p.Before != nil && (of[Unknown] == 0 || of[Moves] > 0) {
		t.Moved = new(of[Moves])
	}
	for _, r := range g.Ranks {
		t.Ranks = append(t.Ranks, rankstacks.Rank{Rank: r.rankNumber(), NoRank: r.NoRank, Node: r.Node, GPUs: r.GPUs,
			PID:        r.PID,
			StartTicks: r.StartTicks, State: r.Process.State, Counted: p.describeCounts(r)})
		t.Workers = append(t.Workers, heldWorkers(r)...)
		if children := p.describeChildren(r); len(t.Children)+len(children) <= mostChildren {
			t.Children = append(t.Children, children...)
		} else {
			t.MoreChildren += len(children)
		}
	}
	for _, f := range g.Frames() {
		frame := rankstacks.Frame{Function: f.Function, File: f.File, Line: f.Line}
		for _, of := range f.Lines {
			frame.Lines = append(frame.Lines, rankstacks.Line{Line: of.Line, Members: Members(of.Ranks)})
		}
		t.Frames = append(t.Frames, frame)
	}
	if first := frames.MainThread(g.firstRank().Process); first != nil {
		t.Deeper = first.Deeper
		t.Threads = otherThreads(g.firstRank().Process, first)
	}
	return t
}

// rankNumber returns the rank; nil if it is unknown.
func (p *Place) rankNumber() *int {
	if p.Number == NoRank {
		return nil
	}
	return &p.Number
}

// otherThreads returns the other threads of a process that run Python.
func otherThreads(p *wire.ProcessStacks, first *wire.ThreadStack) (list []rankstacks.Thread) {
	for i := range p.Threads {
		t := &p.Threads[i]
		if t == first || len(t.Frames) == 0 {
			continue
		}
		of := rankstacks.Thread{TID: t.TID, Name: t.Name, State: t.State, Summary: frames.Of(t.Frames).String()}
		for _, f := range t.Frames {
			of.Frames = append(of.Frames, rankstacks.Frame{Function: f.Function, File: f.File, Line: f.Line})
		}
		list = append(list, of)
	}
	return list
}

// heldWorkers returns the descendants of a rank that are stuck in the kernel waiting for a file.
func heldWorkers(r *Rank) (list []rankstacks.Worker) {
	for i := range r.Workers {
		p := &r.Workers[i]
		t := heldThread(p)
		if t == nil {
			continue
		}
		w := rankstacks.Worker{Rank: r.rankNumber(), Node: r.Node, PID: p.PID, Name: p.Name, State: "D"}
		if f := t.WaitsFor; f != nil {
			w.File, w.FileSystem, w.Mount = f.Path, f.FileSystem, f.Mount
		}
		if m := frames.MainThread(p); m != nil && len(m.Frames) > 0 {
			w.Summary = frames.Of(m.Frames).String()
		}
		list = append(list, w)
	}
	return list
}

// heldThread returns a thread in state D, preferably one whose file is known; nil: there is none.
func heldThread(p *wire.ProcessStacks) (held *wire.ThreadStack) {
	for i := range p.Threads {
		if t := &p.Threads[i]; t.State == "D" && (held == nil || held.WaitsFor == nil) {
			held = t
		}
	}
	return held
}
