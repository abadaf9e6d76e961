package health

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// uncheckedAfter names the problems that cannot be found in that time.
func uncheckedAfter(watched time.Duration, limits Thresholds) map[cluster.Kind][]time.Duration {
	all := map[cluster.Kind][]time.Duration{}
	for _, c := range Rules(limits)(cluster.Subject{Scope: cluster.ScopeWatch, Watched: watched}) {
		all[c.Kind] = append(all[c.Kind], c.After)
	}
	return all
}

// Problems that the nodes have not reported long enough to show are named, with the time that they need.
func TestUnchecked(t *testing.T) {
	limits := Defaults()
	limits[HangSeconds] = 200
	first, second, long := uncheckedAfter(0, limits), uncheckedAfter(time.Second, limits),
		uncheckedAfter(time.Hour, limits)
	for _, kind := range []cluster.Kind{cluster.KindNVLinkDown, cluster.KindPCIe, cluster.KindSlowdown,
		cluster.KindFault} {
		if len(first[kind]) != 1 || first[kind][0] >= time.Second || second[kind] != nil {
			t.Errorf("%s: %v with one report, %v with two", kind, first[kind], second[kind])
		}
	}
	for kind, want := range map[cluster.Kind]time.Duration{
		cluster.KindThermal: 30 * time.Second, cluster.KindLag: time.Minute, cluster.KindXid: time.Minute,
		cluster.KindStranger: 90 * time.Second,
		cluster.KindJobHang:  200 * time.Second, cluster.KindIdle: 5 * time.Minute,
	} {
		if got := second[kind]; !slices.Equal(got, []time.Duration{want}) {
			t.Errorf("%s takes %v, want %v", kind, got, want)
		}
	}
	for _, kind := range []cluster.Kind{cluster.KindLost, cluster.KindECC, cluster.KindMissing,
		cluster.KindPowerBrake} {
		if first[kind] != nil {
			t.Errorf("%s takes %v, and the first report shows it", kind, first[kind])
		}
	}
	if len(long) != 0 {
		t.Errorf("after an hour %v", long)
	}
}

// Time counts in samples too. Where they are a minute or more apart, the GPUs of a job are not compared.
func TestUncheckedAtASlowPace(t *testing.T) {
	rules := Rules(Defaults())
	for _, tc := range []struct {
		poll, watched time.Duration
		kind          cluster.Kind
		want          []cluster.Condition
	}{
		{30 * time.Second, 140 * time.Second, cluster.KindLag,
			[]cluster.Condition{{Unchecked: cluster.BriefLags}, {After: 150 * time.Second}}},
		{30 * time.Second, 150 * time.Second, cluster.KindLag, []cluster.Condition{{Unchecked: cluster.BriefLags}}},
		{10 * time.Second, 2 * time.Minute, cluster.KindLag, nil},
		{30 * time.Second, 2 * time.Minute, cluster.KindIdle, []cluster.Condition{{After: 5 * time.Minute}}},
		{2 * time.Minute, time.Hour, cluster.KindLag, []cluster.Condition{{Unchecked: cluster.TooSeldom}}},
		{2 * time.Minute, time.Hour, cluster.KindJobHang, []cluster.Condition{{Unchecked: cluster.TooSeldom}}},
		{2 * time.Minute, time.Hour, cluster.KindRankGone, nil},
	} {
		var got []cluster.Condition
		for _, c := range rules(cluster.Subject{Scope: cluster.ScopeWatch, Watched: tc.watched, Poll: tc.poll}) {
			if c.Kind == tc.kind {
				got = append(got, cluster.Condition{After: c.After, Unchecked: c.Unchecked})
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s every %v, after %v: %+v, want %+v", tc.kind, tc.poll, tc.watched, got, tc.want)
		}
	}
}

// It is said that the nodes of a job are not compared, where no traffic between them is visible.
func TestNodesThatAreNotCompared(t *testing.T) {
	for nodes, want := range map[int]bool{1: false, 2: true} {
		tr := trace{nodes: nodes, gpus: 4, age: traceAge, does: always(trains)}
		s, r := tr.store(), rand.New(rand.NewPCG(1, 2))
		for at := time.Duration(0); at <= 10*time.Minute; at += tracePoll {
			tr.apply(s, at, r)
		}
		got := slices.Contains(s.Snapshot(t0.Add(10*time.Minute+time.Second)).NotChecked,
			cluster.NotChecked{Kind: cluster.KindLag, Why: cluster.NodesApart, Job: "7"})
		if got != want {
			t.Errorf("with %d nodes it is said: %v", nodes, got)
		}
	}
}

// The comparison of a job's GPUs takes time: a row without a time would count as checked at once.
func TestComparingTakesTime(t *testing.T) {
	limits := Defaults()
	for i := range peerRules {
		if takes := peerRules[i].timeToDetect(&limits); takes < time.Second {
			t.Errorf("%s takes %v", peerRules[i].kind, takes)
		}
	}
}
