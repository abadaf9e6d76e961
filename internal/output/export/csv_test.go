package export

import (
	"bytes"
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

// table parses the CSV of a Snapshot: a map for each line, by the names of the first one.
func table(t *testing.T, s *cluster.Snapshot) (text []byte, names []string, rows []map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if err := CSV(&b, s); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(b.Bytes())).ReadAll() // all lines have as many cells
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			if _, twice := row[name]; twice {
				t.Errorf("two columns are called %s", name)
			}
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return b.Bytes(), lines[0], rows
}

// Every metric of a GPU has its place in columns.txt, the newest the last: -update adds those that have none.
func TestOrderOfColumns(t *testing.T) {
	var keys []string
	for _, id := range csvMetrics {
		keys = append(keys, id.Row().Key)
	}
	golden.Equal(t, "columns.txt", strings.Join(keys, "\n")+"\n")
	if n := len(slices.Collect(metric.All(metric.GPU))); len(keys) != n {
		t.Errorf("%d columns for %d metrics", len(keys), n)
	}
}

// TestCSV: the numbers are those of the JSON document, with an empty cell for each missing key.
func TestCSV(t *testing.T) {
	text, names, rows := table(t, full())
	golden.Equal(t, "testdata/full.csv", string(text))
	_, doc := export(t, full())
	var gpus []map[string]any
	for _, n := range doc["nodes"].([]any) {
		for _, g := range list(n.(map[string]any)["gpus"]) {
			gpus = append(gpus, g.(map[string]any))
		}
	}
	if len(gpus) != len(rows) {
		t.Fatalf("%d lines, the document has %d GPUs", len(rows), len(gpus))
	}
	for i, g := range gpus {
		for id := range metric.All(metric.GPU) {
			key := id.Row().Key
			if want, known := g[key]; id.Row().Unit != metric.Bits && rows[i][key] != textOf(want) ||
				known != (rows[i][key] != "") && id != metric.Throttle {
				t.Errorf("line %d: %s is %q, the document has %v", i, key, rows[i][key], want)
			}
		}
	}
	page, err := os.ReadFile("../../../docs/commands/snapshot.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names[:len(csvNames)] {
		if !strings.Contains(string(page), "\n| `"+name+"` |") {
			t.Errorf("docs/commands/snapshot.md does not describe the column %s", name)
		}
	}
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func textOf(v any) string {
	if v == nil {
		return ""
	}
	return v.(interface{ String() string }).String()
}

// A GPU without any known fact has empty cells; a list that is known to be empty does not.
func TestCSVAbsent(t *testing.T) {
	_, names, rows := table(t, oneNode(&wire.Hello{GPUs: []wire.Card{{Index: 0}, {Index: 1}}},
		&wire.Report{GPUs: []wire.GPU{
			{Index: 0}, {Index: 1, Values: metric.Make(map[metric.ID]float64{metric.Throttle: 0, metric.NVLinkUp: 0,
				metric.Util: 0})},
		}}))
	if len(rows) != 2 {
		t.Fatalf("%d lines", len(rows))
	}
	for _, name := range names[len(csvNames):] {
		if rows[0][name] != "" {
			t.Errorf("%s is %q", name, rows[0][name])
		}
	}
	if r := rows[1]; r["throttle_reasons"] != "none" || r["nvlink_up"] != "none" || r["util_percent"] != "0" {
		t.Errorf("%v", r)
	}
}

// A silent node has no lines, but the names are there for programs.
func TestCSVOfNothing(t *testing.T) {
	for name, s := range map[string]*cluster.Snapshot{"no job": {}, "a node that was not reached": oneNode(nil, nil)} {
		if _, names, rows := table(t, s); len(rows) > 0 || len(names) < 50 {
			t.Errorf("%s: %d names, %d lines", name, len(names), len(rows))
		}
	}
}

// A spreadsheet runs a cell that begins so.
func TestCSVHasNoFormula(t *testing.T) {
	for _, text := range []string{"=cmd()", "+1", "-1", "@x"} {
		_, _, rows := table(t, oneNode(&wire.Hello{GPUs: []wire.Card{{Name: text, UUID: text, Serial: text,
			PCIBus: text}}}, &wire.Report{
			GPUs: []wire.GPU{{Lost: text, Values: metric.Make(map[metric.ID]float64{metric.Temperature: -5})}},
		}))
		for name, cell := range rows[0] {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@") && name != "temperature_celsius" {
				t.Errorf("%s is %q", name, cell)
			}
		}
		if rows[0]["name"] != "'"+text {
			t.Errorf("the name is %q", rows[0]["name"])
		}
	}
}

// oneNode is a Snapshot of the node n1, which the user named: without a Hello it was not reached.
func oneNode(hello *wire.Hello, r *wire.Report) *cluster.Snapshot {
	s := store.New(time.Second, health.Rules(health.Defaults()))
	s.Apply(cluster.Event{At: now, Discovery: &cluster.Discovery{Asked: now, Answered: now,
		Jobs: []cluster.Job{{Name: "n1", Nodes: []string{"n1"}}}}})
	s.Apply(cluster.Event{At: now, Node: "n1", Try: &cluster.Try{Interval: time.Second}})
	if hello != nil {
		s.Apply(cluster.Event{At: now, Node: "n1", Hello: hello})
		s.Apply(cluster.Event{At: now, Node: "n1", Report: r})
	}
	return s.Snapshot(now)
}
