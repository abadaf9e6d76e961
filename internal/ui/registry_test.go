package ui

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"charm.land/bubbles/v2/key"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// Each page of the registry has keys that its help says, a place in the test of all helps, and a golden frame.
func TestEveryPageIsSeen(t *testing.T) {
	t.Parallel()
	shown := map[keys.Page]bool{}
	for _, s := range shots {
		if v, sc := s.scene(120, 40); !v.palette.IsOpen() {
			shown[v.focusedKeys(sc)] = true
		}
	}
	for _, e := range pages {
		if !shown[e.id] {
			t.Errorf("no golden frame shows %s", e.id)
		}
		if !slices.ContainsFunc(plain.helpOf(e.id),
			func(r keys.Row) bool { return key.Matches(pressed("?"), r.Bindings...) }) {
			t.Errorf("the help of %s has no help", e.id)
		}
		if !slices.ContainsFunc(helpPages, func(p helpPage) bool { return p.page == e.id }) {
			t.Errorf("%s is not among the pages whose help is tested", e.id)
		}
		if at := slices.IndexFunc(pages, func(other pageEntry) bool { return other.id == e.id }); pages[at].has != e.has {
			t.Errorf("%s is there twice", e.id)
		}
	}
}

// A package with shots or golden frames compares them, and finds frames of no shot.
func TestEveryFrameIsCompared(t *testing.T) {
	compares := map[string]bool{}
	frames, _ := filepath.Glob("*/testdata/*.golden")
	for _, path := range frames {
		compares[filepath.Dir(filepath.Dir(path))] = false
	}
	tests, _ := filepath.Glob("*/*_test.go")
	for _, path := range tests {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Dir(path)
		if _, has := compares[dir]; has || bytes.Contains(source, []byte("uitest.Album[")) {
			compares[dir] = compares[dir] || goldenTest.Match(source)
		}
	}
	if len(compares) < 8 {
		t.Errorf("%d packages of pages have golden frames", len(compares))
	}
	for dir, does := range compares {
		if !does {
			t.Errorf("nothing compares the golden frames of internal/ui/%s: write a TestGolden that calls "+
				"uitest.Golden in its pictures_test.go, or delete its testdata", dir)
		}
	}
}

// goldenTest is the test that scripts/frames runs.
var goldenTest = regexp.MustCompile(`func TestGolden\([^}]*\tuitest\.Golden\(`)

// The key of a page leads there from each page whose help has the key, and back.
func TestTheKeyOfEachPageLeadsThere(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for _, e := range pages {
		if !e.key.Enabled() {
			continue
		}
		if e.help.Text == "" || e.help.Slot == 0 {
			t.Errorf("the key of %s is in no help", e.id)
		}
		for at, from := range helpPages {
			if !e.help.On.Is(from.page, entryOf(from.page).has) {
				continue
			}
			r := onPage(t, at)
			k := pressed(e.key.Keys()[0])
			if r.send(k); from.page != e.id && r.view.focusedKeys(r.scene) != e.id {
				t.Errorf("%s on %s leads to %s, not to %s", k, from.page, r.view.on, e.id)
			}
			if from.page == e.id || e.has&keys.IsLevel != 0 || e.id == keys.OnGPU {
				continue
			}
			if r.send(k); r.view.focusedKeys(r.scene) != from.page {
				t.Errorf("%s on %s leads back to %s, not to %s", k, e.id, r.view.on, from.page)
			}
		}
	}
}
