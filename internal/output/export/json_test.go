package export

import (
	"bytes"
	"encoding/json"
	"math"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/golden"
	"github.com/nvnodetop/nvnodetop/test/valid"
)

var now = time.Date(2026, 11, 20, 18, 42, 7, 0, time.UTC)

func export(t *testing.T, s *cluster.Snapshot) ([]byte, map[string]any) {
	t.Helper()
	var b bytes.Buffer
	if err := JSON(&b, Document(s)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), valid.Document(t, schemaOfTables(t), b.Bytes())
}

// TestFull holds every field of the document to its value: the fixture has another one in each of them.
func TestFull(t *testing.T) {
	text, doc := export(t, full())
	golden.Equal(t, "testdata/full.json", string(text))
	distinct(t, "", doc)
	for field, held := range fields(t, doc) {
		if !held && !inParts[field] {
			t.Errorf("no value of %s is held to anything: give the fixture one", field)
		}
	}
}

// inParts are fields that the tests of parts, totals and unchecked problems hold to values, and those of package
// snapshot.
var inParts = map[string]bool{"document.revision": true, "document.history": true, "finding.coupling": true,
	"finding.last": true, "finding.awaited": true, "process.details": true, "gpu.memory_of_processes_bytes": true,
	"totals.memory_of_processes_bytes": true, "document.not_checked.why": true, "document.not_checked.job": true}

// Where the driver does not count the memory of a GPU, its processes tell. A total needs them of all GPUs.
func TestMemoryOfProcesses(t *testing.T) {
	s := full()
	for _, n := range s.Nodes {
		for i := range n.GPUs {
			if g := &n.GPUs[i]; g.Index == 2 && g.Card.UUID == "GPU-c" {
				uncount(g)
			}
		}
	}
	if text, _ := export(t, s); strings.Contains(string(text), "memory_of_processes_bytes") {
		t.Errorf("it is there, although a list of processes failed:\n%s", text)
	}
	s.Nodes["n1"].Faults = nil
	text, _ := export(t, s)
	if n := strings.Count(string(text), `"memory_of_processes_bytes": 5002`); n != 1 {
		t.Errorf("it is there %d times in\n%s", n, text)
	}
	if n := strings.Count(string(text), `"memory_of_processes_bytes"`); n != 1 {
		t.Errorf("a total has it, without the memory of other GPUs:\n%s", text)
	}
	_, values := scrape(t, s, OwnNames)
	if got := values["nvnodetop_gpu_memory_of_processes_bytes node=n1 gpu=5"]; got != 5002 {
		t.Errorf("Prometheus has %v", got)
	}
	if _, has := values["nvnodetop_gpu_memory_used_bytes node=n1 gpu=5"]; has {
		t.Error("the sum of the processes is the memory of the GPU")
	}
}

// uncount takes away what the driver says of the memory in use.
func uncount(g *cluster.GPU) {
	sample := *g.GPU
	sample.Values.Set(metric.MemoryUsed, math.NaN())
	g.GPU = &sample
}

// The total of a job is that of its processes if the driver counts the memory of none of its GPUs.
func TestMemoryOfProcessesInTotals(t *testing.T) {
	s := three(3)
	n := s.Nodes["n1"]
	n.Listed = true
	for i := range n.GPUs {
		uncount(&n.GPUs[i])
		n.Processes = append(n.Processes, wire.Process{PID: 7 + i, GPU: i, GPUMemory: new(uint64(1000 + i))})
	}
	totals := written(t, Job(s, NoID))["jobs"].([]any)[0].(map[string]any)["totals"].(map[string]any)
	if sum, used := totals["memory_of_processes_bytes"], totals["memory_used_bytes"]; sum != json.Number("3003") ||
		used != nil {
		t.Errorf("totals %v", totals)
	}
}

// The evidence that GPUs work together stands in a finding that compares them, and only there.
func TestCoupling(t *testing.T) {
	s := full()
	findings := s.Jobs[0].Findings
	findings[0].Compared = &cluster.Comparison{By: pace.NVLink}
	findings[1].Compared = &cluster.Comparison{}
	_, doc := export(t, s)
	list := doc["jobs"].([]any)[0].(map[string]any)["findings"].([]any)
	if got := list[0].(map[string]any)["coupling"]; got != "nvlink" {
		t.Errorf("coupling %v", got)
	}
	for _, f := range list[1:] {
		if got, is := f.(map[string]any)["coupling"]; is {
			t.Errorf("coupling %v", got)
		}
	}
}

