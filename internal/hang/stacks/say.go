package stacks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks/frames"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// verdictWriter puts a verdict into sentences.
type verdictWriter struct{ *verdict }

// allSentences puts the verdict into sentences.
func (w verdictWriter) allSentences() (said []string) {
	if split := w.placesSentence(); split != "" {
		said = append(said, split)
	}
	reasons := w.waitReasons()
	said = append(said, reasons...)
	said = append(said, w.unansweredLinks()...)
	if gone := w.gone(); gone != "" {
		said = append(said, gone)
	}
	if held := w.heldSentence(reasons); held != "" {
		said = append(said, held)
	}
	if motion := w.motionSentence(); motion != "" {
		said = append(said, motion)
	}
	if greenlets := w.greenletSentence(); greenlets != "" {
		said = append(said, greenlets)
	}
	if unranked := w.unrankedSentence(); unranked != "" {
		said = append(said, unranked)
	}
	return said
}

// namesState reports whether a reason names a file that a process waits for in state D.
func namesState(said string) bool { return strings.Contains(said, " in state D for ") }

// placesSentence says where most ranks are, and which ones are elsewhere.
func (w verdictWriter) placesSentence() string {
	if w.read == 0 {
		return "No stack of a rank could be read."
	}
	most := &w.groups[0]
	switch n := len(most.Ranks); {
	case w.read == 1:
		return beginSentence(most.firstRank().briefName()) + " " + groupPlace(most, 1) + "."
	case len(w.groups) == 1:
		return "All " + w.ranksRead() + " " + groupPlace(most, n) + "."
	case len(w.odd) > 0 && w.awaitingCount() == w.read-len(w.odd) && w.awaitingCount() > n:
		who := w.nameOutliers()
		if len(w.odd) == 1 {
			who = w.odd[0].briefName()
		}
		return fmt.Sprintf("%d of %s wait for others, %d of them in %s, %s %s.", w.awaitingCount(), w.ranksRead(), n,
			inFew(most),
			who, w.outlierPlaces())
	case len(w.odd) == 0 || len(w.odd)+n < w.read:
		return fmt.Sprintf("The %s are in %d places: %d of them %s.", w.ranksRead(), len(w.groups), n, groupPlace(most, n))
	case len(w.odd) == 1:
		return fmt.Sprintf("%d of %s %s, %s %s.", n, w.ranksRead(), groupPlace(most, n), w.odd[0].briefName(),
			w.outlierPlaces())
	default:
		return fmt.Sprintf("%d of %s %s, %s %s.", n, w.ranksRead(), groupPlace(most, n), w.nameOutliers(), w.outlierPlaces())
	}
}

// shortHeadline says briefly where one rank is, and where most are; "": most are not in one place.
func (w verdictWriter) shortHeadline() string {
	if w.read == 0 || 2*len(w.groups[0].Ranks) < w.read {
		return ""
	}
	most := fmt.Sprintf("%d in %s", len(w.groups[0].Ranks), inFew(&w.groups[0]))
	switch {
	case len(w.groups) == 1:
		return most
	case len(w.odd) == 1 && w.odd[0].Number != NoRank:
		return fmt.Sprintf("rank %d %s, %s", w.odd[0].Number, placeInFew(w.outlierGroups()[0]), most)
	}
	return fmt.Sprintf("%d elsewhere, %s", w.read-len(w.groups[0].Ranks), most)
}

// inFew returns the function in which a group is.
func inFew(g *Group) string {
	return cmp.Or(frames.Collective(g.firstRank().pythonFrames()), g.stackLine().Head, "no Python code")
}

// placeInFew says where one rank is: "in _try_get_data", "stopped by a signal".
func placeInFew(g *Group) string {
	p := g.firstRank().Process
	if isHalted(p) || g.stackLine().Head == "" {
		return strings.TrimPrefix(Doing(p), "is ")
	}
	return "in " + inFew(g)
}

// ranksRead says how many ranks were read: "64 ranks", "60 ranks that were read".
func (w verdictWriter) ranksRead() string {
	text := strconv.Itoa(w.read) + " ranks"
	if w.read < len(w.Now.Ranks) {
		text += " that were read"
	}
	return text
}

// nameOutliers names the ranks that are not in the largest group.
func (w verdictWriter) nameOutliers() string {
	if len(w.odd) <= 4 {
		return Members(w.odd)
	}
	return strconv.Itoa(len(w.odd)) + " others"
}

