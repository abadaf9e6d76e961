package check

import (
	_ "embed"
	"io"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
)

// WaitingSchema is the JSON Schema of what is printed about a job that waits.
//
//go:embed waiting.json
var WaitingSchema []byte

// waiting is the document about a job that waits.
type waiting struct {
	Version   int                `json:"version"`
	Program   string             `json:"nvnodetop"`
	Time      time.Time          `json:"time"`
	Job       string             `json:"job"`
	Reason    string             `json:"reason"`
	Partition string             `json:"partition"`
	Start     *time.Time         `json:"start,omitempty"`
	Priority  int64              `json:"priority,omitempty"`
	Factors   map[string]float64 `json:"priority_factors,omitempty"`
	Ahead     *waitingAhead      `json:"ahead,omitempty"`
	Trials    []waitingTrial     `json:"trials"`
}

type waitingAhead struct {
	Jobs    int `json:"jobs"`
	Nodes   int `json:"nodes"`
	Blocked int `json:"blocked_jobs"`
}

// waitingTrial is the answer about a shape.
type waitingTrial struct {
	Nodes   int        `json:"nodes,omitempty"`
	PerNode string     `json:"gres_per_node,omitempty"`
	Total   string     `json:"gpus,omitempty"`
	Limit   float64    `json:"limit_seconds,omitempty"`
	Start   *time.Time `json:"start,omitempty"`
	On      string     `json:"on_nodes,omitempty"`
	Refused string     `json:"refused,omitempty"`
}

// longest limits SLURM's words.
const longest = 400

// WaitingJSON writes why a job waits as a document.
func WaitingJSON(w io.Writer, q *queue.Wait, program string) error {
	out := waiting{Version: Version, Program: program, Time: q.Asked, Job: q.Job, Reason: safe.Line(q.Reason, longest),
		Partition: safe.Line(q.Partition, longest), Start: timeOrNil(q.Start), Priority: q.Priority,
		Trials: []waitingTrial{}}
	if len(q.Factors) > 0 {
		out.Factors = map[string]float64{}
	}
	for _, f := range q.Factors {
		out.Factors[f.Name] = f.Value
	}
	if a := q.Ahead; a != nil {
		out.Ahead = &waitingAhead{a.Jobs, a.Nodes, a.Blocked}
	}
	for i := range q.Trials {
		t := &q.Trials[i]
		out.Trials = append(out.Trials, waitingTrial{Nodes: t.Shape.Nodes, PerNode: safe.Line(t.Shape.PerNode, longest),
			Total: safe.Line(t.Shape.Total, longest), Limit: t.Shape.Limit.Seconds(), Start: timeOrNil(t.Start),
			On: safe.Line(t.Nodes, longest), Refused: safe.Line(t.Refused, longest)})
	}
	return text.WriteJSON(w, "  ", out)
}

// timeOrNil returns nil for a time that is not known.
func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
