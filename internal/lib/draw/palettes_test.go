package draw

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// grounds are what text stands on: the terminal's own background, and that of a selected row.
func grounds(l *roleStyles, light bool) map[string][3]float64 {
	own := rgb(0)
	if light {
		own = rgb(0xffffff)
	}
	return map[string][3]float64{"own": own, "selection": shown(l.selection, own)}
}

// on is the contrast of a style on a background. What is filled has its own, and tells apart by itself.
func on(s lipgloss.Style, ground [3]float64, light bool) float64 {
	if s.GetBackground() != none || s.GetReverse() {
		return seen(s, light)
	}
	text := rgb(0xe5e5e5)
	if light {
		text = rgb(0)
	}
	return contrast(shown(s.GetForeground(), text), ground)
}

// The theme of high contrast has a contrast of 7 for all that is read, on each background on which it stands.
func TestHighContrast(t *testing.T) {
	read := []Role{Text, Strong, Dim, Data, Ghost, Warn, Crit, WarnFill, CritFill, Tab, Green, Yellow, Red, Odd1, Odd2,
		Odd3, Fine1, Fine2, Fine3}
	for _, profile := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256,
		colorprofile.TrueColor} {
		for _, light := range []bool{false, true} {
			l := newLooks(&sharp, profile, light)
			for name, ground := range grounds(l, light) {
				for _, r := range read {
					if got := on(l.roles[r], ground, light); got < 7 {
						t.Errorf("%v, light %v, %s: role %d has a contrast of %.1f, want 7", profile, light, name, r,
							got)
					}
				}
				for _, r := range []Role{Faint, Cell, Mem} {
					if got := on(l.roles[r], ground, light); got < 3.5 {
						t.Errorf("%v, light %v, %s: role %d has a contrast of %.1f, want 3.5", profile, light, name, r,
							got)
					}
				}
			}
		}
	}
}

// Two kinds of eyes, as matrices on linear red, green and blue (Machado, Oliveira and Fernandes 2009, severity 1).
var eyes = map[string][3][3]float64{
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
}

// lab is a color as such an eye sees it, in CIE L*a*b*: distances there are as large as they look.
func lab(c [3]float64, eye [3][3]float64) [3]float64 {
	var line, sees [3]float64
	for i, v := range c {
		line[i] = v / 255 / 12.92
		if v/255 > 0.04045 {
			line[i] = math.Pow((v/255+0.055)/1.055, 2.4)
		}
	}
	for i, row := range eye {
		sees[i] = min(max(row[0]*line[0]+row[1]*line[1]+row[2]*line[2], 0), 1)
	}
	root := func(v float64) float64 {
		if v <= 0.008856 {
			return 7.787*v + 16./116
		}
		return math.Cbrt(v)
	}
	x := root((0.4124*sees[0] + 0.3576*sees[1] + 0.1805*sees[2]) / 0.9505)
	y := root(0.2126*sees[0] + 0.7152*sees[1] + 0.0722*sees[2])
	z := root((0.0193*sees[0] + 0.1192*sees[1] + 0.9505*sees[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func apart(a, b [3]float64) float64 { return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]) }

// Who confuses red and green tells a warning from an error by its lightness too, and both from data and from text.
func TestColorblind(t *testing.T) {
	for _, profile := range []colorprofile.Profile{colorprofile.ANSI256, colorprofile.TrueColor} {
		for _, light := range []bool{false, true} {
			l := newLooks(&colorblind, profile, light)
			text := rgb(0xe5e5e5)
			if light {
				text = rgb(0)
			}
			for name, eye := range eyes {
				see := func(c color.Color) [3]float64 { return lab(shown(c, text), eye) }
				colors := map[string][3]float64{
					"text": lab(text, eye), "data": see(l.roles[Data].GetForeground()),
					"warn": see(l.roles[Warn].GetForeground()), "crit": see(l.roles[Crit].GetForeground()),
				}
				for a := range colors {
					for b := range colors {
						if d := apart(colors[a], colors[b]); a < b && d < 20 {
							t.Errorf("%v, light %v, %s: %s and %s are %.0f apart, want 20", profile, light, name, a, b,
								d)
						}
					}
				}
				levels := []Role{Green, Yellow, Red}
				for i := range levels {
					a, b := see(l.roles[levels[i]].GetForeground()), see(l.roles[levels[(i+1)%3]].GetForeground())
					if d := apart(a, b); d < 20 {
						t.Errorf("%v, light %v, %s: levels %d and %d are %.0f apart, want 20", profile, light, name, i,
							(i+1)%3, d)
					}
				}
				fills := math.Abs(see(l.roles[WarnFill].GetBackground())[0] - see(l.roles[CritFill].GetBackground())[0])
				if d := math.Abs(colors["warn"][0] - colors["crit"][0]); d < 15 || fills < 15 {
					t.Errorf("%v, light %v, %s: the lightness of warnings and errors differs by %.0f, filled by "+
						"%.0f, want 15", profile, light, name, d, fills)
				}
			}
		}
	}
}

// Each name is a theme of its own, and none has colors for a terminal without colors.
func TestNamedThemes(t *testing.T) {
	c := New(12, 1)
	for i, r := range []Role{Text, Dim, Data, Warn, Crit, CritFill, BarData} {
		c.Put(i, 0, "█", r)
	}
	looks := map[string]string{}
	for _, name := range Themes {
		shows := string(Named(name, colorprofile.TrueColor, false, false).Encode(nil, c))
		if other, known := looks[shows]; known && (other != Auto || name != Dark) {
			t.Errorf("%s looks like %s", name, other)
		}
		looks[shows] = name
		if AsksTerminal(name) == (fmt.Sprint(Named(name, colorprofile.TrueColor, true, false)) == fmt.Sprint(Named(name,
			colorprofile.TrueColor, false, false))) {
			t.Errorf("%s: the terminal is asked for nothing, or not asked", name)
		}
		if got, mono := string(Named(name, colorprofile.ASCII, false, false).Encode(nil, c)),
			string(NewTheme(colorprofile.ASCII, false, false).Encode(nil, c)); name != HighContrast &&
			name != Colorblind && got != mono {
			t.Errorf("%s: without colors\n%q\nwant\n%q", name, got, mono)
		}
	}
}
