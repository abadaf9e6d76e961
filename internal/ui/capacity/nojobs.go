package capacity

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// NoJobsPage is the page of a user without running jobs: SLURM's last answer, and the jobs that wait in the queue.
type NoJobsPage struct {
	from int // the first waiting job on the screen
}

// Draw draws the page.
func (p *NoJobsPage) Draw(f *part.Frame) {
	d := &f.Snap.Discovery
	header.Title(f)
	f.Rule(1)
	y := DrawAsked(f, askedTop(f.H))
	if len(d.Pending) > 0 && y+3 < f.H-1 {
		DrawPending(f, y+1, p.from)
	}
	footer.Draw(f, "", slices.Concat(footer.MouseHints(f.Scene), []keys.Hint{keys.HintOf(keys.Cluster).As("free GPUs"),
		keys.HintOf(keys.ToJobs), keys.HintOf(keys.Refresh)}, footer.LastHints)...)
}

// DrawAsked draws the last question to SLURM and its answer, from row y, and returns the row below.
func DrawAsked(f *part.Frame, y int) int {
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
		put("squeue failed "+draw.Age(now.Sub(d.Asked))+" ago"+again("retrying"), draw.Dim)
	case f.Opening != "":
		put(f.Opening, draw.Strong)
	case d.Answered.IsZero():
		put("Asking SLURM for your running jobs…", draw.Strong)
	default:
		put("No running SLURM jobs found.", draw.Strong)
		put("squeue last ran "+draw.Age(now.Sub(d.Asked))+" ago (took "+draw.Took(d.Took)+")"+again("next"), draw.Dim)
	}
	if d.Note != "" && !f.Printed { // stderr has it
		put(d.Note, draw.Warn)
	}
	if d.Command != "" {
		put("$ "+d.Command, draw.Dim)
	}
	return y
}

// DrawPending draws the jobs that wait in the queue, beginning with index from of the list.
func DrawPending(f *part.Frame, y, from int) {
	jobs := f.Snap.Discovery.Pending
	room := pendingRoom(f.H, y)
	from = max(min(from, len(jobs)-room), 0)
	to := min(from+room, len(jobs))
	f.Section(y, "Pending jobs", cmp.Or(nav.Position(from, to, len(jobs)), strconv.Itoa(len(jobs))))
	t := table.NewPending(f.W)
	t.Head(f, y+1)
	y += pendingTitle
	for i := range jobs[from:to] {
		t.Row(f, y+i, &jobs[from+i])
	}
}

// pendingTitle is the number of rows of the title and the headings.
const pendingTitle = 2

// Actions returns the actions that have code.
func (p *NoJobsPage) Actions() []key.Binding { return nav.Moves }

// Press scrolls the jobs that wait.
func (p *NoJobsPage) Press(msg tea.Msg, s *part.Scene) nav.Answer {
	f := &part.Frame{Canvas: draw.New(s.W, s.H), Scene: s} // a canvas to measure on
	room := pendingRoom(s.H, DrawAsked(f, askedTop(s.H))+1)
	from, moved := nav.Scroll(msg, p.from, room, room, max(len(s.Snap.Discovery.Pending)-max(room, 1), 0))
	if !moved {
		return nav.Answer{}
	}
	p.from = from
	return nav.Taken
}

// Wants asks for the jobs: the user may be waiting for one to begin.
func (p *NoJobsPage) Wants(*part.Scene) nav.Wants { return nav.Wants{Jobs: true} }

// askedTop is the first row of SLURM's answer.
func askedTop(h int) int { return min(4, max(h/4, 2)) }

// pendingRoom returns the number of jobs that fit below the headings of a section that begins in row y.
func pendingRoom(h, y int) int { return h - 1 - y - pendingTitle }
