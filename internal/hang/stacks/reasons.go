package stacks

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/hang/stacks/frames"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// waitReasons says what the ranks that others wait for are waiting for themselves: "Rank 3, in main (train.py:198),
// waits for its DataLoader worker 1658 (python), which …".
func (w verdictWriter) waitReasons() (said []string) {
	for _, r := range w.reasonSubjects() {
		if words := w.rankReason(r); words != "" && len(said) < named {
			said = append(said, words)
		}
	}
	return said
}

// reasonSubjects returns the ranks whose reason matters: those that others wait for. If all ranks are in one place in
// which they do not wait for each other, it returns the first one.
func (w verdictWriter) reasonSubjects() []*Rank {
	switch {
	case w.read == 0, len(w.groups) == 1 && w.groups[0].awaitsOthers():
		return nil
	case len(w.groups) == 1:
		return w.groups[0].Ranks[:1]
	case w.isMost(&w.groups[0]) || w.groups[0].awaitsOthers():
		return w.ranksAside()
	}
	return nil // nobody is singled out
}

// rankReason says what a rank waits for; "": it moves, or it is not known.
func (w verdictWriter) rankReason(r *Rank) string {
	if w.Motion(r) == Moves {
		return ""
	}
	p := frames.WaitingProcess{ProcessStacks: r.Process, Descendants: r.Workers,
		Others: r != w.groups[0].firstRank() && frames.IsInModule(w.groups[0].firstRank().pythonFrames())}
	if before := w.before[process{r.Node, r.ProcessID}]; before != nil && before.Process != nil {
		if _, is := frames.DecidingThreads(before.Process, r.Process); is == frames.LockHolder(r.Process) {
			p.Holder = is
		}
	}
	words := frames.ReasonOf(p)
	if s := w.kernelWork(r).own; words == "" || words == frames.Sleeps && s.Steps() { // polls, or works in small steps
		return ""
	}
	name := beginSentence(r.inShort())
	if line := frames.Of(r.pythonFrames()); line.Own != "" {
		name += ", in " + line.Own + " (" + line.At + "),"
	}
	return name + " " + words + "."
}

// unansweredLinks says which connections are not answered: when all ranks wait, they show where the link is broken.
func (w verdictWriter) unansweredLinks() (said []string) {
	for _, r := range w.ranksIn(func(*Group) bool { return true }) {
		for i := range r.Process.Unsent {
			if len(said) < named {
				said = append(said, unansweredAt(r, &r.Process.Unsent[i]))
			}
		}
	}
	return said
}

func unansweredAt(r *Rank, c *wire.Connection) string {
	name := beginSentence(r.inShort()) + "'s"
	if r.Number == NoRank {
		name = "Of " + r.inShort() + " the"
	}
	return fmt.Sprintf("%s connection to %s has %s unsent, after %d retransmissions.", name, c.Peer, bytesOf(c.Bytes),
		c.Retransmits)
}

// bytesOf writes a number of bytes, which may be small.
func bytesOf(n uint64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	}
	return frames.BytesText(n)
}
