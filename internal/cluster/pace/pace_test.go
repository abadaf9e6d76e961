package pace

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

var t0 = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)

// values is a sample with these numbers; a negative one is unknown.
func values(util, power, clock float64) *metric.Values {
	var v metric.Values
	for id, x := range map[metric.ID]float64{metric.Util: util, metric.Power: power, metric.SMClock: clock,
		metric.NVLinkTX: 5 * util * 1e8} {
		if x >= 0 {
			v.Set(id, x)
		}
	}
	return &v
}

// A mean follows a change within half a minute at any interval, begins again after a gap, and is unknown with the
// sample.
func TestMeans(t *testing.T) {
	for _, poll := range []time.Duration{250 * time.Millisecond, 3 * time.Second, 10 * time.Second} {
		g := New("m")
		at := t0
		for range 40 {
			g.Add(at, values(100, 600, 1650), Traffic{})
			at = at.Add(poll)
		}
		for past := time.Duration(0); past < 30*time.Second; past += poll {
			g.Add(at, values(20, -1, 1650), Traffic{})
			at = at.Add(poll)
		}
		if u := g.Mean[Util]; u < 20 || u > 26 {
			t.Errorf("after 30 s of 20%% every %v the mean is %v", poll, u)
		}
		if p := g.Mean[Power]; p == p {
			t.Errorf("the unknown power is %v", p)
		}
		g.Add(at.Add(2*Lapse), values(70, 500, 1650), Traffic{})
		if g.Mean[Util] != 70 || g.Mean[Power] != 500 {
			t.Errorf("after a gap the means are %v", g.Mean)
		}
		g.Add(at, values(0, 0, 0), Traffic{})
		if g.Mean[Util] != 70 {
			t.Error("an old sample counts")
		}
	}
}

// A GPU's work for another job is forgotten; its present work is not.
func TestBegin(t *testing.T) {
	g := New("m")
	g.Add(t0, values(100, 600, 1650), Traffic{})
	g.Usual[Util], g.LagLast = 0.5, t0
	g.Begin("8")
	if g.Usual[Util] == g.Usual[Util] || !g.LagLast.IsZero() || !g.Worked.Equal(t0) || g.Mean[Util] != 100 ||
		g.now[Util] != 100 {
		t.Errorf("%+v", g)
	}
	g.Usual[Util] = 0.5
	if g.Begin("8"); g.Usual[Util] != 0.5 {
		t.Error("the same job begins twice")
	}
}

func TestNth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 1000; n++ {
		var v []float32
		for range n {
			v = append(v, float32(r.IntN(1+r.IntN(2000))))
		}
		sorted := slices.Sorted(slices.Values(v))
		if k := r.IntN(n); nthSmallest(slices.Clone(v), k) != sorted[k] {
			t.Fatalf("number %d of %v is not %v", k, sorted, sorted[k])
		}
	}
}

// run compares GPUs with these utilizations for a while, and returns the job.
func run(job *Job, gpus []*GPU, from time.Time, length time.Duration, young bool, util func(i int) float64) time.Time {
	at := from
	for ; at.Sub(from) < length; at = at.Add(3 * time.Second) {
		for i, g := range gpus {
			u := util(i)
			g.Add(at, values(u, 100+5*u, 1650), Traffic{})
		}
		job.Compare(at, gpus, young)
	}
	return at
}

func eight() []*GPU {
	var gpus []*GPU
	for range 8 {
		gpus = append(gpus, New("m"))
	}
	return gpus
}

// A GPU that falls behind keeps its usual speed; a GPU that was always behind has this as its usual speed. A young job
// has no usual speed.
func TestUsual(t *testing.T) {
	var job Job
	gpus := eight()
	at := run(&job, gpus, t0, time.Minute, true, func(int) float64 { return 97 })
	if u := gpus[0].Usual[Util]; u == u {
		t.Errorf("a young job: %v is usual", u)
	}
	slow := func(i int) float64 { return map[bool]float64{true: 50, false: 97}[i == 7] }
	at = run(&job, gpus, at, 3*time.Minute, false, slow)
	if u := gpus[7].Usual[Util]; u > 0.6 || gpus[0].Usual[Util] < 0.95 {
		t.Errorf("usual are %v and %v", u, gpus[0].Usual[Util])
	}
	run(&job, gpus, at, time.Hour, false, func(i int) float64 {
		if i == 0 {
			return 25
		}
		return slow(i)
	})
	if u := gpus[0].Usual[Util]; u < 0.9 || gpus[0].Share[Util] > 0.3 || !job.Groups[0].Lockstep() {
		t.Errorf("after an hour %v is usual, and the share is %v", u, gpus[0].Share[Util])
	}
}

// GPUs are compared only with those of their model. Lost GPUs and those without a utilization are not compared.
func TestGroups(t *testing.T) {
	var job Job
	gpus := eight()
	for i := range 3 {
		gpus[i] = New("other")
	}
	gpus[3].Out = true
	run(&job, gpus, t0, time.Minute, false, func(i int) float64 {
		if i == 4 {
			return -1
		}
		return float64(90 - 30*min(i/3, 1))
	})
	if len(job.Groups) != 2 || len(job.Groups[0].GPUs) != 3 || len(job.Groups[1].GPUs) != 3 {
		t.Fatalf("%+v", job.Groups)
	}
	if job.Groups[0].Median[Util] != 90 || job.Groups[1].Median[Util] != 60 {
		t.Errorf("medians %v, %v", job.Groups[0].Median, job.Groups[1].Median)
	}
}

