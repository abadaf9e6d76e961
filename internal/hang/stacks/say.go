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

// wording puts a verdict into sentences.
type wording struct{ *verdict }

// say returns the sentences.
func (w wording) say() (said []string) {
	if split := w.split(); split != "" {
		said = append(said, split)
	}
	reasons := w.reasons()
	said = append(said, reasons...)
	said = append(said, w.unanswered()...)
	if gone := w.gone(); gone != "" {
		said = append(said, gone)
	}
	if held := w.held(reasons); held != "" {
		said = append(said, held)
	}
	if motion := w.motion(); motion != "" {
		said = append(said, motion)
	}
	if greenlets := w.greenlets(); greenlets != "" {
		said = append(said, greenlets)
	}
	if unranked := w.unranked(); unranked != "" {
		said = append(said, unranked)
	}
	return said
}

// namesState reports whether a reason names a file for which a process waits in state D.
func namesState(said string) bool { return strings.Contains(said, " in state D for ") }

// split says where most ranks are, and who is elsewhere.
func (w wording) split() string {
	if w.read == 0 {
		return "No stack of a rank could be read."
	}
	most := &w.groups[0]
	switch n := len(most.Ranks); {
	case w.read == 1:
		return begins(most.first().brief()) + " " + does(most, 1) + "."
	case len(w.groups) == 1:
		return "All " + w.ranks() + " " + does(most, n) + "."
	case len(w.odd) > 0 && w.awaiting() == w.read-len(w.odd) && w.awaiting() > n:
		who := w.rest()
		if len(w.odd) == 1 {
			who = w.odd[0].brief()
		}
		return fmt.Sprintf("%d of %s wait for others, %d of them in %s, %s %s.", w.awaiting(), w.ranks(), n, inFew(most),
			who, w.doing())
	case len(w.odd) == 0 || len(w.odd)+n < w.read:
		return fmt.Sprintf("The %s are in %d places: %d of them %s.", w.ranks(), len(w.groups), n, does(most, n))
	case len(w.odd) == 1:
		return fmt.Sprintf("%d of %s %s, %s %s.", n, w.ranks(), does(most, n), w.odd[0].brief(), w.doing())
	default:
		return fmt.Sprintf("%d of %s %s, %s %s.", n, w.ranks(), does(most, n), w.rest(), w.doing())
	}
}

// headline says in few words where one rank is, and where most are; "": that does not say it.
func (w wording) headline() string {
	if w.read == 0 || 2*len(w.groups[0].Ranks) < w.read {
		return ""
	}
	most := fmt.Sprintf("%d in %s", len(w.groups[0].Ranks), inFew(&w.groups[0]))
	switch {
	case len(w.groups) == 1:
		return most
	case len(w.odd) == 1 && w.odd[0].Number != NoRank:
		return fmt.Sprintf("rank %d %s, %s", w.odd[0].Number, placed(w.outliers()[0]), most)
	}
	return fmt.Sprintf("%d elsewhere, %s", w.read-len(w.groups[0].Ranks), most)
}

// inFew is the function in which a group is.
func inFew(g *Group) string {
	return cmp.Or(frames.Collective(g.first().frames()), g.line().Head, "no Python code")
}

// placed says where one rank is: "in _try_get_data", "stopped by a signal".
func placed(g *Group) string {
	p := g.first().Process
	if halted(p) || g.line().Head == "" {
		return strings.TrimPrefix(Doing(p), "is ")
	}
	return "in " + inFew(g)
}

// ranks names the ranks that were read: "64 ranks", "60 ranks that were read".
func (w wording) ranks() string {
	text := strconv.Itoa(w.read) + " ranks"
	if w.read < len(w.Now.Ranks) {
		text += " that were read"
	}
	return text
}

// rest names the ranks that are not in the largest group.
func (w wording) rest() string {
	if len(w.odd) <= 4 {
		return Members(w.odd)
	}
	return strconv.Itoa(len(w.odd)) + " others"
}

// outliers are the groups of the odd ranks.
func (w wording) outliers() (list []*Group) {
	for i := range w.groups {
		if w.groups[i].Outlier {
			list = append(list, &w.groups[i])
		}
	}
	return list
}

// doing says what they do, if it is one thing.
func (w wording) doing() string {
	places := w.outliers()
	if len(places) == 1 {
		return does(places[0], len(w.odd))
	}
	return fmt.Sprintf("are in %d other places", len(places))
}

// awaiting is the number of ranks that wait for others.
func (w wording) awaiting() int { return len(w.ranksIn((*Group).awaits)) }

// does says where the n ranks of a group are: "is in _try_get_data (torch/utils/data/dataloader.py:1144)".
func does(g *Group, n int) string {
	at, p := g.first().frames(), g.first().Process
	words := "is in "
	switch line, c := g.line(), frames.Collective(at); {
	case line.Head == "" || halted(p):
		words = Doing(p)
	case c != "":
		words += c
	default:
		words += line.Head + " (" + line.Where + ")"
	}
	if n == 1 {
		return words
	}
	return plural(words)
}

