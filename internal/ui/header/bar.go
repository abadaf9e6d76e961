package header

import (
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

// names are the short names of pages, for narrow terminals.
var names = map[string]string{"overview": "over", "processes": "procs", "problems": "prob", "connection": "conn",
	"settings": "set"}

// Bar draws the bar of pages, with the numbers of jobs and problems, and the mark of the worst connection. current is
// the hint of the page on the screen.
func Bar(f *part.Frame, current keys.Hint) {
	f.Fill(0, BarRow, f.W, '─', draw.Faint)
	for _, c := range layOutBar(f.Scene, current) {
		drawTab(f, c.x, BarRow, c.text, c.mark, c.key == current)
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

// layOutBar lays out the bar: with all names, with short names, or with numbers only, except for the current page.
func layOutBar(s *part.Scene, current keys.Hint) (all []chip) {
	problems, reach := problemMarks(s)
	for _, style := range []struct{ tight, short, bare bool }{
		{}, {tight: true}, {tight: true, short: true}, {tight: true, short: true, bare: true}} {
		gap, x := 1, 2
		if style.tight {
			gap, x = 0, 0
		}
		all = all[:0]
		for _, b := range keys.Numbers {
			k := keys.HintOf(b)
			name := k.Verb
			if short := names[name]; short != "" && style.short {
				name = short
			}
			c := chip{key: k, text: k.Key, x: x, mark: part.Mark{Role: draw.Text}}
			here := k == current
			if !style.bare || here {
				c.text += " " + name
			}
			switch {
			case k.Key == keys.ToJobs.Help().Key && len(s.Snap.Jobs) > 1 && !style.tight:
				c.text += " " + strconv.Itoa(len(s.Snap.Jobs))
			case k.Key == keys.ToProblems.Help().Key:
				c.mark = problems
			case k.Key == keys.ToConnection.Help().Key:
				c.mark = reach
			}
			c.to = c.x + draw.Width(c.text) + 2
			if c.mark.Glyph != "" {
				c.to += 1 + draw.Width(c.mark.Glyph)
			}
			x = c.to + gap
			all = append(all, c)
		}
		if x-gap < s.W {
			break
		}
	}
	return all
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
