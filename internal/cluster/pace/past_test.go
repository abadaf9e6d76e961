package pace

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// doing is the work of a GPU: a share of the usual power, memory reads and traffic, at a utilization.
type doing struct{ util, power, memory, link, used float64 }

func (d doing) values() *metric.Values {
	v := metric.Make(map[metric.ID]float64{metric.Util: d.util, metric.Power: 610 * d.power, metric.SMClock: 1650,
		metric.MemUtil: 55 * d.memory, metric.NVLinkTX: 50e9 * d.link, metric.MemoryUsed: 70 * d.used * (1 << 30),
		metric.PowerLimit: 700})
	return &v
}

// What all GPUs move falls alike if their steps take longer; otherwise they do other work.
func TestSlower(t *testing.T) {
	usual := doing{98, 1, 1, 1, 1}
	for name, tc := range map[string]struct {
		then doing
		rate float32 // 0: not slower
	}{
		"as ever":            {usual, 0},
		"a network":          {doing{99, 0.68, 0.45, 0.45, 1}, 0.45},
		"the storage":        {doing{62, 0.7, 0.62, 0.62, 1}, 0.62},
		"a little":           {doing{98, 0.9, 0.88, 0.88, 1}, 0},
		"less exchange":      {doing{98, 0.9, 0.95, 0.6, 1}, 0},
		"another program":    {doing{98, 0.7, 0.62, 0.62, 0.6}, 0},
		"as much power":      {doing{98, 1, 0.7, 0.7, 1}, 0},
		"more work in steps": {doing{98, 0.95, 1, 0.66, 1}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			job, gpus := &Job{}, eight()
			play := func(from time.Time, minutes int, d doing) time.Time {
				at := from
				for ; at.Sub(from) < time.Duration(minutes)*time.Minute; at = at.Add(3 * time.Second) {
					for _, g := range gpus {
						g.Add(at, d.values(), Traffic{unknown, unknown})
					}
					job.Compare(at, gpus, false)
				}
				return at
			}
			at := play(t0, 20, usual)
			if by := job.Groups[0].Slower(); by != nil {
				t.Fatalf("it is slower from the start: %+v", by)
			}
			changed := at
			at = play(at, 8, tc.then)
			by := job.Groups[0].Slower()
			if by == nil != (tc.rate == 0) || by != nil && !isNearOne(by.Rate/tc.rate, 0.05) {
				t.Fatalf("%+v, want a rate of %v", by, tc.rate)
			}
			if by != nil && by.Since.Sub(changed).Abs() > time.Minute {
				t.Errorf("since %v, not %v", by.Since, changed)
			}
			fork := job.Fork()
			play(at, 5, usual)
			if by := job.Groups[0].Slower(); by != nil {
				t.Errorf("it still is: %+v", by)
			}
			if fork.Groups[0].Slower() != by {
				t.Error("a copy changes with it")
			}
		})
	}
}

// A pace that falls little by little is the work itself: a matrix that shrinks, or fewer requests.
func TestSlowerLittleByLittle(t *testing.T) {
	job, gpus := &Job{}, eight()
	for at := t0; at.Sub(t0) < 90*time.Minute; at = at.Add(3 * time.Second) {
		share := 1 - at.Sub(t0).Hours()/3
		for _, g := range gpus {
			g.Add(at, doing{98, share, share, share, 1}.values(), Traffic{unknown, unknown})
		}
		if job.Compare(at, gpus, false); job.Groups[0].Slower() != nil {
			t.Fatalf("after %v: %+v", at.Sub(t0), job.Groups[0].Slower())
		}
	}
}

// A standstill is told if it was much longer than any before, and nothing worked or wrote meanwhile.
func TestStall(t *testing.T) {
	for name, tc := range map[string]struct {
		lasts  time.Duration
		others float64 // utilization of the first GPU meanwhile
		host   Traffic
		found  bool
	}{
		"two minutes":  {2 * time.Minute, 0, Traffic{}, true},
		"a minute":     {time.Minute, 0, Traffic{}, false},
		"one works":    {2 * time.Minute, 90, Traffic{}, false},
		"a node sends": {2 * time.Minute, 0, Traffic{TX: 1e9}, false},
	} {
		job, gpus := &Job{}, eight()
		at := run(job, gpus, t0, time.Hour, false, func(int) float64 { return 98 })
		for end := at.Add(tc.lasts); at.Before(end); at = at.Add(3 * time.Second) {
			for i, g := range gpus {
				v := values(0, 100, 1650)
				if i == 0 && tc.others > 0 {
					v = values(tc.others, 500, 1650)
				}
				g.Add(at, v, tc.host)
			}
			job.Compare(at, gpus, false)
		}
		run(job, gpus, at, time.Minute, false, func(int) float64 { return 98 })
		if found := !job.Stall.To.IsZero(); found != tc.found {
			t.Errorf("%s: %+v", name, job.Stall)
		}
	}
}
