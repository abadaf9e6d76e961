// Package picture draws frames of a terminal as an SVG: letters as text, blocks and dots as shapes, so that bars and
// graphs meet in any font. Several frames become a moving picture, which repeats.
//
// The text of the frames is in the picture too, for people who cannot see it, and so that a test can tell whether the
// program still shows it.
package picture

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"time"
	"unicode"

	uv "github.com/charmbracelet/ultraviolet"
)

// Frame is what a terminal shows for some time.
type Frame struct {
	Rows    [][]uv.Cell
	Caption string        // a line below the terminal, such as the key that led here; "": none
	For     time.Duration // how long a moving picture shows it
}

// Screen is a terminal.
type Screen interface {
	Width() int
	Height() int
	CellAt(x, y int) *uv.Cell
}

// Of returns what a terminal shows now.
func Of(s Screen) Frame {
	rows := make([][]uv.Cell, s.Height())
	for y := range rows {
		for x := range s.Width() {
			cell := uv.EmptyCell
			if c := s.CellAt(x, y); c != nil {
				cell = *c
			}
			rows[y] = append(rows[y], cell)
		}
	}
	return Frame{Rows: rows}
}

// Text returns the text of frames: lines without trailing spaces, below their captions.
func Text(frames ...Frame) string {
	var b strings.Builder
	for _, f := range frames {
		if f.Caption != "" {
			fmt.Fprintf(&b, "== %s\n", f.Caption)
		}
		for _, row := range f.Rows {
			var line strings.Builder
			for _, c := range row {
				line.WriteString(c.Content)
			}
			b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		}
	}
	return b.String()
}

// TextIn returns the text of the frames from which a picture was made.
func TextIn(svg []byte) string {
	var doc struct {
		Desc string `xml:"desc"`
	}
	_ = xml.Unmarshal(svg, &doc) // no text: another picture
	return doc.Desc
}

// The size of a cell and of the margin, in pixels, and the colors of the terminal.
const (
	cellW, cellH, margin = 8, 17, 10
	back, front          = "#0d1117", "#d0d7de"
)

// drawing is an SVG in the making.
type drawing struct {
	defs   strings.Builder
	rows   map[string]int // numbers of the rows in defs, by their content: many frames have the same rows
	styles []string       // rules of the style sheet; the class of rule i is c<i>
}

// SVG draws frames of the same size.
func SVG(title string, frames ...Frame) []byte {
	d := drawing{rows: map[string]int{}}
	w, h := len(frames[0].Rows[0])*cellW+2*margin, len(frames[0].Rows)*cellH+2*margin
	if slices.ContainsFunc(frames, func(f Frame) bool { return f.Caption != "" }) {
		h += 2 * cellH
	}
	var body strings.Builder
	for i, f := range frames {
		fmt.Fprintf(&body, "<g class=\"f%d\">%s</g>\n", i, d.frame(f, h))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %[1]d "+
		"%[2]d\">\n",
		w, h)
	fmt.Fprintf(&b, "<title>%s</title>\n<desc>%s</desc>\n<style>\n", escaped(title), escaped(Text(frames...)))
	fmt.Fprintf(&b, "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;"+
		"white-space:pre;fill:%s}\n", front)
	for i, rule := range d.styles {
		fmt.Fprintf(&b, ".c%d{%s}\n", i, rule)
	}
	b.WriteString(motion(frames))
	fmt.Fprintf(&b, "</style>\n<defs>\n%s</defs>\n", d.defs.String())
	fmt.Fprintf(&b, "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"%s\"/>\n%s</svg>\n", w, h, back, body.String())
	return []byte(b.String())
}

