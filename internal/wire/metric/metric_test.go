package metric

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/golden"
)

func (p Pace) String() string { return [...]string{"each report", "every 60 s", "once"}[p] }

func (s Sum) String() string { return [...]string{"", "sum", "mean", "lowest", "highest"}[s] }

func TestTable(t *testing.T) {
	names := map[Scope][]string{}
	for id := range count {
		row := id.Row()
		if row.Key == "" || row.Label == "" || row.Help == "" || len(row.From) == 0 ||
			!strings.HasSuffix(row.Help, ".") {
			t.Fatalf("the row of ID %d, of those in table.go, lacks a Key, Label, Help with a period, or From: %+v", id, row)
		}
		for _, name := range []string{"key " + row.Key, "label " + row.Label} {
			if slices.Contains(names[row.Scope], name) {
				t.Errorf("two rows have the %s", name)
			}
			names[row.Scope] = append(names[row.Scope], name)
		}
		if want := map[bool]Scope{true: GPU, false: Host}[id < gpus]; row.Scope != want {
			t.Errorf("%v is in the wrong scope", id)
		}
		if row.Scope == Host && row.Pace == Once {
			t.Errorf("%v: metrics of a node have no place in Hello", id)
		}
		if nvml := strings.HasPrefix(row.From[0], "nvml"); nvml != (row.Scope == GPU) {
			t.Errorf("%v comes from %q", id, row.From)
		}
		if row.Kept && row.Pace != Fast {
			t.Errorf("%v is kept, but not read in every report", id)
		}
	}
}

// whole finds the keys of what a GPU has as a whole, or may at most have.
var whole = regexp.MustCompile(`(^|_)(gen|limit|max|total|width)(_|$)`)

// butZero are metrics of which 0 is a value although they are read once, with what it means.
var butZero = map[ID]string{
	ECCMode:  "ECC is off",
	NVLinks:  "a GPU without NVLink",
	NUMANode: "the first NUMA node",
}

// Drivers give 0 in place of what they do not know. It is absent only where it can mean nothing else: what a GPU has
// does not change, or is a bound of it. A clock of 0 is that of a GPU that sleeps.
func TestPositive(t *testing.T) {
	for id := range count {
		row := id.Row()
		had := row.Scope == GPU && (row.Pace == Once || whole.MatchString(row.Key))
		counted := row.Counter || row.Rate || slices.Contains([]Unit{Percent, Relative, Bits}, row.Unit)
		_, excepted := butZero[id]
		want := had && !counted && !excepted
		switch {
		case row.Positive && !want:
			t.Errorf("%v is Positive, which hides every 0, but a share, a counter, a number of a node, and what is "+
				"in use may be 0: remove Positive from its row in rows_*.go, or add a word of its key to whole "+
				"(metric_test.go) if no GPU can have 0 of it", id)
		case want && !row.Positive:
			t.Errorf("%v is what a GPU has, and a driver that does not know it says 0: set Positive in its row in "+
				"rows_*.go, or say in butZero (metric_test.go) what a 0 of it means", id)
		case excepted && (!had || counted):
			t.Errorf("%v may be 0 anyway: remove it from butZero (metric_test.go)", id)
		}
	}
}

const document = "../../../docs/metrics.md"

// TestDocument checks that docs/metrics.md matches the table.
func TestDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Metrics

The metrics that nvnodetop reads from each GPU and each node. A value that the driver or the kernel does not report is absent: ` + "`n/a`" + ` on
the screen, no key in the JSON document. This page is generated from the table in ` + "`internal/wire/metric`" + ` by ` + "`go test ./internal/wire/metric -update`" + `.

- Interval: in each report, every 60 s (reports in between repeat the value), or once when the probe starts.
- NVML: the function that is called. If there are several, it is the first that the driver's library has.
- Aggregate: how the values of several GPUs or nodes are combined.
- History: how much of its past nvnodetop keeps.
- Prometheus: its name in ` + "`nvnodetop snapshot --format prometheus`" + `, in a base unit: percentages are shares of 1, MHz are Hz. With ` + "`--metrics core`" + ` only those marked *core*.
- DCGM: its name there with ` + "`--metrics-names dcgm`" + `, in DCGM's unit. A metric without one keeps its name.
`)
	for _, s := range []struct {
		scope       Scope
		title, from string
	}{{GPU, "GPU", "NVML"}, {Host, "Node", "Source"}} {
		fmt.Fprintf(&b, "\n## %s\n\n| key | unit | description | interval | %s | aggregate | history | Prometheus | "+
			"DCGM |\n|---|---|---|---|---|---|---|---|---|\n", s.title, s.from)
		for id := range All(s.scope) {
			row := id.Row()
			history := map[bool]string{true: "12 min"}[row.Kept]
			series := row.SeriesName()
			if row.Labels != "" {
				series += "{" + row.Labels + "}"
			}
			series = "`" + series + "`"
			if row.Core {
				series += " *core*"
			}
			dcgm := ""
			if row.DCGM != "" {
				dcgm = "`" + row.DCGM + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %v | %s | %v | `%s` | %v | %s | %s | %s |\n", row.Key, row.Unit, row.Help,
				row.Pace, strings.Join(row.From, "`, `"), row.Sum, history, series, dcgm)
		}
	}
	golden.Equal(t, document, b.String())
}
