package output

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Schema is the JSON Schema of the document.
//
//go:embed schema.json
var Schema []byte

// JSON writes the report as a document, indented, with a newline at its end.
func JSON(w io.Writer, r *report.Report) error {
	return text.WriteJSON(w, "  ", r)
}

// Text writes the report for people, with times of that zone.
func Text(w io.Writer, r *report.Report, zone *time.Location, look Look) error {
	l := newLayout(r, zone)
	var b bytes.Buffer
	fmt.Fprintln(&b, look.paint(l.title, strong))
	for i, s := range append([]section{{facts: l.facts}}, l.sections...) {
		if s.title != "" {
			fmt.Fprintf(&b, "\n%s\n", look.paint(s.title, strong))
		}
		for _, f := range s.facts {
			if f[0] == "State" {
				f[1] = look.state(f[1])
			}
			look.print(&b, fmt.Sprintf("  %-16s ", f[0]), f[1])
		}
		if all := uses(r); i == 0 && len(all) > 0 {
			fmt.Fprintf(&b, "\n%s\n", look.paint("Used", strong))
			look.bars(&b, all)
		}
	}
	for _, g := range l.grids {
		fmt.Fprintf(&b, "\n%s\n", look.paint(g.title, strong))
		g.text(&b, look)
	}
	for _, list := range l.lists {
		paragraphs(&b, "\n"+look.paint(list.title, strong)+"\n", "  "+list.mark, list.lines, look)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func paragraphs(b *bytes.Buffer, title, before string, lines []string, look Look) {
	if len(lines) == 0 {
		return
	}
	b.WriteString(title)
	for _, line := range lines {
		look.print(b, before, line)
	}
}

// text writes the table in columns.
func (t *table) text(b *bytes.Buffer, look Look) {
	g := look.fit(&t.Table)
	widths := g.Widths()
	for i, block := range look.blocks(g) {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, row := range g.Lines() {
			line := ""
			for _, k := range block {
				before, after := g.Blank(k, row[k], widths[k])
				cell := row[k]
				if g.Columns[k].Head == "State" {
					cell = look.state(cell)
				}
				line += "  " + before + cell + after
			}
			fmt.Fprintln(b, strings.TrimRight(line, " "))
		}
	}
}

// Markdown writes the report for an issue or a wiki, with times of that zone.
func Markdown(w io.Writer, r *report.Report, zone *time.Location) error {
	l := newLayout(r, zone)
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", escape(l.title))
	for _, s := range append([]section{{facts: l.facts}}, l.sections...) {
		if s.title != "" {
			fmt.Fprintf(&b, "\n## %s\n\n", s.title)
		}
		summary := newTable("", 2, "", "")
		for _, f := range s.facts {
			summary.Rows = append(summary.Rows, []string{f[0], f[1]})
		}
		summary.markdown(&b)
	}
	for _, g := range l.grids {
		fmt.Fprintf(&b, "\n## %s\n\n", g.title)
		g.markdown(&b)
	}
	for _, list := range l.lists {
		var lines []string
		for _, line := range list.lines {
			lines = append(lines, escape(line))
		}
		paragraphs(&b, "\n## "+list.title+"\n\n", "- ", lines, Look{})
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (t *table) markdown(b *bytes.Buffer) {
	line := func(cells []string) {
		for _, cell := range cells {
			fmt.Fprintf(b, "| %s ", escape(cell))
		}
		b.WriteString("|\n")
	}
	lines := t.Lines()
	line(lines[0])
	for i := range t.Columns {
		if t.Columns[i].Right {
			b.WriteString("| ---: ")
		} else {
			b.WriteString("| --- ")
		}
	}
	b.WriteString("|\n")
	for _, row := range lines[1:] {
		line(row)
	}
}

// escape keeps the name of a job or a node from being Markdown or HTML.
func escape(s string) string {
	return markup.Replace(s)
}

var markup = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "]",
	`\]`, "#", `\#`)
