package metric

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/metrics.md anew")

func (p Pace) String() string { return [...]string{"each report", "every 60 s", "once"}[p] }

func (s Sum) String() string { return [...]string{"", "sum", "mean", "lowest", "highest"}[s] }

func TestTable(t *testing.T) {
	keys := map[Scope][]string{}
	for id := range count {
		row := id.Row()
		if row.Key == "" || row.Label == "" || row.Help == "" || len(row.From) == 0 || !strings.HasSuffix(row.Help, ".") {
			t.Errorf("row %d says too little: %+v", id, row)
		}
		if slices.Contains(keys[row.Scope], row.Key) {
			t.Errorf("two rows have the key %q", row.Key)
		}
		keys[row.Scope] = append(keys[row.Scope], row.Key)
		if want := map[bool]Scope{true: GPU, false: Host}[id < gpus]; row.Scope != want {
			t.Errorf("%v stands among those of another scope", id)
		}
		if row.Scope == Host && (row.Pace != Fast || row.Kept) {
			t.Errorf("%v: the node's numbers are read for every report, and not kept", id)
		}
		if nvml := strings.HasPrefix(row.From[0], "nvml"); nvml != (row.Scope == GPU) {
			t.Errorf("%v comes from %q", id, row.From)
		}
		if row.Kept && row.Pace != Fast {
			t.Errorf("%v is kept, but not read for every report", id)
		}
	}
}

const document = "../../docs/metrics.md"

// TestDocument: docs/metrics.md is the table.
func TestDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Numbers

What nvnodetop reads of a GPU and of a node. A number that the driver or the kernel does not give is absent: ` + "`n/a`" + ` on a screen, no key in
the JSON document. Written from the table in ` + "`internal/metric`" + ` by ` + "`go test ./internal/metric -update`" + `.

"Read" says how often: for each report, every 60 s (reports in between repeat the number), or once when the probe begins. Of several
functions the first that the driver's library has is called. "Many" says what stands for the GPUs of a node and for the nodes of a job.
`)
	for _, s := range []struct {
		scope       Scope
		title, from string
	}{{GPU, "Of a GPU", "NVML"}, {Host, "Of a node", "Linux"}} {
		fmt.Fprintf(&b, "\n## %s\n\n| key | unit | what | read | %s | many | history |\n|---|---|---|---|---|---|---|\n", s.title, s.from)
		for id := range All(s.scope) {
			row := id.Row()
			history := map[bool]string{true: "12 min"}[row.Kept]
			fmt.Fprintf(&b, "| `%s` | %v | %s | %v | `%s` | %v | %s |\n", row.Key, row.Unit, row.Help, row.Pace, strings.Join(row.From, "`, `"), row.Sum, history)
		}
	}
	if *update {
		if err := os.WriteFile(document, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		t.Errorf("docs/metrics.md is not what the table says: go test ./internal/metric -update")
	}
}
