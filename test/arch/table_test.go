package arch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/golden"
)

const packagesHead = `# Packages

Each package, the first sentence of its doc comment, and what it may import from this module.
Made from the table in test/arch: "go test ./test/arch -update" writes this page.

| package | what it is | imports |
|---|---|---|
`

// docs/PACKAGES.md has a row for each package, with just the imports that are allowed here.
func TestThePageOfPackages(t *testing.T) {
	all := packages(t)
	want := packagesHead
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		if p := all[name]; p != nil {
			want += fmt.Sprintf("| `%s` | %s | %s |\n", name, purpose(p.Doc), short(allowed[name]))
		}
	}
	golden.Equal(t, "../../docs/PACKAGES.md", want)
}

// purpose is the first sentence of a doc comment without "Package name".
func purpose(doc string) string {
	_, rest, _ := strings.Cut(doc, " ")
	_, rest, _ = strings.Cut(rest, " ")
	return strings.ReplaceAll(strings.TrimSuffix(rest, "."), "|", `\|`)
}

// short lists packages without "internal/".
func short(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = strings.TrimPrefix(name, "internal/")
	}
	if len(out) == 0 {
		return "–"
	}
	return strings.Join(out, ", ")
}

// Every import in the table is used: an arrow without use must go.
func TestNothingIsAllowedInVain(t *testing.T) {
	all := packages(t)
	for name, rule := range allowed {
		p := all[name]
		if p == nil {
			t.Errorf("there is no package %s", name)
			continue
		}
		for _, imp := range rule {
			if !slices.Contains(p.Imports, module+"/"+imp) {
				t.Errorf("%s does not import %s", name, imp)
			}
		}
	}
	for imp, who := range only {
		for _, name := range who {
			if all[name] == nil || !slices.Contains(all[name].Imports, imp) {
				t.Errorf("%s does not import %s", name, imp)
			}
		}
	}
}