// motion returns the rules that show one frame after the other, or only the first if the reader wants no motion.
func motion(frames []Frame) string {
	if len(frames) == 1 {
		return ""
	}
	var total, from time.Duration
	for _, f := range frames {
		total += f.For
	}
	var b strings.Builder
	for i, f := range frames {
		hidden := ""
		if i > 0 {
			hidden = "0%{visibility:hidden}"
		}
		fmt.Fprintf(&b, "@keyframes k%d{%s%s{visibility:visible}%s{visibility:hidden}}\n", i, hidden,
			percent(from, total), percent(from+f.For, total))
		first := map[bool]string{true: "visible", false: "hidden"}[i == 0]
		fmt.Fprintf(&b, ".f%d{visibility:%s;animation:k%d %gs step-end infinite}\n", i, first, i, total.Seconds())
		from += f.For
	}
	return b.String() + "@media(prefers-reduced-motion){g{animation:none!important}}\n"
}

func percent(part, whole time.Duration) string {
	return fmt.Sprintf("%.4g%%", 100*part.Seconds()/whole.Seconds())
}

// frame draws a frame in a picture of height h.
func (d *drawing) frame(f Frame, h int) string {
	var b strings.Builder
	for y, row := range f.Rows {
		if drawn := d.row(row); drawn != "" {
			at, known := d.rows[drawn]
			if !known {
				at = len(d.rows)
				d.rows[drawn] = at
				fmt.Fprintf(&d.defs, "<g id=\"r%d\">%s</g>\n", at, drawn)
			}
			fmt.Fprintf(&b, "<use href=\"#r%d\" x=\"%d\" y=\"%d\"/>", at, margin, margin+y*cellH)
		}
	}
	if f.Caption != "" {
		fmt.Fprintf(&b, "<rect y=\"%d\" width=\"100%%\" height=\"%d\" fill=\"#21262d\"/>", h-2*cellH+4, 2*cellH-4)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>", margin+cellW, h-cellH+7,
			escaped(f.Caption))
	}
	return b.String()
}

// look is how a cell is drawn.
type look struct {
	fg, bg          string // "": the terminal's
	bold, underline bool
	faint           bool
}

func lookOf(s *uv.Style) look {
	l := look{fg: hex(s.Fg), bg: hex(s.Bg), bold: s.Attrs&uv.AttrBold != 0, faint: s.Attrs&uv.AttrFaint != 0,
		underline: s.Underline != 0}
	if s.Attrs&uv.AttrReverse != 0 {
		l.fg, l.bg = l.bg, l.fg
		if l.fg == "" {
			l.fg = back
		}
		if l.bg == "" {
			l.bg = front
		}
	}
	return l
}

