package table

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

var userGrowth = []GrowthStage{GrowTo(12, colUser), GrowTo(16, colJob), GrowTo(30, colCommand),
	GrowTo(30, colJob),
	GrowRest(colCommand)}

func userLayout(width int, list rows.ColumnList) Layout {
	return FitColumns(width, ChooseColumns(userColumns, list), userGrowth, 3)
}

// Users is the table of the users with processes on the nodes.
type Users struct{ Sheet }

// NewUsers returns the table for the terminal of a frame.
func NewUsers(f *part.Frame) *Users {
	return &Users{Sheet{Columns: userColumns, Layout: userLayout(f.W, f.Columns.Users)}}
}

// Row draws one user in row y.
func (t *Users) Row(f *part.Frame, y int, u *rows.UserRow, selected bool) {
	l, role := t.Layout, draw.Text
	if u.Mine {
		role = draw.Strong
	}
	power, memory := "–", ""
	if u.Power == u.Power {
		power = powerText(u.Power)
	}
	if u.Memory == u.Memory {
		memory = sizeText(uint64(u.Memory))
	}
	f.Text(l[colUser], y, cmp.Or(u.User, "n/a"), role)
	f.Number(l[colNodes], y, strconv.Itoa(u.Nodes), draw.Text)
	f.Number(l[colGPUs], y, strconv.Itoa(u.GPUs), draw.Text)
	f.Number(l[colProcs], y, strconv.Itoa(u.Procs), draw.Text)
	f.Number(l[colGPUMem], y, memory, draw.Text)
	f.Number(l[colPowerSum], y, power, draw.Text)
	f.Number(l[colTime], y, textIfKnown(u.Longest, processTime), draw.Text)
	f.Text(l[colJob], y, Names(u.Jobs, l[colJob].W), draw.Text)
	f.Text(l[colCommand], y, u.Command, draw.Text)
	spareCells(f, y, l, userColumns, &rows.Users, u, draw.Text)
	if selected {
		f.Cursor(y, y+1)
	}
}

// powerText is a power with its unit: "850W", "14.5kW".
func powerText(w float64) string {
	if w < 1000 {
		return draw.Whole(w) + "W"
	}
	return draw.KW(w) + "kW"
}

// Names lists names in w columns, and counts those that do not fit: "48211 48380 +3".
func Names(ids []string, w int) string {
	if len(ids) == 0 {
		return "–"
	}
	for n := min(len(ids), w/2+1); n > 1; n-- {
		text := strings.Join(ids[:n], " ")
		if n < len(ids) {
			text += " +" + strconv.Itoa(len(ids)-n)
		}
		if draw.Width(text) <= w {
			return text
		}
	}
	if more := " +" + strconv.Itoa(len(ids)-1); len(ids) > 1 {
		return draw.ClipMiddle(ids[0], w-len(more)) + more
	}
	return draw.ClipMiddle(ids[0], w)
}
