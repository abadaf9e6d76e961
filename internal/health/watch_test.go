package health

import (
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

// The comparison of a job's GPUs takes time: a row without a time would count as checked at once.
func TestComparingTakesTime(t *testing.T) {
	limits := Defaults()
	for i := range peerRules {
		if takes := peerRules[i].takes(&limits); takes < time.Second {
			t.Errorf("%s takes %v", peerRules[i].kind, takes)
		}
	}
}
