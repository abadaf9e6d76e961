package screen

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// The next run has the choices that the page of settings writes, and the rest of the file stays.
func TestSaveAndLoad(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	users := config.UserFile()
	if err := errors.Join(os.Mkdir(filepath.Dir(users), 0o700), os.WriteFile(users,
		[]byte("# mine\ntheme = 'dark' # at night\n[poll]\ninterval = 5\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	path, err := saveSettings(settings.Choices{
		Theme: draw.Colorblind, View: "node", Look: part.Look{
			Colors:  part.Colors{Classic: true, MemoryLevels: part.Levels{10, 80}},
			Columns: rows.ChosenColumns{Overview: "node,health"}},
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

// Each value that the page of settings offers is written to the file, and is there again in the next run; and the page
// offers the words that the file accepts.
func TestThePageAndTheFileAgree(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	usual := config.Default()
	began, s := choicesOf(&usual), &part.Scene{Size: part.Size{W: 80, H: 24}}
	for _, title := range settings.Titles() {
		if err := os.RemoveAll(config.UserFile()); err != nil {
			t.Fatal(err)
		}
		var p settings.Page
		p.Begin(began)
		p.Arrive(s, nav.Go{Choice: title})
		var key string
		var words []string
		for seen := []settings.Choices{}; !slices.Contains(seen, p.Now); {
			seen = append(seen, p.Now)
			p.Press(keys.Pressed("right"), s)
			if changed := p.Now.Changed(&began); len(changed) > 0 {
				key = changed[0]
			}
			saved := checkSaved(t, p.Now, title, key)
			words = append(words, shownValue(&p, s, title))
			if word := words[len(words)-1]; config.Words(key) != nil && word != saved {
				t.Errorf("the row %q of the page of settings says %q, and %q is written", title, word, saved)
			}
		}
		slices.Sort(words)
		if among := config.Words(key); among != nil && !slices.Equal(words, slices.Sorted(slices.Values(among))) {
			t.Errorf("the row %q of the page of settings has the words %q, and %s accepts %q in the file: "+
				"make them one list", title, words, key, among)
		}
	}
}

// checkSaved writes choices, and returns the value of the key. The next run must have them.
func checkSaved(t *testing.T, c settings.Choices, title, key string) (value string) {
	t.Helper()
	path, err := saveSettings(c, []string{key})
	if err != nil {
		t.Fatal(title, err)
	}
	cfg := config.Default()
	if _, err = cfg.Load(config.Inputs{User: path}); err != nil {
		t.Fatalf("the row %q of the page of settings has a value that the file must not have: %v", title, err)
	}
	if is := choicesOf(&cfg); is != c {
		t.Fatalf("the row %q of the page of settings is saved as\n%+v, want\n%+v: "+
			"see saveSettings, choicesOf and lookOf (save.go), and Default (internal/config/config.go)", title, is, c)
	}
	for _, v := range cfg.Values(&config.Origins{}) {
		if v.Key == key {
			value = strings.Trim(v.Value, `"`)
		}
	}
	return value
}

// shownValue returns the word that the page of settings has beside a title.
func shownValue(p *settings.Page, s *part.Scene, title string) string {
	c := draw.New(s.W, s.H)
	p.Draw(&part.Frame{Canvas: c, Scene: s})
	for line := range strings.Lines(string(uitest.ASCIITheme.Encode(nil, c))) {
		if value, is := strings.CutPrefix(strings.TrimLeft(line, " >"), title+" "); is {
			return strings.Fields(value)[0]
		}
	}
	return ""
}
