package web

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

// listed is a field of a list of the page.
type listed struct {
	Key      string `json:"key"`
	Title    string `json:"title"`
	Unit     string `json:"unit"`
	Decimals int    `json:"decimals"`
	Width    int    `json:"width"`
	Place    int    `json:"place"`
	Down     bool   `json:"down"`
	Spare    bool   `json:"spare,omitempty"` // shown with all columns
	Slow     bool   `json:"slow,omitempty"`  // marked for a process on a GPU that is slow or idle
}

var units = [...]string{field.Text: "text", field.Count: "count", field.Percent: "percent", field.Bytes: "bytes",
	field.BytesPerSecond: "bytes_per_second", field.Watts: "watts", field.Celsius: "celsius", field.Seconds: "seconds"}

// fieldsOf returns the fields of a table that have a column, beginning with these keys. The others are spare; nil: no
// field is.
func fieldsOf[Row any](t *field.Table[Row], usual []string, all bool) (list []listed) {
	add := func(f *field.Field[Row], spare bool) {
		list = append(list, listed{f.Key, strings.ToUpper(f.Title[:1]) + f.Title[1:], units[f.Unit], f.Decimals,
			f.Width, f.Place, f.DownFirst, spare, f.Pace})
	}
	for _, key := range usual {
		add(t.Field(key), false)
	}
	for i := range t.Fields {
		if f := &t.Fields[i]; all && f.Title != "" && !slices.Contains(usual, f.Key) && inDocument(f.Key) {
			add(f, true)
		}
	}
	return list
}

// inDocument reports whether the document of the page has a field of a process: it lacks the past of a GPU's memory.
func inDocument(key string) bool {
	return !strings.HasPrefix(key, "memory_peak_") && !strings.HasPrefix(key, "memory_full_")
}

// The lists of the page have the columns of the screen: fields.js is made from its tables.
func TestFieldsOfThePage(t *testing.T) {
	usual := rows.ProcessTable.Usual()
	usual = slices.DeleteFunc(usual, func(key string) bool { return key == "state" || key == "threads" })
	user := slices.Index(usual, "user") + 1
	usual = slices.Concat([]string{"node"}, usual[:user], []string{"job"}, usual[user:])
	ranks := slices.Concat([]string{"rank", "node", "gpu", "pid", "job"},
		slices.DeleteFunc(field.Keys(rows.RankNumbers), func(key string) bool { return !inDocument(key) }),
		[]string{"state", "command"})
	users := []string{"user", "nodes", "gpus", "processes", "gpu_memory_bytes", "elapsed_seconds", "job", "command"}
	var b bytes.Buffer
	b.WriteString("// The columns of the lists, made from the tables of package rows: " +
		"go test ./internal/output/web -run Fields -update\n")
	for _, list := range []struct {
		name   string
		fields []listed
	}{{"processFields", fieldsOf(&rows.Processes, usual, true)}, {"rankFields", fieldsOf(&rows.Processes, ranks, true)},
		{"userFields", fieldsOf(&rows.Users, users, false)}} {
		b.WriteString("\nexport const " + list.name + " = [\n")
		for _, f := range list.fields {
			text, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString("  " + string(text) + ",\n")
		}
		b.WriteString("];\n")
	}
	golden.Equal(t, "assets/fields.js", b.String())
}
