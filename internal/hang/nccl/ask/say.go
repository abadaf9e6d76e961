package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// VerdictHeadline says in one line what the verdict is.
func VerdictHeadline(v *nccl.Verdict) string {
	switch v.State {
	case nccl.Moving:
		if v.Members == 0 || v.Partial {
			return "the job moves: ranks launch collectives"
		}
		return fmt.Sprintf("the job moves: %s launched collectives within %s", ranksOfTotal(v.Moved, v.Members),
			formatSeconds(v.Over))
	case nccl.RankDead:
		return causesWithVerb(v, "is dead", "are dead") + ": RAS of NCCL no longer reaches " + causePronoun(v.Causes)
	case nccl.NoAnswer:
		return causesWithVerb(v, "does", "do") + " not answer RAS of NCCL, and no rank has launched a collective within " +
			formatSeconds(v.Over)
	case nccl.Failed:
		return nameErrors(v)
	case nccl.Disagree:
		return causesWithVerb(v, "has", "have") + " called other collectives than the other ranks of the same communicator"
	case nccl.Stuck:
		return describeStuck(v)
	case nccl.Initializing:
		return describeInit(v)
	case nccl.RankLeft:
		return causesWithVerb(v, "has", "have") + " left a communicator that other ranks still have"
	case nccl.NotStarted:
		return "no rank has launched a collective"
	case nccl.NotAsked:
		return notAsked
	case nccl.AllLaunched:
		return "no rank is behind, and none has launched a collective within " + formatSeconds(v.Over) +
			": a collective does not end, or the ranks do something that NCCL does not count, such as CUDA graphs"
	}
	return "NCCL does not tell whether the job moves"
}

// notAsked says why NCCL was not asked, and which command asks nevertheless.
const notAsked = "not asked: it is older than 2.29, and an answer can crash the job (nvnodetop stacks --old-nccl asks)"

// causesWithVerb names the causes as the subject of a sentence, with its verb.
func causesWithVerb(v *nccl.Verdict, one, several string) string {
	n := len(v.Causes) + v.Unnamed
	switch {
	case n == 0:
		return "ranks that NCCL does not name " + several
	case n == 1 && v.Unnamed == 0:
		return MemberName(v.Causes[0]) + " " + one
	}
	return nameCauses(v) + " " + several
}

// nameCauses returns the names of the causes, and how many more there are.
func nameCauses(v *nccl.Verdict) string {
	who := MemberNames(v.Causes)
	switch {
	case len(v.Causes) == 0:
		return text.Count(v.Unnamed, "rank") + " that NCCL does not name"
	case v.Unnamed > 0:
		who += " and " + strconv.Itoa(v.Unnamed) + " more"
	}
	return who
}

// nameErrors says which errors the causes report. It leaves out errors about another rank, unless there are no others.
func nameErrors(v *nccl.Verdict) string {
	causing := map[nccl.GPU]bool{}
	for i := range v.Causes {
		causing[v.Causes[i].GPU] = true
	}
	var own, others []string
	for i := range v.Errors {
		e := &v.Errors[i]
		if !causing[e.GPU] {
			continue
		}
		to := &own
		if e.Result == nccl.RemoteError {
			to = &others
		}
		if word := "\"" + e.Result.String() + "\""; !slices.Contains(*to, word) {
			*to = append(*to, word)
		}
	}
	if len(own) == 0 {
		own = others
	}
	return causesWithVerb(v, "reports", "report") + " " + strings.Join(own[:min(len(own), 3)], ", ")
}

func describeStuck(v *nccl.Verdict) string {
	switch {
	case v.Circular && v.Waiting == 0:
		return nameCauses(v) + " wait for each other"
	case v.Circular:
		return nameCauses(v) + " wait for each other, and " + ranksOfTotal(v.Waiting, v.Members) + " for them"
	}
	who := nameCauses(v)
	if v.Partial && len(v.Causes)+v.Unnamed > 1 {
		who = "some of " + who // text does not tell which of them wait for another one
	}
	text := ranksOfTotal(v.Waiting, v.Members) + " " + chooseForm(v.Waiting, "waits", "wait")
	if len(v.Waits) == 0 || v.Waits[0].Operation == "" {
		return text + " for " + who
	}
	operation := fmt.Sprintf("%s #%d", v.Waits[0].Operation, v.Waits[0].Launched)
	if v.Waits[0].Waiting == v.Waiting {
		return text + " in " + operation + " for " + who
	}
	return text + " for " + who + ", which " + chooseForm(len(v.Causes)+v.Unnamed, "has", "have") + " not launched " +
		operation
}

func describeInit(v *nccl.Verdict) string {
	if len(v.Initializing) == 0 {
		return "a communicator is not initialized, and nothing moves"
	}
	p := &v.Initializing[0]
	return fmt.Sprintf("communicator #%d of %s is not initialized within %s: %s still at it", p.Number,
		text.Count(p.Size, "rank"), formatSeconds(v.Over), text.Count(p.Few, "rank")+" "+chooseForm(p.Few, "is", "are"))
}

// causePronoun returns "it" or "them", for the causes.
func causePronoun(of []nccl.Member) string { return chooseForm(len(of), "it", "them") }

