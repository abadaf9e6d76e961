package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/inputs"
)

const module = "github.com/nvnodetop/nvnodetop"

// rooms are the parts of the repository from the top down, each with the rooms below it that it may import. The
// packages of one room may import each other.
var rooms = []room{
	{"cmd", "app probe remote wire lib"},
	{"examples", "pkg/nvnodetop pkg/schema"},
	{"test", "app ui source rows health joblog slurm cluster remote poller probe wire pkg/report pkg/schema lib"},
	{"pkg/nvnodetop", "output source config health cluster probe wire pkg/report pkg/schema"},
	{"app", "ui output source config hang rows health joblog slurm cluster remote poller wire pkg/report pkg/schema lib"},
	{"ui", "output source hang rows health joblog slurm cluster wire pkg/report lib"},
	{"output", "source rows health joblog slurm cluster remote poller probe wire pkg/report pkg/schema lib"},
	{"source", "config health joblog slurm cluster remote poller wire pkg/report lib"},
	{"config", "rows health lib"},
	{"hang", "cluster wire lib"},
	{"rows", "health slurm cluster wire lib"},
	{"health", "cluster wire lib"},
	{"joblog", "cluster probe wire lib"},
	{"slurm", "cluster wire lib"},
	{"remote", "poller wire lib"},
	{"poller", "cluster wire lib"},
	{"cluster", "wire lib"},
	{"probe", "wire lib"},
	{"pkg/report", ""},
	{"pkg/schema", "wire"},
	{"wire", "lib"},
	{"lib", ""}, // it knows nothing of nvnodetop
	{"scripts", ""},
	{"packaging", ""},
}

type room struct {
	name    string
	imports string
}

// only lists packages from outside that only a few packages may import. "/..." stands for all below.
var only = map[string][]string{
	// no package that handles keys or answers of the user
	"log/slog": {"internal/app/...", "internal/source/access", "internal/poller", "internal/slurm/command"},
	// too large for a probe
	"github.com/go-json-experiment/json":        {"internal/source/recording", "internal/remote/link"},
	"charm.land/bubbles/v2/key":                 {"internal/ui/...", "test/uitest"},
	"charm.land/bubbles/v2/textinput":           {"internal/ui/footer"},
	"charm.land/bubbletea/v2":                   {"internal/ui/...", "test/uitest"},
	"charm.land/lipgloss/v2":                    {"internal/lib/draw"},
	"github.com/NVIDIA/go-nvml/pkg/nvml":        {"internal/probe/nvml"},
	"github.com/alecthomas/participle/v2/lexer": {"internal/rows/filter"},
	"github.com/klauspost/compress/zstd":        {"internal/source/recording"},
	"github.com/kevinburke/ssh_config":          {"internal/remote/settings"},
	"github.com/pelletier/go-toml/v2":           {"internal/config/..."},
	"github.com/pelletier/go-toml/v2/unstable":  {"internal/config/document"},
	"github.com/sahilm/fuzzy":                   {"internal/ui/palette"},
	"github.com/spf13/cobra":                    {"internal/app/..."},
	"github.com/spf13/pflag":                    {"internal/app/..."},
	"golang.org/x/crypto/ssh": {"internal/remote/hostkey", "internal/remote/openssh", "internal/remote/ssh/...",
		"test/fleet", "test/sshd"},
	"net/http": {"internal/app/serve", "internal/output/notify", "internal/remote/agent", "internal/output/web"},
	"os/exec": {"internal/output/notify", "internal/output/track", "internal/remote/local", "internal/remote/openssh",
		"internal/remote/settings", "internal/remote/srun", "internal/remote/ssh", "internal/slurm",
		"internal/slurm/command", "test/apptest", "test/bench/...", "test/chromium", "test/daemon", "test/ondemand",
		"test/sshd", "test/term"},
}

// withScreen lists the packages outside of the screen that are linked with it: the commands that show it or print its
// pages, what has them, and what the tests of the screen share. All other commands run without it.
var withScreen = []string{"cmd/nvnodetop", "internal/app", "internal/app/screen", "test/uitest"}

// isIn reports whether a package is one of these.
func isIn(name string, of []string) bool {
	return slices.ContainsFunc(of, func(pattern string) bool {
		dir, below := strings.CutSuffix(pattern, "/...")
		return name == dir || below && strings.HasPrefix(name, dir+"/")
	})
}

