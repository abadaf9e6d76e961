package health

import (
	"cmp"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
)

// aMinute is for single events, and for counters that are read once a minute: if there are none for a shorter time,
// that proves nothing.
func aMinute(*Thresholds) time.Duration { return time.Minute }

func idleMinutes(limits *Thresholds) time.Duration { return limits.durationOf(IdleMinutes) }

// timeToDetect returns how long a node must report at least before the rule can find something; 0: its first report is
// enough.
func (r *rule) timeToDetect(limits *Thresholds) time.Duration {
	takes := r.after
	if r.lasts != noThreshold {
		takes = limits.durationOf(r.lasts)
	}
	if r.watch != nil {
		takes = max(takes, r.watch(limits))
	}
	return takes
}

// listUnchecked returns the kinds that cannot have been found within Watched, each kind once, those with the shortest
// time first.
func listUnchecked(s ruleSubject) []cluster.Condition {
	var late []cluster.Condition
	add := func(r *rule) {
		takes := r.timeToDetect(s.limits)
		if r.scope == cluster.ScopePeers {
			takes = max(takes, fewestSamples*s.Poll)
		}
		if takes > s.Watched {
			late = append(late, cluster.Condition{Kind: r.kind, After: takes})
		}
	}
	for i := range rules {
		add(&rules[i])
	}
	for i := range peerRules {
		switch r := &peerRules[i].rule; {
		case r.often && s.Poll >= pace.Lapse:
			late = append(late, cluster.Condition{Kind: r.kind, Unchecked: cluster.TooSeldom})
		default:
			add(r)
			if r.kind == cluster.KindLag && s.Poll > pace.SeesBouts {
				late = append(late, cluster.Condition{Kind: r.kind, Unchecked: cluster.BriefLags})
			}
		}
	}
	slices.SortFunc(late, func(a, b cluster.Condition) int {
		return cmp.Or(cmp.Compare(a.After, b.After), cmp.Compare(a.Kind, b.Kind))
	})
	return slices.CompactFunc(late, func(a, b cluster.Condition) bool { return a.Kind == b.Kind && a.After == b.After })
}

// listUncompared returns what cannot be found in a job whose nodes are not compared because they show no exchange of
// data.
func listUncompared(s cluster.Subject) []cluster.Condition {
	if !s.Peers.Pace.Apart {
		return nil
	}
	return []cluster.Condition{{Kind: cluster.KindLag, Unchecked: cluster.NodesApart}}
}
