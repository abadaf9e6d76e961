package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/config/document"
)

// A key is set as a person would set it: all other lines, comments and tables stay as they are.
func TestEdit(t *testing.T) {
	for _, test := range []struct{ name, text, key, value, want string }{
		{"an empty file", "", "theme", `"mono"`, "theme = \"mono\"\n"},
		{"a table in an empty file", "", "columns.node", `["gpu"]`, "\n[columns]\nnode = [\"gpu\"]\n"},
		{"another value", "# mine\ntheme='dark'  # at night\nview = 'node'\n", "theme", `"mono"`,
			"# mine\ntheme=\"mono\"  # at night\nview = 'node'\n"},
		{"a sharp in a value", "banner = 'a # b' # c\n", "banner", `"x"`, "banner = \"x\" # c\n"},
		{"below the first comments", "# one\n# two\n\n[poll]\ninterval = 3\n", "theme", `"mono"`,
			"# one\n# two\ntheme = \"mono\"\n\n[poll]\ninterval = 3\n"},
		{"no end of the last line", "[poll]\ninterval = 3", "columns.node", `["gpu"]`,
			"[poll]\ninterval = 3\n\n[columns]\nnode = [\"gpu\"]\n"},
		{"in its table", "[columns] # my columns\noverview = ['node']\n[poll]\ninterval = 3\n", "columns.node",
			`["gpu"]`, "[columns] # my columns\nnode = [\"gpu\"]\noverview = ['node']\n[poll]\ninterval = 3\n"},
		{"a table with dots", "columns.overview = ['node']\n[poll]\n", "columns.node", `["gpu"]`,
			"columns.overview = ['node']\ncolumns.node = [\"gpu\"]\n[poll]\n"},
		{"a value of many lines", "[columns]\nnode = [\n  'gpu', # number\n  'temp',\n] # end\noverview = ['node']\n",
			"columns.node", `["gpu"]`, "[columns]\nnode = [\"gpu\"] # end\noverview = ['node']\n"},
		{"taken out", "a_table.x = 1\ntheme = 'dark'\nview = 'node'\n", "theme", "", "a_table.x = 1\nview = 'node'\n"},
		{"the last of a table", "[columns]\nnode = ['gpu']\n", "columns.node", "", "[columns]\n"},
		{"not there", "view = 'node'\n", "theme", "", "view = 'node'\n"},
		{"what nobody knows", "[other]\n'x y' = [[1, 2], [3]]\n", "theme", `"mono"`,
			"theme = \"mono\"\n[other]\n'x y' = [[1, 2], [3]]\n"},
	} {
		got, err := document.Edit(test.text, test.key, test.value)
		if err != nil || got != test.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", test.name, err, got, test.want)
		}
	}
}

// Only the choices are written, to a file that only its owner can read; read again, it is the same.
func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nvnodetop", "config.toml")
	c := Default()
	c.Theme, c.GPULevels, c.Columns.Node, c.View = "mono", Levels{10, 75}, "gpu,util_percent", "node"
	for range 2 {
		if err := c.Save(path, "theme", "gpu_util_thresh", "mem_util_thresh", "columns.node",
			"columns.overview"); err != nil {
			t.Fatal(err)
		}
	}
	text, _ := os.ReadFile(path)
	if want := "theme = \"mono\"\ngpu_util_thresh = [10, 75]\nmem_util_thresh = [60, 85]\n\n" +
		"[columns]\nnode = [\"gpu\", \"util_percent\"]\n"; string(text) != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%d files are left", len(files))
	}
	again, want := Default(), c
	want.View = "auto"
	if _, err := again.Load(Inputs{User: path}); err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("%v: %+v, want %+v", err, again, want)
	}
}

// A link stays a link; a file that cannot be changed stays as it is.
func TestSaveInPlace(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.toml"), filepath.Join(dir, "link.toml")
	c := Default()
	c.Theme = "mono"
	if err := os.WriteFile(target, []byte("theme = \n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(link, "theme"); err == nil || !strings.Contains(err.Error(), "target.toml:1: ") {
		t.Errorf("error %v", err)
	}
	if text, _ := os.ReadFile(target); string(text) != "theme = \n" {
		t.Errorf("the file has become %q", text)
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%d files, want 2", len(files))
	}
	if err := os.WriteFile(target, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(link, "theme"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if text, _ := os.ReadFile(target); string(text) != "theme = \"mono\"\n" {
		t.Errorf("the file has become %q", text)
	}
	if info, err := os.Stat(target); err != nil || info.Mode() != 0o644 {
		t.Errorf("the mode has become %v, %v", info.Mode(), err)
	}
	if err := c.Save("", "theme"); err == nil {
		t.Error("written to no file")
	}
	if err := c.Save(dir, "theme"); err == nil {
		t.Error("written to a directory")
	}
}

// A link to a file that is not there yet leads to the new file; without the directory of that there is an error.
func TestSaveThroughDanglingLink(t *testing.T) {
	dir := t.TempDir()
	c := Default()
	c.Theme = "mono"
	for _, d := range []string{"dotfiles", "config"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"config/relative.toml": "../dotfiles/one.toml", "config/absolute.toml": filepath.Join(dir, "dotfiles/two.toml"),
		"config/chain.toml": "next.toml",
		"config/next.toml":  "../dotfiles/three.toml", "config/nowhere.toml": "../missing/four.toml",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"relative": "one", "absolute": "two", "chain": "three"} {
		link := filepath.Join(dir, "config", name+".toml")
		if err := c.Save(link, "theme"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Readlink(link); err != nil {
			t.Errorf("%s: the link is gone: %v", name, err)
		}
		if text, _ := os.ReadFile(filepath.Join(dir, "dotfiles", to+".toml")); string(text) != "theme = \"mono\"\n" {
			t.Errorf("%s: the file has become %q", name, text)
		}
	}
	nowhere := filepath.Join(dir, "config", "nowhere.toml")
	if err := c.Save(nowhere, "theme"); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("error %v", err)
	}
	if to, err := os.Readlink(nowhere); err != nil || to != "../missing/four.toml" {
		t.Errorf("the link leads to %q: %v", to, err)
	}
}

// The byte order mark at the beginning of a file stays, and the text written after it is read again.
func TestSaveKeepsMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("\ufefftheme = 'dark'\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := Default()
	c.Theme = "mono"
	if err := c.Save(path, "theme"); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "\ufefftheme = \"mono\"\r\n" {
		t.Errorf("the file has become %q", text)
	}
	again := Default()
	if _, err := again.Load(Inputs{User: path}); err != nil || again.Theme != "mono" {
		t.Errorf("theme %q, %v", again.Theme, err)
	}
}

// A file that root changes for somebody else still belongs to them.
func TestSaveKeepsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 4321, 1234); err != nil {
		t.Skipf("not root: %v", err)
	}
	c := Default()
	c.Theme = "mono"
	if err := c.Save(path, "theme"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if is := info.Sys().(*syscall.Stat_t); is.Uid != 4321 || is.Gid != 1234 || info.Mode() != 0o640 {
		t.Errorf("owner %d, group %d, mode %v", is.Uid, is.Gid, info.Mode())
	}
}