func chooseForm(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// ranksOfTotal returns "3 of 8 ranks", or "3 ranks" if the total is 0 (not known).
func ranksOfTotal(n, total int) string {
	if total <= n {
		return text.Count(n, "rank")
	}
	return fmt.Sprintf("%d of %s", n, text.Count(total, "rank"))
}

func formatSeconds(d time.Duration) string {
	return strconv.Itoa(int(d.Round(time.Second)/time.Second)) + " s"
}

// MemberName names a member by its rank in the job, its node, GPU and PID, as far as known.
func MemberName(m nccl.Member) string {
	switch {
	case m.Place == nil && m.PID == 0:
		return "a rank that NCCL does not name"
	case m.Place == nil:
		return fmt.Sprintf("PID %d on %s", m.PID, m.Host)
	}
	where := m.Place.Node
	if m.Place.Number >= 0 {
		where += " GPU" + strconv.Itoa(m.Place.Number)
	}
	pid := "PID " + strconv.Itoa(m.Place.PID)
	if m.Place.Rank == nil {
		return pid + " (" + where + ")"
	}
	return fmt.Sprintf("rank %d (%s, %s)", *m.Place.Rank, where, pid)
}

// mostNamed limits how many members one line names.
const mostNamed = 6

// MemberNames names members briefly: by their ranks in the job if all have one.
func MemberNames(list []nccl.Member) string {
	if len(list) == 1 {
		return MemberName(list[0])
	}
	ranks := make([]int, 0, len(list))
	for i := range list {
		if p := list[i].Place; p != nil && p.Rank != nil {
			ranks = append(ranks, *p.Rank)
		}
	}
	if len(ranks) == len(list) {
		slices.Sort(ranks)
		return "ranks " + inShort(slices.Compact(ranks))
	}
	var words []string
	for _, m := range list[:min(len(list), mostNamed)] {
		words = append(words, MemberName(m))
	}
	if more := len(list) - len(words); more > 0 {
		words = append(words, strconv.Itoa(more)+" more")
	}
	return strings.Join(words, ", ")
}

// inShort writes ascending numbers briefly: "0-7", "3, 11, ... 507 (every 8th)", "1, 5, 6".
func inShort(numbers []int) string {
	n := len(numbers)
	if n == 0 {
		return ""
	}
	if step := constantStep(numbers); n > 3 && step == 1 {
		return fmt.Sprintf("%d-%d", numbers[0], numbers[n-1])
	} else if n > 3 && step > 1 {
		return fmt.Sprintf("%d, %d, ... %d (every %s)", numbers[0], numbers[1], numbers[n-1], ordinalOf(step))
	}
	runs := text.Runs(numbers)
	if len(runs) > mostNamed {
		return fmt.Sprintf("%s, ... (%d in all)", strings.Join(runs[:mostNamed], ", "), n)
	}
	return strings.Join(runs, ", ")
}

// constantStep returns the distance between neighboring numbers; 0 if it varies.
func constantStep(numbers []int) int {
	if len(numbers) < 2 {
		return 0
	}
	step := numbers[1] - numbers[0]
	for i := 2; i < len(numbers); i++ {
		if numbers[i]-numbers[i-1] != step {
			return 0
		}
	}
	return step
}

func ordinalOf(n int) string {
	switch n {
	case 2:
		return "2nd"
	case 3:
		return "3rd"
	}
	return strconv.Itoa(n) + "th"
}

// CommName describes a communicator, by its members if all of them are known.
func CommName(p *nccl.JobComm) string {
	name := "communicator"
	if p.Number > 0 {
		name += " #" + strconv.Itoa(p.Number)
	}
	name += " (" + text.Count(cmp.Or(p.Size, len(p.Members)), "rank")
	known := slices.DeleteFunc(slices.Clone(p.Members), func(m nccl.Member) bool { return m.Place == nil })
	if len(known) == p.Size && len(known) > 1 {
		slices.SortFunc(known, nccl.CompareMembers)
		name += ": " + strings.TrimPrefix(MemberNames(known), "ranks ")
	}
	return name + ")"
}

// VerdictLines says more: where ranks wait, who does not answer, and which errors there are.
func VerdictLines(v *nccl.Verdict) []string {
	var lines []string
	add := func(format string, of ...any) { lines = append(lines, fmt.Sprintf(format, of...)) }
	for i := range v.Waits[:min(len(v.Waits), mostNamed)] {
		w := &v.Waits[i]
		var behind []string
		for _, l := range w.Behind[:min(len(w.Behind), 3)] {
			behind = append(behind, fmt.Sprintf("%d only #%d", l.Count, l.Launched))
		}
		operation := cmp.Or(w.Operation, "operation")
		add("%s: %d %s launched %s #%d, %s", CommName(&w.JobComm), w.Waiting, chooseForm(w.Waiting, "has", "have"), operation,
			w.Launched,
			strings.Join(behind, ", "))
	}
	if more := len(v.Waits) - mostNamed; more > 0 {
		add("and %d more communicators", more)
	}
	if len(v.Dead) > 0 && v.State != nccl.RankDead {
		add("dead: %s", MemberNames(v.Dead))
	}
	if len(v.Silent) > 0 && v.State != nccl.NoAnswer {
		add("no answer: %s", MemberNames(v.Silent))
	}
	for i := range v.Errors[:min(len(v.Errors), mostNamed)] {
		e := &v.Errors[i]
		add("%s: %s in communicator #%d", MemberName(e.Member), e.Result, e.Comm)
	}
	for _, p := range append(slices.Clone(v.Initializing), v.Left...) {
		add("%s", CommName(&p))
	}
	return lines
}
