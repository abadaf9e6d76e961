package draw

import (
	"slices"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// wordRoles are the roles in which text is written. The others draw rules, bars, heat cells and graphs, which have a
// number or a letter beside them.
var wordRoles = []Role{Text, Strong, Dim, Data, Ghost, Warn, Crit, WarnFill, CritFill, Tab, Green, Yellow, Red, Odd1,
	Odd2, Odd3, Fine1, Fine2, Fine3}

// ownColors are the text and the background of common terminals.
var ownColors = map[bool][][2][3]float64{
	false: {{rgb(0xe5e5e5), rgb(0)}, {rgb(0xd4d4d4), rgb(0x1e1e1e)}},
	true:  {{rgb(0), rgb(0xffffff)}, {rgb(0x2e3436), rgb(0xfdf6e3)}},
}

// wordContrast is the contrast of a text in a style, on a terminal with these colors.
func wordContrast(s lipgloss.Style, own [2][3]float64) float64 {
	ink, on := shown(s.GetForeground(), own[0]), shown(s.GetBackground(), own[1])
	if s.GetReverse() {
		ink, on = on, ink
	}
	return contrast(ink, on)
}

// looksOf are the looks of a palette on one kind of terminal.
type looksOf struct {
	palette string
	profile colorprofile.Profile
	light   bool
	*roleStyles
}

// coloredLooks are the looks of all palettes that name colors of their own. What 16 colors look like is up to the
// terminal: TestContrast has their bounds.
func coloredLooks() (all []looksOf) {
	for name, p := range map[string]*palette{"standard": &standard, HighContrast: &sharp, Colorblind: &colorblind} {
		for _, profile := range []colorprofile.Profile{colorprofile.ANSI256, colorprofile.TrueColor} {
			for _, light := range []bool{false, true} {
				all = append(all, looksOf{name, profile, light, newLooks(p, profile, light)})
			}
		}
	}
	return all
}

// All text of every theme has the contrast that WCAG asks for, dimmed text too, in each row: a plain one, a selected
// one and that of the cursor.
func TestTextContrastOfAllThemes(t *testing.T) {
	rows := map[cellBackground]string{plain: "plain", selected: "selected", pointed: "cursor"}
	for _, l := range coloredLooks() {
		paper := newPaper(l.profile, l.light)
		painted := [2][3]float64{shown(paper.ink, rgb(0)), shown(paper.background, rgb(0))}
		for _, own := range append(slices.Clone(ownColors[l.light]), painted) {
			for on, row := range rows {
				for _, r := range wordRoles {
					if got := wordContrast(l.styleOf(r, letter, on), own); got < 4.5 {
						t.Errorf("%s, %v, light %v, on %.0f, %s row: role %d has a contrast of %.2f, want 4.5",
							l.palette, l.profile, l.light, own[1], row, r, got)
					}
				}
			}
		}
	}
}

// Text behind a box recedes, but stays text that can be read.
func TestTextBehindABoxIsReadable(t *testing.T) {
	for _, r := range wordRoles {
		if !slices.Contains(wordRoles, behind[r]) && behind[r] != GhostBar {
			t.Errorf("role %d becomes %d, which is no role for text", r, behind[r])
		}
	}
}
