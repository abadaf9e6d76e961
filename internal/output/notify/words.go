package notify

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// nameOf names a job: "48211 llama".
func nameOf(id, name string) string { return strings.TrimSpace(id + " " + name) }

// prependJob puts the job before the words of a title.
func prependJob(id, name, words string) string {
	if job := nameOf(id, name); job != "" {
		return job + ": " + words
	}
	return words
}

// placeOf names a node, or a GPU of it.
func placeOf(node string, gpu int) string {
	if node == "" || gpu == cluster.NoNumber {
		return node
	}
	return fmt.Sprintf("%s GPU%d", node, gpu)
}

// maxTitle limits a title, in characters: the subject of a mail and a desktop show about as much.
const maxTitle = 100

// fittingTitle names a job and its problem: with the reason if that fits, otherwise by the name of the problem alone.
func fittingTitle(j *cluster.JobView, place string, words say.Words) string {
	for _, what := range []string{words.Long, words.Short} {
		title := prependJob(j.ID, j.Name, strings.TrimSpace(place+" "+what))
		if what != "" && utf8.RuneCountInString(title) <= maxTitle {
			return title
		}
	}
	return prependJob(j.ID, j.Name, strings.TrimSpace(place+" "+words.One))
}

// ofFinding is the news of a finding.
func ofFinding(s *cluster.Snapshot, j *cluster.JobView, f *cluster.Finding, event say.Event) Item {
	words := say.Finding(s, f)
	i := Item{At: s.At, Event: event, Kind: f.Kind, Severity: f.Severity, Job: j.ID, Name: j.Name, Node: f.Node,
		GPU: f.GPU, Since: f.Since, Place: placeOf(f.Node, f.GPU), Many: words.Many, Text: words.Sentence}
	i.Title = fittingTitle(j, i.Place, words)
	if words.Hint != "" {
		i.Text += " → " + words.Hint
	}
	return i
}

// forecastKeeps is after how long a forecast that is no longer made counts as over: the next one may follow.
const forecastKeeps = 10 * time.Minute

// noteForecast notes memory that will be full. A finding about the same memory has priority.
func (w *Watcher) noteForecast(s *cluster.Snapshot, j *cluster.JobView, now map[string]*seenProblem) {
	for _, name := range j.Nodes {
		n := s.Nodes[name]
		if n == nil || n.State != cluster.NodeReporting {
			continue
		}
		for k := range n.GPUs {
			g := &n.GPUs[k]
			total, known := g.Get(metric.MemoryTotal)
			if trend, fills := g.Memory.Trend(total); known && fills && g.Reports() && j.Owns(n, g) {
				now["fills "+name+" "+g.Key] = ofForecast(s, j, name, g.Number, "GPU memory", trend.Full)
			}
		}
		m := n.MemoryOf(&j.Job)
		if m == nil || now[string(cluster.KindHostMemory)+" "+name+" "] != nil {
			continue
		}
		if trend, fills := m.Past.Trend(float64(m.Limit)); fills {
			now["fills "+name+" "+j.ID] = ofForecast(s, j, name, cluster.NoNumber, "host memory", trend.Full)
		}
	}
}

func ofForecast(s *cluster.Snapshot, j *cluster.JobView, node string, gpu int, of string,
	full time.Duration) *seenProblem {
	i := Item{At: s.At, Event: say.EventMemory, Kind: KindFills, Severity: cluster.Warning, Job: j.ID, Name: j.Name,
		Node: node, GPU: gpu, Since: s.At, Place: placeOf(node, gpu), Many: "places where memory fills up"}
	i.Title = prependJob(j.ID, j.Name, fmt.Sprintf("%s: %s full in %s", i.Place, of, text.Span(full)))
	i.Text = "It has grown evenly for half an hour."
	return &seenProblem{Item: i, ripe: true, keeps: forecastKeeps}
}

