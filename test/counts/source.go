package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// kind is the purpose of a Go file.
type kind int

const (
	program kind = iota
	aid          // in test/ or a …test folder, but not a test
	test
	kinds
)

// source has the counts of one directory.
type source struct {
	lines, folded [kinds]int
	browser, long int
	architecture  int
	words         int      // of documents
	sharers       []string // files that name the %SM of a process, without generated ones
	bigFiles      []string
	bigFunctions  []string
	packages      map[string]int // lines of a package, without its tests
	methods       map[string]int
	exported      map[string]int
	house         house
}

// sharesSM matches every name of the share of time in which a process used the SMs: the field, the column, the sort
// order and the key of a filter.
var sharesSM = regexp.MustCompile(
	`%SM\b|\b(SMPercent|sm_percent|(col|By|by|gauge|filter\.)SM)\b|[^=]"sm"|'sm'|\bSM:\s|^\tSM$`)

// read counts the files below dir.
func read(dir string) (*source, error) {
	s := &source{packages: map[string]int{}, methods: map[string]int{}, exported: map[string]int{}, house: house{
		packages: map[string]bool{}, arrows: map[[2]string]bool{}, functions: map[string]int{}}}
	return s, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); base == ".git" || base == "testdata" || base == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		short, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		return s.file(name, filepath.ToSlash(short))
	})
}

// file counts the file name, which is printed as short.
func (s *source) file(name, short string) error {
	ext := path.Ext(short)
	if ext != ".go" && ext != ".js" && ext != ".css" && !isDocument(short) {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	switch ext {
	case ".md":
		s.words += writtenWords(short, string(text))
		if short == "docs/ARCHITECTURE.md" {
			s.architecture = len(lines)
		}
		return nil
	case ".go":
		s.goLines(short, lines)
		err = s.syntax(short, text)
	default:
		s.browser += len(lines)
	}
	generated := strings.Contains(lines[0], "-update")
	if kindOf(short) == program && !generated && slices.ContainsFunc(lines, sharesSM.MatchString) {
		s.sharers = append(s.sharers, short)
	}
	return err
}

func kindOf(short string) kind {
	switch {
	case strings.HasSuffix(short, "_test.go"):
		return test
	case strings.HasPrefix(short, "test/"), strings.HasSuffix(path.Dir(short), "test"):
		return aid
	}
	return program
}

func (s *source) goLines(short string, lines []string) {
	k := kindOf(short)
	s.lines[k] += len(lines)
	for _, line := range lines {
		width := utf8.RuneCountInString(line)
		s.folded[k] += max(1, (width+columns-1)/columns)
		if k != test && width > columns {
			s.long++
		}
	}
	if len(lines) > fileLines && k != test {
		s.bigFiles = append(s.bigFiles, fmt.Sprintf("%s %d", short, len(lines)))
	}
	if k != test {
		s.packages[path.Dir(short)] += len(lines)
	}
}

// syntax counts the declarations of a file.
func (s *source) syntax(short string, text []byte) error {
	if kindOf(short) == test {
		return nil
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, short, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return err
	}
	if kindOf(short) == program {
		s.house.addImports(path.Dir(short), parsed)
	}
	for _, decl := range parsed.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			s.function(short, d, files.Position(d.End()).Line-files.Position(d.Pos()).Line+1)
		case *ast.GenDecl:
			s.declared(path.Dir(short), d)
		}
	}
	return nil
}

func (s *source) function(short string, f *ast.FuncDecl, lines int) {
	if kindOf(short) == program {
		s.house.addFunction(short, f)
	}
	if lines > functionLines {
		s.bigFunctions = append(s.bigFunctions, fmt.Sprintf("%s %s %d", short, f.Name.Name, lines))
	}
	if f.Recv == nil {
		s.export(path.Dir(short), f.Name)
		return
	}
	s.methods[path.Dir(short)+"."+receiver(f.Recv.List[0].Type)]++
}

// receiver is the name of the type of a method.
func receiver(t ast.Expr) string {
	for {
		switch e := t.(type) {
		case *ast.StarExpr:
			t = e.X
		case *ast.IndexExpr:
			t = e.X
		case *ast.IndexListExpr:
			t = e.X
		case *ast.Ident:
			return e.Name
		default:
			return "?"
		}
	}
}

func (s *source) declared(pkg string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch one := spec.(type) {
		case *ast.TypeSpec:
			s.export(pkg, one.Name)
		case *ast.ValueSpec:
			s.export(pkg, one.Names...)
		}
	}
}

func (s *source) export(pkg string, names ...*ast.Ident) {
	for _, name := range names {
		if name.IsExported() {
			s.exported[pkg]++
		}
	}
}

func (s *source) bigPackages() []string { return above(s.packages, packageLines) }
func (s *source) bigTypes() []string    { return above(s.methods, typeMethods) }

func (s *source) mostExported(n int) []string {
	names := above(s.exported, 0)
	return names[:min(n, len(names))]
}

// above lists the entries of counts above limit, the largest first.
func above(counts map[string]int, limit int) (names []string) {
	order := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
	for _, name := range order {
		if counts[name] > limit {
			names = append(names, fmt.Sprintf("%s %d", name, counts[name]))
		}
	}
	return names
}
