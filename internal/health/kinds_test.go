package health

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// Every kind that a rule finds has a row in package say with all that outputs tell of it, and every row has a rule.
func TestEveryKindIsTold(t *testing.T) {
	rows := say.Kinds()
	for _, kind := range rows {
		if l := say.LabelOf(&cluster.Finding{Kind: kind, Severity: cluster.Critical}); l.Letter != 0 && onlyNoted(kind) {
			t.Errorf("%s is only ever a note, and no cell has the letter of a note: remove %c from its row in "+
				"internal/health/say/kinds.go (its flag needs none)", kind, l.Letter)
		}
	}
	for _, r := range allRules() {
		if !slices.Contains(rows, r.kind) {
			t.Errorf("%s has no row in internal/health/say/kinds.go", r.kind)
			continue
		}
		l := say.LabelOf(&cluster.Finding{Kind: r.kind, Severity: r.severity, Key: "a GPU"})
		if l.One == "" || l.Many == "" {
			t.Errorf("%s has no name", r.kind)
		}
		if all := say.LabelOf(&cluster.Finding{Kind: r.kind, Every: true}); r.every && (all.One == "" || all.Many == "") {
			t.Errorf("%s has no names for all GPUs of a node", r.kind)
		}
		news, told := say.NewsOf(r.kind)
		if !told && r.severity >= cluster.Warning {
			t.Errorf("a warning of kind %s is no news", r.kind)
		}
		if worst := worstOf(r.kind); worst >= cluster.Warning && news.Least > worst {
			t.Errorf("%s is news only if it is %s, and no rule finds more than a %s of it: give its row in "+
				"internal/health/say/kinds.go other news", r.kind, severityNames[news.Least], severityNames[worst])
		}
		if !strings.HasSuffix(r.when, ".") {
			t.Errorf("%s: when %q", r.kind, r.when)
		}
	}
	for _, kind := range rows {
		if !slices.ContainsFunc(allRules(), func(r rule) bool { return r.kind == kind }) {
			t.Errorf("no rule finds %s", kind)
		}
	}
}

// Every rule says where it comes from: who doubts a finding reads that first.
func TestEveryRuleHasASource(t *testing.T) {
	for _, r := range allRules() {
		if r.source == "" {
			t.Errorf("%s (%s: %q) has no source: its row in internal/health/table.go or peers.go says which document "+
				"or command its facts come from, such as nvml, dcgm or \"statfs(2)\", or \"own\" if nothing but a "+
				"limit of ours decides", r.kind, severityNames[r.severity], r.when)
		}
	}
}

var statedTime = regexp.MustCompile(`(?i)\bfor (?:\{?\w+\}? (?:s|min|minutes)|a minute)\b`)

// ownTimes are the kinds whose rules read how long something lasts from a report, or from the node's state.
var ownTimes = []cluster.Kind{cluster.KindHang, cluster.KindSilence}

// The condition of a rule says in words how long it must hold, and in how many samples.
func TestRulesSayHowLong(t *testing.T) {
	before := ""
	for _, r := range allRules() {
		says := r.when
		if strings.HasPrefix(says, "The same, ") {
			says = before + " " + says
		}
		before = says
		stated := statedTime.FindAllString(strings.ToLower(says), -1)
		in2 := strings.Contains(says, "in 2 samples") || strings.Contains(says, "in 2 reports")
		switch want := timeWords(&r); {
		case (r.after == moreThanOnce) != in2:
			t.Errorf("%s: its after is %v, and its when is %q: moreThanOnce means \"in 2 samples\"", r.kind, r.after,
				says)
		case want == nil && r.scope != cluster.ScopePeers && stated != nil && !slices.Contains(ownTimes, r.kind):
			t.Errorf("%s: its when says %q, and it has no after and no lasts of that length", r.kind, stated)
		case want != nil && !slices.ContainsFunc(want, func(w string) bool { return slices.Contains(stated, w) }):
			t.Errorf("%s: its when must say %q, as its after or lasts does: %q", r.kind, want[0], says)
		}
	}
}

// timeWords are the words for the time that a rule must hold; nil: it need not hold for any time.
func timeWords(r *rule) []string {
	minutes := strconv.FormatFloat(r.after.Minutes(), 'f', -1, 64)
	switch key := r.lasts.Row().Key; {
	case strings.HasSuffix(key, "_minutes"):
		return []string{"for {" + key + "} min", "for {" + key + "} minutes"}
	case r.lasts != noThreshold:
		return []string{"for {" + key + "} s"}
	case r.after <= moreThanOnce:
		return nil
	case r.after%time.Minute != 0:
		return []string{"for " + strconv.FormatFloat(r.after.Seconds(), 'f', -1, 64) + " s"}
	case r.after == time.Minute:
		return []string{"for 1 min", "for a minute"}
	}
	return []string{"for " + minutes + " min", "for " + minutes + " minutes"}
}

// onlyNoted reports whether no rule finds more than a note of a kind. A note is news only to those who name its kind.
func onlyNoted(kind cluster.Kind) bool { return worstOf(kind) <= cluster.Note }

// worstOf returns the highest severity that a rule finds for a kind.
func worstOf(kind cluster.Kind) (worst cluster.Severity) {
	for _, r := range allRules() {
		if r.kind == kind {
			worst = max(worst, r.severity)
		}
	}
	return worst
}
