package page

import (
	"bytes"
	"io"
	"strconv"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// TextOptions say how Text looks.
type TextOptions struct {
	Width   int
	Profile colorprofile.Profile // NoTTY: no escape sequences at all
	ASCII   bool
	Classic bool
}

// Text writes what the screens show, once, one below the other: of each job its overview and what is wrong, then each of its nodes.
func Text(w io.Writer, snap *cluster.Snapshot, o TextOptions) error {
	p := &printer{w: w, opts: o, theme: draw.NewTheme(o.Profile, false, o.ASCII), canvas: draw.New(0, 0)}
	s := part.Scene{Snap: snap, Classic: o.Classic, W: o.Width, H: textHeight(snap), Memory: &part.Memory{}}
	if len(snap.Jobs) == 0 {
		p.block(s, func(f *part.Frame) { asked(f, 0) })
	}
	for i := range snap.Jobs {
		s.SetJob(i)
		s.Node = &cluster.Node{} // none is selected
		p.block(s, textOverview)
		for at := range snap.Jobs[i].Nodes {
			s.SetNode(at)
			p.block(s, textNode)
		}
	}
	return p.err
}

// printer writes blocks: pieces of screens on canvases that are as high as they need to be.
type printer struct {
	w      io.Writer
	opts   TextOptions
	theme  *draw.Theme
	canvas *draw.Canvas
	err    error
}

// block draws one piece and writes it without the empty lines at its end, and one below it.
func (p *printer) block(s part.Scene, piece func(*part.Frame)) {
	if p.err != nil {
		return
	}
	p.canvas.Reset(s.W, s.H)
	piece(part.NewFrame(p.canvas, &s))
	text := bytes.TrimRight(p.theme.Encode(nil, p.canvas), "\n")
	_, p.err = p.w.Write(append(text, "\n\n"...))
}

// textHeight is room enough for the longest piece.
func textHeight(s *cluster.Snapshot) int {
	h := 100
	for i := range s.Jobs {
		h = max(h, 100+len(s.Jobs[i].Nodes)+8*len(s.Jobs[i].Findings))
	}
	return h
}

func textOverview(f *part.Frame) {
	x := part.JobName(f, f.W)
	f.Pieces(x, 0, part.JobTimes(f)...)
	at := f.Snap.At.Format(time.DateTime)
	f.Put(f.W-1-len(at), 0, at, draw.Dim)
	part.HealthLine(f)
	f.Fill(0, 2, f.W, '─', draw.Faint)
	t := table.NewNodes(f)
	t.Head(f, 3)
	y := 4
	for _, name := range f.Order {
		t.Row(f, y, f.NodeOf(name))
		y++
	}
	f.Fill(2, y, f.W-4, '╌', draw.Faint)
	t.Sum(f, y+1, "JOB")
	jobHealth(f, y+2, strconv.Itoa(len(f.Job.Findings)))
}

func textNode(f *part.Frame) {
	if !tally.HasNumbers(f.Node) {
		doctor(f, 0)
		return
	}
	f.Section(0, f.Node.Name, "")
	gpuTable(f, hostLines(f, 1), false)
}
