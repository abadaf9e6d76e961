package part

// Size is the size of a terminal, or of a part of it.
type Size struct {
	W, H    int  // without the bar of pages
	WithBar bool // the terminal has a bar of pages, which the pages do not know about
	beside  bool // the part is a list with a pane beside it, or the pane
}

// Tall is the height from which blank lines separate the sections.
const Tall = 30

// Small is the height below which there is only room for rows 0 and 1 and the GPUs.
const Small = 10

// Resize sets the size of the terminal. From Tall rows on, a bar of pages takes one of them.
func (s *Size) Resize(w, h int) {
	s.W, s.H, s.WithBar = w, h, h >= Tall
	if s.WithBar {
		s.H--
	}
}

// paneWide returns the width of the pane; 0: there is none.
func (s Size) paneWide() int {
	if s.W < paneFrom || s.H < Small || s.beside {
		return 0
	}
	return min(max(s.W*9/20, paneLeast), paneMost)
}

// Halved reports whether this is the size of a list with a pane beside it, or of the pane.
func (s Size) Halved() bool { return s.beside }
