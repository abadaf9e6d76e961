package screen_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/output/vacancy"
	"github.com/nvnodetop/nvnodetop/internal/ui"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// nasty are strings that nodes, users and jobs should not be called.
var nasty = map[string]string{
	"colour":      "a\x1b[31mb",
	"title":       "a\x1b]0;owned\x07b",
	"save":        "a\x1b7\x1b[?1049hb",
	"C1":          "a\u009b31mb\u0085",
	"lines":       "a\nb\r\nc\vd\u2028e",
	"backwards":   "a\u202Egnp.exe\u2066b",
	"not UTF-8":   "a\xff\xfeb\xc3",
	"half":        "a\x1b[",
	"zero":        "a\x00b\u200bc",
	"long":        strings.Repeat("node", 5000),
	"long, wide":  strings.Repeat("模型", 5000),
	"only escape": "\x1b[31m",
}

// nastySnapshot is a job on two nodes: one streams, one has failed. Every name and every text in it is s.
func nastySnapshot(s string, now time.Time) *cluster.Snapshot {
	store := store.New(3*time.Second, health.Rules(health.Defaults()))
	failure := reach.Failure{Class: reach.ClassOther, Stage: "login", Short: s, Words: s, Meaning: s,
		Hints: []string{s, s}}
	up, down := s, "x"+s
	for _, e := range []cluster.Event{
		{Discovery: &cluster.Discovery{
			Command: s, User: s, Host: s, Asked: now, Answered: now, Failure: &failure,
			Jobs: []cluster.Job{{
				ID: "1" + s, Number: s, Name: s, User: s, Partition: s, Start: now.Add(-time.Hour),
				Nodes: []string{up, down}, Minors: map[string][]int{up: {5}, down: {0, 1}},
			}},
			Pending: []cluster.PendingJob{{ID: s, Name: s, Partition: s, Nodes: 1, Reason: s}},
		}},
		{Node: up, Try: &cluster.Try{Interval: 3 * time.Second}},
		{Node: up, Step: &reach.Step{Stage: "login", State: reach.StepDone, Text: s}},
		{Node: up, Hello: &wire.Hello{
			Build: s, System: s, Program: s, Host: s, Kernel: s, CPUs: 1, Job: s, Driver: s, CUDA: s,
			Missing: []string{s}, StandIn: s,
			GPUs: []wire.Card{{Index: 0, UUID: s, Minor: new(5), Name: s, PCIBus: s},
				{Index: 1, UUID: s + "'", Minor: new(6), Name: s, Lost: s + "'"}},
		}},
		{Node: up, Report: &wire.Report{
			GPUs: []wire.GPU{{Index: 0}, {Index: 1, Lost: s}}, Faults: []wire.Fault{{Collector: s, Error: s}},
			Listed: true, Processes: []wire.Process{{PID: 7, GPU: 0, Type: s,
				Identity: wire.Identity{User: s, Name: s, Command: s, Job: s}}},
		}},
		{Node: down, Try: &cluster.Try{Interval: 3 * time.Second}},
		{Node: down, Step: &reach.Step{Stage: "login", State: reach.StepFailed, Text: s}},
		{Node: down, Down: &cluster.Down{Failure: failure}},
	} {
		e.At = now
		store.Apply(e)
	}
	return store.Snapshot(now)
}

// Whatever the names of nodes, users and jobs, the output moves no cursor and hides nothing, and all parts that belong
// together are found.
func TestNastyNames(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 18, 42, 7, 0, time.UTC)
	for name, s := range nasty {
		t.Run(name, func(t *testing.T) {
			snap := nastySnapshot(s, now)
			noJobs := *snap
			noJobs.Jobs, noJobs.Nodes = nil, nil
			for _, snap := range []*cluster.Snapshot{snap, &noJobs} {
				var text bytes.Buffer
				if err := ui.Print(&text, snap,
					ui.PrintOptions{Width: 120, Profile: colorprofile.NoTTY}); err != nil {
					t.Fatal(err)
				}
				checkPrintable(t, "Text", strings.ReplaceAll(text.String(), "\n", ""))
				checkLists(t, snap)
			}
			var doc bytes.Buffer
			if err := export.JSON(&doc, export.Document(snap)); err != nil {
				t.Fatal(err)
			}
			var whole any
			if err := json.Unmarshal(doc.Bytes(), &whole); err != nil {
				t.Fatal(err)
			}
			checkValues(t, "JSON", whole)
			checkTogether(t, doc.Bytes())
		})
	}
}

