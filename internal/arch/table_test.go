package arch

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	rowOfTable = regexp.MustCompile("(?m)^\\| `([a-z0-9/-]+)` \\| .* \\|(.*)\\|$")
	note       = regexp.MustCompile(` \([^)]*\)`) // which part of a package is imported
)

// The table of packages in docs/ARCHITECTURE.md has a row for each package, with just the imports that are allowed
// here.
func TestTheDocumentHasTheSameTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, m := range rowOfTable.FindAllStringSubmatch(string(text), -1) {
		name := m[1]
		if strings.HasPrefix(name, "scripts/") { // no Go package of this module
			continue
		}
		if rows[name] {
			t.Errorf("docs/ARCHITECTURE.md has two rows for %s", name)
		}
		rows[name] = true
		want, known := allowed[name]
		if !known {
			t.Errorf("docs/ARCHITECTURE.md has a row for %s, which is not in the table of allowed imports", name)
			continue
		}
		got := importsOf(m[2])
		for _, imp := range got {
			if !slices.Contains(want, imp) {
				t.Errorf("docs/ARCHITECTURE.md says that %s imports %s, which the table here does not allow", name, imp)
			}
		}
		for _, imp := range want {
			if !slices.Contains(got, imp) {
				t.Errorf("docs/ARCHITECTURE.md does not say that %s imports %s", name, imp)
			}
		}
	}
	for name := range allowed {
		if !rows[name] {
			t.Errorf("docs/ARCHITECTURE.md has no row for %s", name)
		}
	}
}

// importsOf are the packages in a cell: "cluster, ui/draw" or "test/term". A dash says that there are none.
func importsOf(cell string) (names []string) {
	for name := range strings.SplitSeq(note.ReplaceAllString(cell, ""), ",") {
		switch name = strings.TrimSpace(name); {
		case name == "–":
		case strings.HasPrefix(name, "test/"), strings.HasPrefix(name, "pkg/"):
			names = append(names, name)
		default:
			names = append(names, "internal/"+name)
		}
	}
	return names
}

// What the table allows is imported: an arrow that is no longer needed goes.
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
