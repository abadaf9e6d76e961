package nvnodetop

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/golden"
	"github.com/nvnodetop/nvnodetop/test/inputs"
)

// public are the packages that other modules may import, by their directories.
var public = map[string]string{"nvnodetop": ".", "schema": "../schema", "report": "../report"}

// TestSurface compares the exported declarations with testdata. docs/API.md has the rules for changes.
func TestSurface(t *testing.T) {
	for name, dir := range public {
		golden.Equal(t, filepath.Join("testdata", name+".txt"), string(surface(t, dir)))
	}
}

// surface has the exported declarations of a package, sorted, without comments and bodies.
func surface(t *testing.T, dir string) []byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(file)
		for _, d := range file.Decls {
			all = append(all, declaration(t, d))
		}
	}
	slices.Sort(all)
	return []byte(strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), "\n"))
}

// declaration returns a declaration as source; imports give none.
func declaration(t *testing.T, d ast.Decl) string {
	t.Helper()
	switch d := d.(type) {
	case *ast.GenDecl:
		if d.Tok == token.IMPORT {
			return ""
		}
	case *ast.FuncDecl:
		d.Body = nil
	}
	var b bytes.Buffer
	as := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8} // as gofmt
	if err := as.Fprint(&b, token.NewFileSet(), d); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n"
}

// Only types that other modules can name are in the surface.
func TestNothingInternalIsExposed(t *testing.T) {
	for name, dir := range public {
		for _, m := range qualified.FindAllSubmatch(surface(t, dir), -1) {
			if pkg := string(m[1]); public[pkg] == "" && !slices.Contains([]string{"context", "errors", "iter", "time"},
				pkg) {
				t.Errorf("package %s exposes %s", name, m[0])
			}
		}
	}
}

var qualified = regexp.MustCompile(`\b([a-z]+)\.[A-Z]\w*`)

const module = "github.com/nvnodetop/nvnodetop/"

// A program that uses these packages gets neither the screen nor the command line. A program that only reads documents
// gets nothing that reaches a node.
func TestDependencies(t *testing.T) {
	inputs.Watch(t, "..", "../../internal")
	for name, dir := range public {
		list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f",
			`{{.ImportPath}} {{join .Imports " "}}`, "./"+dir).Output()
		if err != nil {
			t.Fatal(err)
		}
		var deps []string
		imports := map[string][]string{}
		for line := range strings.Lines(string(list)) {
			words := strings.Fields(line)
			deps = append(deps, words[0])
			imports[words[0]] = words[1:]
		}
		banned := []string{"charm.land/", "github.com/charmbracelet/ultraviolet", "github.com/spf13/",
			module + "internal/ui", module + "internal/app"}
		if name != "nvnodetop" {
			banned = append(banned, "net", "os/exec", "golang.org/", "github.com/")
		}
		for _, dep := range deps {
			is := func(b string) bool { return dep == b || strings.HasPrefix(dep, strings.TrimSuffix(b, "/")+"/") }
			if slices.ContainsFunc(banned, is) &&
				!slices.ContainsFunc([]string{module + "pkg/", module + "internal/wire/metric"}, is) {
				t.Errorf("package %s depends on %s by these imports, one of which is wrong: %s", name, dep,
					strings.Join(importPath(deps, imports, dep), " -> "))
			}
		}
		if len(deps) < 10 {
			t.Errorf("package %s: go list says %q", name, deps)
		}
	}
}

// importPath returns how the last of the packages comes to import one of the others.
func importPath(deps []string, imports map[string][]string, to string) []string {
	path := []string{to}
	for path[0] != deps[len(deps)-1] {
		at := slices.IndexFunc(deps, func(dep string) bool { return slices.Contains(imports[dep], path[0]) })
		path = slices.Insert(path, 0, deps[at])
	}
	return path
}