func hex(c color.Color) string {
	if c == nil {
		return ""
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// row draws a row of cells: first what is behind the letters.
func (d *drawing) row(cells []uv.Cell) string {
	var behind, shapes, text strings.Builder
	for x := 0; x < len(cells); {
		l, n := lookOf(&cells[x].Style), 1
		for x+n < len(cells) && lookOf(&cells[x+n].Style) == l {
			n++
		}
		if l.bg != "" {
			fmt.Fprintf(&behind, "<rect x=\"%d\" width=\"%d\" height=\"%d\" class=\"%s\"/>", x*cellW, n*cellW, cellH,
				d.class("fill:"+l.bg))
		}
		d.run(&shapes, &text, l, x, cells[x:x+n])
		x += n
	}
	return behind.String() + shapes.String() + text.String()
}

// run draws cells of the same look. Letters are pieces of text, each stretched to its cells.
func (d *drawing) run(shapes, text *strings.Builder, l look, x int, cells []uv.Cell) {
	fill := "fill:" + l.fg
	if l.fg == "" {
		fill = "fill:" + front
	}
	if l.faint {
		fill += ";opacity:.55"
	}
	var path, letters strings.Builder
	from, wide := 0, 0
	flush := func() {
		if s := strings.TrimRight(letters.String(), " "); s != "" {
			rule := fill
			if l.bold {
				rule += ";font-weight:bold"
			}
			if l.underline {
				rule += ";text-decoration:underline"
			}
			wide -= len(letters.String()) - len(s)
			fmt.Fprintf(text, `<text x="%d" y="13" textLength="%d" lengthAdjust="spacingAndGlyphs" class="%s">%s</text>`,
				(x+from)*cellW, wide*cellW, d.class(rule), escaped(s))
		}
		letters.Reset()
		wide = 0
	}
	for i, c := range cells {
		shape := shapeOf(c.Content, (x+i)*cellW)
		switch {
		case shape != "":
			flush()
			path.WriteString(shape)
		case strings.TrimSpace(c.Content) == "" && (letters.Len() == 0 || strings.HasSuffix(letters.String(), " ")):
			flush()
		default:
			if letters.Len() == 0 {
				from = i
			}
			letters.WriteString(c.Content)
			wide += c.Width
		}
	}
	flush()
	if path.Len() > 0 {
		fmt.Fprintf(shapes, "<path class=\"%s\" d=\"%s\"/>", d.class(fill), path.String())
	}
}

// class returns the class of a rule.
func (d *drawing) class(rule string) string {
	at := slices.Index(d.styles, rule)
	if at < 0 {
		at = len(d.styles)
		d.styles = append(d.styles, rule)
	}
	return fmt.Sprintf("c%d", at)
}

// shapeOf returns the path of a block, of Braille dots or of a line; "": the content is text.
func shapeOf(content string, x int) string {
	r := []rune(content)
	if len(r) != 1 {
		return ""
	}
	const w, h = float64(cellW), float64(cellH)
	left := float64(x)
	switch o := r[0]; {
	case o == '▀':
		return box(left, 0, w, h/2)
	case '▁' <= o && o <= '█':
		part := h * float64(o-'▁'+1) / 8
		return box(left, h-part, w, part)
	case '▉' <= o && o <= '▏':
		return box(left, 0, w*float64('▐'-o)/8, h)
	case o == '▐':
		return box(left+w/2, 0, w/2, h)
	case o > '⠀' && o <= '⣿':
		return dots(left, o-'⠀')
	}
	return lines(left, r[0])
}

// arms are the directions in which the lines of a character leave its middle; heavy lines are capitals.
var arms = map[rune]string{
	'─': "lr", '━': "LR", '╸': "L", '╺': "R", '╾': "Lr", '╼': "lR", '│': "ud", '┃': "UD",
	'┌': "rd", '╭': "rd", '┐': "ld", '╮': "ld", '└': "ru", '╰': "ru", '┘': "lu", '╯': "lu",
	'├': "rud", '┤': "lud", '┬': "lrd", '┴': "lru", '┼': "lrud",
}

// lines returns the lines of a character, "" if it has none.
func lines(left float64, r rune) string {
	const w, h = float64(cellW), float64(cellH)
	var b strings.Builder
	for _, arm := range arms[r] {
		thick := 1.0
		if unicode.IsUpper(arm) {
			thick = 4
		}
		x, y := left+w/2-(thick-1)/2, h/2-(thick-1)/2
		switch unicode.ToLower(arm) {
		case 'l':
			b.WriteString(box(left, y, w/2, thick))
		case 'r':
			b.WriteString(box(left+w/2, y, w/2, thick))
		case 'u':
			b.WriteString(box(x, 0, thick, h/2))
		case 'd':
			b.WriteString(box(x, h/2, thick, h/2))
		}
	}
	return b.String()
}

// dots returns the dots of a Braille character, whose bits number them.
func dots(left float64, bits rune) string {
	const w, h = float64(cellW), float64(cellH)
	var b strings.Builder
	for i, at := range [8][2]float64{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}} {
		if bits>>i&1 == 1 {
			b.WriteString(box(left+1+at[0]*w/2, 1+at[1]*h/4, 2, 2))
		}
	}
	return b.String()
}

func box(x, y, w, h float64) string { return fmt.Sprintf("M%.4g %.4gh%.4gv%.4gh%.4gz", x, y, w, h, -w) }

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}
