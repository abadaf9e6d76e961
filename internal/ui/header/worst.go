package header

import (
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// WorstProblem describes the worst problem of a node, in w columns.
func WorstProblem(f *part.Frame, n *cluster.Node, w int) string {
	findings := f.Health.ByNode[n.Name]
	if len(findings) == 0 || findings[0].Severity == cluster.Note {
		if n.State == cluster.NodeStale {
			return "not responding " + draw.Age(n.Age)
		}
		return ""
	}
	worst, more := findings[0], 0
	for _, f := range findings[1:] {
		if f.Severity > cluster.Note {
			more++
		}
	}
	age := FindingAge(f, worst, " ")
	words := f.Say(worst)
	long := WordsOnGPU(worst, words.Long) + age
	rest := ""
	if more > 0 {
		rest = " +" + strconv.Itoa(more)
	}
	label := say.LabelOf(worst).One
	short := ShortFinding(worst, words, w-len(rest)-len(age))
	for _, text := range []string{long + rest, short + age + rest, short + rest, WordsOnGPU(worst, label) + age + rest,
		WordsOnGPU(worst, label) + rest, label + rest} {
		if draw.Width(text) <= w {
			return text
		}
	}
	return draw.Clip(short, w-len(rest)) + rest
}

// AbsenceText is the reason why a node has no numbers.
func AbsenceText(f *part.Frame, n *cluster.Node, w int) string {
	text := WorstProblem(f, n, w)
	if text == "" {
		switch {
		case n.Failure != nil:
			text = n.Failure.Summary()
		case n.State == cluster.NodeConnecting:
			text = "connecting"
		default:
			text = "no GPUs"
		}
	}
	if next := RetryText(f, n); next != "" && n.State == cluster.NodeFailed && draw.Width(text)+2+len(next) <= w {
		text += ", " + next
	}
	return text
}

// RetryText says when the next attempt to reach a node begins: "retry in 14s".
func RetryText(f *part.Frame, n *cluster.Node) string {
	if n.RetryAt.IsZero() || !n.RetryAt.After(f.Snap.At) {
		return ""
	}
	return "retry in " + draw.Age(n.RetryAt.Sub(f.Snap.At).Round(time.Second))
}

// FindingAge is part.Since, except that the age of a stale node counts from its last report, not from the time when it
// was declared stale.
func FindingAge(f *part.Frame, finding *cluster.Finding, sep string) string {
	if n := f.NodeOf(finding.Node); finding.Kind == cluster.KindStale && !n.Arrived.IsZero() {
		return sep + draw.Age(n.Age)
	}
	return part.Since(finding, f.Snap.At, sep)
}

// XidName is the name of an Xid in plain words.
func XidName(x cluster.Xid) string { return signs.XidOf(x.Code).Name }

// LostText says why a GPU is lost and since when; "" for any other GPU. It replaces all old numbers.
func LostText(g *cluster.GPU, findings []*cluster.Finding) string {
	words := tally.Lost(g)
	if words == "" {
		return ""
	}
	text := words
	switch {
	case len(findings) > 0 && findings[0].Kind == cluster.KindUnusable:
		text = "unusable: " + words
	case !strings.Contains(strings.ToLower(words), "lost"):
		text = "GPU lost: " + words
	}
	if len(findings) > 0 && !findings[0].Since.IsZero() && !findings[0].Before {
		text += ", since " + findings[0].Since.Format(time.TimeOnly)
	}
	return text
}
