package export

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

var now = time.Date(2026, 11, 20, 18, 42, 7, 0, time.UTC)

// validate checks a document against the published schema, formats included, and returns it decoded.
func validate(t *testing.T, text []byte) map[string]any {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatalf("schema.json: %v", err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatalf("schema.json: %v", err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(doc); err != nil {
		t.Errorf("the document does not match its schema: %v", err)
	}
	return doc.(map[string]any)
}

func export(t *testing.T, s *cluster.Snapshot) ([]byte, map[string]any) {
	t.Helper()
	var b bytes.Buffer
	if err := JSON(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), validate(t, b.Bytes())
}

// full is a cluster in which everything is known, and a node that failed.
func full() *cluster.Snapshot {
	s := cluster.NewStore(3 * time.Second)
	s.Apply(cluster.Event{At: now, Discovery: &cluster.Discovery{
		Command: "squeue --me", User: "alice", Host: "login1", Asked: now, Answered: now, Took: 40 * time.Millisecond,
		Jobs: []cluster.Job{{
			ID: "2_1", Number: "16", Name: "a <b> & c", User: "alice", Partition: "gpu", Start: now.Add(-time.Hour), End: now.Add(time.Hour), Limit: 2 * time.Hour,
			Nodes: []string{"n1", "n2", "n3"}, Minors: map[string][]int{"n1": {1}, "n2": {0}},
		}},
		Pending: []cluster.PendingJob{{ID: "17", Name: "next", Partition: "gpu", Nodes: 2, GPUs: new(8), Reason: "Priority", Start: now.Add(time.Hour)}},
	}})
	s.Apply(cluster.Event{At: now, Node: "n1", Try: &cluster.Try{Interval: 3 * time.Second}})
	s.Apply(cluster.Event{At: now, Node: "n1", Hello: &wire.Hello{
		Host: "n1.cluster", Driver: "550.54", CUDA: "12.4", CPUs: 64,
		GPUs: []wire.Card{
			{Index: 0, UUID: "GPU-a", Minor: new(1), Name: "NVIDIA H100", PCIBus: "00000000:1B:00.0", SMMax: new(1980), SlowdownC: new(87)},
			{Index: 1, UUID: "GPU-b", Minor: new(0), MIG: true},
		},
	}})
	s.Apply(cluster.Event{At: now, Node: "n1", Report: &wire.Report{
		Host: wire.Host{CPUPercent: new(31.5), Load1: new(41.2), MemoryUsed: new(uint64(4)), MemoryTotal: new(uint64(10)), UptimeSec: new(int64(77))},
		GPUs: []wire.GPU{{
			Index: 0, UtilPercent: new(0), MemUtilPercent: new(7), MemoryUsed: new(uint64(1)), MemoryTotal: new(uint64(2)), TempC: new(87), PowerW: new(262.5),
			PowerLimitW: new(700.0), SMMHz: new(1215), MemMHz: new(2619), Throttle: new(uint64(wire.ThrottleHWThermal | wire.ThrottleHWSlowdown)), ECCUncorrected: new(uint64(2)),
		}, {Index: 1, Lost: "GPU is lost"}},
		Listed: true, Processes: []wire.Process{
			{PID: 7, StartTicks: 9, GPU: 0, Type: "C", User: "alice", Name: "python", Command: "python train.py", Job: "16", GPUMemory: new(uint64(5)),
				SMPercent: new(98), MemPercent: new(61), CPUPercent: new(101.4), RSS: new(uint64(6)), ElapsedSec: new(int64(3600))},
			{PID: 8, GPU: 55, Type: "C"}, // on a GPU that there is not
		},
		Faults: []wire.Fault{{Collector: "processes", Error: "no permission"}},
	}})
	s.Apply(cluster.Event{At: now, Node: "n2", Try: &cluster.Try{Interval: time.Second}})
	s.Apply(cluster.Event{At: now, Node: "n2", Down: &cluster.Down{Failure: reach.Failure{
		Class: reach.ClassAdopt, Stage: reach.StageLogin, Summary: "login refused", Words: "no active jobs", Meaning: "m", Hints: []string{"h"},
	}}})
	return s.Snapshot(now.Add(time.Second))
}

func TestFull(t *testing.T) {
	text, doc := export(t, full())
	for _, want := range []string{
		`"name": "a <b> & c"`, `"util_percent": 0`, `"gpu_minors": {`, `"gpus": 2`, `"gpus_seen": 1`, `"lost": "GPU is lost"`, `"gpu": 1`,
		`"hw_thermal_slowdown"`, `"kind": "ecc"`, `"severity": "critical"`, `"class": "adopt"`, `"start_estimate":`, `"age_seconds": 1`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	nodes := doc["nodes"].([]any)
	if len(nodes) != 3 {
		t.Fatalf("%d nodes, want 3", len(nodes))
	}
	if p := nodes[0].(map[string]any)["processes"].([]any); len(p) != 1 {
		t.Errorf("%d processes, want the one whose GPU is known", len(p))
	}
	for i, state := range []string{"streaming", "failed", "connecting"} {
		if got := nodes[i].(map[string]any)["state"]; got != state {
			t.Errorf("node %d is %v, want %s", i+1, got, state)
		}
	}
}

// What is not known is left out: no null, and no key at all.
func TestAbsent(t *testing.T) {
	s := cluster.NewStore(time.Second)
	s.Apply(cluster.Event{At: now, Discovery: &cluster.Discovery{Asked: now, Answered: now, Jobs: []cluster.Job{{Name: "n1", Nodes: []string{"n1"}}}}})
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

func TestNothing(t *testing.T) {
	text, _ := export(t, cluster.NewStore(time.Second).Snapshot(now))
	if !strings.Contains(string(text), `"jobs": []`) || !strings.Contains(string(text), `"nodes": []`) {
		t.Errorf("got %s", text)
	}
}
