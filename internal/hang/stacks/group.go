package stacks

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/hang/stacks/frames"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Group is a set of ranks with equal stacks, in rank order.
type Group struct {
	Ranks   []*Rank
	Outlier bool // few ranks are there, while most of the job is elsewhere
	Vague   bool // only the kernel tells how they wait

	frames []SharedFrame
}

// firstRank returns the rank that stands for the group.
func (g *Group) firstRank() *Rank { return g.Ranks[0] }

// Groups returns the groups of the ranks about which something is known: the largest first, and the vague ones last.
func (l *Observation) Groups() []Group {
	at := map[uint64]int{}
	var groups []Group
	for i := range l.Ranks {
		r := &l.Ranks[i]
		if r.Process == nil {
			continue
		}
		key := keyOf(r)
		g, known := at[key]
		if !known {
			g = len(groups)
			at[key] = g
			groups = append(groups, Group{Vague: !r.isLocated()})
		}
		groups[g].Ranks = append(groups[g].Ranks, r)
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		if a.Vague != b.Vague {
			return map[bool]int{false: -1, true: 1}[a.Vague]
		}
		return cmp.Compare(len(b.Ranks), len(a.Ranks))
	})
	for i := range groups {
		// A look may have found the rank numbers of some.
		slices.SortStableFunc(groups[i].Ranks, func(a, b *Rank) int { return byPlace(a.Place, b.Place) })
		groups[i].shareFrames()
	}
	markOutliers(groups)
	return groups
}

// seed is shared by the keys of all groups.
var seed = maphash.MakeSeed()

// keyOf returns a key that is equal for ranks with equal stacks. A stopped process never matches one that runs in the
// same place.
func keyOf(r *Rank) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	if !r.isLocated() {
		h.WriteByte(2)
		h.WriteString(r.Process.Refusal.Cause)
	}
	if isHalted(r.Process) {
		h.WriteString(strings.ToUpper(r.Process.State))
	}
	python := r.pythonFrames()
	for i := range python {
		h.WriteByte(0)
		h.WriteString(python[i].Function)
		h.WriteByte(0)
		h.WriteString(python[i].File)
	}
	if t := frames.MainThread(r.Process); len(python) == 0 && t != nil {
		h.WriteByte(1)
		h.WriteString(t.WChan)
		if t.State == "D" || t.State == "R" {
			h.WriteString(t.State)
		}
	}
	return h.Sum64()
}

// markOutliers finds the outliers: groups of at most a quarter of all ranks, while at least half of the ranks are in
// one group, or wait for others in several. If some ranks are neither in the largest group nor wait for others, the
// groups that wait for others are no outliers.
func markOutliers(groups []Group) {
	all, most, elsewhere := 0, 0, false
	for i := range groups {
		g := &groups[i]
		if g.Vague != groups[0].Vague {
			continue
		}
		all += len(g.Ranks)
		if i == 0 || g.awaitsOthers() {
			most += len(g.Ranks)
		} else {
			elsewhere = true
		}
	}
	if len(groups) == 0 || 2*most < all || 2*len(groups[0].Ranks) < all && !groups[0].awaitsOthers() {
		return
	}
	for i := range groups[1:] {
		g := &groups[1+i]
		g.Outlier = 4*len(g.Ranks) <= all && g.Vague == groups[0].Vague && (!elsewhere || !g.awaitsOthers())
	}
}

// SharedFrame is a frame of a group: its ranks agree in function and file, and may differ in the line.
type SharedFrame struct {
	wire.Frame
	Lines []Lines // where the ranks are, if not all are in Line
}

// Lines is the ranks that are in one line.
type Lines struct {
	Line  int
	Ranks []*Rank
}

// Frames returns the frames of a group, innermost first. Line is the line of most ranks.
func (g *Group) Frames() []SharedFrame { return g.frames }

// shareFrames sets the frames of a group: those of its first rank, with the lines of all ranks where they differ.
func (g *Group) shareFrames() {
	frames := g.firstRank().pythonFrames()
	g.frames = make([]SharedFrame, len(frames))
	for i := range frames {
		g.frames[i].Frame = frames[i]
	}
	differ := make([]bool, len(frames))
	for _, r := range g.Ranks[1:] {
		for i, f := range r.pythonFrames() {
			differ[i] = differ[i] || f.Line != frames[i].Line
		}
	}
	for i, is := range differ {
		if is {
			g.frames[i].Lines = linesOf(g.Ranks, i)
			g.frames[i].Line = g.frames[i].Lines[0].Line
		}
	}
}

// linesOf returns the lines of ranks in one frame, the line of most ranks first.
func linesOf(ranks []*Rank, frame int) (lines []Lines) {
	at := map[int]int{}
	for _, r := range ranks {
		line := r.pythonFrames()[frame].Line
		i, known := at[line]
		if !known {
			i = len(lines)
			at[line] = i
			lines = append(lines, Lines{Line: line})
		}
		lines[i].Ranks = append(lines[i].Ranks, r)
	}
	slices.SortStableFunc(lines, func(a, b Lines) int { return cmp.Compare(len(b.Ranks), len(a.Ranks)) })
	return lines
}

// UnreadRanks is a set of ranks whose place is not known, all for one reason.
type UnreadRanks struct {
	reason
	Ranks []*Rank
}

// reason is why a place is not known, and whether the ranks stand in vague groups all the same.
type reason struct {
	wire.Refusal
	grouped bool
}

// Refusals returns the ranks whose place is not known, by reason, the most frequent reason first.
func (l *Observation) Refusals() (all []UnreadRanks) {
	at := map[reason]int{}
	for i := range l.Ranks {
		r := &l.Ranks[i]
		why, grouped := r.Why, false
		if why == nil && r.Process != nil && !r.isLocated() {
			why, grouped = r.Process.Refusal, true
		}
		if why == nil {
			continue
		}
		key := reason{*why, grouped}
		n, known := at[key]
		if !known {
			n = len(all)
			at[key] = n
			all = append(all, UnreadRanks{reason: key})
		}
		all[n].Ranks = append(all[n].Ranks, r)
	}
	slices.SortStableFunc(all, func(a, b UnreadRanks) int { return cmp.Compare(len(b.Ranks), len(a.Ranks)) })
	return all
}
