package page

import (
	"bytes"
	"io"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
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
	theme, canvas := draw.NewTheme(o.Profile, false, o.ASCII), draw.New(0, 0)
	s := part.Scene{Snap: snap, Classic: o.Classic, W: o.Width, H: textHeight(snap), Memory: &part.Memory{}}
	var text []byte
	block := func(piece func(*part.Frame)) { // without the empty lines at its end, and one below it
		canvas.Reset(s.W, s.H)
		piece(&part.Frame{Canvas: canvas, Scene: &s})
		text = append(bytes.TrimRight(theme.Encode(text, canvas), "\n"), "\n\n"...)
	}
	if len(snap.Jobs) == 0 {
		block(func(f *part.Frame) { asked(f, 0) })
	}
	for i := range snap.Jobs {
		s.SetJob(i)
		s.Node = &cluster.Node{} // none is selected
		block(textOverview)
		for at := range snap.Jobs[i].Nodes {
			s.SetNode(at)
			block(textNode)
		}
	}
	_, err := w.Write(text)
	return err
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
	NewOverview().rows(f)
}

func textNode(f *part.Frame) {
	if !tally.HasNumbers(f.Node) {
		doctor(f, 0)
		return
	}
	f.Section(0, f.Node.Name, "")
	gpuTable(f, hostLines(f, 1), false)
}
