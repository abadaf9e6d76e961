package capacity

import (
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// listTop is the first row of a list, below its title and headings, if there are no lines above them.
const listTop = 4

// drawHeader draws rows 0 and 1: the sums, and the age of SLURM's answer, or the reason why there is no new one.
func (p *Page) drawHeader(f *part.Frame) {
	header.Title(f)
	end := f.W - 1
	if p.known != nil {
		right := "asked " + draw.Age(max(f.Snap.At.Sub(p.known.Time), 0)) + " ago "
		f.Put(f.W-draw.Width(right), 1, right, draw.Dim)
		end -= draw.Width(right) + 1
	}
	if p.failure != nil {
		text := "▲ " + p.failure.Short
		if p.known != nil {
			text += ", numbers from " + p.known.Time.Local().Format(time.TimeOnly)
		}
		f.Left(1, 1, end-1, text, draw.Warn)
		return
	}
	f.Left(1, 1, end-1, p.sumsText(f), draw.Dim)
}

// sumsText counts the GPUs of the cluster, and the user's waiting jobs.
func (p *Page) sumsText(f *part.Frame) string {
	var words []string
	if p.known != nil && len(p.known.Nodes) > 0 {
		sum := p.known.Total()
		words = append(words, strconv.Itoa(sum.Free)+" of "+part.Plural(sum.Total, "GPU", "GPUs")+" free",
			gpuCountText(sum.Used, "in use"), gpuCountText(sum.Out, "out"))
	}
	if n := len(f.Snap.Discovery.Pending); n > 0 {
		words = append(words, part.Plural(n, "job of yours waits", "jobs of yours wait"))
	}
	return strings.Join(words, ", ")
}

// noticeLines are the lines between the title and the headings: what SLURM does not show, or why it shows nothing.
func (p *Page) noticeLines(w int) (lines []string) {
	var texts []string
	switch {
	case p.known != nil:
		texts = p.known.Untold()
	case p.failure != nil:
		texts = []string{p.failure.Meaning, p.failure.Cause}
		for _, s := range p.failure.Hints {
			texts = append(texts, "→ "+s)
		}
	}
	for _, s := range texts {
		if s != "" {
			lines = append(lines, draw.Wrap(s, max(w-5, 10), "")...)
		}
	}
	return lines
}

// whyEmpty says why there are no rows.
func (p *Page) whyEmpty(*part.Frame) string {
	switch {
	case p.known != nil:
		return "SLURM shows you no node with GPUs"
	case p.failure != nil:
		return "nothing is known of the cluster"
	}
	return "· asking SLURM: sinfo, scontrol show node, squeue"
}

// partitionRows returns the first row of the partitions and their number of rows. The waiting jobs get the rest below,
// and at least a third.
func (p *Page) partitionRows(s *part.Scene) (top, room int) {
	top = listTop + len(p.noticeLines(s.W))
	room = max(s.H-1-top, 1)
	waiting := len(s.Snap.Discovery.Pending)
	if waiting == 0 || p.known == nil || room < leastRoom {
		return top, room
	}
	rest := min(waiting, max(room/3, 2)) + queueTitle
	return top, max(min(len(p.known.ByPartition()), room-rest), 1)
}

const (
	queueTitle = 3 // a blank row, the title and the headings of the waiting jobs
	leastRoom  = 9 // rows of a list that leave room for the waiting jobs
)

// drawQueue draws the user's waiting jobs below the partitions, as many as fit.
func (p *Page) drawQueue(f *part.Frame) {
	jobs := f.Snap.Discovery.Pending
	top, room := p.partitionRows(f.Scene)
	y := top + room + 1
	fit := f.H - 1 - y - queueTitle + 1
	if len(jobs) == 0 || p.known == nil || fit < 1 || p.partitions.Filter.Typing("") {
		return
	}
	where := strconv.Itoa(len(jobs))
	if fit < len(jobs) {
		where = strconv.Itoa(fit) + " of " + where + "  " + keys.Name(keys.ToJobs) + " all jobs"
	}
	f.Section(y, "Your pending jobs", where)
	t := table.NewPending(f.W)
	t.Head(f, y+1)
	for i := range min(fit, len(jobs)) {
		t.Row(f, y+2+i, &jobs[i])
	}
}

// fullNode draws everything that SLURM knows about a node, on the pane.
func (p *Page) fullNode(f *part.Frame, n *capacity.NodeGPUs) {
	f.Put(1, 0, n.Name, draw.Strong)
	y := 2
	for _, line := range [][2]string{
		{"State", n.Words()}, {"Reason", n.Reason}, {"Given by", reasonSource(n.Node)},
		{"Partitions", strings.Join(n.Partitions, ", ")}, {"Users", strings.Join(n.Users, ", ")},
		{"Jobs", strings.Join(n.Jobs, ", ")},
	} {
		if line[1] == "" {
			continue
		}
		f.Left(1, y, 12, line[0], draw.Dim)
		for _, s := range draw.Wrap(line[1], max(f.W-15, 10), "") {
			f.Left(13, y, f.W-14, s, draw.Text)
			y++
		}
	}
	y++
	for i := range n.GPUs {
		g := &capacity.PartitionGPUs{Count: n.GPUs[i]}
		f.Left(1, y, 12, rows.Partitions.Field("type").Text(g), draw.Dim)
		f.Left(13, y, f.W-14, strings.Join([]string{gpuCountText(g.Free, "free"), gpuCountText(g.Used, "in use"),
			gpuCountText(g.Out, "out")}, ", ")+" of "+strconv.Itoa(g.Total), draw.Text)
		y++
	}
}

// reasonSource says who gave the reason, and when.
func reasonSource(n *capacity.Node) string {
	if n.ReasonAt.IsZero() {
		return n.ReasonBy
	}
	return n.ReasonBy + ", " + n.ReasonAt.Local().Format("2006-01-02 15:04")
}
