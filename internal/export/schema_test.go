package export

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// TestSchemaHasTheTable: the numbers of GPUs and hosts in schema.json are the rows of the table of metrics. The rest of
// it is written by hand.
func TestSchemaHasTheTable(t *testing.T) {
	want := string(Schema)
	want = between(t, want, []string{`"cpus": {`, `"host": {`, `"properties": {`}, `          },
          "required"`, "            ", metric.Host)
	want = between(t, want, []string{`    "gpu": {`, `"processes_unlisted": {`, `},`}, `        "jobs": {`, "        ",
		metric.GPU)
	if *update {
		if err := os.WriteFile("schema.json", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(Schema)); diff != "" {
		t.Errorf("schema.json is not what the table says: go test ./internal/export -update\n%s", diff)
	}
}

// between puts the numbers of one scope into the lines after the texts, one behind the other, and before the text end.
func between(t *testing.T, schema string, after []string, end, indent string, s metric.Scope) string {
	t.Helper()
	from := 0
	for _, text := range after {
		i := strings.Index(schema[from:], text)
		if i < 0 {
			t.Fatalf("schema.json has no %s where it is looked for", text)
		}
		from += i + len(text)
	}
	from++ // the end of the line
	to := strings.Index(schema[from:], end)
	if to < 0 {
		t.Fatalf("schema.json has no %s where it is looked for", end)
	}
	lines := properties(t, indent, s)
	if s == metric.Host { // nothing follows
		lines = strings.TrimSuffix(lines, ",\n") + "\n"
	}
	return schema[:from] + lines + schema[from+to:]
}

func properties(t *testing.T, indent string, s metric.Scope) string {
	t.Helper()
	type items struct {
		Type string `json:"type"`
	}
	type property struct {
		Type        string   `json:"type"`
		Description string   `json:"description"`
		Items       *items   `json:"items,omitempty"`
		Minimum     *float64 `json:"minimum,omitempty"`
		Maximum     *float64 `json:"maximum,omitempty"`
	}
	var b strings.Builder
	for id := range metric.All(s) {
		row := id.Row()
		p := property{Type: "number", Description: row.Help}
		if row.Decimals == 0 {
			p.Type = "integer"
		}
		if low, _ := row.Unit.Range(); low == 0 {
			p.Minimum = &low
		}
		if _, high := row.Unit.Range(); row.Unit == metric.Percent {
			p.Maximum = &high
		}
		if id == metric.Throttle {
			p = property{Type: "array", Description: row.Help, Items: &items{"string"}}
		}
		if id == metric.NVLinkUp {
			p = property{Type: "array", Description: row.Help, Items: &items{"integer"}}
		}
		text, err := json.MarshalIndent(p, indent, "  ")
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(indent + `"` + row.Key + `": ` + string(text) + ",\n")
	}
	return b.String()
}
