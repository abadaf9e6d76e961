package screen

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	choices "github.com/nvnodetop/nvnodetop/internal/ui/settings"
)

// The next run has the choices that the page of settings writes, and the rest of the file stays.
func TestSaveAndLoad(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	users := config.UserFile()
	if err := errors.Join(os.Mkdir(filepath.Dir(users), 0o700), os.WriteFile(users,
		[]byte("# mine\ntheme = 'dark' # at night\n[poll]\ninterval = 5\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	path, err := saveSettings(choices.Choices{
		Theme: draw.Colorblind, Classic: true, View: "node", MemoryLevels: [2]float64{10, 80},
		Columns: rows.ChosenColumns{Overview: "node,health"},
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
	var out strings.Builder
	cfg := config.Default()
	from, err := cfg.Load(config.Inputs{User: users})
	if err != nil || cfg.Print(&out, from) != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`theme = "colorblind"`, `colors = "classic"`, `mem_util_thresh = [10, 80]`,
		`overview = ["node", "health"]`, `interval = "5s"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in\n%s", want, out.String())
		}
	}
}
