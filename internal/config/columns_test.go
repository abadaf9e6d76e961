package config

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/nvnodetop/nvnodetop/internal/rows"
)

// Columns are lists of names: a wrong name is one line with the place and the intended name.
func TestColumns(t *testing.T) {
	for text, want := range map[string]string{
		"[columns]\nnode = ['gpu', 'util', 'flags']\nprocesses = []": "",
		"[columns]\n\nnode = ['gpu', 'tmep']":                        `:3: columns.node has no column "tmep" (the nearest is temp)`,
		"columns.node = ['pid']":                                     `:1: columns.node has no column "pid"`,
		"columns.overview = ['helth']":                               `has no column "helth" (the nearest is health)`,
		"columns.processes = ['pid', 'gpu', 'pid']":                  `:1: columns.processes names the column "pid" twice`,
		"columns.node = 'gpu'":                                       `:1: columns.node must be a list of different names among gpu, rank, gpu_name, `,
		"columns.node = [1]":                                         `, not [1]`,
		"columns = ['gpu']":                                          `columns must be a table: [columns]`,
	} {
		c := Default()
		_, err := c.Load(place(t, "", text))
		if (err == nil) != (want == "") || err != nil &&
			(!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
		if want == "" && c.Columns != (rows.ChosenColumns{Node: "gpu,util_percent,flags"}) {
			t.Errorf("%s: %+v", text, c.Columns)
		}
	}
	for value, want := range map[string]rows.ColumnList{"gpu, util ,flags": "gpu,util_percent,flags", "": ""} {
		c := Default()
		if _, err := c.Load(Inputs{Environ: []string{"NVNODETOP_COLUMNS_NODE=" + value}}); err != nil ||
			c.Columns.Node != want {
			t.Errorf("%q: %v, %q", value, err, c.Columns.Node)
		}
	}
}

// Whatever the environment holds, the result is different columns of the table in the given order, or a short error.
func FuzzColumns(f *testing.F) {
	for _, text := range []string{"", " ", "gpu, util ,flags", "gpu,gpu", "gpu,", "tmep", ",", "gpu;util", "\x1b[2J",
		strings.Repeat("gpu,", 1000), strings.Repeat("\U000e0001", 100)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, table := range rows.ColumnTables {
			l, good, why := asColumns(table, textValue(value))
			if good == (why != "") || len(why) > 600 || strings.ContainsAny(why, "\x1b\n") {
				t.Fatalf("%q: %t, %q", value, good, why)
			}
			names := l.Names()
			if left := strings.Join(strings.FieldsFunc(value,
				func(r rune) bool { return r == ',' || unicode.IsSpace(r) }),
				","); good && renamedList(table, left) != string(l) {
				t.Errorf("%q gives %q", value, l)
			}
			for i, name := range names {
				if !slices.Contains(table.Names(), name) || slices.Contains(names[:i], name) {
					t.Errorf("%q gives %q, with %q", value, l, name)
				}
			}
		}
	})
}

// renamedList are the keys of names with commas between them.
func renamedList(t rows.ColumnTable, list string) string {
	var keys []string
	for name := range strings.SplitSeq(list, ",") {
		keys = append(keys, t.Find(name))
	}
	return strings.Join(keys, ",")
}

// Older names of columns are understood, and the log says so.
func TestOldNamesOfColumns(t *testing.T) {
	c := Default()
	o, err := c.Load(place(t, "", "[columns]\nprocesses = ['gpu', 'sm', 'cpu_percent']"))
	if err != nil || c.Columns.Processes != "gpu,sm_percent,cpu_percent" || len(o.Notes) != 1 ||
		o.Notes[0] != "columns.processes: sm is called sm_percent now; the old name works, too" {
		t.Errorf("%v, %+v, %q", err, c.Columns, o.Notes)
	}
	c = Default()
	if _, err := c.Load(place(t, "", "columns.processes = ['sm', 'sm_percent']")); err == nil ||
		!strings.Contains(err.Error(), `names the column "sm_percent" twice`) {
		t.Errorf("one column by two names: %v", err)
	}
}

// The example of the page about columns is a file of settings.
func TestThePageOfColumns(t *testing.T) {
	text, err := os.ReadFile("../../docs/COLUMNS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```toml\n")
	example, _, _ = strings.Cut(example, "```")
	c := Default()
	if _, err := c.Load(place(t, example, "")); err != nil ||
		c.Columns.Overview != "node,gpus,util_mean_percent,power_sum_watts,health" {
		t.Errorf("the example: %v, %+v", err, c.Columns)
	}
}