// KindFills is the kind of a forecast, which is no finding.
const KindFills cluster.Kind = "memory_fills"

// ofStart is the news of a job that has begun.
func ofStart(s *cluster.Snapshot, j *cluster.Job) Item {
	nodes := "1 node"
	if len(j.Nodes) != 1 {
		nodes = fmt.Sprintf("%d nodes", len(j.Nodes))
	}
	return Item{At: s.At, Event: say.EventStart, Job: j.ID, Name: j.Name, GPU: cluster.NoNumber, Since: j.Start,
		Title: prependJob(j.ID, j.Name, "runs on "+nodes), Many: "jobs have begun"}
}

// ofRequeue is the news of a job that ran and now waits again.
func ofRequeue(s *cluster.Snapshot, j *cluster.Job) Item {
	words := "requeued"
	if !j.Start.IsZero() && s.At.After(j.Start) {
		words += " after " + text.Span(s.At.Sub(j.Start))
	}
	return Item{At: s.At, Event: say.EventFailure, Severity: cluster.Critical, Job: j.ID, Name: j.Name,
		GPU: cluster.NoNumber, Since: s.At, Title: prependJob(j.ID, j.Name, words),
		Text: "It waits to run again, from its beginning.", Many: "jobs requeued"}
}

// ofEnd is the news of a job that has ended.
func ofEnd(at time.Time, e *cluster.EndedJob, event say.Event) Item {
	i := Item{At: at, Event: event, Job: e.ID, Name: e.Name, GPU: cluster.NoNumber, Since: e.Over(), State: e.State,
		Exit: e.Exit, Many: "jobs have ended"}
	if event == say.EventFailure {
		i.Severity, i.Many = cluster.Critical, "jobs have failed"
	}
	i.Title = prependJob(e.ID, e.Name, HowEnded(e))
	return i
}

// HowEnded says how a job ended: "failed after 1h 2m (exit code 3)". If the reason is known, it says that too: "failed
// after 22s: rank 3: ValueError: bad batch (train.py:20)".
func HowEnded(e *cluster.EndedJob) string {
	words := tally.EndOf(e).Word
	if !e.Start.IsZero() && e.Over().After(e.Start) {
		words += " after " + text.Span(e.Over().Sub(e.Start))
	}
	if why := tally.WhyEnded(e); why != "" {
		return words + ": " + why
	}
	switch x := e.Exit; {
	case x == nil, x.Code == 0 && x.Signal == 0, e.State == cluster.JobCanceled: // a canceled job also has that signal
	case x.Signal != 0:
		words += fmt.Sprintf(" (signal %d)", x.Signal)
	default:
		words += fmt.Sprintf(" (exit code %d)", x.Code)
	}
	return words
}

// InVain says that a job waits in vain.
func InVain(j *cluster.PendingJob) string { return "can never start: " + j.Reason }

// ofNever is the news of a job that waits in vain.
func ofNever(s *cluster.Snapshot, j *cluster.PendingJob) Item {
	return Item{At: s.At, Event: say.EventFailure, Severity: cluster.Critical, Job: j.ID, Name: j.Name,
		GPU: cluster.NoNumber, Since: s.At, Title: prependJob(j.ID, j.Name, InVain(j)),
		Text: "Its dependency can no longer be met → cancel it, or change that: scontrol update job=" + j.ID +
			" dependency=", Many: "jobs that can never start"}
}

// ofLimit is the news of a time limit.
func ofLimit(s *cluster.Snapshot, j *cluster.Job, left time.Duration) Item {
	return Item{At: s.At, Event: say.EventTime, Severity: cluster.Warning, Job: j.ID, Name: j.Name,
		GPU: cluster.NoNumber, Since: s.At, Title: prependJob(j.ID, j.Name, text.Span(left)+" left before its time limit"),
		Text: "SLURM ends the job at " + j.End.Format("15:04") + ".", Many: "jobs near their time limit"}
}
