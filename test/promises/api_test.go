package promises

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/exp/apidiff"
)

const module = "github.com/nvnodetop/nvnodetop/pkg/"

// public are the packages that other modules may import; a package comes after those that it imports.
var public = []string{"schema", "report", "nvnodetop"}

// A program that was written for an older version compiles: apidiff finds no incompatible change. What is kept of a
// package are its exported declarations, which are Go.
func TestGoAPI(t *testing.T) {
	exports := exported(t)
	fset := token.NewFileSet()
	standard := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	each(t, func(t *testing.T, dir string) {
		before, now := packages{others: standard}, packages{others: standard}
		for _, name := range public {
			file := filepath.Join("api", name+".go.txt")
			surface := read(t, filepath.Join("../../pkg/nvnodetop/testdata", name+".txt"))
			updated(t, dir, file, header(name, surface)+surface)
			was := before.check(t, fset, name, kept(t, dir, file))
			is := now.check(t, fset, name, header(name, surface)+surface)
			for _, change := range apidiff.Changes(was, is).Changes {
				if !change.Compatible {
					t.Errorf("pkg/%s of %s is broken: %s", name, dir, change.Message)
				}
			}
		}
	})
}

// exported returns the files with the export data of the standard library's packages that the API names.
func exported(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}",
		"context", "errors", "iter", "time").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[name] = file
	}
	return files
}

// header is the beginning of a file with declarations: it imports the packages that they name.
func header(name, surface string) string {
	text := "package " + name + "\n\nimport (\n"
	for _, p := range append([]string{"context", "errors", "iter", "time"}, module+"schema", module+"report") {
		if path.Base(p) != name && strings.Contains(surface, path.Base(p)+".") {
			text += "\t\"" + p + "\"\n"
		}
	}
	return text + ")\n\n"
}

// packages are packages of one version, and those of the standard library.
type packages struct {
	own    map[string]*types.Package
	others types.Importer
}

// Import implements types.Importer.
func (p *packages) Import(path string) (*types.Package, error) {
	if own := p.own[path]; own != nil {
		return own, nil
	}
	return p.others.Import(path)
}

// check returns a package of declarations without bodies. Values whose right side is not there are only declared.
func (p *packages) check(t *testing.T, fset *token.FileSet, name, text string) *types.Package {
	t.Helper()
	file, err := parser.ParseFile(fset, name+".go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	c := types.Config{Importer: p, IgnoreFuncBodies: true, Error: func(error) {}}
	pkg, err := c.Check(module+name, fset, []*ast.File{file}, nil)
	if err != nil {
		t.Errorf("the declarations of %s: %v", name, err)
	}
	if p.own == nil {
		p.own = map[string]*types.Package{}
	}
	p.own[module+name] = pkg
	return pkg
}
