package health

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

const document = "../../docs/health.md"

var (
	severityNames = map[cluster.Severity]string{cluster.Note: "note", cluster.Waiting: "waiting",
		cluster.Warning: "warning", cluster.Critical: "critical"}
	titles = map[cluster.Scope]string{cluster.ScopeReach: "Connections", cluster.ScopeReport: "Nodes",
		cluster.ScopeGPU: "GPUs", cluster.ScopeJob: "Jobs"}
	placeholder = regexp.MustCompile(`\{(\w*)\}`)
	noTime      = regexp.MustCompile(`\b0s\b`)
)

// TestDocument checks that docs/health.md matches the rows.
func TestDocument(t *testing.T) {
	samples := samplesOf(t)
	var b strings.Builder
	b.WriteString(`# Health rules

The problems that nvnodetop reports, and when. What a driver or a kernel does not report is never a problem. This page is generated from the
rows in ` + "`internal/health`" + ` by ` + "`go test ./internal/health -update`" + `.

- Kind: stable, in the JSON document too. The letter is that of the overview.
- When: the numbers are thresholds, which can be set: see below.
- Says, do: an example of the sentence and of the hint.
- Source: where the facts or the limit come from; "own": the limit is nvnodetop's.
- Of one kind and one GPU or node, the first row that holds counts.
`)
	for scope := cluster.ScopeReach; int(scope) < len(byScope); scope++ {
		fmt.Fprintf(&b, "\n## %s\n\n| kind | letter | severity | when | says | do | source "+
			"|\n|---|---|---|---|---|---|---|\n", titles[scope])
		for i, r := range rules {
			if r.scope == scope {
				b.WriteString(line(t, &r, samples[i].yes))
			}
		}
	}
	b.WriteString(peersTable(t))
	b.WriteString(thresholdTable())
	b.WriteString(xidTable())
	golden.Equal(t, document, b.String())
}

// allRules returns the rows of both tables.
func allRules() []rule {
	all := slices.Clone(rules)
	for _, r := range peerRules {
		all = append(all, r.rule)
	}
	return all
}

// evidences has the words for the evidence that GPUs work together.
var evidences = map[pace.Evidence]string{
	pace.NVLink: "Two thirds of the GPUs send or receive 16 MiB/s over NVLink while they work.",
	pace.PCIe: "Two thirds send and receive 64 MiB/s over PCIe, not three times as much in one direction as in " +
		"the other: what is fetched or written alone goes one way.",
	pace.Network: "Likewise nearly all nodes over InfiniBand or another network, if no other job uses the node.",
	pace.NCCL: "NCCL said, when it was asked, that all GPUs of the job launch operations of one communicator: after " +
		"the page of the stacks was opened, or a hang was suspected. Its word counts while that program runs, unless " +
		"the job was younger than 3 minutes.",
	pace.Pauses: "Three pauses in a row begin and end within 12 s on all GPUs but one in ten. Of two or three GPUs, " +
		"after 15 minutes in step.",
	pace.Waits: "The driver tells no traffic, and nearly all GPUs begin within 12 s to run kernels that take " +
		"little power and read no memory: they wait for each other in a collective.",
	pace.Falls: "The driver tells no traffic, and when one GPU got slower all others took a sixth less power and " +
		"memory traffic.",
}