// outlierGroups returns the groups of the odd ranks.
func (w verdictWriter) outlierGroups() (list []*Group) {
	for i := range w.groups {
		if w.groups[i].Outlier {
			list = append(list, &w.groups[i])
		}
	}
	return list
}

// outlierPlaces says where the ranks outside the largest group are, or in how many places.
func (w verdictWriter) outlierPlaces() string {
	places := w.outlierGroups()
	if len(places) == 1 {
		return groupPlace(places[0], len(w.odd))
	}
	return fmt.Sprintf("are in %d other places", len(places))
}

// awaitingCount returns how many ranks wait for others.
func (w verdictWriter) awaitingCount() int { return len(w.ranksIn((*Group).awaitsOthers)) }

// groupPlace says where the n ranks of a group are: "is in _try_get_data (torch/utils/data/dataloader.py:1144)".
func groupPlace(g *Group, n int) string {
	at, p := g.firstRank().pythonFrames(), g.firstRank().Process
	words := "is in "
	switch line, c := g.stackLine(), frames.Collective(at); {
	case line.Head == "" || isHalted(p):
		words = Doing(p)
	case c != "":
		words += c
	default:
		words += line.Head + " (" + line.Where + ")"
	}
	if n == 1 {
		return words
	}
	return pluralVerb(words)
}

// pluralVerb puts the verb that begins the words into the plural.
func pluralVerb(words string) string {
	verb, rest, _ := strings.Cut(words, " ")
	if many, is := map[string]string{"is": "are", "has": "have", "waits": "wait", "runs": "run"}[verb]; is {
		verb = many
	}
	return strings.TrimSuffix(verb+" "+rest, " ")
}

// gone says which ranks have no process.
func (w verdictWriter) gone() string {
	for _, r := range w.Now.Refusals() {
		switch {
		case r.ID != wire.RefusedGone:
		case len(r.Ranks) == 1:
			return beginSentence(r.Ranks[0].briefName()) + ": " + r.Cause + "."
		default:
			return beginSentence(Members(r.Ranks)) + ": " + r.Cause + "."
		}
	}
	return ""
}

// heldSentence says which descendants wait for files, unless there is only one and a reason names it.
func (w verdictWriter) heldSentence(reasons []string) string {
	var list []rankstacks.Worker
	for i := range w.all {
		for _, r := range w.all[i].Ranks {
			list = append(list, heldWorkers(r)...)
		}
	}
	at := slices.IndexFunc(list, func(w rankstacks.Worker) bool { return w.File != "" || w.Mount != "" })
	if at < 0 || len(list) == 1 && slices.ContainsFunc(reasons, namesState) {
		return ""
	}
	return Workers(list) + "."
}

// Workers puts into words the descendants that wait for the same mount as the first one whose file or mount is known.
func Workers(list []rankstacks.Worker) string {
	at := max(slices.IndexFunc(list, func(w rankstacks.Worker) bool { return w.File != "" || w.Mount != "" }), 0)
	first, n := list[at], 0
	for _, w := range list {
		if w.Node == first.Node && w.FileSystem == first.FileSystem && w.Mount == first.Mount {
			n++
		}
	}
	words := "is in state D"
	if file := cmp.Or(first.File, first.Mount); file != "" {
		words = "waits in state D for " + file
	}
	if first.FileSystem != "" {
		words += " (" + first.FileSystem + ")"
	}
	if n == 1 {
		return "Worker process " + strconv.Itoa(first.PID) + " on " + first.Node + " " + words
	}
	return strconv.Itoa(n) + " worker processes on " + first.Node + " " + pluralVerb(words)
}

