package doctor

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Verdict is the judgment on a step. A higher value is worse.
type Verdict int

// Verdicts.
const (
	Skipped Verdict = iota
	OK
	Warning
	Failed
)

var verdictWords = [...]string{Skipped: "skipped", OK: "ok", Warning: "warning", Failed: "failed"}

func (v Verdict) String() string { return verdictWords[v] }

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Report is the result of an examination, safe to display. Its JSON is documented by schema.json.
type Report struct {
	Version int          `json:"version"`
	Program string       `json:"nvnodetop"`
	Time    time.Time    `json:"time"`
	User    string       `json:"user"`
	Host    string       `json:"host"`
	Login   string       `json:"login,omitempty"`
	Verdict Verdict      `json:"verdict"` // the worst of all
	Slurm   []Step       `json:"slurm"`
	Nodes   []NodeResult `json:"nodes"`
	Job     *JobState    `json:"job,omitempty"` // nil: the user asks about no job
}

// Version is the version of the JSON document.
//
//	1  first version
const Version = 1

// NodeResult is the result for one node.
type NodeResult struct {
	Name       string      `json:"name"`
	Verdict    Verdict     `json:"verdict"`
	Choice     string      `json:"transport,omitempty"` // the transport that nvnodetop would use; empty: none
	Transports []Transport `json:"transports"`
	Steps      []Step      `json:"steps"`
}

// JobState is the result for the job that the user asks about.
type JobState struct {
	ID      string         `json:"id"`
	Verdict Verdict        `json:"verdict"`
	Steps   []Step         `json:"steps"`
	Stacks  *schema.Stacks `json:"stacks,omitempty"` // as nvnodetop stacks --json prints it
}

// Transport is the result for one way to a node.
type Transport struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Works   bool    `json:"works"` // it leads to reports
	Steps   []Step  `json:"steps"`
}

// Step is the judgment on one step.
type Step struct {
	Name    string   `json:"name"`
	Verdict Verdict  `json:"verdict"`
	Text    string   `json:"text"`
	Took    float64  `json:"took_seconds,omitzero"`
	Class   string   `json:"class,omitempty"`   // of the failure, as in the document of --json
	Words   string   `json:"words,omitempty"`   // the other side's own output
	Meaning string   `json:"meaning,omitempty"` // meaning of the words
	Hints   []string `json:"hints,omitempty"`   // what to try
}

// worstVerdict returns the worst verdict of steps.
func worstVerdict(steps []Step) (v Verdict) {
	for i := range steps {
		v = max(v, steps[i].Verdict)
	}
	return v
}

// softenFailures turns failures into warnings, because something else does their work.
func softenFailures(steps []Step) {
	for i := range steps {
		steps[i].Verdict = min(steps[i].Verdict, Warning)
	}
}

// workingDoors returns the transports that lead to the node.
func (p *NodeResult) workingDoors() (names []string) {
	for i := range p.Transports {
		if p.Transports[i].Works {
			names = append(names, p.Transports[i].Name)
		}
	}
	return slices.Clip(names)
}
