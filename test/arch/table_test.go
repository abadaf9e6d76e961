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

Each package, with the first sentence of its doc comment. "go test ./test/arch -update" writes this page.
`

// docs/PACKAGES.md has a row for each package, room by room.
func TestThePageOfPackages(t *testing.T) {
	all := packages(t)
	want := packagesHead
	for _, r := range rooms {
		title := r.name
		if strings.Count(title, "/") == 0 && isIn("internal/"+title, internals(all)) {
			title = "internal/" + title
		}
		want += fmt.Sprintf("\n## %s\n\n| package | what it is |\n|---|---|\n", title)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if roomOf(name) == r.name {
				want += fmt.Sprintf("| `%s` | %s |\n", name, purpose(all[name].Doc))
			}
		}
	}
	golden.Equal(t, "../../docs/PACKAGES.md", want)
}

// internals are the rooms below internal.
func internals(all map[string]*pkg) (rooms []string) {
	for name := range all {
		if below, is := strings.CutPrefix(name, "internal/"); is {
			room, _, _ := strings.Cut(below, "/")
			rooms = append(rooms, "internal/"+room)
		}
	}
	return rooms
}

// purpose is the first sentence of a doc comment without "Package name".
func purpose(doc string) string {
	_, rest, _ := strings.Cut(doc, " ")
	_, rest, _ = strings.Cut(rest, " ")
	return strings.ReplaceAll(strings.TrimSuffix(rest, "."), "|", `\|`)
}
