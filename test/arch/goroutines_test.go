package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A panic that its goroutine does not catch ends the program with the exit code of wrong arguments. So each goroutine
// of the program is one of crash.Go or source.StartTask, or of a function of crash.Guard without defers of its own, or
// it defers crash.End or a function that makes an error of the panic. The probe ends as Go does: the session reads its
// traceback.
func TestGoroutinesCatchTheirPanics(t *testing.T) {
	err := filepath.WalkDir("../../internal", func(path string, entry fs.DirEntry, err error) error {
		switch name := filepath.ToSlash(path); {
		case err != nil:
			return err
		case strings.HasSuffix(name, "internal/probe"), strings.HasSuffix(name, "internal/lib/crash"):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if body, begins := goroutine(n); begins && !catches(body) {
				t.Errorf("%s: the goroutine needs crash.Go or crash.Guard, or \"defer crash.End()\" behind its other defers",
					files.Position(n.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goroutine returns the body of a goroutine that a node begins; nil: it is no literal.
func goroutine(n ast.Node) (body *ast.BlockStmt, begins bool) {
	switch n := n.(type) {
	case *ast.GoStmt:
		if f, literal := n.Call.Fun.(*ast.FuncLit); literal {
			body = f.Body
		}
		return body, true
	case *ast.CallExpr: // of a group
		f, isMethod := n.Fun.(*ast.SelectorExpr)
		if !isMethod || f.Sel.Name != "Go" || len(n.Args) != 1 {
			return nil, false
		}
		if of, named := f.X.(*ast.Ident); named && of.Name == "crash" {
			return nil, false
		}
		if isGuarded(n.Args[0]) {
			return nil, false
		}
		if f, literal := n.Args[0].(*ast.FuncLit); literal {
			body = f.Body
		}
		return body, true
	}
	return nil, false
}

// isGuarded reports whether a function is one of crash.Guard. Its own defers would run before the panic is caught.
func isGuarded(f ast.Expr) bool {
	call, isCall := f.(*ast.CallExpr)
	if !isCall || len(call.Args) != 1 {
		return false
	}
	guard, isMethod := call.Fun.(*ast.SelectorExpr)
	if !isMethod || guard.Sel.Name != "Guard" {
		return false
	}
	if of, named := guard.X.(*ast.Ident); !named || of.Name != "crash" {
		return false
	}
	do, literal := call.Args[0].(*ast.FuncLit)
	return !literal || !slices.ContainsFunc(do.Body.List, isDefer)
}

func isDefer(s ast.Stmt) bool {
	_, is := s.(*ast.DeferStmt)
	return is
}

// catches reports whether the last of the first defers of a function catches a panic.
func catches(body *ast.BlockStmt) bool {
	caught := false
	for i := 0; body != nil && i < len(body.List); i++ {
		d, is := body.List[i].(*ast.DeferStmt)
		if !is {
			break
		}
		f, isMethod := d.Call.Fun.(*ast.SelectorExpr)
		caught = isMethod && (f.Sel.Name == "End" || f.Sel.Name == "catchPanic" || f.Sel.Name == "Recover")
	}
	return caught
}
