package node

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// TestMissingWithoutAProbe: the page says that nvidia-smi is read in place of a probe, and why.
func TestMissingWithoutAProbe(t *testing.T) {
	f := &part.Frame{Scene: &part.Scene{Node: &cluster.Node{Hello: &wire.Hello{StandIn: "no probe for Linux ppc64le"}}}}
	if lines := missingData(f); len(lines) != 1 || !strings.Contains(lines[0], "(no probe for Linux ppc64le)") {
		t.Errorf("%q", lines)
	}
}

// TestFactsOf: what is not known has no row.
func TestFactsOf(t *testing.T) {
	uid := 1000
	seen := wire.Process{PID: 1, Identity: wire.Identity{UID: &uid}}
	full := wire.Hello{Build: "1.0", System: "linux/arm64", Program: "/dev/shm/x/probe"}
	for want, n := range map[string]cluster.Node{
		"[]":                       {},
		"[{program probe  false}]": {Hello: &wire.Hello{}},
		"[{program nvidia-smi, in place of a probe true}]": {Hello: &wire.Hello{StandIn: "no probe"}},
		"[{program probe 1.0, linux/arm64, in /dev/shm/x false}]": {Hello: &full,
			Offset: time.Hour},
		"[{program probe  false} {clock within 1 s of this host false}]": {Hello: &wire.Hello{},
			Clocked: true, Offset: 800 * time.Millisecond},
		"[{program probe  false} {clock 1m behind this host false}]": {Hello: &wire.Hello{},
			Clocked: true, Offset: 95 * time.Second},
		"[{program probe  false} {clock 1m ahead of this host false}]": {Hello: &wire.Hello{},
			Clocked: true, Offset: -95 * time.Second},
		"[{program probe  false} {processes none on the GPUs false}]": {Hello: &wire.Hello{},
			Listed: true},
		"[{program probe  false} {processes 1 on the GPUs, all of them visible false}]": {Hello: &wire.Hello{},
			Listed: true, Processes: []wire.Process{seen}},
		"[{program probe  false} {processes 2 on the GPUs, 1 in another PID namespace true}]": {Hello: &wire.Hello{},
			Listed: true, Processes: []wire.Process{seen, {PID: 2, Identity: wire.Identity{Foreign: true}}}},
		"[{program probe  false} {processes 2 on the GPUs, 1 hidden by /proc true}]": {Hello: &wire.Hello{},
			Listed: true, Processes: []wire.Process{seen, {PID: 2}}},
	} {
		if got := fmt.Sprint(factsOf(&n)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The probe counts its calls from report to report.
func TestTheCallsIntoTheDriverAreThoseSinceTheReportBefore(t *testing.T) {
	n := &cluster.Node{Hello: &wire.Hello{Build: "1.0"}}
	n.Host.Set(metric.NVMLCalls, 44)
	want := fact{name: "driver", text: "44 calls since the previous report"}
	if facts := factsOf(n); !slices.Contains(facts, want) {
		t.Errorf("it says %v", facts)
	}
}

// Enter leads to the last values of a node that has failed, and nowhere if there are none.
func TestEnterLeadsToThePast(t *testing.T) {
	n := &cluster.Node{Name: "a", State: cluster.NodeFailed}
	s := &part.Scene{Node: n, Snap: &cluster.Snapshot{}, Job: &cluster.JobView{}, Size: part.Size{W: 80, H: 24},
		Memory: &part.Memory{}}
	enter := tea.KeyPressMsg{Code: tea.KeyEnter}
	if a := new(ConnectionPage).Press(enter, s); a.Node != "" {
		t.Errorf("without a past it leads to %+v", a.Go)
	}
	n.Past = &cluster.Past{}
	if a := new(ConnectionPage).Press(enter, s); a.Page != keys.OnNode || a.Node != "a" {
		t.Errorf("it leads to %+v", a.Go)
	}
}
