package export

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/valid"
)

// written is a part as it is sent, checked against the schema without the required lists of jobs and nodes.
func written(t *testing.T, p *Part) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b, 7); err != nil {
		t.Fatal(err)
	}
	whole := schemaOfTables(t)
	schema := bytes.Replace(whole, []byte("    \"jobs\",\n    \"nodes\"\n"), []byte("    \"revision\"\n"), 1)
	if bytes.Equal(schema, whole) {
		t.Fatal("schema.json does not require jobs and nodes in these lines")
	}
	doc := valid.Document(t, schema, b.Bytes())
	if doc["revision"] != json.Number("7") {
		t.Errorf("revision %v", doc["revision"])
	}
	return doc
}

// less reports whether all that part has is in whole, under the same names. Lists may be shorter.
func less(part, whole any) bool {
	switch p := part.(type) {
	case map[string]any:
		w, ok := whole.(map[string]any)
		for key, v := range p {
			ok = ok && less(v, w[key])
		}
		return ok
	case []any:
		w, _ := whole.([]any)
		for _, v := range p {
			for len(w) > 0 && !less(v, w[0]) {
				w = w[1:]
			}
			if len(w) == 0 {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(part, whole)
}

func TestPartsAreTheDocumentWithLessInIt(t *testing.T) {
	s := full()
	whole := written(t, Whole(s))
	for _, c := range []struct {
		name                   string
		part                   *Part
		jobs, nodes, processes int // -1: no such list
		queue                  bool
	}{
		{"jobs", Jobs(s), 3, -1, 0, true},
		{"problems", Problems(s), 3, -1, 0, false},
		{"job", Job(s, "2_1"), 1, 5, 0, false},
		{"nodes", Nodes(s), 3, 7, 0, false},
		{"node", Node(s, "n1"), 3, 1, 4, false},
		{"node that is silent", Node(s, "n3"), 1, 1, 0, false},
		{"GPU", GPU(s, "n1", "GPU-a"), 3, 1, 1, false},
		{"processes", Processes(s), -1, 7, 5, false},
	} {
		doc := written(t, c.part)
		_, queue := doc["pending"]
		if jobs, nodes := size(doc, "jobs"), size(doc, "nodes"); jobs != c.jobs || nodes != c.nodes ||
			queue != c.queue {
			t.Errorf("%s: %d jobs, %d nodes, queue %v", c.name, jobs, nodes, queue)
		}
		processes := 0
		list, _ := doc["nodes"].([]any)
		for _, n := range list {
			processes += max(size(n.(map[string]any), "processes"), 0)
		}
		if processes != c.processes {
			t.Errorf("%s: %d processes, want %d", c.name, processes, c.processes)
		}
		if delete(doc, "history"); !less(doc, whole) {
			t.Errorf("%s has what the whole document has not", c.name)
		}
	}
}

func size(doc map[string]any, key string) int {
	list, has := doc[key].([]any)
	if !has {
		return -1
	}
	return len(list)
}

func TestWhatIsNotThereHasNoPart(t *testing.T) {
	s := full()
	for name, p := range map[string]*Part{
		"job": Job(s, "nix"), "job without an ID": Job(s, NoID), "node": Node(s, "nix"), "GPU": GPU(s, "n1", "nix"),
		"GPU of no node": GPU(s, "nix", "0"), "GPU of a silent node": GPU(s, "n2", "0"),
	} {
		if p != nil {
			t.Errorf("there is a part for no %s", name)
		}
	}
}

// A GPU is found by its name in the document.
func TestGPUIsFoundByItsNames(t *testing.T) {
	s := full()
	for name, want := range map[string]string{"GPU-b": "4", "4": "4", "index:3": "", "6": "6"} {
		p := GPU(s, "n1", name)
		if p == nil {
			t.Errorf("no GPU %q", name)
			continue
		}
		doc := written(t, p)
		if n := size(doc["nodes"].([]any)[0].(map[string]any), "gpus"); n != 4 {
			t.Errorf("%q of %q: %d GPUs", name, want, n)
		}
	}
	if GPU(s, "n6", "index:1026") == nil {
		t.Error("no MIG instance by its key")
	}
}

// TestLists: a list of GPUs has the values by which GPUs are compared, and not the rest.
func TestLists(t *testing.T) {
	doc := written(t, Nodes(full()))
	gpu := doc["nodes"].([]any)[0].(map[string]any)["gpus"].([]any)[2].(map[string]any)
	var keys []string
	for _, key := range []string{"index", "uuid", "name", "util_percent", "memory_used_bytes", "throttle_reasons",
		"jobs", "serial", "absent", "energy_joules", "pci_bus"} {
		if _, has := gpu[key]; has {
			keys = append(keys, key)
		}
	}
	if got := strings.Join(keys, " "); got != "index uuid name util_percent memory_used_bytes throttle_reasons jobs" {
		t.Errorf("a GPU in a list has %s: %v", got, gpu)
	}
}

// three is a job on three GPUs, reported at these seconds, on one node.
func three(seconds ...int) *cluster.Snapshot {
	s := store.New(3*time.Second, health.Rules(health.Defaults()))
	s.Apply(cluster.Event{At: now, Discovery: &cluster.Discovery{Asked: now, Answered: now,
		Jobs: []cluster.Job{{Name: "n1", Nodes: []string{"n1"}}}}})
	s.Apply(cluster.Event{At: now, Node: "n1", Try: &cluster.Try{Interval: 3 * time.Second}})
	s.Apply(cluster.Event{At: now, Node: "n1",
		Hello: &wire.Hello{GPUs: []wire.Card{{UUID: "a", Minor: new(0)}, {Index: 1, UUID: "b", Minor: new(1)},
			{Index: 2, UUID: "c"}}}})
	for _, sec := range seconds {
		r := &wire.Report{MonoMS: int64(1000 * sec)}
		for i, util := range []float64{90, 70, 20} {
			r.GPUs = append(r.GPUs, wire.GPU{Index: i, Values: metric.Make(map[metric.ID]float64{
				metric.Util: util, metric.MemoryUsed: float64(100 + i), metric.MemoryTotal: float64(1000 + i),
				metric.Power: 100.5 + float64(sec), metric.PowerLimit: 700,
				metric.Temperature: float64(50 + i), metric.Throttle: wire.ThrottleSWPowerCap,
			})})
		}
		s.Apply(cluster.Event{At: now.Add(time.Duration(sec) * time.Second), Node: "n1", Report: r})
	}
	return s.Snapshot(now.Add(time.Duration(seconds[len(seconds)-1]) * time.Second))
}

func TestTotals(t *testing.T) {
	doc := written(t, Job(three(3), NoID))
	want := map[string]any{
		"gpus_counted": json.Number("3"), "util_percent": json.Number("60"), "util_median_percent": json.Number("70"),
		"util_lowest_percent": json.Number("20"), "util_lowest_node": "n1", "util_lowest_gpu": json.Number("2"),
		"memory_used_bytes": json.Number("303"), "memory_total_bytes": json.Number("3003"),
		"power_watts":       json.Number("310.5"),
		"power_limit_watts": json.Number("2100"), "temperature_celsius": json.Number("52"),
	}
	if diff := cmp.Diff(want, doc["jobs"].([]any)[0].(map[string]any)["totals"]); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
}

func TestHistory(t *testing.T) {
	doc := written(t, GPU(three(3, 6, 12), "n1", "a"))
	n := json.Number("90")
	cap := []any{"sw_power_cap"}
	want := map[string]any{
		"bin_seconds": json.Number("3"), "newest": now.Add(11 * time.Second).Format(time.RFC3339),
		"metrics": map[string]any{
			"util_percent": []any{n, n, nil, n}, "memory_used_bytes": []any{json.Number("100"), json.Number("100"), nil,
				json.Number("100")},
			"power_watts":         []any{json.Number("103.5"), json.Number("106.5"), nil, json.Number("112.5")},
			"temperature_celsius": []any{json.Number("50"), json.Number("50"), nil, json.Number("50")},
		},
		"throttle_reasons": []any{cap, cap, nil, cap},
	}
	if diff := cmp.Diff(want, doc["history"]); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}
