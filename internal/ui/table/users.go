package table

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/columns"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

var userColumns = of(&rows.Users, []column{
	{key: colUser, priority: 1},
	{key: colNodes, gap: 2, priority: 1},
	{key: colGPUs, gap: 2, priority: 1},
	{key: colProcs, gap: 2, priority: 4},
	{key: colGPUMem, gap: 2, priority: 2},
	{key: colPowerSum, gap: 2, priority: 5},
	{key: colTime, gap: 2, priority: 3},
	{key: colJob, gap: 2, priority: 6},
	{key: colCommand, gap: 2, least: 8, priority: 7},
})

var userGrowth = []stage{{12, []col{colUser}}, {16, []col{colJob}}, {30, []col{colCommand}}, {30, []col{colJob}},
	{unbounded, []col{colCommand}}}

func userLayout(width int, list columns.List) layout {
	return fit(width, choose(userColumns, columns.Users, list), userGrowth, 3)
}

// Users is the table of the users with processes on the nodes.
type Users struct{ sheet }

// NewUsers returns the table for the terminal of a frame.
func NewUsers(f *part.Frame) *Users {
	return &Users{sheet{userColumns, userLayout(f.W, f.Columns.Users)}}
}

// Row draws one user in row y.
func (t *Users) Row(f *part.Frame, y int, u *tally.UserRow, selected bool) {
	l, role := t.layout, draw.Text
	if selected {
		f.Put(0, y, "▸", draw.Strong)
	}
	if u.Mine {
		role = draw.Strong
	}
	power, memory := "–", ""
	if u.Power == u.Power {
		power = watts(u.Power)
	}
	if u.Memory == u.Memory {
		memory = sized(uint64(u.Memory))
	}
	f.Text(l[colUser], y, cmp.Or(u.User, "n/a"), role)
	f.Number(l[colNodes], y, strconv.Itoa(u.Nodes), draw.Text)
	f.Number(l[colGPUs], y, strconv.Itoa(u.GPUs), draw.Text)
	f.Number(l[colProcs], y, strconv.Itoa(u.Procs), draw.Text)
	f.Number(l[colGPUMem], y, memory, draw.Text)
	f.Number(l[colPowerSum], y, power, draw.Text)
	f.Number(l[colTime], y, known(u.Longest, processTime), draw.Text)
	f.Text(l[colJob], y, jobsOf(u.Jobs, l[colJob].W), draw.Text)
	f.Text(l[colCommand], y, u.Command, draw.Text)
	if selected {
		f.Select(y, 0, f.W)
	}
}

// watts is a power with its unit: "850W", "14.5kW".
func watts(w float64) string {
	if w < 1000 {
		return draw.Whole(w) + "W"
	}
	return draw.KW(w) + "kW"
}

// jobsOf names jobs in w columns, and counts those without room: "48211 48380 +3".
func jobsOf(ids []string, w int) string {
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