// roomOf returns the room of a package; "": it has none.
func roomOf(name string) string {
	name = strings.TrimPrefix(name, "internal/")
	for _, r := range rooms {
		if name == r.name || strings.HasPrefix(name, r.name+"/") {
			return r.name
		}
	}
	return ""
}

type pkg struct {
	ImportPath string
	Name       string
	Doc        string
	Imports    []string
	Deps       []string // what is linked with it
}

// packages lists the packages of this module.
func packages(t *testing.T) map[string]*pkg {
	t.Helper()
	for _, dir := range []string{"cmd", "examples", "internal", "packaging", "pkg", "test"} {
		inputs.Watch(t, "../../"+dir)
	}
	all, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// listed asks Go once, with and without cgo: the imports of both builds count.
var listed = sync.OnceValues(func() (map[string]*pkg, error) {
	out := map[string]*pkg{}
	for _, cgo := range []string{"1", "0"} {
		cmd := exec.Command("go", "list", "-pgo=off", "-json=ImportPath,Name,Doc,Imports,Deps", "./...")
		cmd.Dir = "../.."
		cmd.Env = append(cmd.Environ(), "CGO_ENABLED="+cgo)
		text, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for d := json.NewDecoder(bytes.NewReader(text)); ; {
			var p pkg
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			name := strings.TrimPrefix(p.ImportPath, module+"/")
			if have := out[name]; have != nil {
				p.Imports = append(p.Imports, have.Imports...)
				p.Deps = append(p.Deps, have.Deps...)
			}
			out[name] = &p
		}
	}
	return out, nil
})

// arrows returns the packages by which a room imports another.
func arrows(t *testing.T) map[[2]string][]string {
	out := map[[2]string][]string{}
	for name, p := range packages(t) {
		from := roomOf(name)
		if from == "" {
			t.Errorf("%s is in no room", name)
		}
		for _, imp := range p.Imports {
			if ours, is := strings.CutPrefix(imp, module+"/"); is && roomOf(ours) != from {
				arrow := [2]string{from, roomOf(ours)}
				out[arrow] = append(out[arrow], name+" imports "+ours)
			}
		}
	}
	return out
}

// A room imports the rooms that it may, and each of those. They are below it.
func TestRooms(t *testing.T) {
	all := arrows(t)
	for i, r := range rooms {
		for _, to := range strings.Fields(r.imports) {
			if slices.ContainsFunc(rooms[:i], func(above room) bool { return above.name == to }) {
				t.Errorf("%s may not import %s, which is above it", r.name, to)
			}
			if len(all[[2]string{r.name, to}]) == 0 {
				t.Errorf("%s does not import %s", r.name, to)
			}
			delete(all, [2]string{r.name, to})
		}
	}
	for arrow, by := range all {
		t.Errorf("%s may not import %s: %s", arrow[0], arrow[1], strings.Join(by, ", "))
	}
}

// A command without a screen is not linked with the screen.
func TestCommandsWithoutAScreen(t *testing.T) {
	for name, p := range packages(t) {
		if roomOf(name) == "ui" {
			continue
		}
		at := slices.IndexFunc(p.Deps, func(dep string) bool { return roomOf(strings.TrimPrefix(dep, module+"/")) == "ui" })
		switch has := slices.Contains(withScreen, name); {
		case at >= 0 && !has:
			t.Errorf("%s is linked with the screen, by %s: go list -deps", name, p.Deps[at])
		case at < 0 && has:
			t.Errorf("%s is not linked with the screen", name)
		}
	}
}

// Packages from outside are imported where they may be, and by each of those.
func TestImportsFromOutside(t *testing.T) {
	used := map[string]bool{}
	for name, p := range packages(t) {
		for _, imp := range p.Imports {
			who, restricted := only[imp]
			if restricted && !isIn(name, who) {
				t.Errorf("%s imports %s, which only %s may", name, imp, strings.Join(who, ", "))
			}
			for _, pattern := range who {
				if isIn(name, []string{pattern}) {
					used[imp+pattern] = true
				}
			}
		}
	}
	for imp, who := range only {
		for _, pattern := range who {
			if !used[imp+pattern] {
				t.Errorf("%s does not import %s", pattern, imp)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	for name, p := range packages(t) {
		want := "Package " + path.Base(name) + " "
		if p.Name == "main" {
			want = "Command " + path.Base(name) + " "
		}
		if !strings.HasPrefix(p.Doc, want) {
			t.Errorf("%s: its doc comment begins with %q, want %q", name, firstWords(p.Doc), want)
		}
	}
}

func firstWords(s string) string { return s[:min(len(s), 40)] }
