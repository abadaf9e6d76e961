// Package header draws the rows above each page: the job and its times in row 0, its problems in row 1, the bar of
// pages in row 2 of high terminals, and tabs in the first row of the page. It also writes the problems of nodes, GPUs
// and ranks, in sentences with hints or in a cell.
package header

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Draw draws rows 0 and 1. withNode adds the place of the selected node among the job's.
func Draw(f *part.Frame, withNode bool) { drawHeader(f, withNode, keys.Job.Key, keys.Node.Key) }

// DrawGPU draws rows 0 and 1 of a page whose arrows change the GPU and the node.
func DrawGPU(f *part.Frame) { drawHeader(f, true, "", keys.NodeDown.Key) }

// Title draws row 0 of a page that does not belong to a job: the user and the host.
func Title(f *part.Frame) {
	d := &f.Snap.Discovery
	x := f.Put(1, 0, "nvnodetop", draw.Strong)
	at := timePieces(f, false)
	start := f.W - part.Width(at)
	if who := strings.Trim(d.User+" on "+d.Host, " "); d.User != "" && d.Host != "" {
		f.Left(x+2, 0, start-x-3, who, draw.Dim)
	}
	f.Pieces(start, 0, at...)
}

// drawHeader draws rows 0 and 1 with the arrows that change the job and the node.
func drawHeader(f *part.Frame, withNode bool, jobArrows, nodeArrows string) {
	right := positionPieces(f, true, withNode, jobArrows, nodeArrows)
	start := f.W - part.Width(right)
	for _, job := range []bool{true, false} { // in a list, the job's name matters more than its place
		if start >= jobNameLeast(f) {
			break
		}
		right = positionPieces(f, job, false, jobArrows, nodeArrows)
		start = f.W - part.Width(right)
	}
	f.Pieces(start, 0, right...)
	drawProblems(f, JobLine(f, start), true)
}

// JobLine draws the job's name, its times, and how far its program is, up to column end. It returns the parts of the
// progress that do not fit.
func JobLine(f *part.Frame, end int) (rest []string) {
	x := JobName(f, end)
	times := JobTimes(f)
	end-- // two blanks stand before what is on the right
	if x+part.Width(times) >= end {
		return nil
	}
	return drawProgress(f, f.Pieces(x, 0, times...), 0, end, say.Progress(f.Job, f.Snap.At))
}

// Progress draws how far the program of the job is, in row y.
func Progress(f *part.Frame, y int) {
	const indent = 1 // the parts have a gap before them
	drawProgress(f, indent-progressGap, y, f.W, say.Progress(f.Job, f.Snap.At))
}

// progressGap is the gap before each part of the progress.
const progressGap = 3

// drawProgress draws as many parts as fit before column end, in their order, and returns the others.
func drawProgress(f *part.Frame, x, y, end int, parts []string) (rest []string) {
	for _, text := range parts {
		if x+progressGap+draw.Width(text) >= end {
			rest = append(rest, text)
			continue
		}
		x = f.Put(x+progressGap, y, text, draw.Text)
	}
	return rest
}

// JobName draws the job's ID and name up to column end, and returns the column after them.
func JobName(f *part.Frame, end int) int {
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
		x := f.Put(1, 0, part.Plural(n, "node", "nodes"), draw.Strong)
		return f.Put(x, 0, draw.Clip("  "+how, end-x), draw.Dim)
	}
	x := 1
	lead := part.Dim("Job ")
	if f.OtherJob {
		lead = part.Piece{Text: " now job ", Role: draw.Tab}
	}
	for _, w := range []part.Piece{lead, part.Strong(draw.Clip(f.Job.ID, max(end-x-5, 0))), part.Text(" ")} {
		x = f.PutUntil(x, 0, end-1, w.Text, w.Role)
	}
	x = f.PutUntil(x, 0, end-1, draw.Clip(f.Job.Name, min(room, max(end-1-x, 0))), draw.Strong)
	if f.W >= 100 {
		x = f.Put(x, 0, "  "+draw.Clip(f.Job.User, 16), draw.Dim)
	}
	return x
}

