package runs

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Faults are those of nodes: what a program may have caused, and what is no more than doubtful, is left out.
func TestFaultOf(t *testing.T) {
	for _, test := range []struct {
		kind     cluster.Kind
		node     string
		severity cluster.Severity
		want     Fault
		kept     bool
	}{
		{cluster.KindRemapFailed, "n07", cluster.Critical, Fault{"n07", "remap_failed", true}, true},
		{cluster.KindECC, "n07", cluster.Warning, Fault{"n07", "ecc", false}, true},
		{cluster.KindXid, "n07", cluster.Critical, Fault{"n07", "xid", true}, true},
		{cluster.KindXid, "n07", cluster.Warning, Fault{}, false},
		{cluster.KindLag, "n07", cluster.Warning, Fault{"n07", "lag", false}, true},
		{cluster.KindLag, "n07", cluster.Note, Fault{}, false},
		{cluster.KindLost, "", cluster.Critical, Fault{}, false},
		{cluster.KindHostMemory, "n07", cluster.Critical, Fault{}, false},
	} {
		f, kept := FaultOf(&cluster.Finding{Kind: test.kind, Node: test.node, Severity: test.severity})
		if kept != test.kept || kept && (f.Node != test.want.Node || f.Failure != test.want.Failure || f.Words() == "") {
			t.Errorf("%s of %q, %v: %+v, %v", test.kind, test.node, test.severity, f, kept)
		}
	}
}

// The faults and the pace of a job come from different looks at it. Each look leaves what it does not know.
func TestFaultsStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	lost, ecc := Fault{"n07", cluster.KindLost, true}, Fault{"n08", cluster.KindECC, false}
	faulty := Run{Job: "1", User: "alice", Name: "llama-70b", Seen: now.Add(-3 * time.Hour), Faults: []Fault{lost}}
	keep(t, path, faulty)
	paced := run("1", 1, 2.4)
	keep(t, path, paced)
	want := paced
	want.Faults = []Fault{lost}
	if all := read(t, path); !reflect.DeepEqual(all, []Run{want}) {
		t.Errorf("after its pace: %+v", all)
	}
	faulty.Seen, faulty.Faults = now, []Fault{ecc}
	keep(t, path, faulty)
	want.Seen, want.Faults = now, []Fault{ecc, lost}
	if all := read(t, path); !reflect.DeepEqual(all, []Run{want}) {
		t.Errorf("after another fault: %+v", all)
	}
	if later, _ := Read(path, now.Add(MaxAge+time.Hour)); len(later) > 0 {
		t.Errorf("after 90 days: %+v", later)
	}
	bare := Run{Job: "2", User: "alice", Name: paced.Name, Shape: paced.Shape, Form: paced.Form, Seen: now,
		Faults: []Fault{lost}}
	if c := Compare([]Run{bare}, run("3", -1, 2)); c != nil {
		t.Errorf("compared with a run without steps: %+v", c)
	}
	many := bare
	for i := range 2 * maxFaults {
		many = many.With(Fault{Node: string(rune('a' + i)), Kind: cluster.KindLost})
	}
	if len(many.Faults) != maxFaults || many.check() != nil {
		t.Errorf("%d faults, %v", len(many.Faults), many.check())
	}
}
