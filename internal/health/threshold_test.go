package health

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

func TestThresholds(t *testing.T) {
	seen := map[string]bool{}
	for id := noThreshold + 1; id < thresholds; id++ {
		row := id.Row()
		if row.Key == "" || seen[row.Key] || !strings.HasSuffix(row.Help, ".") {
			t.Errorf("threshold %d is incomplete: %+v", id, row)
		}
		if row.Low >= row.High || row.Value < row.Low || row.Value > row.High {
			t.Errorf("%s is %g by default, which is not in %g to %g", row.Key, row.Value, row.Low, row.High)
		}
		if strings.HasSuffix(row.Key, "_percent") && row.High > 100 {
			t.Errorf("%s may be %g percent: its High is 100 at most", row.Key, row.High)
		}
		if named, known := Named(row.Key); !known || named != id {
			t.Errorf("%q is threshold %d", row.Key, named)
		}
		if Defaults()[id] != row.Value {
			t.Errorf("%s is %g by default", row.Key, Defaults()[id])
		}
		seen[row.Key] = true
	}
	for _, key := range []string{"", "lag"} {
		if id, known := Named(key); known {
			t.Errorf("%q is threshold %d", key, id)
		}
	}
}

// What replaces the time of a rule is a time.
func TestRulesLastForATime(t *testing.T) {
	for _, r := range allRules() {
		if key := r.lasts.Row().Key; r.lasts != noThreshold && !strings.HasSuffix(key, "_seconds") &&
			!strings.HasSuffix(key, "_minutes") {
			t.Errorf("%s lasts for %s, whose unit durationOf does not know", r.kind, key)
		}
	}
}

// A rule uses the thresholds that its words name: in lasts, or it judges a sample in another way with another value.
func TestRulesUseTheirThresholds(t *testing.T) {
	used := map[*rule]map[Threshold]bool{}
	judge := func(r *rule, find func(*Thresholds) any) {
		if used[r] == nil {
			used[r] = map[Threshold]bool{r.lasts: true}
		}
		for _, id := range thresholdsNamedBy(r) {
			used[r][id] = used[r][id] || decides(id, find)
		}
	}
	for i, a := range samplesOf(t) {
		judge(&rules[i], func(limits *Thresholds) any {
			return [2]bool{rules[i].holds(ruleSubject{a.yes, limits}), rules[i].holds(ruleSubject{a.not, limits})}
		})
	}
	for _, tr := range limited {
		tr.watch(28*time.Minute, func(s cluster.Subject) {
			for i := range peerRules {
				judge(&peerRules[i].rule, func(limits *Thresholds) any { return peerRules[i].find(ruleSubject{s, limits}) })
			}
		})
	}
	for r, uses := range used {
		for _, id := range thresholdsNamedBy(r) {
			if !uses[id] {
				t.Errorf("%s says {%s} and does not use it: its row needs lasts in place of after, or holds must compare with "+
					"s.limits. If it does, no sample in alarms (a rule about peers: in limited) depends on it",
					r.kind, id.Row().Key)
			}
		}
		if key := r.lasts.Row().Key; r.lasts != noThreshold && !strings.Contains(r.when, "{"+key+"}") {
			t.Errorf("%s lasts for %s, and does not say {%[2]s}", r.kind, key)
		}
	}
}

func thresholdsNamedBy(r *rule) (all []Threshold) {
	for _, key := range placeholder.FindAllStringSubmatch(r.when, -1) {
		if id, known := Named(key[1]); known {
			all = append(all, id)
		}
	}
	return all
}

// decides reports whether what is found depends on a threshold.
func decides(id Threshold, find func(*Thresholds) any) bool {
	limits := Defaults()
	usual := find(&limits)
	for _, limits[id] = range []float64{id.Row().Low, id.Row().High} {
		if !reflect.DeepEqual(find(&limits), usual) {
			return true
		}
	}
	return false
}

// limited are jobs with what the rules about the GPUs of a job find: a slow GPU, an idle one, and then a stop.
var limited = []trace{
	{nodes: 1, gpus: 8, age: traceAge, processes: stuck, does: func(at time.Duration, _, gpu int) work {
		switch {
		case at > 23*time.Minute, gpu == 5 && at > 15*time.Minute:
			return rests
		case at < 10*time.Minute, at > 15*time.Minute:
			return trains
		case gpu == 3:
			return hotGPU
		}
		return work{util: 99, memory: 30, power: 400, clock: 1780, link: 28e9, used: 70}
	}},
	{nodes: 1, gpus: 1, age: traceAge, does: until(trains, rests, 2*time.Minute)},
}

// watch shows what the rules about the GPUs of a job see.
func (tr trace) watch(length time.Duration, see func(cluster.Subject)) {
	rules := Rules(Defaults())
	s := tr.storeBy(func(s cluster.Subject) []cluster.Condition {
		if s.Scope == cluster.ScopePeers {
			see(s)
		}
		return rules(s)
	})
	r := rand.New(rand.NewPCG(1, 2))
	for at := time.Duration(0); at <= length; at += tracePoll {
		tr.apply(s, at, r)
	}
}