// distinct checks that no two values of one object are the same: a swap of them would go unseen.
func distinct(t *testing.T, at string, v any) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			distinct(t, at, e)
		}
	case map[string]any:
		seen := map[any]string{}
		for key, e := range v {
			switch e.(type) {
			case string, json.Number:
				if other, twice := seen[e]; twice {
					t.Errorf("%s: %s and %s are both %v: give the fixture another value", at, other, key, e)
				}
				seen[e] = key
			}
			if key != "totals" { // TestTotals: of a single GPU the lowest is the median
				distinct(t, at+"."+key, e)
			}
		}
	}
}

// fields are all fields of the schema, as "gpu.uuid": true if the document has the field.
func fields(t *testing.T, doc any) map[string]bool {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal(schemaOfTables(t), &schema); err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	var walk func(object string, s map[string]any, v any)
	walk = func(object string, s map[string]any, v any) {
		if ref, ok := s["$ref"].(string); ok {
			if path.Dir(ref) != "#/$defs" {
				return // it is held to values where it is defined
			}
			object = path.Base(ref)
			s = schema["$defs"].(map[string]any)[object].(map[string]any)
		}
		if items, ok := s["items"].(map[string]any); ok {
			for _, e := range v.([]any) {
				walk(object, items, e)
			}
		}
		properties, _ := s["properties"].(map[string]any)
		for name, sub := range properties {
			field := object + "." + name
			if e, has := v.(map[string]any)[name]; has {
				out[field] = true
				walk(field, sub.(map[string]any), e)
			} else if !out[field] {
				out[field] = false
			}
		}
	}
	walk("document", schema, doc)
	return out
}

// Present and past problems are apart: each is in one list only.
func TestCleared(t *testing.T) {
	s := store.New(3*time.Second, health.Rules(health.Defaults()))
	s.Apply(cluster.Event{At: now, Discovery: &cluster.Discovery{Asked: now, Answered: now,
		Jobs: []cluster.Job{{Name: "n1", Nodes: []string{"n1"}}}}})
	s.Apply(cluster.Event{At: now, Node: "n1", Try: &cluster.Try{Interval: time.Second}})
	s.Apply(cluster.Event{At: now, Node: "n1",
		Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassRefused, Short: "connection refused"}}})
	s.Apply(cluster.Event{At: now.Add(time.Second), Node: "n1",
		Hello: &wire.Hello{GPUs: []wire.Card{{Minor: new(4), UUID: "x"}}}})
	hot := &wire.Report{GPUs: []wire.GPU{{
		Values: metric.Make(map[metric.ID]float64{metric.Throttle: wire.ThrottleHWThermal}),
	}}}
	well := &wire.Report{GPUs: []wire.GPU{{Values: metric.Make(map[metric.ID]float64{metric.Throttle: 0})}}}
	for sec := range 71 {
		r := well
		if sec == 61 || sec == 63 {
			r = hot
		}
		s.Apply(cluster.Event{At: now.Add(time.Duration(sec+1) * time.Second), Node: "n1", Report: r})
	}
	_, doc := export(t, s.Snapshot(now.Add(72*time.Second)))
	job := doc["jobs"].([]any)[0].(map[string]any)
	at := func(sec time.Duration) string { return now.Add(sec * time.Second).Format(time.RFC3339) }
	want := []any{
		map[string]any{"kind": "thermal", "severity": "warning", "since": at(62), "over": at(64),
			"times": json.Number("2"), "node": "n1", "gpu": json.Number("4")},
		map[string]any{"kind": "node_failed", "class": "refused", "severity": "critical", "since": at(0), "over": at(1),
			"times": json.Number("1"), "node": "n1"},
	}
	if diff := cmp.Diff(want, job["cleared"]); diff != "" || len(job["findings"].([]any)) > 0 {
		t.Errorf("findings %v, cleared (-want +got):\n%s", job["findings"], diff)
	}
}

// A problem that comes and goes is one: as often as it has begun, with the end of the last time, within a minute or
// after it. When it is over it is cleared as one, since its first beginning.
func TestFlapping(t *testing.T) {
	s := store.New(time.Second, health.Rules(health.Defaults()))
	s.Apply(cluster.Event{At: now, Discovery: &cluster.Discovery{Asked: now, Answered: now,
		Jobs: []cluster.Job{{Name: "n1", Nodes: []string{"n1"}}}}})
	s.Apply(cluster.Event{At: now, Node: "n1", Hello: &wire.Hello{GPUs: []wire.Card{{Minor: new(4), UUID: "x"}}}})
	said := func(sec int) any {
		job := jobAt(t, s, now.Add(time.Duration(sec)*time.Second))
		return []any{job["findings"], job["cleared"]}
	}
	at := func(sec time.Duration) string { return now.Add(sec * time.Second).Format(time.RFC3339) }
	want := func(times, last, since string) []any {
		holds := map[string]any{"kind": "thermal", "severity": "warning", "since": since, "times": json.Number(times),
			"node": "n1", "gpu": json.Number("4"), "text": "Thermal throttling.",
			"hint": "cooling problem in this slot: report it to your admins"}
		if last != "" {
			holds["last"] = last
		}
		return []any{[]any{holds}, nil}
	}
	hot := []int{10, 20, 200, 201}
	for sec := 1; sec <= 215; sec++ {
		bits := 0.0
		if slices.Contains(hot, sec) {
			bits = wire.ThrottleHWThermal
		}
		s.Apply(cluster.Event{At: now.Add(time.Duration(sec) * time.Second), Node: "n1", Report: &wire.Report{
			GPUs: []wire.GPU{{Values: metric.Make(map[metric.ID]float64{metric.Throttle: bits})}}}})
		switch sec {
		case 10:
			equal(t, "first", want("1", "", at(10)), said(sec))
		case 20:
			equal(t, "again", want("2", at(10), at(10)), said(sec))
		case 201:
			equal(t, "after minutes", want("3", at(20), at(200)), said(sec))
		}
	}
	equal(t, "over", []any{[]any{}, []any{map[string]any{"kind": "thermal", "severity": "warning", "since": at(10),
		"over": at(201), "times": json.Number("3"), "node": "n1", "gpu": json.Number("4")}}}, said(215))
}