// peersTable documents the rules that compare the GPUs of a job.
func peersTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString(`
## Jobs, when their GPUs are compared

A GPU is slow, a job hangs and a rank is missed only where GPUs need each other. Equal utilization does not prove it, nor does one launcher: eight
programs on eight shards look alike, and end one by one. This is what proves it, as ` + "`coupling`" + ` in the JSON document names it. Without it nvnodetop is silent.

| coupling | evidence |
|---|---|
`)
	for e := pace.NVLink; e <= pace.Falls; e++ {
		fmt.Fprintf(&b, "| `%s` | %s |\n", e, evidences[e])
	}
	b.WriteString(`
While they exchange data at times only, they still work together: in the last 10 minutes of work that must have been in 4% of the samples, and for 10 s. Time in which a job
hangs or rests does not count. A GPU that is stuck while the others continue as before proves the opposite, for half an hour.
Where traffic is the evidence, a GPU that has sent nothing in its last 45 s of work is not called slow; the traffic of its node counts for it only where ` + "`network`" + ` is the evidence.
GPUs on several nodes are compared with each other if nearly all nodes exchange data, or pause together; otherwise each with those of its node.
Data that is exchanged makes no peers: if two sets of GPUs do so at two levels, with a factor of 1.5 between them, for a minute, the job has two roles, such as
prefill and decode, and each GPU is compared with those of its node for half an hour.
Where the counters of the network are hidden, nodes are compared only once they have paused together; until then ` + "`not_checked`" + ` in the JSON document says so.
Time counts in samples too: what must last lasts for at least 5 intervals, and for 12 of them or 5.5 minutes where a GPU is mildly slower, or only its power shows
it, or the slow GPU changes. Where nodes report more than 10 s apart, lags that come and go are not found, and where they report a minute or more apart, most of
these rules find nothing:
` + "`not_checked`" + ` names them.
`)
	b.WriteString("\n| kind | letter | severity | when | says | do | source |\n|---|---|---|---|---|---|---|\n")
	for _, r := range peerRules {
		words := sayOfPeers(&r.rule)
		letter := strings.Trim(string(rune(words.Letter)), "\x00")
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", r.kind, letter, severityNames[r.severity],
			filled(t, &r.rule), words.Sentence, words.Hint, r.source)
	}
	return b.String()
}

// sayOfPeers returns the words for a sample of a rule that compares GPUs.
func sayOfPeers(r *rule) say.Words {
	f := cluster.Finding{Kind: r.kind, Severity: r.severity, Key: "GPU-3", Compared: &cluster.Comparison{
		Own:    pace.Numbers{pace.Util: 25, pace.Power: 600, pace.Clock: 1980},
		Median: pace.Numbers{pace.Util: 97, pace.Power: 150, pace.Clock: 1650},
		Used:   [2]float64{75 << 30, 40 << 30}, Count: 15, Of: 16, Seen: true,
		Rank: &cluster.SeenRank{Rank: wire.Rank{Rank: 13, World: new(16)}, PID: 4711},
	}}
	if f.OfAwaited() { // the sentence of the job has more
		f.Key = ""
	}
	switch r.kind {
	case cluster.KindIdle:
		f.Compared.Count = 1
	case cluster.KindRankGone:
		f.Compared.Waiting = time.Time{}.Add(11*time.Hour + 2*time.Minute)
	case cluster.KindJobHang:
		f.Compared.By = pace.NVLink
	case cluster.KindLinkUnused:
		f.Compared.Lanes = pace.Lanes{TX: 18e9, RX: 18e9, Past: 96e9, Busy: time.Hour,
			Quiet: time.Time{}.Add(9*time.Hour + 30*time.Minute)}
	case cluster.KindStepSlower:
		f.Compared.Slower = &pace.Slower{Since: time.Time{}.Add(9*time.Hour + 35*time.Minute), Rate: 0.45,
			Then: pace.Amounts{pace.Power: 610, pace.Net: 16e9, pace.Link: 100e9},
			Now:  pace.Amounts{pace.Power: 410, pace.Net: 7.2e9, pace.Link: 45e9}}
	case cluster.KindLogSilent, cluster.KindTooLong:
		f.Compared.Progress, f.Compared.Forecast = sampleProgress(), sampleForecast()
	case cluster.KindStalled:
		f.Compared.Stall = pace.Stall{From: time.Time{}.Add(11 * time.Hour),
			To: time.Time{}.Add(11*time.Hour + 4*time.Minute), Before: 45 * time.Second}
	}
	return say.Finding(&cluster.Snapshot{At: time.Time{}.Add(40 * time.Second)}, &f)
}

