package export

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

// TestSchemaHasTheTable: the numbers of GPUs and hosts in schema.json are the rows of the table of metrics, the numbers
// of processes those of package wire. People write the rest.
func TestSchemaHasTheTable(t *testing.T) { golden.Equal(t, "schema.json", string(schemaOfTables(t))) }

// schemaOfTables returns the schema with the numbers of the tables. All tests take it, so that a run with -update that
// writes another schema.json is one with it.
func schemaOfTables(t *testing.T) []byte {
	t.Helper()
	schema := string(Schema)
	schema = between(t, schema, []string{`"cpus": {`, `"host": {`, `"properties": {`}, `          },
          "required"`, properties(t, "            ", metric.Host, ""))
	schema = between(t, schema, []string{`    "gpu": {`, `"processes_unlisted": {`, `},`}, `        "jobs": {`,
		properties(t, "        ", metric.GPU, ","))
	schema = between(t, schema, []string{`    "process": {`, `"cpu_affinity": {`, `},`}, `      },
      "required"`, ofProcess(t, "        "))
	return []byte(schema)
}

// between puts lines after the texts, one behind the other, and before the text end.
func between(t *testing.T, schema string, after []string, end, lines string) string {
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
	return schema[:from] + lines + schema[from+to:]
}

// property is one number of an object.
type property struct {
	Type        string   `json:"type"`
	Description string   `json:"description"`
	Items       *items   `json:"items,omitempty"`
	Minimum     *float64 `json:"minimum,omitempty"`
	Maximum     *float64 `json:"maximum,omitempty"`
}

type items struct {
	Type string `json:"type"`
}

// line is a property as it stands in the schema.
func (p *property) line(t *testing.T, indent, key string) string {
	t.Helper()
	text, err := json.MarshalIndent(p, indent, "  ")
	if err != nil {
		t.Fatal(err)
	}
	return indent + `"` + key + `": ` + string(text)
}

// properties are the metrics of a scope; last follows the last of them.
func properties(t *testing.T, indent string, s metric.Scope, last string) string {
	t.Helper()
	var lines []string
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
		lines = append(lines, p.line(t, indent, row.Key))
	}
	return strings.Join(lines, ",\n") + last + "\n"
}

// ofProcess are the numbers of a process.
func ofProcess(t *testing.T, indent string) string {
	t.Helper()
	var lines []string
	for _, f := range wire.Numbers() {
		p := property{Type: "integer", Description: strings.ToUpper(f.Help[:1]) + f.Help[1:] + ".", Minimum: new(0.0)}
		if f.Decimals > 0 {
			p.Type = "number"
		}
		if f.Unit == field.Percent && f.Key != "cpu_percent" { // of several CPUs it is more
			p.Maximum = new(100.0)
		}
		lines = append(lines, p.line(t, indent, f.Key))
	}
	return strings.Join(lines, ",\n") + "\n"
}
