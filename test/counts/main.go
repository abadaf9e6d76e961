// Command counts prints the size and the shape of the source in each of the given directories, side by side.
// scripts/counts runs it.
package main

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
)

// limits are the sizes above which the house rules (CONTRIBUTING.md) ask for a division.
const (
	columns       = 120
	fileLines     = 400
	functionLines = 60
	packageLines  = 2000
	typeMethods   = 30
)

// row is a line of the table.
type row struct {
	name  string
	count func(*source) any
}

var rows = []row{
	{"files that name %SM of a process", func(s *source) any { return len(s.sharers) }},
	{"Go lines, all", func(s *source) any { return s.lines[program] + s.lines[aid] + s.lines[test] }},
	{"  of the program", func(s *source) any { return s.lines[program] }},
	{"  of programs and packages for tests", func(s *source) any { return s.lines[aid] }},
	{"  of tests", func(s *source) any { return s.lines[test] }},
	{"Go lines folded at 120 columns, all", func(s *source) any {
		return s.folded[program] + s.folded[aid] + s.folded[test]
	}},
	{"  of the program", func(s *source) any { return s.folded[program] }},
	{"  of programs and packages for tests", func(s *source) any { return s.folded[aid] }},
	{"  of tests", func(s *source) any { return s.folded[test] }},
	{"lines of JavaScript and CSS", func(s *source) any { return s.browser }},
	{"lines over 120 columns, without tests", func(s *source) any { return s.long }},
	{"files above 400 lines", func(s *source) any { return len(s.bigFiles) }},
	{"functions above 60 lines", func(s *source) any { return len(s.bigFunctions) }},
	{"packages above 2,000 lines", func(s *source) any { return len(s.bigPackages()) }},
	{"types above 30 methods", func(s *source) any { return len(s.bigTypes()) }},
	{"rooms below internal/", func(s *source) any { return len(s.house.listRooms()) }},
	{"arrows between rooms, pkg and cmd", func(s *source) any { return len(s.house.arrows) }},
	{"packages below cmd, internal and pkg", func(s *source) any { return s.house.countPackages() }},
	{"unexported functions with a name of one word", func(s *source) any { return s.house.part(s.house.countOneWord()) }},
	{"unexported functions with 4 namesakes or more", func(s *source) any {
		return s.house.part(s.house.countNamesakes())
	}},
	{"comments that say the name of their function again", func(s *source) any { return len(s.house.repeating) }},
	{"lines of docs/ARCHITECTURE.md", func(s *source) any { return s.architecture }},
	{"words of documents, without what tests write", func(s *source) any { return s.words }},
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: counts DIRECTORY…")
		os.Exit(2)
	}
	var sources []*source
	for _, dir := range os.Args[1:] {
		s, err := read(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, "counts:", err)
			os.Exit(1)
		}
		sources = append(sources, s)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprint(table, r.name)
		for _, s := range sources {
			fmt.Fprintf(table, "\t%v", r.count(s))
		}
		fmt.Fprintln(table)
	}
	_ = table.Flush()
	detail(sources[len(sources)-1])
}

// detail names the parts of s that are too large.
func detail(s *source) {
	for _, list := range []struct {
		title string
		names []string
	}{
		{"files that name %SM of a process", s.sharers},
		{"files above 400 lines", s.bigFiles},
		{"functions above 60 lines", s.bigFunctions},
		{"packages above 2,000 lines", s.bigPackages()},
		{"types above 30 methods", s.bigTypes()},
		{"comments that say the name of their function again", s.house.repeating},
		{"most exported names", s.mostExported(5)},
	} {
		if len(list.names) > 0 {
			fmt.Printf("\n%s:\n  %s\n", list.title, strings.Join(list.names, "\n  "))
		}
	}
}
