package header

import (
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// BarRow is the row of the bar of pages.
const BarRow = 2

// chip is a page in the bar.
type chip struct {
	key   keys.Hint
	text  string // its number, name and count
	mark  part.Mark
	x, to int // its columns
}

// barPages are the pages of the bar: those with digits, then those with letters, for which narrow terminals have no
// room.
var barPages = func() (all []keys.Hint) {
	for _, b := range slices.Concat(keys.Numbers, keys.Letters) {
		all = append(all, keys.HintOf(b))
	}
	return all
}()

// shortNames are the short names of pages, in the order in which they replace the names where there is no room.
var shortNames = []struct{ page, short string }{
	{keys.ToConnection.Help().Desc, "conn"}, {keys.ToSettings.Help().Desc, "set"},
	{keys.ToProcesses.Help().Desc, "procs"}, {keys.ToProblems.Help().Desc, "prob"},
	{keys.ToOverview.Help().Desc, "over"},
}

// Bar draws the bar of pages, with the numbers of jobs and problems, and the mark of the worst connection. current is
// the hint of the page on the screen.
func Bar(f *part.Frame, current keys.Hint) {
	f.Rule(BarRow)
	for _, c := range layOutBar(f.Scene, current) {
		end, role := drawTab(f, c.x, BarRow, c.text, c.mark, c.key == current), draw.Dim
		if c.key == current {
			role = draw.Tab
		}
		f.Fill(end, BarRow, c.to-end, ' ', role) // room for a mark
	}
	f.RecedeRow(BarRow)
}

// BarAt returns the hint of the page in column x of the bar; is is false if there is none.
func BarAt(s *part.Scene, current keys.Hint, x int) (k keys.Hint, is bool) {
	for _, c := range layOutBar(s, current) {
		if x >= c.x && x < c.to {
			return c.key, true
		}
	}
	return keys.Hint{}, false
}

// barStyle says what a bar leaves out.
type barStyle struct {
	tight bool // the gaps between pages, and the number of jobs
	short int  // that many names are short
	bare  bool // all names but that of the current page
	few   bool // the pages without a digit, unless one of them is on the screen
}

// barStyles are the styles, the fullest first.
var barStyles = func() []barStyle {
	all := []barStyle{{}, {tight: true}}
	for n := range shortNames {
		all = append(all, barStyle{tight: true, short: n + 1})
	}
	most := len(shortNames)
	return append(all, barStyle{tight: true, few: true}, barStyle{tight: true, short: most, few: true},
		barStyle{tight: true, bare: true}, barStyle{tight: true, bare: true, few: true})
}()

// layOutBar lays out the bar in the fullest style that fits. The columns depend on the width and the current page, not
// on what there is to count: a page stays where the mouse has found it.
func layOutBar(s *part.Scene, current keys.Hint) (all []chip) {
	for _, style := range barStyles {
		if all = style.layOut(s, current); all[len(all)-1].to < s.W {
			break
		}
	}
	return all
}

func (b barStyle) layOut(s *part.Scene, current keys.Hint) (all []chip) {
	problems, reach := problemMarks(s)
	gap, x := 1, 2
	if b.tight {
		gap, x = 0, 0
	}
	for i, k := range barPages {
		here, room := k == current, 0
		if b.few && i >= len(keys.Numbers) && !here {
			continue
		}
		c := chip{key: k, text: k.Key, x: x, mark: part.Mark{Role: draw.Text}}
		if !b.bare || here {
			c.text += " " + b.nameOf(k.Verb)
		}
		switch jobs := len(s.Snap.Jobs); {
		case k.Key == keys.Name(keys.ToJobs) && !b.tight:
			room = len(" 4")
			if jobs > 1 {
				c.mark = part.Mark{Glyph: strconv.Itoa(jobs), Role: draw.Dim}
			}
		case k.Key == keys.Name(keys.ToProblems):
			c.mark, room = problems, len(" 4")
		case k.Key == keys.Name(keys.ToConnection):
			c.mark, room = reach, len(" x")
		}
		if c.mark.Glyph != "" {
			room = max(room, 1+draw.Width(c.mark.Glyph))
		}
		c.to = c.x + draw.Width(c.text) + 2 + room
		x = c.to + gap
		all = append(all, c)
	}
	return all
}

// nameOf returns the name of a page.
func (b barStyle) nameOf(page string) string {
	for _, n := range shortNames[:b.shorts()] {
		if n.page == page {
			return n.short
		}
	}
	return page
}

func (b barStyle) shorts() int {
	if b.bare {
		return len(shortNames)
	}
	return b.short
}

// problemMarks returns the number of the problems as a mark, and the mark of the worst connection.
func problemMarks(s *part.Scene) (problems, reach part.Mark) {
	problems, reach = part.Mark{Role: draw.Text}, part.Mark{Role: draw.Text}
	if s.Job == nil {
		return problems, reach
	}
	n, worst := 0, cluster.Note
	for i := range s.Job.Findings {
		if f := &s.Job.Findings[i]; f.Severity >= cluster.Warning && f.Holds() {
			n, worst = n+1, max(worst, f.Severity)
		}
	}
	if n > 0 {
		problems = part.Mark{Glyph: strconv.Itoa(n), Role: part.Marks[worst].Role}
	}
	worst = cluster.Note
	for _, name := range s.Job.Nodes {
		worst = max(worst, s.Health.Reach(name))
	}
	if worst > cluster.Note {
		reach = part.Marks[worst]
	}
	return problems, reach
}
