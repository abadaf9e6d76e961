package app

import (
	"os"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/columns"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	choices "github.com/nvnodetop/nvnodetop/internal/ui/settings"
)

// What the page of settings writes is what the next run has, and the rest of the file stays.
func TestSaveAndLoad(t *testing.T) {
	_, users := settings(t, "", "# mine\ntheme = 'dark' # at night\n[poll]\ninterval = 5\n")
	path, err := save(choices.Choices{
		Theme: draw.Colorblind, Classic: true, View: "node", MemoryLevels: [2]float64{10, 80},
		Columns: columns.Chosen{Overview: "node,health"},
	}, []string{"theme", "colors", "mem_util_thresh", "columns.overview"})
	if err != nil || path != users {
		t.Fatalf("%v, %s", err, path)
	}
	text, _ := os.ReadFile(users)
	if !strings.Contains(string(text), "# mine\n") ||
		!strings.Contains(string(text), "theme = \"colorblind\" # at night\n") ||
		strings.Contains(string(text), "\nview =") {
		t.Errorf("the file has become\n%s", text)
	}
	code, out, errs := program(t, "config")
	for _, want := range []string{`theme = "colorblind"`, `colors = "classic"`, `mem_util_thresh = [10, 80]`,
		`overview = ["node", "health"]`, `interval = "5s"`} {
		if code != exitOK || errs != "" || !strings.Contains(out, want) {
			t.Errorf("exit code %d, stderr %q: %s is missing in\n%s", code, errs, want, out)
		}
	}
}
