package progress

import (
	"math"
	"testing"
	"time"
)

func pointer[T any](v T) *T { return &v }

// The end follows from the steps and the pace, or from what the log says about the run.
func TestCompare(t *testing.T) {
	now := time.Date(2026, 11, 27, 15, 0, 0, 0, time.UTC)
	run := Progress{Form: "general", At: now, Step: pointer[int64](41_200), Total: pointer[int64](100_000), Scope: OfRun,
		SecondsPerStep: pointer(3.1)}
	epoch := Progress{At: now, Step: pointer[int64](200), Total: pointer[int64](400), Scope: OfEpoch,
		EpochsEnded: pointer(2.0), EpochsInAll: 10, SecondsPerStep: pointer(9.0)}
	said := run
	said.ETA, said.ETAScope = pointer(3*time.Hour), OfRun
	ofEpoch := epoch
	ofEpoch.ETA, ofEpoch.ETAScope = pointer(3*time.Minute), OfEpoch
	for _, tc := range []struct {
		name          string
		p             Progress
		limit         time.Duration
		endsIn, after time.Duration
		done          float64
	}{
		{"34 h too late", run, 16*time.Hour + 38*time.Minute, 50*time.Hour + 38*time.Minute, 34 * time.Hour, 0.605},
		{"in time", run, 60 * time.Hour, 50*time.Hour + 38*time.Minute, -9*time.Hour - 22*time.Minute, 1},
		{"the limit is over", run, -time.Hour, 50*time.Hour + 38*time.Minute, 51*time.Hour + 38*time.Minute, 0.412},
		{"epochs", epoch, time.Hour, 7*time.Hour + 30*time.Minute, 6*time.Hour + 30*time.Minute, 0.35},
		{"the log says it", said, 2 * time.Hour, 3 * time.Hour, time.Hour, 0.804},
		{"the log says the end of the epoch", ofEpoch, time.Hour, 7*time.Hour + 30*time.Minute,
			6*time.Hour + 30*time.Minute, 0.35},
	} {
		f := tc.p.Compare(now, now.Add(tc.limit))
		if f == nil || f.EndsIn.Round(time.Minute) != tc.endsIn || f.After.Round(time.Minute) != tc.after ||
			math.Abs(*f.Done-tc.done) > 0.001 {
			t.Errorf("%s: %+v", tc.name, f)
		}
	}
	if ends := run.EndsIn(now.Add(38 * time.Minute)); ends.Round(time.Minute) != 50*time.Hour {
		t.Errorf("38 minutes later it ends in %v", ends)
	}
}

// Without a total, a pace, or the number of epochs, the end is unknown.
func TestUnknownEnd(t *testing.T) {
	now := time.Now()
	whole := Progress{At: now, Step: pointer[int64](4), Total: pointer[int64](8), Scope: OfRun,
		SecondsPerStep: pointer(1.0)}
	for name, change := range map[string]func(p *Progress){
		"no step": func(p *Progress) { p.Step = nil }, "no total": func(p *Progress) { p.Total = nil },
		"no pace": func(p *Progress) { p.SecondsPerStep = nil }, "total 0": func(p *Progress) { p.Total = pointer[int64](0) },
		"which scope": func(p *Progress) { p.Scope = UnknownScope }, "how many epochs": func(p *Progress) { p.Scope = OfEpoch },
		"in a million years": func(p *Progress) { p.SecondsPerStep = pointer(1e13) },
	} {
		p := whole
		change(&p)
		if p.EndsIn(now) != nil || p.Compare(now, now) != nil {
			t.Errorf("%s: ends in %v", name, p.EndsIn(now))
		}
	}
	if whole.EndsIn(now) == nil {
		t.Error("with all of them it is known")
	}
}
