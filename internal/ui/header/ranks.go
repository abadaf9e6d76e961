package header

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// RankMark returns the mark of a row of the rank table: that of the rank if it is gone, otherwise of its GPU, otherwise
// of its node.
func RankMark(s *part.Scene, r *tally.RankRow) part.Mark {
	switch r.State {
	case tally.RankGone:
		return part.Marks[cluster.Critical]
	case tally.RankUnseen:
		return part.Marks[cluster.Warning]
	}
	if r.GPU != nil {
		if findings := s.Health.OfGPU(r.Node, r.GPU); len(findings) > 0 && findings[0].Severity > cluster.Note {
			return part.Marks[findings[0].Severity]
		}
	}
	if r.State == tally.RankUnknown && r.Node != "" {
		return s.Health.NodeMark(r.Node)
	}
	return part.Mark{}
}

// RankRole is the role for the rank and its place: that of its mark, unless the only problem is that its node does not
// report.
func RankRole(s *part.Scene, r *tally.RankRow) draw.Role {
	m := RankMark(s, r)
	switch {
	case r.State == tally.RankUnknown && (r.GPU == nil || s.NodeOf(r.Node).State != cluster.NodeReporting):
		return draw.Dim
	case m.Glyph == "":
		return draw.Strong
	}
	return m.Role
}

// RankWords says, in place of the process and in w columns, why there is none.
func RankWords(f *part.Frame, r *tally.RankRow, w int) string {
	name, seen := rankName(r), ""
	if !r.LastSeen.IsZero() {
		seen = ", last seen " + draw.Age(f.Snap.At.Sub(r.LastSeen)) + " ago"
	}
	var words []string
	switch r.State {
	case tally.RankGone:
		words = []string{name + " is gone" + seen, "gone" + seen, "gone"}
	case tally.RankUnseen:
		words = []string{name + " not found on any GPU of the job", "on no GPU of the job", "missing"}
	default:
		words = []string{name + " has not been seen: not all nodes list their processes",
			"not seen: not all nodes list their processes", "not seen"}
		if r.Node != "" {
			why := whyUnlisted(f, f.NodeOf(r.Node), r.GPU)
			words = []string{name + ": " + why + seen, why + seen, why}
		}
	}
	for _, text := range words {
		if draw.Width(text) <= w {
			return text
		}
	}
	return words[len(words)-1]
}

// rankName is "rank 13 of 16".
func rankName(r *tally.RankRow) string {
	text := "rank " + strconv.Itoa(r.Rank.Rank)
	if r.Rank.World != nil {
		text += " of " + strconv.Itoa(*r.Rank.World)
	}
	return text
}

// whyUnlisted says why a node does not list the processes on a GPU. A nil g means any GPU.
func whyUnlisted(f *part.Frame, n *cluster.Node, g *cluster.GPU) string {
	switch {
	case n.State == cluster.NodeStale:
		return "node not responding"
	case n.State != cluster.NodeReporting:
		return AbsenceText(f, n, part.Unlimited)
	case g != nil && tally.Lost(g) != "":
		return "its GPU is lost"
	case g != nil && g.Hung():
		return "its GPU hangs"
	}
	return "the processes on its GPU cannot be listed"
}
