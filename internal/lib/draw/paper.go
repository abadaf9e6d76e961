package draw

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// paper has the colors of a painted screen: those of what has no color of its own. nil: the terminal's.
type paper struct{ ink, background color.Color }

// paperInk and paperBackground suit the inks of the standard palette.
var (
	paperInk        = themeColor{"7 254 #e6edf3", "0 235 #1f2328"}
	paperBackground = themeColor{"0 233 #0d1117", "15 231 #ffffff"}
)

// newPaper returns the colors for a terminal.
func newPaper(profile colorprofile.Profile, light bool) *paper {
	return &paper{ink: paperInk.on(profile, light), background: paperBackground.on(profile, light)}
}

// under returns a style with the colors of the paper where it has none.
func (p *paper) under(s lipgloss.Style) lipgloss.Style {
	if s.GetForeground() == none {
		s = s.Foreground(p.ink)
	}
	if s.GetBackground() == none {
		s = s.Background(p.background)
	}
	return s
}
