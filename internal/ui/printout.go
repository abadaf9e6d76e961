package ui

import (
	"bufio"
	"bytes"
	"io"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/ui/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// PrintOptions control the look of Print.
type PrintOptions struct {
	Width     int
	Theme     string               // one of draw.Themes
	Profile   colorprofile.Profile // NoTTY: no escape sequences at all
	ASCII     bool
	Only      tally.Only   // the GPUs in the tables of the nodes
	Processes *filter.Expr // a filter of rows.Processes; nil: all
	part.Look
}

// Print writes the content of the screens as text, without a terminal: for each job its overview and problems, then
// each of its nodes with its processes. The waiting jobs follow.
func Print(w io.Writer, snap *cluster.Snapshot, o PrintOptions) error {
	t := printout{
		out: bufio.NewWriter(w), theme: draw.Named(o.Theme, o.Profile, false, o.ASCII), canvas: draw.New(0, 0),
		scene: part.Scene{Snap: snap, Look: o.Look, ASCII: o.ASCII, Printed: true, Only: o.Only,
			Matching: o.Processes, Size: part.Size{W: o.Width}, Memory: &part.Memory{}},
	}
	s := &t.scene
	if len(snap.Jobs) == 0 {
		t.writeBlock(0, func(f *part.Frame) { capacity.DrawAsked(f, 0) })
	}
	for i := range snap.Jobs {
		s.SetJob(i)
		s.Node = &cluster.Node{} // no node is selected
		t.writeBlock(len(s.Job.Nodes)+findingMost*len(s.Job.Findings), printOverview)
		for at := range s.Job.Nodes {
			s.SetNode(at)
			s.Recall()
			t.writeBlock(len(s.Node.GPUs)+len(s.Node.Processes), printNode)
		}
	}
	if waiting := len(snap.Discovery.Pending); waiting > 0 {
		t.writeBlock(waiting, func(f *part.Frame) { capacity.DrawPending(f, 0, 0) })
	}
	return t.out.Flush()
}

// printout is the state of a Print.
type printout struct {
	out    *bufio.Writer // keeps the first error
	theme  *draw.Theme
	canvas *draw.Canvas
	scene  part.Scene
	lines  []byte // lines of the last block, kept to reuse their memory
}

// A block without lists fits into printRows, a finding into findingMost.
const (
	printRows   = 100
	findingMost = 8
)

// writeBlock writes one piece, without empty lines at its end, and one empty line. rows is the number of rows of its
// lists. The canvas is only as high as this piece needs: with room for any piece, the time would be quadratic in the
// number of nodes.
func (t *printout) writeBlock(rows int, piece func(*part.Frame)) {
	t.scene.H = printRows + rows
	t.canvas.Reset(t.scene.W, t.scene.H)
	piece(&part.Frame{Canvas: t.canvas, Scene: &t.scene})
	t.lines = bytes.TrimRight(t.theme.Encode(t.lines[:0], t.canvas), "\n")
	_, _ = t.out.Write(t.lines)
	_, _ = t.out.WriteString("\n\n")
}

func printOverview(f *part.Frame) {
	at := f.Snap.At.Format(time.DateTime)
	header.JobLine(f, f.W-1-len(at))
	f.Put(f.W-1-len(at), 0, at, draw.Dim)
	header.Problems(f)
	f.Rule(2)
	overview.New(nil).Rows(f)
}

func printNode(f *part.Frame) {
	y := 0
	if !tally.HasNumbers(f.Node) {
		if y = node.DrawConnection(f, 0, f.H); !tally.Shows(f.Node) {
			return
		}
		y++
	}
	f.Section(y, f.Node.Name, "")
	printProcesses(f, node.Table(f, y+1)+1)
}

// printProcesses writes the processes of a node, if any are listed.
func printProcesses(f *part.Frame, y int) {
	list, _ := tally.Processes(f.Job, f.Node)
	list, of := f.Processes(f.Node, list)
	switch {
	case of == 0:
	case len(list) == 0:
		f.Left(2, y, f.W-3, part.NoProcesses(f), draw.Dim)
	default:
		t := table.NewProcesses(f)
		t.Head(f, y)
		t.Rows(f, y+1, list)
	}
}
