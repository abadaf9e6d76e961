package main

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// manyNamesakes is how many other functions may have the name of one before a search for it finds too much.
const manyNamesakes = 4

// house is what the source says of rooms and of the names of functions.
type house struct {
	packages  map[string]bool
	arrows    map[[2]string]bool // between rooms: who imports whom
	functions map[string]int     // how many unexported functions have a name
	repeating []string           // functions whose comment begins by saying their name again, as a verb
}

// isOneWord reports whether the name of an unexported function is one word.
func isOneWord(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) })
}

// countOneWord returns how many unexported functions have a name of one word.
func (h *house) countOneWord() (n int) {
	for name, times := range h.functions {
		if isOneWord(name) {
			n += times
		}
	}
	return n
}

// countNamesakes returns how many unexported functions share their name with too many.
func (h *house) countNamesakes() (n int) {
	for _, times := range h.functions {
		if times > manyNamesakes {
			n += times
		}
	}
	return n
}

// part writes n as a share of all unexported functions.
func (h *house) part(n int) string {
	all := 0
	for _, times := range h.functions {
		all += times
	}
	return fmt.Sprintf("%d of %d, %.1f %%", n, all, 100*float64(n)/float64(max(all, 1)))
}

// listRooms returns the rooms below internal/.
func (h *house) listRooms() map[string]bool {
	rooms := map[string]bool{}
	for pkg := range h.packages {
		if room := roomOf(pkg); strings.HasPrefix(pkg, "internal/") {
			rooms[room] = true
		}
	}
	return rooms
}

// countPackages counts the packages of the program: not its examples, nor what packs it.
func (h *house) countPackages() (n int) {
	for pkg := range h.packages {
		if top, _, _ := strings.Cut(pkg, "/"); top == "cmd" || top == "internal" || top == "pkg" {
			n++
		}
	}
	return n
}

// roomOf returns the room of a package: its folder below internal/, pkg/ itself, or the top level.
func roomOf(pkg string) string {
	parts := strings.SplitN(pkg, "/", 3)
	if len(parts) > 1 && (parts[0] == "internal" || parts[0] == "pkg") {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// addImports counts what a file of the program imports.
func (h *house) addImports(pkg string, file *ast.File) {
	h.packages[pkg] = true
	for _, i := range file.Imports {
		other, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "github.com/nvnodetop/nvnodetop/")
		if from, to := roomOf(pkg), roomOf(other); ours && from != to {
			h.arrows[[2]string{from, to}] = true
		}
	}
}

// addFunction counts the name of a function, and its comment.
func (h *house) addFunction(short string, f *ast.FuncDecl) {
	name := f.Name.Name
	if !f.Name.IsExported() && strings.HasPrefix(short, "internal/") && name != "init" && name != "_" {
		h.functions[name]++
	}
	if saysNameAgain(name, f.Doc.Text()) {
		h.repeating = append(h.repeating, path.Dir(short)+"."+name)
	}
}

// The verb of a doc comment.
var verb = regexp.MustCompile(`^\w+\s+(\w+)`)

// saysNameAgain reports whether a doc comment's verb is the name of its function: "count counts …".
func saysNameAgain(name, doc string) bool {
	found := verb.FindStringSubmatch(doc)
	if found == nil || !isOneWord(name) {
		return false
	}
	stem := strings.TrimSuffix(strings.ToLower(name), "e")
	stem = strings.TrimSuffix(stem, "y")
	switch strings.TrimPrefix(found[1], stem) {
	case "s", "es", "ies", "ed", "ing":
		return true
	}
	return false
}