// jobNameLeast is the least width for JobName: the ID and the beginning of the name.
func jobNameLeast(f *part.Frame) int {
	const name = 6
	if f.Job.ID == "" {
		return 10
	}
	return 1 + len("Job ") + draw.Width(f.Job.ID) + 1 + min(draw.Width(f.Job.Name), name) + 1
}

// JobTimes says how long the job has been running and how long it may run, or that it is suspended.
func JobTimes(f *part.Frame) []part.Piece {
	if f.Job.Suspended {
		return []part.Piece{{Text: "  suspended", Role: draw.Warn}}
	}
	var words []part.Piece
	at := f.Snap.At
	if f.W >= 100 && !f.Job.Start.IsZero() {
		words = append(words, part.Dim("  R "), part.Text(draw.JobTime(at.Sub(f.Job.Start))))
		if f.W >= 130 && f.Job.Limit > 0 {
			words = append(words, part.Dim(" of "+draw.JobTime(f.Job.Limit)))
		}
	}
	if !f.Job.End.IsZero() {
		role := draw.Text
		if f.W < 100 {
			role = draw.Dim
		}
		words = append(words, part.Text("  "+draw.JobTime(f.Job.End.Sub(at))), part.Piece{Text: " left", Role: role})
	}
	return words
}

// positionPieces is the right end of row 0: the places in the lists, the intervals and the time.
func positionPieces(f *part.Frame, withJob, withNode bool, jobArrows, nodeArrows string) []part.Piece {
	wide := f.W >= 100
	var words []part.Piece
	add := func(name string, at, n int, arrows string) {
		words = append(words, part.Dim(name+" ["), part.Text(strconv.Itoa(at+1)+"/"+strconv.Itoa(n)), part.Dim("]"))
		if wide && withNode && n > 1 && arrows != "" { // otherwise the arrows move a cursor
			words = append(words, part.Dim(" "+f.KeyName(arrows)))
		}
		words = append(words, part.Dim("  "))
	}
	if f.Job.ID != "" && withJob {
		add("job", f.JobAt, len(f.Snap.Jobs), jobArrows)
	}
	if withNode {
		add("node", f.NodeAt, len(f.Job.Nodes), nodeArrows)
	}
	return append(words, timePieces(f, f.Job.Progress != nil)...)
}

// timePieces is the time of the Snapshot, with the intervals in wide terminals, unless it is to be short. The word for
// a recording or an earlier moment comes before it.
func timePieces(f *part.Frame, isShort bool) []part.Piece {
	return slices.Concat(recordingPieces(f), pastPieces(f), clockPieces(f, isShort))
}

// pastPieces says that the screen shows an earlier moment, and the key that leads back to now.
func pastPieces(f *part.Frame) []part.Piece {
	if f.Ago == "" {
		return nil
	}
	return []part.Piece{{Text: " " + f.Ago + " ", Role: draw.WarnFill}, part.Dim(" " + keys.Name(keys.Back) + ": live  ")}
}

// recordingPieces says that a recording is being made.
func recordingPieces(f *part.Frame) []part.Piece {
	if f.Recording == "" {
		return nil
	}
	return []part.Piece{{Text: "● ", Role: draw.Crit}, part.Strong(f.Recording + "  ")}
}

func clockPieces(f *part.Frame, isShort bool) []part.Piece {
	clock := part.Text(f.Snap.At.Format(time.TimeOnly) + " ")
	if f.W < 110 || isShort && f.Slow <= 1 {
		return []part.Piece{clock}
	}
	if f.Slow > 1 {
		every := part.Seconds(f.Snap.Poll * time.Duration(f.Slow))
		return []part.Piece{part.Dim("idle: polling every " + every + ", press any key  "), clock}
	}
	every := "poll " + part.Seconds(f.Snap.Poll) + "  redraw " + part.Seconds(f.Display) + "  "
	return []part.Piece{part.Dim(every), clock}
}