// checkLists checks the outputs of the command list.
func checkLists(t *testing.T, snap *cluster.Snapshot) {
	t.Helper()
	nodes := vacancy.Nodes(snap, false)
	var text, doc bytes.Buffer
	if err := vacancy.List(&text, nodes, snap.At, draw.NewTheme(colorprofile.NoTTY, false, false)); err != nil {
		t.Fatal(err)
	}
	checkPrintable(t, "List", strings.ReplaceAll(text.String(), "\n", ""))
	err := vacancy.JSON(&doc, nodes, false,
		func(n *vacancy.Node) any { return []any{vacancy.Agent(n, snap.At), vacancy.Stat(n, snap.At)} })
	var whole any
	if err = errors.Join(err, json.Unmarshal(doc.Bytes(), &whole)); err != nil {
		t.Fatal(err)
	}
	checkValues(t, "JSON", whole)
}

// checkPrintable checks that a terminal acts on nothing in s.
func checkPrintable(t *testing.T, where, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%s is not UTF-8: %q", where, s)
	}
	if at := strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsControl(r) ||
			unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
	}); at >= 0 {
		t.Errorf("%s holds %q", where, s[max(0, at-20):min(len(s), at+20)])
	}
}

// checkValues checks all strings and keys of a document. A failure's words may have lines.
func checkValues(t *testing.T, path string, v any) {
	t.Helper()
	switch v := v.(type) {
	case string:
		if strings.HasSuffix(path, ".words") {
			v = strings.ReplaceAll(v, "\n", "")
		}
		checkPrintable(t, path, v)
	case []any:
		for _, e := range v {
			checkValues(t, path, e)
		}
	case map[string]any:
		for k, e := range v {
			checkPrintable(t, path, k)
			checkValues(t, path+"."+k, e)
		}
	}
}

// checkTogether checks that all facts about a node under one name stand at one node.
func checkTogether(t *testing.T, doc []byte) {
	t.Helper()
	var d struct {
		Jobs []struct {
			Nodes     []string
			GPUs      int
			Seen      int `json:"gpus_seen"`
			Reporting int `json:"nodes_reporting"`
			Findings  []struct{ Node string }
		}
		Nodes []struct {
			Name, State string
			GPUs        []struct{ Jobs []string }
			Processes   []struct{ GPU int }
		}
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		t.Fatal(err)
	}
	j := d.Jobs[0]
	if len(j.Nodes) != 2 || len(d.Nodes) != 2 || j.Nodes[0] != d.Nodes[0].Name || j.Nodes[1] != d.Nodes[1].Name {
		t.Fatalf("the job's nodes are %q, the nodes %+v", j.Nodes, d.Nodes)
	}
	if j.GPUs != 3 || j.Seen != 1 || j.Reporting != 1 {
		t.Errorf("%d of %d GPUs on %d nodes, want 1 of 3 on 1", j.Seen, j.GPUs, j.Reporting)
	}
	up, down := d.Nodes[0], d.Nodes[1]
	if up.State != "reporting" || len(up.GPUs) != 2 || len(up.GPUs[0].Jobs) != 1 || len(up.GPUs[1].Jobs) != 0 ||
		len(up.Processes) != 1 || up.Processes[0].GPU != 5 {
		t.Errorf("the node is %+v, want two GPUs of which the first is the job's and has a process", up)
	}
	if down.State != "failed" {
		t.Errorf("the other node is %s", down.State)
	}
	for _, f := range j.Findings {
		if f.Node != up.Name && f.Node != down.Name {
			t.Errorf("a finding on %q, which is no node", f.Node)
		}
	}
}
