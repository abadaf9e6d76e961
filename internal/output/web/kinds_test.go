package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	words "github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

// jsTable is an object of JavaScript with the members in the order in which they are added.
type jsTable struct{ bytes.Buffer }

func (b *jsTable) begin(comment, name string) {
	b.WriteString("\n// " + comment + "\nexport const " + name + " = {\n")
}

func (b *jsTable) add(t *testing.T, key string, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString("  \"" + key + "\": " + string(text) + ",\n")
}

func (b *jsTable) end() { b.WriteString("};\n") }

// The page names problems as the screen does: kinds.js is made from the rows of package say.
func TestKindsOfThePage(t *testing.T) {
	var b jsTable
	b.WriteString("// How problems are named, made from the rows of package say: go test ./internal/output/web -run Kinds " +
		"-update\n")
	b.begin("The letter in the cell of a GPU, and the name after that of the node or GPU.", "kinds")
	for _, kind := range words.Kinds() {
		f := cluster.Finding{Kind: kind, Key: "a GPU", Severity: cluster.Critical}
		if f.OfAwaited() { // the document has the job, not the places for which it waits
			f.Key = ""
		}
		l := words.LabelOf(&f)
		letter := ""
		if l.Letter != 0 {
			letter = string(rune(l.Letter))
		}
		b.add(t, string(kind), []string{letter, l.One})
	}
	b.end()
	waits := words.LabelOf(&cluster.Finding{Kind: cluster.KindJobHang, Key: "a GPU", Severity: cluster.Warning})
	fmt.Fprintf(&b, "\n// The same of a GPU for which a job waits.\nexport const awaited = [%q, %q];\n", string(rune(waits.Letter)), waits.One)
	b.begin("The letters, worst first, and what they stand for.", "letters")
	for _, l := range words.Letters {
		b.add(t, string(l.Letter), l.Short)
	}
	b.end()
	b.begin(`The names of failures of a node, by class. Other classes are "failed".`, "failures")
	for _, class := range slices.Sorted(maps.Keys(words.FailureLabels)) {
		b.add(t, string(class), words.FailureLabels[class].One)
	}
	b.end()
	golden.Equal(t, "assets/kinds.js", b.String())
}