// beginSentence returns the name of a process for the beginning of a sentence. The name of a node keeps its case:
// spelled otherwise it is not a node.
func beginSentence(name string) string {
	if word, _, _ := strings.Cut(name, " "); word != "rank" && word != "ranks" {
		return name
	}
	return upperFirst(name)
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// greenletSentence says which ranks have more stacks than were read.
func (w verdictWriter) greenletSentence() string {
	var list []*Rank
	for i := range w.Now.Ranks {
		if r := &w.Now.Ranks[i]; r.Process != nil && r.Process.Greenlets {
			list = append(list, r)
		}
	}
	switch len(list) {
	case 0:
		return ""
	case 1:
		return beginSentence(list[0].briefName()) + " runs greenlets, as with gevent: those that wait are not read."
	}
	return beginSentence(Members(list)) + " run greenlets, as with gevent: those that wait are not read."
}

// unrankedSentence says why the rank numbers of some processes are not known.
func (w verdictWriter) unrankedSentence() string {
	return tally.CountUnranked(func(yield func(string) bool) {
		for i := range w.Now.Ranks {
			if !yield(w.Now.Ranks[i].NoRank) {
				return
			}
		}
	}).String()
}

// motionSentence says what has moved.
func (w verdictWriter) motionSentence() string {
	if w.Before == nil || w.read == 0 {
		return ""
	}
	within := " within " + formatSpan(w.Between())
	switch moved := w.of[Moves]; {
	case w.of[Unknown] == w.read:
		return "Nothing is known of the previous look."
	case moved == 0 && w.atWork() != "":
		return "Each was in one line" + w.lookCount() + within + ", but " + w.atWork() + "."
	case moved == 0 && w.of[Same] > 0 && w.of[Unknown] == 0 && w.jobState() == rankstacks.Stuck:
		return "None has moved" + within + ", but for polling."
	case moved == 0 && w.anyRankComputes() && w.of[Unknown] == 0:
		return "Each was in one line" + w.lookCount() + within + ", and most use a CPU there, as in a wait that polls."
	case moved == 0 && w.of[Same] > 0 && w.of[Unknown] == 0:
		return "None has left its line" + within + ": whether each has worked there is not known."
	case moved == 0 && w.of[Unknown] == 0 && w.read == len(w.Now.Ranks):
		return "None has moved" + within + "."
	case moved == 0:
		return fmt.Sprintf("None of the %d that were read twice has moved%s, of %d.", w.read-w.of[Unknown], within,
			len(w.Now.Ranks))
	case moved == w.read && w.read > 1:
		return "All have moved" + within + "."
	case moved <= 2:
		return beginSentence(Members(w.movedRanks())) + haveMoved(moved) + within + "."
	}
	return fmt.Sprintf("%d of %d have moved%s.", w.of[Moves], w.read, within)
}

// lookCount says in how many looks the ranks were seen: " in 10 of 10 looks"; "": they were not followed.
func (w verdictWriter) lookCount() string {
	least := 0
	for _, r := range w.ranksIn(func(*Group) bool { return true }) {
		if l := r.Process.Looks; l == nil {
			return ""
		} else if least == 0 || l.Times < least {
			least = l.Times
		}
	}
	return fmt.Sprintf(" in %d of %d looks", least, least)
}

// anyRankComputes reports whether some rank has used a CPU.
func (w verdictWriter) anyRankComputes() bool {
	return slices.ContainsFunc(w.ranksIn(func(*Group) bool { return true }), func(r *Rank) bool {
		s := w.kernelWork(r).own
		return s.Computes()
	})
}

// atWork says what was counted for a rank that stays in its line and works there, beginning with the ranks that others
// wait for: "rank 3 has begun to wait 467 times in 10 of 10 looks at it: it works in small steps"; "": nothing was
// counted.
func (w verdictWriter) atWork() string {
	aside := w.ranksAside()
	others := w.ranksIn(func(g *Group) bool { return w.waitsWithMost(g) && !g.pollsForOthers() })
	for i, r := range slices.Concat(aside, others) {
		s, name := w.kernelWork(r), r.inShort()
		switch {
		case i >= len(aside) && !s.own.Steps(): // it may be polling
		case s.own.Works():
			return name + " " + s.own.Words()
		case s.worker != nil && s.of.Works():
			return fmt.Sprintf("process %d (%s) of %s %s", s.worker.PID, s.worker.Name, name, s.of.Words())
		case s.worker != nil:
			return fmt.Sprintf("process %d (%s) of %s has moved", s.worker.PID, s.worker.Name, name)
		case frames.ServesRequests(r.pythonFrames()):
			return name + " waits for requests, as a server does"
		}
	}
	return ""
}

func haveMoved(n int) string {
	if n == 1 {
		return " has moved"
	}
	return " have moved"
}

// movedRanks returns the ranks that have moved.
func (w verdictWriter) movedRanks() (list []*Rank) {
	for i := range w.groups {
		for _, r := range w.groups[i].Ranks {
			if w.Motion(r) == Moves {
				list = append(list, r)
			}
		}
	}
	return list
}

// formatSpan writes the time between two looks: "5 s".
func formatSpan(d time.Duration) string {
	if d >= 2*time.Minute {
		return strconv.Itoa(int(d.Minutes())) + " min"
	}
	return strconv.Itoa(max(int(d.Round(time.Second).Seconds()), 1)) + " s"
}