// jobAt is the only job of the document at a time.
func jobAt(t *testing.T, s *store.Store, at time.Time) map[string]any {
	t.Helper()
	_, doc := export(t, s.Snapshot(at))
	return doc["jobs"].([]any)[0].(map[string]any)
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// An unknown value is left out: no null, and no key at all.
func TestAbsent(t *testing.T) {
	s := store.New(time.Second, health.Rules(health.Defaults()))
	s.Apply(cluster.Event{At: now, Discovery: &cluster.Discovery{Asked: now, Answered: now,
		Jobs: []cluster.Job{{Name: "n1", Nodes: []string{"n1"}}}}})
	s.Apply(cluster.Event{At: now, Node: "n1", Try: &cluster.Try{Interval: time.Second}})
	s.Apply(cluster.Event{At: now, Node: "n1", Hello: &wire.Hello{GPUs: []wire.Card{{Index: 0}}}})
	s.Apply(cluster.Event{At: now, Node: "n1", Report: &wire.Report{GPUs: []wire.GPU{{Index: 0}}}})
	text, doc := export(t, s.Snapshot(now))
	if bytes.Contains(text, []byte("null")) {
		t.Errorf("null in\n%s", text)
	}
	if _, there := doc["discovery"]; there {
		t.Error("discovery, but nobody asked SLURM")
	}
	gpu := doc["nodes"].([]any)[0].(map[string]any)["gpus"].([]any)[0].(map[string]any)
	if len(gpu) != 1 || gpu["index"] != json.Number("0") {
		t.Errorf("a GPU of which nothing is known is %v", gpu)
	}
}

// Reasons for reduced clocks that are known to be none are an empty list. The age has the digits of its milliseconds,
// and no more.
func TestNoneIsNotUnknown(t *testing.T) {
	s := store.New(time.Second, health.Rules(health.Defaults()))
	s.Apply(cluster.Event{At: now, Discovery: &cluster.Discovery{Asked: now, Answered: now,
		Jobs: []cluster.Job{{Name: "n1", Nodes: []string{"n1"}}}}})
	s.Apply(cluster.Event{At: now, Node: "n1", Try: &cluster.Try{Interval: time.Second}})
	s.Apply(cluster.Event{At: now, Node: "n1", Hello: &wire.Hello{GPUs: []wire.Card{{Index: 0}}}})
	s.Apply(cluster.Event{At: now, Node: "n1",
		Report: &wire.Report{GPUs: []wire.GPU{{Values: metric.Make(map[metric.ID]float64{metric.Throttle: 0})}}}})
	text, doc := export(t, s.Snapshot(now.Add(1247*time.Millisecond)))
	node := doc["nodes"].([]any)[0].(map[string]any)
	if reasons, known := node["gpus"].([]any)[0].(map[string]any)["throttle_reasons"].([]any); !known ||
		len(reasons) != 0 {
		t.Errorf("reasons %v in\n%s", reasons, text)
	}
	if age := node["age_seconds"]; age != json.Number("1.247") {
		t.Errorf("an age of %v", age)
	}
	if _, _, rows := table(t, s.Snapshot(now.Add(1247*time.Millisecond))); rows[0]["age_seconds"] != "1.247" {
		t.Errorf("in CSV an age of %s", rows[0]["age_seconds"])
	}
}

func TestNothing(t *testing.T) {
	text, _ := export(t, store.New(time.Second, health.Rules(health.Defaults())).Snapshot(now))
	if !strings.Contains(string(text), `"jobs": []`) || !strings.Contains(string(text), `"nodes": []`) {
		t.Errorf("got %s", text)
	}
}
