package header

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// FindingGroup is the findings that share a sentence: the same problem on several GPUs of a node. There is at least one
// finding.
type FindingGroup []*cluster.Finding

// GroupAlike groups the findings that share a sentence, in the order of the first finding of each group.
func GroupAlike(findings []cluster.Finding) []FindingGroup {
	var all []FindingGroup
	for i := range findings {
		f := &findings[i]
		at := slices.IndexFunc(all, func(l FindingGroup) bool {
			g := l[0]
			return f.Key != "" && g.Key != "" && g.Node == f.Node && g.Kind == f.Kind && g.Severity == f.Severity &&
				g.Holds() == f.Holds()
		})
		if at < 0 {
			all = append(all, FindingGroup{f})
		} else {
			all[at] = append(all[at], f)
		}
	}
	return all
}

// AllFindings returns the findings of all sentences.
func AllFindings(all []FindingGroup) []cluster.Finding {
	var findings []cluster.Finding
	for _, l := range all {
		for _, f := range l {
			findings = append(findings, *f)
		}
	}
	return findings
}

// FirstFindings returns one finding of each sentence, as many as there are sentences.
func FirstFindings(all []FindingGroup) []cluster.Finding {
	findings := make([]cluster.Finding, len(all))
	for i, l := range all {
		findings[i] = *l[0]
	}
	return findings
}

// Say returns the finding of the sentence, and its words. For several findings, this is one about the node, as old as
// the oldest of them.
func (l FindingGroup) Say(f *part.Frame) (*cluster.Finding, say.Words) {
	first := l[0]
	words := f.Say(first)
	if len(l) == 1 {
		return first, words
	}
	node := *first
	node.GPU, node.Key = cluster.NoNumber, ""
	var gpus []string
	for _, finding := range slices.SortedStableFunc(slices.Values(l),
		func(a, b *cluster.Finding) int { return a.GPU - b.GPU }) {
		if finding.Since.Before(node.Since) {
			node.Since, node.Before = finding.Since, finding.Before
		}
		gpu := gpuOf(finding)
		if detail := strings.TrimPrefix(f.Say(finding).Short, words.One); finding.Holds() {
			gpu += strings.TrimRight(" "+strings.Trim(detail, " ,"), " ")
		}
		gpus = append(gpus, gpu)
	}
	list := strings.Join(gpus, ", ")
	if !first.Holds() {
		words.Long, words.Short, words.Sentence = list+" "+words.Long, list+" "+words.Short, list+": "+words.Sentence
		return &node, words
	}
	words.Short = strconv.Itoa(len(l)) + " " + words.Many
	words.Brief, words.Long = words.Short, words.Short+": "+list
	words.Sentence = words.Long + "."
	return &node, words
}
