package page

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// reasonWide is the least room for a finding in a column of the heat map.
const reasonWide = 39

// troubles lists what is wrong where there is no room for sentences: below each other, or in as many columns as it takes.
func troubles(f *part.Frame, y int, t *tiles) {
	found := reasons(f.Job.Findings)
	rows := f.H - 1 - y
	if rows <= 0 || len(found) == 0 {
		return
	}
	across := min(max((f.W-2)/reasonWide, 1), (len(found)+rows-1)/rows)
	wide := (f.W - 2) / across
	room := rows * across
	for i, finding := range found {
		x, row := 1+i%across*wide, y+i/across
		if i == room-1 && len(found) > room {
			f.Left(x, row, wide-1, "+"+strconv.Itoa(len(found)-i)+" more (!)", draw.Dim)
			return
		}
		m := part.MarkOf(finding)
		end := x + wide - 1
		x = f.Put(x, row, m.Glyph+" "+draw.ClipMiddle(t.names.Of(finding.Node), longName)+" ", m.Role)
		text, role := troubleText(f, finding, end-x)
		f.Left(x, row, end-x, text, role)
	}
}

// troubleText is a finding in w columns, and its role.
func troubleText(f *part.Frame, finding *cluster.Finding, w int) (string, draw.Role) {
	words := f.Say(finding)
	if !finding.Holds() {
		if long := part.OnGPU(finding, words.Long); draw.Width(long) <= w {
			return long, draw.Dim
		}
		return part.OnGPU(finding, words.Short), draw.Dim
	}
	age := part.FindingAge(f, finding, " ")
	if long := part.OnGPU(finding, words.Long) + age; draw.Width(long) <= w {
		return long, draw.Text
	}
	return part.ShortOf(finding, words, w-len(age)) + age, draw.Text
}

// reasons are the findings that a heat map names: all but notes.
func reasons(findings []cluster.Finding) []*cluster.Finding {
	var found []*cluster.Finding
	for i := range findings {
		if findings[i].Severity > cluster.Note {
			found = append(found, &findings[i])
		}
	}
	return found
}
