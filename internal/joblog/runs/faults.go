package runs

import "github.com/nvnodetop/nvnodetop/internal/cluster"

// Fault is a problem that a node of a job had, and that another job on the node may have too.
type Fault struct {
	Node    string       `json:"node"`
	Kind    cluster.Kind `json:"kind"`
	Failure bool         `json:"failure,omitempty"` // it was critical
}

// maxFaults limits the faults of a run.
const maxFaults = 64

// ofNodes are the kinds of problems that the job itself does not cause, and how a sentence says that a node had one.
// least is the severity from which it concerns the node: milder Xids are mostly errors of the program.
var ofNodes = map[cluster.Kind]struct {
	words string
	least cluster.Severity
}{
	cluster.KindRemapFailed: {"a row remap failure", cluster.Critical},
	cluster.KindECCGrowing:  {"new uncorrectable ECC errors", cluster.Critical},
	cluster.KindECC:         {"uncorrectable ECC errors", cluster.Warning},
	cluster.KindXid:         {"a critical Xid", cluster.Critical},
	cluster.KindLost:        {"a lost GPU", cluster.Critical},
	cluster.KindNVLinkDown:  {"NVLinks that were down", cluster.Warning},
	cluster.KindLag:         {"a GPU that was slower than the others", cluster.Warning},
}

// FaultOf returns the fault that a finding shows; false: it shows none that is kept.
func FaultOf(f *cluster.Finding) (Fault, bool) {
	kind, kept := ofNodes[f.Kind]
	if !kept || f.Node == "" || f.Severity < kind.least || len(f.Node) > maxText {
		return Fault{}, false
	}
	return Fault{Node: f.Node, Kind: f.Kind, Failure: f.Severity >= cluster.Critical}, true
}

// Words name the fault in a sentence: "a lost GPU"; "": another version has kept it.
func (f *Fault) Words() string { return ofNodes[f.Kind].words }

// addTo returns what is known of a job after another look at it. A look at its steps knows no faults, and the other way
// round.
func (r Run) addTo(old *Run) Run {
	for _, f := range old.Faults {
		r = r.With(f)
	}
	if r.SecondsPerStep == 0 {
		r.Form, r.SecondsPerStep, r.Steps = old.Form, old.SecondsPerStep, old.Steps
		r.Shape = old.Shape
	}
	return r
}

// With returns the run with one more fault, unless it has that already, or too many.
func (r Run) With(f Fault) Run {
	for i := range r.Faults {
		if o := &r.Faults[i]; o.Node == f.Node && o.Kind == f.Kind {
			o.Failure = o.Failure || f.Failure
			return r
		}
	}
	if len(r.Faults) < maxFaults {
		r.Faults = append(r.Faults, f)
	}
	return r
}
