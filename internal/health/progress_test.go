package health

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// logOf is what the log of a training says after some time, with steps of a pace in seconds that may change.
type logOf struct {
	pace    func(at time.Duration) float64
	total   int64
	limit   time.Duration // of the job, from the begin of the watch; 0: it has none
	silent  time.Duration // when the log ends; 0: it does not
	slower  time.Duration // when the pace is told as slower; 0: never
	queued  string        // the name of a job that waits; the one that runs is "llama"
	changes func(*progress.Progress)
}

func (l logOf) said(at time.Duration) *cluster.JobProgress {
	now := t0.Add(at)
	if l.silent > 0 && at > l.silent {
		now = t0.Add(l.silent)
	}
	step := int64(100 + now.Sub(t0).Seconds()/l.pace(0))
	p := progress.Progress{Form: "general", At: now, Step: &step, SecondsPerStep: new(l.pace(at)), Scope: progress.OfRun}
	if l.total > 0 {
		p.Total = &l.total
	}
	if l.slower > 0 && at > l.slower {
		p.Slower = &progress.Slower{Before: l.pace(0), Since: t0.Add(l.slower)}
	}
	if l.changes != nil {
		l.changes(&p)
	}
	told := &cluster.JobProgress{Job: "7", Progress: p}
	if l.silent > 0 && at > l.silent+2*time.Minute {
		told.Silence = &progress.Silence{Since: now, Usual: 5 * time.Second}
	}
	return told
}

// playLog plays a job of two nodes that trains, or does as told, beside what its log says. It returns the sentences of
// the kinds that hold at the end.
func playLog(t *testing.T, l logOf, does func(time.Duration, int, int) work,
	length time.Duration) map[cluster.Kind]say.Words {
	t.Helper()
	tr := trace{nodes: 2, gpus: 4, age: traceAge, does: does, processes: ranked(4, false)}
	d, r, s := tr.discovery(), rand.New(rand.NewPCG(1, 2)), tr.store()
	if l.limit > 0 {
		d.Jobs[0].End = t0.Add(l.limit)
	}
	d.Jobs[0].Name = "llama"
	if l.queued != "" {
		d.Pending = []cluster.PendingJob{{ID: "8", Name: l.queued, Reason: "Dependency"}}
	}
	s.Apply(cluster.Event{At: t0, Discovery: &d})
	for at := time.Duration(0); at <= length; at += tracePoll {
		tr.apply(s, at, r)
		s.Apply(cluster.Event{At: t0.Add(at), Progress: l.said(at)})
	}
	held := map[cluster.Kind]say.Words{}
	snap := s.Snapshot(t0.Add(length + time.Second))
	for i := range snap.Jobs[0].Findings {
		if f := &snap.Jobs[0].Findings[i]; f.Holds() {
			if f.Kind != cluster.KindJobHang && f.Severity > cluster.Note {
				t.Errorf("%s is a warning", f.Kind)
			}
			held[f.Kind] = say.Finding(snap, f)
		}
	}
	return held
}

func steady(seconds float64) func(time.Duration) float64 {
	return func(time.Duration) float64 { return seconds }
}

// Nothing is said of a log that goes on as it should.
func TestHealthyLogs(t *testing.T) {
	hour := time.Hour
	for name, l := range map[string]logOf{
		"in time":                       {pace: steady(2), total: 4000, limit: 3 * hour},
		"no limit":                      {pace: steady(2), total: 400_000},
		"no total":                      {pace: steady(2), limit: hour},
		"the end is close to the limit": {pace: steady(2), total: 3600, limit: 2*hour - 3*time.Minute},
		"slow for its first minutes": {pace: func(at time.Duration) float64 {
			if at < 8*time.Minute {
				return 20
			}
			return 2
		}, total: 4000, limit: 3 * hour},
		"its successor waits": {pace: steady(2), total: 9000, limit: 2 * hour, queued: "llama"},
		"it goes on from a checkpoint": {pace: steady(2), total: 9000, limit: 2 * hour, changes: func(p *progress.Progress) {
			p.Resumed = new(int64(100))
		}},
		"slower for four minutes":       {pace: steady(2), total: 4000, limit: 3 * hour, slower: 36 * time.Minute},
		"an evaluation of nine minutes": {pace: steady(2), total: 4000, limit: 3 * hour, silent: 31 * time.Minute},
		"after its last step":           {pace: steady(2), total: 800, silent: 25 * time.Minute},
		"a log without steps": {pace: steady(2), silent: 10 * time.Minute, changes: func(p *progress.Progress) {
			p.Step, p.SecondsPerStep, p.Loss = nil, nil, new(2.3)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for kind, words := range playLog(t, l, always(trains), 40*time.Minute) {
				t.Errorf("%s: %s", kind, words.Sentence)
			}
		})
	}
}

// A log shows that a program will not finish, is slower, or is silent, in sentences with the numbers.
func TestLogsThatTellMore(t *testing.T) {
	twice := func(at time.Duration) float64 {
		if at > 10*time.Minute {
			return 4
		}
		return 2
	}
	for name, tc := range map[string]struct {
		log  logOf
		does func(time.Duration, int, int) work
		kind cluster.Kind
		want []string
	}{
		"will not finish": {logOf{pace: steady(2), total: 9000, limit: 2 * time.Hour, queued: "eval"}, always(trains),
			cluster.KindTooLong,
			[]string{"The program ends in 4.3 h at its pace: 2.9 h after the time limit; it reaches 41 %."}},
		"its last checkpoint": {logOf{pace: steady(2), total: 9000, limit: 2 * time.Hour,
			changes: func(p *progress.Progress) {
				p.LastCheckpoint = &progress.Checkpoint{Step: new(int64(1000)), At: t0.Add(30 * time.Minute)}
			}}, always(trains), cluster.KindTooLong, []string{"The log mentions its last checkpoint at 18:30, step 1,000."}},
		"slower": {logOf{pace: twice, slower: 10 * time.Minute}, always(trains), cluster.KindStepSlower,
			[]string{"By its log, a step has taken 4.0 s since 18:10, 2.0 before; 15 GPU-hours lost so far."}},
		"slower, as its GPUs show": {logOf{pace: twice, slower: 10 * time.Minute},
			until(trains, work{util: 99, memory: 25, power: 410, clock: 1700, link: 22.7e9, used: 70}, 20*time.Minute),
			cluster.KindStepSlower, []string{"By its log, a step has taken 4.0 s since 18:10, 2.0 before: 410 instead of 602 W, "}},
		"silent": {logOf{pace: steady(2), silent: 20 * time.Minute}, always(trains), cluster.KindLogSilent,
			[]string{"Its log has been silent since 18:20; it used to grow every 5 s."}},
		"silent in a hang": {logOf{pace: steady(2), silent: 20 * time.Minute}, until(trains, waits, 20*time.Minute),
			cluster.KindJobHang, []string{"; its log has been silent since 18:20; it used to grow every 5 s."}},
	} {
		t.Run(name, func(t *testing.T) {
			length := 40 * time.Minute
			if name == "slower" { // for long enough to have a price
				length = 4 * time.Hour
			}
			held := playLog(t, tc.log, tc.does, length)
			words, is := held[tc.kind]
			missing := slices.ContainsFunc(tc.want, func(part string) bool { return !strings.Contains(words.Sentence, part) })
			if !is || missing || len(held) != 1 {
				t.Errorf("%q in %v", words.Sentence, held)
			}
			t.Log(words.Short, "|", words.Long, "|", words.Sentence, "|", words.Hint)
		})
	}
}
