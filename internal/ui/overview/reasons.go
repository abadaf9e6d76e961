package overview

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// reasonWide is the least room for a finding in a column of the heat map.
const reasonWide = 39

// drawShortProblems lists the problems in short form, for when there is no room for sentences, in as many columns as
// necessary.
func drawShortProblems(f *part.Frame, y int, names *draw.Naming) {
	found := header.GroupAlike(withoutNotes(f.Health.Listed("")))
	rows := f.H - 1 - y
	if rows <= 0 || len(found) == 0 {
		return
	}
	across := min(max((f.W-2)/reasonWide, 1), (len(found)+rows-1)/rows)
	wide := (f.W - 2) / across
	room := rows * across
	for i, l := range found {
		finding, _ := l.Say(f)
		x, row := 1+i%across*wide, y+i/across
		if i == room-1 && len(found) > room {
			f.Left(x, row, wide-1, "+"+part.Counted(header.AllFindings(found[i:]), "more", "more")+part.MoreKey, draw.Dim)
			return
		}
		m := part.MarkOf(finding)
		end := x + wide - 1
		x = f.Put(x, row, m.Glyph+" "+draw.ClipMiddle(names.Of(finding.Node), longName)+" ", m.Role)
		text, role := troubleText(f, l, end-x)
		f.Left(x, row, end-x, text, role)
	}
}

// troubleText returns a problem in w columns, and its role.
func troubleText(f *part.Frame, l header.FindingGroup, w int) (string, draw.Role) {
	finding, words := l.Say(f)
	if !finding.Holds() {
		if long := header.WordsOnGPU(finding, words.Long); draw.Width(long) <= w {
			return long, draw.Dim
		}
		return header.WordsOnGPU(finding, words.Short), draw.Dim
	}
	age := header.FindingAge(f, finding, " ")
	if long := header.WordsOnGPU(finding, words.Long) + age; draw.Width(long) <= w {
		return long, draw.Text
	}
	return header.ShortFinding(finding, words, w-len(age)) + age, draw.Text
}

// withoutNotes returns the findings that a heat map names: all except notes.
func withoutNotes(findings []cluster.Finding) []cluster.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f cluster.Finding) bool { return f.Severity == cluster.Note })
}
