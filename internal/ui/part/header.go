package part

import (
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// Header draws rows 0 and 1. withNode adds the place of the selected node among the job's.
func Header(f *Frame, withNode bool) { header(f, withNode, keys.Job.Key, keys.Node.Key) }

// GPUHeader draws rows 0 and 1 of a page whose arrows change the GPU and the node.
func GPUHeader(f *Frame) { header(f, true, "", keys.NodeDown.Key) }

// TitleLine draws row 0 of a page that is about no job: whose jobs, and where.
func TitleLine(f *Frame) {
	d := &f.Snap.Discovery
	x := f.Put(1, 0, "nvnodetop", draw.Strong)
	clock := Clock(f)
	start := f.W - Width(clock)
	if who := strings.Trim(d.User+" on "+d.Host, " "); d.User != "" && d.Host != "" {
		f.Left(x+2, 0, start-x-3, who, draw.Dim)
	}
	f.Pieces(start, 0, clock...)
}

// header draws rows 0 and 1 with the arrows that change the job and the node.
func header(f *Frame, withNode bool, jobArrows, nodeArrows string) {
	right := position(f, true, withNode, jobArrows, nodeArrows)
	start := f.W - Width(right)
	for _, job := range []bool{true, false} { // the job's name goes before where it is in a list
		if start >= jobNameLeast(f) {
			break
		}
		right = position(f, job, false, jobArrows, nodeArrows)
		start = f.W - Width(right)
	}
	x := JobName(f, start)
	if times := JobTimes(f); x+Width(times) < start {
		f.Pieces(x, 0, times...)
	}
	f.Pieces(start, 0, right...)
	HealthLine(f)
}

// JobName draws the job's ID and name up to column end, and returns the column behind them.
func JobName(f *Frame, end int) int {
	room := 12
	if f.W >= 100 {
		room = 24
	}
	if f.Job.ID == "" {
		n := len(f.Job.Nodes)
		how := f.Job.Name
		if how == "" {
			how = "from --nodes"
		}
		x := f.Put(1, 0, Plural(n, "node", "nodes"), draw.Strong)
		return f.Put(x, 0, draw.Clip("  "+how, end-x), draw.Dim)
	}
	x := 1
	for _, w := range []Piece{{"Job ", draw.Dim}, {draw.Clip(f.Job.ID, max(end-x-5, 0)), draw.Strong},
		{" ", draw.Text}} {
		x = f.PutUntil(x, 0, end-1, w.Text, w.Role)
	}
	x = f.PutUntil(x, 0, end-1, draw.Clip(f.Job.Name, min(room, max(end-1-x, 0))), draw.Strong)
	if f.W >= 100 {
		x = f.Put(x, 0, "  "+draw.Clip(f.Job.User, 16), draw.Dim)
	}
	return x
}

// jobNameLeast is the least room for JobName: the ID and the beginning of the name.
func jobNameLeast(f *Frame) int {
	const name = 6
	if f.Job.ID == "" {
		return 10
	}
	return 1 + len("Job ") + draw.Width(f.Job.ID) + 1 + min(draw.Width(f.Job.Name), name) + 1
}

// JobTimes says how long the job has run and may run, or that it is suspended.
func JobTimes(f *Frame) []Piece {
	if f.Job.Suspended {
		return []Piece{{"  suspended", draw.Warn}}
	}
	var words []Piece
	now := f.Snap.At
	if f.W >= 100 && !f.Job.Start.IsZero() {
		words = append(words, Piece{"  R ", draw.Dim}, Piece{draw.JobTime(now.Sub(f.Job.Start)), draw.Text})
		if f.W >= 130 && f.Job.Limit > 0 {
			words = append(words, Piece{" of " + draw.JobTime(f.Job.Limit), draw.Dim})
		}
	}
	if !f.Job.End.IsZero() {
		role := draw.Text
		if f.W < 100 {
			role = draw.Dim
		}
		words = append(words, Piece{"  " + draw.JobTime(f.Job.End.Sub(now)), draw.Text}, Piece{" left", role})
	}
	return words
}

// position is the right end of row 0: the places in the lists, the intervals and the time.
func position(f *Frame, withJob, withNode bool, jobArrows, nodeArrows string) []Piece {
	wide := f.W >= 100
	var words []Piece
	add := func(name string, at, n int, arrows string) {
		words = append(words, Piece{name + " [", draw.Dim}, Piece{strconv.Itoa(at+1) + "/" + strconv.Itoa(n),
			draw.Text}, Piece{"]", draw.Dim})
		if wide && withNode && n > 1 && arrows != "" { // else the arrows move a cursor
			words = append(words, Piece{" " + f.KeyName(arrows), draw.Dim})
		}
		words = append(words, Piece{"  ", draw.Dim})
	}
	if f.Job.ID != "" && withJob {
		add("job", f.JobAt, len(f.Snap.Jobs), jobArrows)
	}
	if withNode {
		add("node", f.NodeAt, len(f.Job.Nodes), nodeArrows)
	}
	return append(words, Clock(f)...)
}

// Clock is the time of the Snapshot, in wide terminals with the intervals.
func Clock(f *Frame) []Piece {
	return append(recorded(f), clock(f)...)
}

// recorded says that a recording runs.
func recorded(f *Frame) []Piece {
	if f.Recording == "" {
		return nil
	}
	return []Piece{{"● ", draw.Crit}, {f.Recording + "  ", draw.Strong}}
}

func clock(f *Frame) []Piece {
	clock := Piece{f.Snap.At.Format(time.TimeOnly) + " ", draw.Text}
	if f.W < 110 {
		return []Piece{clock}
	}
	if f.Slow > 1 {
		return []Piece{{"idle: every " + Seconds(f.Snap.Poll*time.Duration(f.Slow)) + ", any key wakes  ", draw.Dim},
			clock}
	}
	return []Piece{{"poll " + Seconds(f.Snap.Poll) + "  redraw " + Seconds(f.Display) + "  ", draw.Dim}, clock}
}

// Retry says when a node is tried again: "retry in 14s".
func Retry(f *Frame, n *cluster.Node) string {
	if n.RetryAt.IsZero() || !n.RetryAt.After(f.Snap.At) {
		return ""
	}
	return "retry in " + draw.Age(n.RetryAt.Sub(f.Snap.At).Round(time.Second))
}
