package page

import (
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// NoJobs is for somebody who has no running job: what SLURM was asked, and what waits in the queue.
type NoJobs struct{ plain }

// Draw draws the page.
func (NoJobs) Draw(f *part.Frame) {
	d := &f.Snap.Discovery
	x := f.Put(1, 0, "nvnodetop", draw.Strong)
	clock := part.Clock(f)
	start := f.W - part.Width(clock)
	if who := strings.Trim(d.User+" on "+d.Host, " "); d.User != "" && d.Host != "" {
		f.Left(x+2, 0, start-x-3, who, draw.Dim)
	}
	f.Pieces(start, 0, clock...)
	f.Fill(0, 1, f.W, '─', draw.Faint)
	y := asked(f, min(4, max(f.H/4, 2)))
	if len(d.Pending) > 0 && y+3 < f.H-1 {
		pending(f, y+1)
	}
	part.Footer(f, "", keys.HintOf(keys.Refresh).As("ask now"), keys.HintOf(keys.Help), keys.HintOf(keys.Quit))
}

// asked says what was asked of SLURM and what it said, from row y, and returns the row below.
func asked(f *part.Frame, y int) int {
	d := &f.Snap.Discovery
	room := f.W - 4
	now := f.Snap.At
	put := func(text string, role draw.Role) {
		for _, s := range draw.Wrap(text, max(room, 10), "") {
			if y < f.H-1 {
				f.Left(3, y, room, s, role)
			}
			y++
		}
	}
	next := ""
	if d.Next.After(now) {
		next = "; asked again in " + draw.Age(d.Next.Sub(now).Round(time.Second))
	}
	switch {
	case d.Failure != nil:
		f.Put(2, y, draw.Clip(" ✗ "+d.Failure.Summary()+" ", f.W-3), draw.CritFill)
		y += 2
		if words := d.Failure.Words; words != "" {
			for s := range strings.SplitSeq(words, "\n") {
				put(s, draw.Text)
			}
		}
		put(d.Failure.Meaning, draw.Dim)
		for _, h := range d.Failure.Hints {
			put("→ "+h, draw.Dim)
		}
		put("squeue was asked "+draw.Age(now.Sub(d.Asked))+" ago and gave up after "+draw.Took(d.Took)+next+".", draw.Dim)
	case d.Answered.IsZero():
		put("Asking SLURM for your running jobs…", draw.Strong)
	default:
		put("No running SLURM jobs found.", draw.Strong)
		put("squeue was asked "+draw.Age(now.Sub(d.Asked))+" ago and answered in "+draw.Took(d.Took)+next+".", draw.Dim)
	}
	if d.Command != "" {
		put("$ "+d.Command, draw.Dim)
	}
	return y
}

// pendingColumns are those of the queue, with the width of each; the last takes the rest.
var pendingColumns = []struct {
	title string
	x, w  int
	right bool
}{
	{"JOB", 3, 10, false}, {"NAME", 13, 17, false}, {"PARTITION", 31, 10, false}, {"NODES", 42, 5, true}, {"GPUS", 49, 4, true},
	{"WHY", 55, 13, false}, {"STARTS", 69, 10, false},
}

// pending draws the jobs that wait in the queue.
func pending(f *part.Frame, y int) {
	jobs := f.Snap.Discovery.Pending
	f.Section(y, "Waiting in the queue", strconv.Itoa(len(jobs)))
	y++
	row := func(role draw.Role, texts ...string) {
		for i, c := range pendingColumns {
			if c.x+c.w > f.W {
				break
			}
			if c.right {
				f.Right(c.x, y, c.w, texts[i], role)
			} else {
				f.Left(c.x, y, c.w, texts[i], role)
			}
		}
		y++
	}
	var titles []string
	for _, c := range pendingColumns {
		titles = append(titles, c.title)
	}
	row(draw.Dim, titles...)
	for i := range jobs {
		j := &jobs[i]
		if y == f.H-2 && i < len(jobs)-1 {
			f.Put(3, y, "+"+strconv.Itoa(len(jobs)-i)+" more", draw.Dim)
			return
		}
		if y >= f.H-1 {
			return
		}
		gpus, starts := "–", "–"
		if j.GPUs != nil {
			gpus = strconv.Itoa(*j.GPUs)
		}
		if j.Start.After(f.Snap.At) {
			starts = "in " + draw.Age(j.Start.Sub(f.Snap.At))
		}
		row(draw.Text, j.ID, j.Name, j.Partition, strconv.Itoa(j.Nodes), gpus, j.Reason, starts)
	}
}
