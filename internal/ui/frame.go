package ui

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// scene is what a frame is a picture of. The same scene always gives the same frame.
type scene struct {
	snap          *cluster.Snapshot
	view          *view
	poll, display time.Duration
	version       string
}

// frame is one picture while it is drawn.
type frame struct {
	*draw.Canvas
	scene
	w, h int

	job    *cluster.JobView // nil: there is none
	jobAt  int
	node   *cluster.Node // the selected one
	nodeAt int           // its place in job.Nodes
	order  []string      // the job's nodes as they are shown
	health health

	*scratch
}

// scratch is the memory that histories are worked out in. It is kept from frame to frame.
type scratch struct {
	samples, dots []float32
	bins          []float32 // of one GPU
	counts        []uint16
	percents      [][101]uint16
	namings       namings
}

// tall is the height from which blank lines part the sections.
const tall = 30

// render draws the scene on the canvas, which has the terminal's size.
func render(c *draw.Canvas, s scene, m *scratch) {
	f := newFrame(c, s, m)
	switch {
	case s.view.help:
		f.helpScreen()
	case f.node == nil:
		f.noJobs()
	case s.view.screen == screenOverview:
		f.overview()
	case s.view.screen == screenDoctor:
		f.doctorView()
	default:
		f.nodeView()
	}
}

// newFrame begins a picture of the scene on the canvas: it finds the job and the node that the scene is about.
func newFrame(c *draw.Canvas, s scene, m *scratch) *frame {
	f := &frame{Canvas: c, scene: s, scratch: m}
	f.w, f.h = c.Size()
	f.jobAt = s.view.settle(s.snap)
	if f.jobAt >= 0 {
		f.job = &s.snap.Jobs[f.jobAt]
		f.health = newHealth(s.snap, f.job)
		f.order = s.view.order(f.job, f.health)
		f.choose()
	}
	return f
}

// choose finds the selected node. One that the Snapshot knows nothing of is one that nobody has tried to reach yet.
func (f *frame) choose() {
	if len(f.job.Nodes) == 0 {
		return
	}
	f.nodeAt = max(slices.Index(f.job.Nodes, f.view.node[f.view.job]), 0)
	f.node = f.nodeOf(f.job.Nodes[f.nodeAt])
}

func (f *frame) nodeOf(name string) *cluster.Node {
	if n := f.snap.Nodes[name]; n != nil {
		return n
	}
	return &cluster.Node{Name: name, State: cluster.NodeConnecting}
}

// owns says whether the GPU is the job's.
func (f *frame) owns(n *cluster.Node, g *cluster.GPU) bool { return f.job.Owns(n, g) }

// gpus are the GPUs of a node that are to be shown.
func (f *frame) gpus(n *cluster.Node) []*cluster.GPU {
	shown := make([]*cluster.GPU, 0, len(n.GPUs))
	for i := range n.GPUs {
		if g := &n.GPUs[i]; !f.view.mine || f.owns(n, g) {
			shown = append(shown, g)
		}
	}
	return shown
}

// own appends those GPUs of a node to gpus that are the job's.
func (f *frame) own(gpus []*cluster.GPU, n *cluster.Node) []*cluster.GPU {
	for i := range n.GPUs {
		if g := &n.GPUs[i]; f.owns(n, g) {
			gpus = append(gpus, g)
		}
	}
	return gpus
}

// hasNumbers says that a node has numbers to show, be they old.
func hasNumbers(n *cluster.Node) bool {
	return n.State == cluster.NodeStreaming || n.State == cluster.NodeStale
}

// Put writes s like the Canvas' own Put, but leaves the terminal's last column free: some wrap there.
func (f *frame) Put(x, y int, s string, role draw.Role) int { return f.PutUntil(x, y, f.w-1, s, role) }

// Left is the Canvas' own Left for no more columns than there are before the last.
func (f *frame) Left(x, y, w int, s string, role draw.Role) {
	f.Canvas.Left(x, y, min(w, f.w-1-x), s, role)
}

// section draws the rule with its title that begins a part of the body.
func (f *frame) section(y int, title, right string) {
	f.Fill(0, y, f.w, '─', draw.Faint)
	x := f.Put(2, y, " "+draw.Clip(title, f.w-8)+" ", draw.Strong)
	if w := draw.Width(right) + 2; right != "" && x+w+4 <= f.w {
		f.Put(f.w-2-w, y, " "+right+" ", draw.Dim)
	}
}

// titles are the headings of a table: a long and a short form. Numbers have theirs at the right.
type heading struct {
	long, short string
	right       bool
}

func (f *frame) headings(y int, l *layout, titles map[col]heading) {
	for key, t := range titles {
		s := l[key]
		if !s.in() {
			continue
		}
		text := t.long
		if len(text) > s.w && t.short != "" {
			text = t.short
		}
		if t.right {
			f.Right(s.x, y, s.w, text, draw.Dim)
		} else {
			f.Left(s.x, y, s.w, text, draw.Dim)
		}
	}
}

// number writes a cell's text flush right, "n/a" when there is none. A text that is too wide takes a column of a gap of two; a still
// wider one gives way to the shorter form. The digits of a number are never cut: they would be another number.
func (f *frame) number(s span, y int, text string, role draw.Role, shorter ...string) {
	if !s.in() {
		return
	}
	if text == "" {
		text, role = "n/a", draw.Dim
	}
	room := s.w
	if s.gap > 1 {
		room++
	}
	for _, t := range append([]string{text}, shorter...) {
		if draw.Width(t) <= room {
			x := s.x + s.w - draw.Width(t)
			f.Put(x, y, t, role)
			return
		}
	}
	f.Right(s.x, y, s.w, "…", role)
}