// A job that works most of the time is steady, even in a pause of any length; a job that mostly rests is not.
func TestSteady(t *testing.T) {
	var job Job
	gpus := eight()
	at := run(&job, gpus, t0, 10*time.Minute, false, func(int) float64 { return 97 })
	at = run(&job, gpus, at, 20*time.Minute, false, func(int) float64 { return 0 })
	if !job.Steady() || at.Sub(job.Worked) < 19*time.Minute {
		t.Errorf("in a pause since %v: steady %t", job.Worked, job.Steady())
	}
	for range 5 {
		at = run(&job, gpus, at, time.Minute, false, func(int) float64 { return 97 })
		at = run(&job, gpus, at, 3*time.Minute, false, func(int) float64 { return 0 })
	}
	if job.Steady() || job.Pause < 19*time.Minute {
		t.Errorf("in bursts: steady %t, longest pause %v", job.Steady(), job.Pause)
	}
}

// The time in which nobody can tell whether a GPU lags is not part of its lag, and does not end it.
func TestWaits(t *testing.T) {
	const gap = 9 * time.Second
	g := New("m")
	at := t0
	lag := func(length time.Duration, f func()) {
		for end := at.Add(length); at.Before(end); {
			at = at.Add(3 * time.Second)
			f()
		}
	}
	lag(30*time.Second, func() { g.Lags(at, gap, false) })
	lag(80*time.Second, func() { g.Waits(at) })
	lag(30*time.Second, func() { g.Lags(at, gap, false) })
	if got := g.LagLast.Sub(g.LagBegan); got != 57*time.Second {
		t.Errorf("it lags for %v", got)
	}
	at = at.Add(gap + 1)
	if g.Lags(at, gap, false); !g.LagBegan.Equal(at) {
		t.Errorf("after a gap it lags since %v", g.LagBegan)
	}
}

// Two levels of traffic that persist are two roles, and each node is compared for itself then. One GPU that differs is
// none, and neither is a pause.
func TestRoles(t *testing.T) {
	for name, tc := range map[string]struct {
		link  func(gpu int) float32
		roles bool
		are   []Role
	}{
		"alike": {func(gpu int) float32 { return 50e9 + 1e9*float32(gpu) }, false, nil},
		"two nodes": {func(gpu int) float32 { return []float32{100e9, 16e9}[gpu/4] }, true,
			[]Role{{4, 90}, {4, 80}}},
		"one GPU": {func(gpu int) float32 { return []float32{100e9, 16e9}[gpu/7] }, false, nil},
		"two GPUs": {func(gpu int) float32 { return []float32{100e9, 16e9}[gpu/6] }, true,
			[]Role{{6, (4*90 + 2*80) / 6.0}, {2, 80}}},
		"unlike by half":  {func(gpu int) float32 { return []float32{60e9, 40e9}[gpu/4] }, false, nil},
		"little traffic":  {func(gpu int) float32 { return []float32{300e3, 40e3}[gpu/4] }, false, nil},
		"unknown traffic": {func(int) float32 { return unknown }, false, nil},
	} {
		var j Job
		var gpus []*GPU
		for i := range 8 {
			g := New("x")
			g.Mean[Link] = tc.link(i)
			gpus = append(gpus, g)
		}
		for range 4 {
			j.noteRoles(t0, 15*time.Second, gpus)
		}
		if got := j.inRoles(t0.Add(time.Minute)); got != tc.roles {
			t.Errorf("%s: in roles: %t", name, got)
		}
		if j.inRoles(t0.Add(apart + time.Minute)) {
			t.Errorf("%s: in roles for ever", name)
		}
		for i, g := range gpus { // which role has more traffic changes now and then
			g.Mean[Util] = float32(90 - 10*(i/4))
		}
		for i := range 40 {
			for _, g := range gpus {
				if i%10 == 0 {
					g.Mean[Link] = tc.link(0) + tc.link(7) - g.Mean[Link]
				}
			}
			j.noteRoles(t0, 15*time.Second, gpus)
		}
		if j.at = t0; len(j.Roles(gpus)) > 0 {
			t.Errorf("%s: roles of GPUs that are not known to exchange data", name)
		}
		j.Groups = []Group{{Evidence: NVLink}}
		if got := j.Roles(gpus); !slices.Equal(got, tc.are) {
			t.Errorf("%s: %v, want %v", name, got, tc.are)
		}
		gpus[0].Mean[Link] = gpus[7].Mean[Link]
		for range 8 {
			j.noteRoles(t0, 15*time.Second, gpus)
		}
		if len(j.Roles(gpus)) > 0 {
			t.Errorf("%s: roles of GPUs that change them", name)
		}
	}
}

// After a hang the time that a GPU is idle counts anew, as after a pause: it had no work.
func TestStandstillIsAPause(t *testing.T) {
	for stood, resumed := range map[time.Duration]bool{time.Minute: false, time.Hour: true} {
		j := Job{since: t0}
		j.noteMotion(t0.Add(time.Second), true, true)
		j.noteMotion(t0.Add(stood/2), true, false) // one GPU works while all others wait for it
		j.noteMotion(t0.Add(stood), true, true)
		if got := j.Resumed.Equal(t0.Add(stood)); got != resumed {
			t.Errorf("after %v: resumed: %t", stood, got)
		}
	}
}

// Where reports are half a minute apart, one that is lost is no gap in the watch.
func TestLostReportIsNoGap(t *testing.T) {
	var j Job
	for _, at := range []time.Duration{0, 30, 60, 121} {
		j.Compare(t0.Add(at*time.Second), nil, false)
	}
	if !j.Since().Equal(t0) {
		t.Errorf("watched since %v", j.Since().Sub(t0))
	}
	if j.Compare(t0.Add(10*time.Minute), nil, false); !j.Since().Equal(t0.Add(10 * time.Minute)) {
		t.Errorf("after a gap watched since %v", j.Since().Sub(t0))
	}
}
