package footer

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// promptLabel stands before the text.
const promptLabel = "filter: "

// Draw draws the prompt in the last row, with the number of matching rows and its keys at the right if they fit. The
// row above it shows the mistake, or the choices of Tab. Both rows cover the page.
func (f *FilterPrompt) Draw(fr *part.Frame, shown, all int) {
	f.drawHelp(fr, fr.H-2)
	y := fr.H - 1
	fr.Fill(0, y, fr.W, ' ', draw.Text)
	wrong := -1
	if f.line.wrong != nil {
		wrong = f.line.wrong.At
	}
	x := f.line.Draw(fr, fr.Put(1, y, promptLabel, draw.Dim), y, draw.Strong, wrong)
	count := strconv.Itoa(shown) + " of " + strconv.Itoa(all)
	end := HintsAt(fr, x+3+draw.Width(count)+2, y, keys.HintOf(keys.Complete), keys.HintOf(keys.Keep),
		keys.HintOf(keys.Cancel))
	if at := end - 2 - draw.Width(count); at >= x+3 {
		fr.Put(at, y, count, draw.Dim)
	}
}

// drawHelp writes the mistake or the choices of Tab into row y.
func (f *FilterPrompt) drawHelp(fr *part.Frame, y int) {
	if fr.H < part.Small {
		return
	}
	l := f.line
	fr.Fill(0, y, fr.W, ' ', draw.Text)
	choices, chosen := l.tabChoices(f.fields)
	if l.wrong != nil && len(choices) == 0 || l.wrong != nil && l.cycle == nil && l.wrong.At < l.cursorByte() {
		fr.Left(1, y, fr.W-2, l.wrong.Text, draw.Warn)
		return
	}
	x := 1
	if len(choices) > 0 {
		x = fr.Put(x, y, keys.Name(keys.Complete)+":", draw.Dim) + 1
	}
	for i, c := range choices {
		if x+draw.Width(c)+2 > fr.W-1 {
			fr.Put(x, y, "…", draw.Dim)
			return
		}
		role := draw.Dim
		if i == chosen {
			role = draw.Tab
		}
		x = fr.Put(x, y, c, role) + 1
	}
}

// tabChoices returns the choices of Tab, and the index of the present one.
func (l *openPrompt) tabChoices(fields filter.Fields) (all []string, chosen int) {
	if l.cycle != nil {
		return l.cycle.Choices, l.cycle.at
	}
	return filter.Complete(l.Text(), l.cursorByte(), fields).Choices, -1
}

// Title says in w columns how many of all rows match the filter: `4 of 64 nodes match "n0"`. It says what the rows are
// only if one and many have words for them.
func (f *FilterPrompt) Title(job string, shown, all int, one, many string, w int) string {
	text := strconv.Itoa(shown) + " of "
	if one == "" {
		text += strconv.Itoa(all)
	} else {
		text += part.Plural(all, one, many)
	}
	if shown == 1 {
		text += " matches "
	} else {
		text += " match "
	}
	return draw.Clip(text+f.quoteFilter(job, min(w, titleWide)-draw.Width(text)), w)
}

// titleWide is the maximum width of the filter in a title.
const titleWide = 60

// None says in w columns that no row matches, and names the key that brings the rows back.
func (f *FilterPrompt) None(job, many string, w int) string {
	way := ": " + keys.Name(keys.Back) + " clears the filter"
	text := "no " + many + " match "
	return text + f.quoteFilter(job, w-draw.Width(text)-len(way)) + way
}

// quoteFilter is the filter of a job in w columns. It is in quotes unless it has quotes itself.
func (f *FilterPrompt) quoteFilter(job string, w int) string {
	return part.Quote(f.filterOf(job).text, max(w-2, 6))
}
