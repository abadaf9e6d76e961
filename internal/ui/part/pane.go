package part

import "github.com/nvnodetop/nvnodetop/internal/lib/draw"

// A wide terminal shows the row under the cursor of a list in full, in a pane beside the list.
const (
	paneFrom  = 160 // the width from which there is a pane
	paneLeast = 76
	paneMost  = 130
	PaneTop   = 3 // the first row of the pane
)

// Beside returns the scene of a list with a pane beside it, which has only the columns that the pane leaves. Without a
// pane it returns the scene itself.
func (s *Scene) Beside() *Scene {
	w := s.paneWide()
	if w == 0 {
		return s
	}
	left := *s
	left.W, left.beside = s.W-w-1, true
	return &left
}

// Split returns the frames of a list and of the pane beside it, and draws the rule between them. Like the screen, the
// pane ends with the row of the footer. pane is nil if there is none.
func (f *Frame) Split() (list, pane *Frame) {
	left := f.Beside()
	if left == f.Scene {
		return f, nil
	}
	for y := PaneTop; y < f.H-1; y++ {
		f.Fill(left.W, y, 1, '│', draw.Faint)
	}
	right := *left
	right.W, right.H = f.W-left.W-1, f.H-PaneTop
	return &Frame{f.Part(0, 0, left.W, f.H), left},
		&Frame{f.Part(left.W+1, PaneTop, right.W, right.H), &right}
}
