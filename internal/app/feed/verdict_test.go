package feed

import (
	"errors"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// A node that does not report and a critical problem are failures; a warning is none.
func TestExitCode(t *testing.T) {
	card := func(index int) wire.Card {
		return wire.Card{Index: index, UUID: string(rune('a' + index)), Minor: new(index)}
	}
	two := &wire.Hello{GPUs: []wire.Card{card(0), card(1)}}
	values := metric.Make(map[metric.ID]float64{metric.Throttle: wire.ThrottleHWThermal})
	jobs := []cluster.Job{{ID: "1", Number: "1", Nodes: []string{"n1"}, Minors: map[string][]int{"n1": {0, 1}}}}
	for name, tc := range map[string]struct {
		jobs   []cluster.Job
		hello  *wire.Hello
		report *wire.Report // nil: the node cannot be reached
		code   int
		says   string
	}{
		"all well":        {jobs, two, &wire.Report{}, cli.ExitOK, ""},
		"a throttled GPU": {jobs, two, &wire.Report{GPUs: []wire.GPU{{Values: values}}}, cli.ExitOK, ""},
		"a missing GPU": {jobs, &wire.Hello{GPUs: []wire.Card{card(0)}}, &wire.Report{}, cli.ExitFailed,
			"critical: n1 (GPU1 missing)"},
		"hidden GPUs": {jobs, &wire.Hello{Job: "2"}, &wire.Report{}, cli.ExitFailed, "critical: n1 (GPUs hidden)"},
		"a lost GPU": {jobs, two,
			&wire.Report{GPUs: []wire.GPU{{Index: 1, Lost: "x", LostID: wire.LostReset}}}, cli.ExitFailed,
			"critical: n1 GPU1 (lost)"},
		"a GPU without power": {jobs, two,
			&wire.Report{GPUs: []wire.GPU{{Index: 1, Lost: "x", LostID: wire.LostPower}}}, cli.ExitFailed,
			"critical: n1 GPU1 (unusable)"},
		"a call that hangs": {jobs, two, &wire.Report{GPUs: []wire.GPU{{HangsMS: 30_000}}}, cli.ExitFailed,
			"critical: n1 GPU0 (hung)"},
		"no driver": {jobs, &wire.Hello{Fault: "not loaded"}, &wire.Report{}, cli.ExitFailed,
			"critical: n1 (no driver)"},
		"a node that fails": {jobs, nil, nil, cli.ExitFailed, "1 of 1 nodes not reporting: n1 (connection refused)"},
		"another job's GPU": {
			[]cluster.Job{{ID: "1", Nodes: []string{"n1"}, Minors: map[string][]int{"n1": {0}}}}, two,
			&wire.Report{GPUs: []wire.GPU{{Index: 1, Lost: "x", LostID: wire.LostReset}}}, cli.ExitOK, "",
		},
		"two jobs on a node": {
			[]cluster.Job{{ID: "1", Nodes: []string{"n1"}}, {ID: "2", Nodes: []string{"n1"}}},
			&wire.Hello{Fault: "not loaded"}, &wire.Report{},
			cli.ExitFailed, "critical: n1 (no driver)",
		},
		"no job": {nil, two, &wire.Report{}, cli.ExitNoJobs, "no running job"},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
			s := store.New(time.Second, health.Rules(health.Defaults()))
			s.Apply(cluster.Event{At: now, Discovery: &cluster.Discovery{Asked: now, Answered: now, Jobs: tc.jobs}})
			s.Apply(cluster.Event{At: now, Node: "n1", Try: &cluster.Try{Interval: time.Second}})
			if tc.report == nil {
				s.Apply(cluster.Event{At: now, Node: "n1",
					Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassRefused,
						Short: "connection refused"}}})
			} else {
				s.Apply(cluster.Event{At: now, Node: "n1", Hello: tc.hello})
				s.Apply(cluster.Event{At: now, Node: "n1", Report: tc.report})
			}
			code, says := cli.ExitOK, ""
			if exit, failed := errors.AsType[*cli.ExitError](Verdict(s.Snapshot(now))); failed {
				code, says = exit.Code, exit.Err.Error()
			}
			if code != tc.code || says != tc.says {
				t.Errorf("exit code %d, %q, want %d, %q", code, says, tc.code, tc.says)
			}
			if tc.hello == two && tc.jobs != nil {
				s.Apply(cluster.Event{At: now.Add(time.Second), Node: "n1", Report: &wire.Report{}})
				if err := Verdict(s.Snapshot(now.Add(time.Second))); err != nil {
					t.Errorf("when all is well again: %v", err)
				}
			}
		})
	}
}

// One line names the nodes that do not report and, of the others, the lost GPUs.
func TestExitLineNamesNodesAndGPUs(t *testing.T) {
	now := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	s := store.New(time.Second, health.Rules(health.Defaults()))
	s.Apply(cluster.Event{At: now, Discovery: &cluster.Discovery{Asked: now, Answered: now,
		Jobs: []cluster.Job{{ID: "1", Nodes: []string{"n1", "n2"}}}}})
	for _, node := range []string{"n1", "n2"} {
		s.Apply(cluster.Event{At: now, Node: node, Try: &cluster.Try{Interval: time.Second}})
	}
	s.Apply(cluster.Event{At: now, Node: "n1",
		Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassRefused, Short: "connection refused"}}})
	s.Apply(cluster.Event{At: now, Node: "n2", Hello: &wire.Hello{GPUs: []wire.Card{{UUID: "a", Minor: new(0)}}}})
	s.Apply(cluster.Event{At: now, Node: "n2",
		Report: &wire.Report{GPUs: []wire.GPU{{Lost: "x", LostID: wire.LostReset}}}})
	const want = "1 of 2 nodes not reporting: n1 (connection refused); critical: n2 GPU0 (lost)"
	if exit, failed := errors.AsType[*cli.ExitError](Verdict(s.Snapshot(now))); !failed || exit.Code != cli.ExitFailed ||
		exit.Err.Error() != want {
		t.Errorf("%+v, want %q", exit, want)
	}
}
