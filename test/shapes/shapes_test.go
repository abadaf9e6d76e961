package shapes

import (
	"flag"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/output/notify"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

var (
	seed  = flag.Uint64("seed", 1, "of the noise, and of when things happen")
	seeds = flag.Int("seeds", 1, "how many seeds to play, from that one on")
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // little is kept of many samples: the usual 100 collects every few milliseconds
	os.Exit(m.Run())
}

// Each shape gets its wanted findings in time, and no other alarm. With -v it says how soon, and the totals.
func TestShapes(t *testing.T) {
	var mu sync.Mutex
	healthy, faulty, gpuHours := Verdict{}, Verdict{}, 0.0
	t.Cleanup(func() {
		t.Logf("healthy: %.1f job-hours, %.0f GPU-hours: %d false", healthy.Watched.Hours(), gpuHours,
			len(healthy.False))
		t.Logf("faulty: %d found, %d late, %d missed; %d false", faulty.Found, faulty.Late, faulty.Missed,
			len(faulty.False))
	})
	for i, s := range All() {
		if raced.On && i%24 != 0 { // scripts/test plays all of them without the race detector
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			heard := &audience{Watcher: notify.NewWatcher(say.DefaultNews(), nil)}
			v := Judge(s, Play(s, *seed, heard.see))
			heard.judged(t, &s)
			for more := 1; more < *seeds; more++ {
				v.Add(Judge(s, Play(s, *seed+uint64(more))))
			}
			judged(t, &v)
			mu.Lock()
			defer mu.Unlock()
			if s.Faulty() {
				faulty.Add(v)
				return
			}
			healthy.Add(v)
			gpuHours += v.Watched.Hours() * float64(s.Nodes*s.GPUs)
		})
	}
}

// audience is a user who does not look at a screen.
type audience struct {
	*notify.Watcher
	news []notify.Item
}

func (a *audience) see(s *cluster.Snapshot) { a.news = append(a.news, a.See(s)...) }

// judged checks the news: nothing about a healthy job but what is true of it, and each lag, hang and dead rank that
// needs a look. An idle job is news after a time that few shapes last.
func (a *audience) judged(t *testing.T, s *Shape) {
	told := map[cluster.Kind]bool{}
	for i := range a.news {
		n := &a.news[i]
		told[n.Kind] = true
		wanted := slices.ContainsFunc(s.Want, func(w Want) bool { return slices.Contains(w.Kinds, n.Kind) })
		if !wanted && !slices.Contains(s.Allowed, n.Kind) {
			t.Errorf("news about a job without this problem, after %v: %s. %s", n.At.Sub(begins), n.Title, n.Text)
		}
	}
	for _, w := range s.Want {
		soon := !slices.ContainsFunc(w.Kinds, func(k cluster.Kind) bool {
			return k != cluster.KindLag && k != cluster.KindJobHang && k != cluster.KindRankGone
		})
		if soon && w.Least >= cluster.Warning && !told[w.Kinds[0]] {
			t.Errorf("no news of %v", w.Kinds)
		}
	}
}

// judged says how right the findings for a shape are.
func judged(t *testing.T, v *Verdict) {
	reason, known := Known[v.Name]
	switch {
	case known && reason == "":
		t.Error("no reason is given why it is not right yet")
	case known && v.Good() && *seed == 1: // with other seeds it may be chance
		t.Error("it is right now: remove it from Known")
	case !known && !v.Good():
		t.Errorf("%d late, %d missed, said wrongly (RightNotes has notes that are right): %s", v.Late, v.Missed,
			counts(v.False))
		for _, e := range v.False[:min(len(v.False), 8)] {
			t.Logf("after %v: %v %s: %s", e.From, e.Severity, e.Kind, e.Say)
		}
	}
	t.Logf("%s: %d GPUs, %.1f h; found after %v", v.About, v.Nodes*v.GPUs, v.Watched.Hours(), v.Delays)
}

// Each shape has its own name and description, and no other has its name.
func TestRows(t *testing.T) {
	names := map[string]bool{}
	hours := 0.0
	for _, s := range append(All(), More()...) {
		if names[s.Name] || s.About == "" {
			t.Errorf("%q is there twice, or says nothing", s.Name)
		}
		if names[s.Name] = true; !s.Faulty() {
			hours += s.Length.Hours()
		}
	}
	for name := range Known {
		if !names[name] {
			t.Errorf("there is no shape %q", name)
		}
	}
	for kind, right := range RightNotes {
		for _, name := range right {
			if !names[name] {
				t.Errorf("RightNotes of %s: there is no shape %q", kind, name)
			}
		}
	}
	if hours < 160 {
		t.Errorf("%.1f job-hours of healthy work", hours)
	}
}

// The same seed gives the same job, another one another.
func TestSeeds(t *testing.T) {
	shape := func(name string) Shape {
		for _, s := range All() {
			if s.Name == name {
				return s
			}
		}
		t.Fatalf("there is no shape %q", name)
		return Shape{}
	}
	s := shape("f01 clock")
	first, again, other := Play(s, 1), Play(s, 1), Play(s, 2)
	if diff := cmp.Diff(first, again, cmp.Comparer(sameFloats)); diff != "" {
		t.Errorf("the same seed differs:\n%s", diff)
	}
	if cmp.Equal(first, other, cmp.Comparer(sameFloats)) {
		t.Error("another seed gives the same")
	}
}

func sameFloats(a, b float32) bool { return a == b || a != a && b != b }