// sampleProgress and sampleForecast are of a job whose log is silent, and which would end after its time limit.
func sampleProgress() *cluster.JobProgress {
	return &cluster.JobProgress{Progress: progress.Progress{SecondsPerStep: new(3.1)},
		Silence: &progress.Silence{Since: time.Time{}.Add(2*time.Hour + 10*time.Minute), Usual: 5 * time.Second}}
}

func sampleForecast() *progress.Forecast {
	return &progress.Forecast{EndsIn: 50 * time.Hour, After: 34 * time.Hour, Done: new(0.62)}
}

// line is the row of one rule, with the words for a sample.
func line(t *testing.T, r *rule, sample cluster.Subject) string {
	words := sayOf(r.kind, sample)
	letter := ""
	if words.Letter != 0 && r.severity != cluster.Note {
		letter = string(rune(words.Letter))
	}
	says := words.Sentence
	if says == "" {
		says = say.Sentence(words.One)
	}
	if noTime.MatchString(says) {
		t.Errorf("%s: nobody reads %q: the sample has no age", r.kind, says)
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s | %s |\n", r.kind, letter, severityNames[r.severity],
		filled(t, r), says, words.Hint, r.source)
}

// filled returns the condition of a rule, with the values of its thresholds.
func filled(t *testing.T, r *rule) string {
	return placeholder.ReplaceAllStringFunc(r.when, func(key string) string {
		id, known := Named(strings.Trim(key, "{}"))
		if !known {
			t.Errorf("%s: %s is no threshold", r.kind, key)
		}
		return plain(id.Row().Value)
	})
}

// plain writes a number in full, with commas between thousands.
func plain(v float64) string {
	whole, rest, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if rest != "" {
		rest = "." + rest
	}
	return whole + rest
}

func thresholdTable() string {
	var b strings.Builder
	b.WriteString(`
## Thresholds

They are set in ` + "`$XDG_CONFIG_HOME/nvnodetop/config.toml` (`~/.config/nvnodetop/config.toml`)" + `, for example:

` + "```toml\n[thresholds]\ngpu_memory_full_percent = 99\n```" + `

| key | default | range | meaning | kinds |
|---|---|---|---|---|
`)
	for id := noThreshold + 1; id < thresholds; id++ {
		row := id.Row()
		var kinds []string
		for _, r := range allRules() {
			if strings.Contains(r.when, "{"+row.Key+"}") {
				kinds = append(kinds, "`"+string(r.kind)+"`")
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s to %s | %s | %s |\n", row.Key, plain(row.Value), plain(row.Low),
			plain(row.High), row.Help, strings.Join(slices.Compact(kinds), ", "))
	}
	return b.String()
}

func xidTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, `
## Xids

The Xids that have a meaning in NVIDIA's catalog, in plain words, and the first action that it names; 173 to %d are named by the driver alone (%s).
Another code is a warning, and critical if it is above the last one and the driver asks for any recovery action. A consequence is shown with its cause only.

| code | what | severity | where from | NVIDIA | do |
|---|---|---|---|---|---|
`, signs.NewestXid, signs.XidRelease)
	for _, code := range slices.Sorted(maps.Keys(signs.XidCatalog)) {
		x := signs.XidCatalog[code]
		severity := severityNames[x.Severity]
		if x.Follows {
			severity = "consequence"
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s |\n", code, say.Sentence(x.Name), severity, x.Whose, x.Action,
			x.Hint)
	}
	return b.String()
}

// Every threshold belongs to a rule.
func TestEveryThresholdIsUsed(t *testing.T) {
	for _, key := range Names() {
		if !slices.ContainsFunc(allRules(), func(r rule) bool { return strings.Contains(r.when, "{"+key+"}") }) {
			t.Errorf("no rule says when it holds with %s", key)
		}
	}
}
