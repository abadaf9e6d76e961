package page

import (
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// NoJobs is the page of a user without running jobs: SLURM's last answer, and the jobs that wait in the queue.
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
	part.Footer(f, "", keys.HintOf(keys.Refresh).As("refresh"), keys.HintOf(keys.Help), keys.HintOf(keys.Quit))
}

// asked draws the last question to SLURM and its answer, from row y, and returns the row below.
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
	again := func(word string) string {
		if !d.Next.After(now) {
			return "."
		}
		return ", " + word + " in " + draw.Age(d.Next.Sub(now).Round(time.Second)) + "."
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
		put("squeue failed "+draw.Age(now.Sub(d.Asked))+" ago"+again("retry"), draw.Dim)
	case d.Answered.IsZero():
		put("Asking SLURM for your running jobs…", draw.Strong)
	default:
		put("No running SLURM jobs found.", draw.Strong)
		put("Last squeue "+draw.Age(now.Sub(d.Asked))+" ago ("+draw.Took(d.Took)+")"+again("next"), draw.Dim)
	}
	if d.Command != "" {
		put("$ "+d.Command, draw.Dim)
	}
	return y
}

// pending draws the jobs that wait in the queue.
func pending(f *part.Frame, y int) {
	jobs := f.Snap.Discovery.Pending
	f.Section(y, "Pending jobs", strconv.Itoa(len(jobs)))
	t := table.NewPending(f.W)
	t.Head(f, y+1)
	y += 2
	for i := range jobs {
		if y == f.H-2 && i < len(jobs)-1 {
			f.Put(3, y, "+"+strconv.Itoa(len(jobs)-i)+" more", draw.Dim)
			return
		}
		if y >= f.H-1 {
			return
		}
		t.Row(f, y, &jobs[i])
		y++
	}
}
