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

// Text writes the report for people, with times in a time zone.
func Text(w io.Writer, r *report.Report, zone *time.Location, look TextFormat) error {
	l := newLayout(r, zone)
	var b bytes.Buffer
	fmt.Fprintln(&b, look.paintText(l.title, strong))
	for i, s := range append([]section{{facts: l.facts}}, l.sections...) {
		if s.title != "" {
			fmt.Fprintf(&b, "\n%s\n", look.paintText(s.title, strong))
		}
		for _, f := range s.facts {
			if f[0] == "State" {
				f[1] = look.paintState(f[1])
			}
			look.printText(&b, fmt.Sprintf("  %-16s ", f[0]), f[1])
		}
		if all := resourceUses(r); i == 0 && len(all) > 0 {
			fmt.Fprintf(&b, "\n%s\n", look.paintText("Used", strong))
			look.drawBars(&b, all)
		}
	}
	for _, g := range l.grids {
		fmt.Fprintf(&b, "\n%s\n", look.paintText(g.title, strong))
		g.text(&b, look)
	}
	for _, list := range l.lists {
		printParagraphs(&b, "\n"+look.paintText(list.title, strong)+"\n", "  "+list.mark, list.lines, look)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func printParagraphs(b *bytes.Buffer, title, before string, lines []string, look TextFormat) {
	if len(lines) == 0 {
		return
	}
	b.WriteString(title)
	for _, line := range lines {
		look.printText(b, before, line)
	}
}

// text writes the table in columns.
func (t *titledTable) text(b *bytes.Buffer, look TextFormat) {
	g := look.fitColumns(&t.Table)
	widths := g.Widths()
	for i, block := range look.splitBlocks(g) {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, row := range g.Lines() {
			line := ""
			for _, k := range block {
				before, after := g.Blank(k, row[k], widths[k])
				cell := row[k]
				if g.Columns[k].Head == "State" {
					cell = look.paintState(cell)
				}
				line += "  " + before + cell + after
			}
			fmt.Fprintln(b, strings.TrimRight(line, " "))
		}
	}
}

// Markdown writes the report for an issue or a wiki, with times in a time zone.
func Markdown(w io.Writer, r *report.Report, zone *time.Location) error {
	l := newLayout(r, zone)
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", escapeMarkdown(l.title))
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
			lines = append(lines, escapeMarkdown(line))
		}
		printParagraphs(&b, "\n## "+list.title+"\n\n", "- ", lines, TextFormat{})
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (t *titledTable) markdown(b *bytes.Buffer) {
	line := func(cells []string) {
		for _, cell := range cells {
			fmt.Fprintf(b, "| %s ", escapeMarkdown(cell))
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

// escapeMarkdown prevents the name of a job or a node from acting as Markdown or HTML.
func escapeMarkdown(s string) string {
	return markup.Replace(s)
}

var markup = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "]",
	`\]`, "#", `\#`)
