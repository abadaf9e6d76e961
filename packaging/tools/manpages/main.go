// Command manpages makes man pages from the documents of the commands.
//
//	manpages DOCS OUT VERSION DATE
//
// DOCS is docs/commands. OUT gets nvnodetop.1, nvnodetop-doctor.1 and so on. DATE is as in 2026-11-23.
package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

// aliases are the names under which a command also runs.
var aliases = map[string]string{"nvl": "nvnodetop-list", "nvisel": "nvnodetop-available"}

func main() {
	if len(os.Args) != 5 {
		fail("it needs DOCS OUT VERSION DATE")
	}
	if err := pages(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fail(err)
	}
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, "manpages:", why)
	os.Exit(1)
}

// pages writes all pages.
func pages(docs, out, version, date string) error {
	files, err := filepath.Glob(filepath.Join(docs, "*.md"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no documents in %s", docs)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name := pageName(filepath.Base(file))
		page := md2man.Render([]byte(markdown(string(text), name, version, date)))
		if err := os.WriteFile(filepath.Join(out, name+".1"), page, 0o644); err != nil {
			return err
		}
	}
	for alias, name := range aliases {
		text := []byte(".so man1/" + name + ".1\n")
		if err := os.WriteFile(filepath.Join(out, alias+".1"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pageName is the name of the page of a document: nvnodetop-doctor of doctor.md.
func pageName(file string) string {
	if name := strings.TrimSuffix(file, ".md"); name != "nvnodetop" {
		return "nvnodetop-" + name
	}
	return "nvnodetop"
}

// seeAlso ends each page. The documents that pages name are installed in a directory.
const seeAlso = `
## SEE ALSO

%s. The documents named *.md are in share/doc/nvnodetop, beside the directory of the program.
`

// markdown returns a document as go-md2man takes it: with a title for .TH, links that say where to look, and lists in
// the place of tables of two columns, which man would draw with boxes.
func markdown(text, name, version, date string) string {
	title, rest, _ := strings.Cut(text, "\n")
	command := strings.TrimPrefix(title, "# ")
	rest = strings.Replace(rest, "\n"+command+" - ", "\n"+name+" - ", 1) // whatis and apropos want one word
	var out strings.Builder
	fmt.Fprintf(&out, "# %s 1 %q %q %q\n", strings.ToUpper(name), date, "nvnodetop "+version, "User Commands")
	for i, part := range strings.Split(rest, "```") {
		if i%2 == 1 { // code
			out.WriteString("```" + part + "```")
			continue
		}
		out.WriteString(lists(links(part)))
	}
	also := "**nvnodetop**(1)"
	if name == "nvnodetop" {
		also = "The commands have pages of their own, such as **nvnodetop-doctor**(1)"
	}
	fmt.Fprintf(&out, seeAlso, also)
	return out.String()
}

var link = regexp.MustCompile(`\[([^\]]+)\]\(([^)\s]+)\)`)

// links replaces links to other documents by the names of their pages or files.
func links(text string) string {
	return link.ReplaceAllStringFunc(text, func(s string) string {
		m := link.FindStringSubmatch(s)
		words, target := m[1], m[2]
		if strings.Contains(target, "://") {
			return words + " <" + target + ">"
		}
		target, _, _ = strings.Cut(target, "#")
		file := path.Base(target)
		plain := strings.Trim(words, "`")
		switch {
		case target == "":
			return words
		case file != target && plain == file:
			return words
		case file != target:
			return words + " (" + file + ")"
		}
		page := "**" + pageName(file) + "**(1)"
		if command := strings.TrimSuffix(file, ".md"); plain == command || plain == "nvnodetop "+command {
			return page
		}
		return words + " (" + page + ")"
	})
}

var (
	rule = regexp.MustCompile(`^\|[-|: ]+\|$`)
	bar  = regexp.MustCompile(`([^\\])\|`)
)

// lists turns tables into lists of definitions: the first column has the terms.
func lists(text string) string {
	lines := strings.Split(text, "\n")
	var out []string
	for i := 0; i < len(lines); i++ {
		if i+1 == len(lines) || !strings.HasPrefix(lines[i], "|") || !rule.MatchString(lines[i+1]) {
			out = append(out, lines[i])
			continue
		}
		headings := cells(lines[i])
		for i += 2; i < len(lines) && strings.HasPrefix(lines[i], "|"); i++ {
			row := cells(lines[i])
			out = append(out, row[0], ": "+definition(headings, row), "")
		}
		i--
	}
	return strings.Join(out, "\n")
}

// cells returns the cells of a row.
func cells(row string) (list []string) {
	row = strings.Trim(row, " ")
	row = strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|")
	for cell := range strings.SplitSeq(bar.ReplaceAllString(row, "$1\x00"), "\x00") {
		list = append(list, strings.TrimSpace(strings.ReplaceAll(cell, `\|`, "|")))
	}
	return list
}

// definition joins the cells behind the first. A table of two columns needs no heading for them; in another one a cell
// without a heading comes first, and each other one has its heading.
func definition(headings, row []string) string {
	if len(row) == 2 {
		return row[1]
	}
	var plain, named []string
	for i, cell := range row[1:] {
		switch {
		case cell == "":
		case headings[i+1] == "":
			plain = append(plain, cell)
		default:
			named = append(named, headings[i+1]+": "+cell)
		}
	}
	return strings.Join(append(plain, named...), "; ")
}
