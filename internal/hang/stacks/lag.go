package stacks

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/hang/stacks/frames"
)

// LagLooks is how many looks are taken at a job with a rank that lags.
const LagLooks = 3

// Lag says where a lagging rank is, compared with the others, if all looks agree; otherwise it says that the stack does
// not tell. A rank that is where the others are, or that moves, may be slow for any reason. "": it is not known, not
// yet known, or the rank is the only one.
func Lag(looks []*Observation, node string, gpu int) string {
	if len(looks) < LagLooks {
		return ""
	}
	var own, others []string
	var rank *Rank
	read := true
	for _, l := range looks {
		at := slices.IndexFunc(l.Ranks, func(r Rank) bool { return r.Node == node && slices.Contains(r.GPUs, gpu) })
		if at < 0 || len(l.Ranks) < 2 {
			return ""
		}
		rank = &l.Ranks[at]
		where := whereIs(rank)
		if where == "" {
			return ""
		}
		most, known := mostAre(l, at)
		own, others, read = append(own, where), append(others, most), read && 2*known > len(l.Ranks)-1
	}
	if !read {
		return "The stacks of most others are not known: where " + rank.briefName() + " is does not tell why it lags."
	}
	times := fmt.Sprintf(" in %d of %d looks", len(looks), len(looks))
	switch one, all := areAllEqual(own), areAllEqual(others); {
	case one && all && own[0] == others[0]:
		return beginSentence(rank.briefName()) + " is in " + own[0] + times +
			", as the others: its stack does not tell why it lags."
	case one && all && others[0] != "":
		return beginSentence(rank.briefName()) + " is in " + own[0] + times + ", the others in " + others[0] + "."
	}
	return fmt.Sprintf("In %d looks %s and the others are in different places: its stack does not tell why it lags.",
		len(looks), rank.briefName())
}

func areAllEqual(words []string) bool { return len(slices.Compact(slices.Clone(words))) == 1 }

// whereIs returns the function in which a rank is; "": it is not known.
func whereIs(r *Rank) string {
	if !r.isLocated() || isHalted(r.Process) || len(r.pythonFrames()) == 0 {
		return ""
	}
	return cmp.Or(frames.Collective(r.pythonFrames()), frames.Of(r.pythonFrames()).Head)
}

// mostAre returns the function in which more than half of the other ranks are; "": there is none. known is how many of
// the others have a known place.
func mostAre(l *Observation, but int) (most string, known int) {
	count := map[string]int{}
	for i := range l.Ranks {
		if where := whereIs(&l.Ranks[i]); i != but && where != "" {
			known++
			count[where]++
			if 2*count[where] > len(l.Ranks)-1 {
				most = where
			}
		}
	}
	return most, known
}
