package ui

import (
	"bytes"
	"io"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
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
	s := scene{snap: snap, view: newView(o.Classic)}
	if len(snap.Jobs) == 0 {
		p.block(s, func(f *frame) { f.asked(0) })
	}
	for i := range snap.Jobs {
		s.view.job = snap.Jobs[i].ID
		p.block(s, (*frame).textOverview)
		for at, name := range snap.Jobs[i].Nodes {
			s.view.settle(snap)
			s.view.choose(name, at)
			p.block(s, (*frame).textNode)
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
func (p *printer) block(s scene, piece func(*frame)) {
	if p.err != nil {
		return
	}
	p.canvas.Reset(p.opts.Width, textHeight(s))
	piece(newFrame(p.canvas, s, &scratch{}))
	text := bytes.TrimRight(p.theme.Encode(nil, p.canvas), "\n")
	_, p.err = p.w.Write(append(text, "\n\n"...))
}

// textHeight is room enough for the longest piece.
func textHeight(s scene) int {
	h := 100
	for i := range s.snap.Jobs {
		h = max(h, 100+len(s.snap.Jobs[i].Nodes)+8*len(s.snap.Jobs[i].Findings))
	}
	return h
}

func (f *frame) textOverview() {
	f.node = &cluster.Node{} // none is selected
	x := f.jobName(f.w)
	f.words(x, 0, f.jobTimes()...)
	at := f.snap.At.Format(time.DateTime)
	f.Put(f.w-1-len(at), 0, at, draw.Dim)
	f.healthLine()
	f.Fill(0, 2, f.w, '─', draw.Faint)
	l := overviewLayout(f.w)
	g := f.cellGrid(f.w >= overviewNumbers)
	f.headings(3, &l, overviewTitles)
	f.cellTitles(l[colCells].x, 3, g)
	y := 4
	for _, name := range f.job.Nodes {
		f.nodeRow(y, f.nodeOf(name), &l, g)
		y++
	}
	f.Fill(2, y, f.w-4, '╌', draw.Faint)
	f.jobRow(y+1, &l, g)
	f.jobHealth(y + 2)
}

func (f *frame) textNode() {
	if !hasNumbers(f.node) {
		f.doctor(0)
		return
	}
	f.section(0, f.node.Name, "")
	y := f.hostLines(1)
	if len(f.node.GPUs) == 0 {
		f.noGPUs(y)
		return
	}
	l := nodeLayout(f.w)
	f.headings(y, &l, nodeTitles)
	f.gpuTable(y+1, &l)
}