// plural puts the verb of a sentence into the plural.
func plural(words string) string {
	verb, rest, _ := strings.Cut(words, " ")
	if many, is := map[string]string{"is": "are", "has": "have", "waits": "wait", "runs": "run"}[verb]; is {
		verb = many
	}
	return strings.TrimSuffix(verb+" "+rest, " ")
}

// gone says which ranks have no process.
func (w wording) gone() string {
	for _, r := range w.Now.Refusals() {
		switch {
		case r.ID != wire.RefusedGone:
		case len(r.Ranks) == 1:
			return begins(r.Ranks[0].brief()) + ": " + r.Cause + "."
		default:
			return begins(Members(r.Ranks)) + ": " + r.Cause + "."
		}
	}
	return ""
}

// held says which descendants wait for files, if a reason does not name the only one.
func (w wording) held(reasons []string) string {
	var list []rankstacks.Worker
	for i := range w.all {
		for _, r := range w.all[i].Ranks {
			list = append(list, workers(r)...)
		}
	}
	at := slices.IndexFunc(list, func(w rankstacks.Worker) bool { return w.File != "" || w.Mount != "" })
	if at < 0 || len(list) == 1 && slices.ContainsFunc(reasons, namesState) {
		return ""
	}
	return Workers(list) + "."
}

// Workers puts descendants that wait for files into words, those of the first one's file.
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
	return strconv.Itoa(n) + " worker processes on " + first.Node + " " + plural(words)
}

// begins begins a sentence with a process. The name of a node keeps its letters: another spelling is no node.
func begins(name string) string {
	if word, _, _ := strings.Cut(name, " "); word != "rank" && word != "ranks" {
		return name
	}
	return upper(name)
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// greenlets says which ranks have more stacks than are read.
func (w wording) greenlets() string {
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
		return begins(list[0].brief()) + " runs greenlets, as with gevent: those that wait are not read."
	}
	return begins(Members(list)) + " run greenlets, as with gevent: those that wait are not read."
}

// unranked says why the ranks of processes are not known.
func (w wording) unranked() string {
	return tally.CountUnranked(func(yield func(string) bool) {
		for i := range w.Now.Ranks {
			if !yield(w.Now.Ranks[i].NoRank) {
				return
			}
		}
	}).String()
}

// motion says what has moved.
func (w wording) motion() string {
	if w.Before == nil || w.read == 0 {
		return ""
	}
	within := " within " + seconds(w.Between())
	switch moved := w.of[Moves]; {
	case w.of[Unknown] == w.read:
		return "Nothing is known of the look before."
	case moved == 0 && w.atWork() != "":
		return "Each was in one line" + w.looks() + within + ", but " + w.atWork() + "."
	case moved == 0 && w.of[Same] > 0 && w.of[Unknown] == 0 && w.state() == rankstacks.Stuck:
		return "None has moved" + within + ", but for polling."
	case moved == 0 && w.computing() && w.of[Unknown] == 0:
		return "Each was in one line" + w.looks() + within + ", and most use a CPU there, as in a wait that polls."
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
		return begins(Members(w.moved())) + have(moved) + within + "."
	}
	return fmt.Sprintf("%d of %d have moved%s.", w.of[Moves], w.read, within)
}

// looks is how often the ranks were seen: " in 10 of 10 looks"; "": they were not followed.
func (w wording) looks() string {
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

// computing reports whether a rank has used a CPU.
func (w wording) computing() bool {
	return slices.ContainsFunc(w.ranksIn(func(*Group) bool { return true }), func(r *Rank) bool {
		s := w.work(r).own
		return s.Computes()
	})
}

// atWork says what was counted of a rank that stays in its line and works there, of those for which others wait first:
// "rank 3 has begun to wait 467 times in 10 of 10 looks at it: it works in small steps"; "": nothing was.
func (w wording) atWork() string {
	aside := w.aside()
	others := w.ranksIn(func(g *Group) bool { return w.waitsWithMost(g) && !g.meets() })
	for i, r := range slices.Concat(aside, others) {
		s, name := w.work(r), r.inShort()
		switch {
		case i >= len(aside) && !s.own.Steps(): // it may poll
		case s.own.Works():
			return name + " " + s.own.Words()
		case s.worker != nil && s.of.Works():
			return fmt.Sprintf("process %d (%s) of %s %s", s.worker.PID, s.worker.Name, name, s.of.Words())
		case s.worker != nil:
			return fmt.Sprintf("process %d (%s) of %s has moved", s.worker.PID, s.worker.Name, name)
		case frames.ServesRequests(r.frames()):
			return name + " waits for requests, as a server does"
		}
	}
	return ""
}

func have(n int) string {
	if n == 1 {
		return " has moved"
	}
	return " have moved"
}

// moved returns the ranks that have moved.
func (w wording) moved() (list []*Rank) {
	for i := range w.groups {
		for _, r := range w.groups[i].Ranks {
			if w.Motion(r) == Moves {
				list = append(list, r)
			}
		}
	}
	return list
}

// seconds writes a time between two looks: "5 s".
func seconds(d time.Duration) string {
	if d >= 2*time.Minute {
		return strconv.Itoa(int(d.Minutes())) + " min"
	}
	return strconv.Itoa(max(int(d.Round(time.Second).Seconds()), 1)) + " s"
}
