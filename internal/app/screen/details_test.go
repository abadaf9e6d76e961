package screen

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// detailNodes answer for their processes.
type detailNodes struct {
	feed.Feed
	answer func(node string, pid int) (wire.Reply, error)
	asked  atomic.Int32
}

func (n *detailNodes) Ask(_ context.Context, node string, r wire.Request) (wire.Reply, error) {
	n.asked.Add(1)
	return n.answer(node, r.Inspect.PID)
}

func detailed(doc *schema.Snapshot, from *detailNodes) (said string) {
	var errs bytes.Buffer
	p := &cli.Program{Streams: cli.Streams{Err: &errs}, Config: config.Config{Timeout: time.Minute}}
	AskDetails(context.Background(), p, from, true)(doc)
	return errs.String()
}

// A process on two GPUs is asked about once, one that the node cannot see never, and no text of a node acts on a
// terminal.
func TestDetails(t *testing.T) {
	doc := &schema.Snapshot{Nodes: []schema.Node{{Name: "n1", Processes: []schema.Process{
		{PID: 7, StartTicks: 1}, {PID: 7, StartTicks: 1}, {PID: 8, Foreign: true, StartTicks: 1},
		{PID: 9, Ended: true, StartTicks: 1}, {PID: 10}}}}}
	from := &detailNodes{answer: func(_ string, pid int) (wire.Reply, error) {
		return wire.Reply{Inspected: &wire.InspectedProcess{PID: pid, Arguments: []string{"sh", "a\nb\u009b31m\x1b[2J"},
			Files:  &wire.Descriptors{Files: []wire.OpenFile{{Path: "/a\u202e"}}},
			Absent: map[string]string{"i\x1bo": "x\x07", "y": "z"}}}, nil
	}}
	if said := detailed(doc, from); said != "" || from.asked.Load() != 1 {
		t.Errorf("asked %d times, said %q", from.asked.Load(), said)
	}
	list := doc.Nodes[0].Processes
	for i := range list {
		if has := list[i].Details != nil; has != (i < 2) {
			t.Errorf("process %d: details %v", i, has)
		}
	}
	d := list[1].Details
	if d.Arguments[1] != "a\nb?31m" || d.Files.Files[0].Path != "/a?" || len(d.Absent) != 2 || d.Absent["y"] != "z" {
		t.Errorf("%+v, %+v", d, d.Files)
	}
	for key, why := range d.Absent {
		if strings.ContainsAny(key+why, "\x1b\x07") {
			t.Errorf("%q: %q", key, why)
		}
	}
	if AskDetails(context.Background(), nil, nil, false) != nil {
		t.Error("details although they are not wanted")
	}
}

// A node that does not answer is not asked again, and one line says what is missing.
func TestDetailsAreMissing(t *testing.T) {
	list := func() []schema.Process { return []schema.Process{{PID: 1, StartTicks: 1}, {PID: 2, StartTicks: 1}} }
	doc := &schema.Snapshot{Nodes: []schema.Node{{Name: "n1", Processes: list()}, {Name: "n2", Processes: list()}}}
	from := &detailNodes{answer: func(node string, pid int) (wire.Reply, error) {
		switch {
		case node == "n1":
			return wire.Reply{}, errors.New("gone\x1b[2J")
		case pid == 1:
			return wire.Reply{Error: "process 1 has exited"}, nil
		}
		return wire.Reply{Inspected: &wire.InspectedProcess{PID: pid}}, nil
	}}
	said := detailed(doc, from)
	if from.asked.Load() != 3 || doc.Nodes[1].Processes[1].Details == nil ||
		!strings.HasPrefix(said, "nvnodetop: the details of 3 processes are missing: node ") ||
		strings.Count(said, "\n") != 1 || strings.Contains(said, "\x1b") {
		t.Errorf("asked %d times, said %q", from.asked.Load(), said)
	}
	doc = &schema.Snapshot{Nodes: []schema.Node{{Name: "n3"}}}
	for pid := range mostDetailed + 5 {
		doc.Nodes[0].Processes = append(doc.Nodes[0].Processes, schema.Process{PID: pid + 1, StartTicks: 1})
	}
	from = &detailNodes{answer: func(_ string, pid int) (wire.Reply, error) {
		return wire.Reply{Inspected: &wire.InspectedProcess{PID: pid}}, nil
	}}
	said = detailed(doc, from)
	if from.asked.Load() != mostDetailed || !strings.Contains(said, "the details of 5 processes are missing: --details") {
		t.Errorf("asked %d times, said %q", from.asked.Load(), said)
	}
}
