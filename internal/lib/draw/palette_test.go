package draw

import (
	"image/color"
	"math"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// xterm are the sixteen colors of xterm itself, which most terminals of login nodes have: their user has chosen none.
var xterm = [16]uint32{
	0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
}

func rgb(hex uint32) [3]float64 {
	return [3]float64{float64(hex >> 16), float64(hex >> 8 & 0xff), float64(hex & 0xff)}
}

// shown is a color as xterm shows it; own is what stands for the terminal's own.
func shown(c color.Color, own [3]float64) [3]float64 {
	switch c := c.(type) {
	case lipgloss.NoColor, nil:
		return own
	case ansi.BasicColor:
		return rgb(xterm[c])
	}
	r, g, b, _ := c.RGBA()
	return [3]float64{float64(r >> 8), float64(g >> 8), float64(b >> 8)}
}

// luminance is that of WCAG.
func luminance(c [3]float64) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v := c[i] / 255
		if v <= 0.03928 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

func contrast(a, b [3]float64) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// seen is the contrast of a style on the terminal's background. A faint color is half way to the background.
func seen(s lipgloss.Style, light bool) float64 {
	text, back := rgb(0xe5e5e5), rgb(0)
	if light {
		text, back = rgb(0), rgb(0xffffff)
	}
	on := shown(s.GetBackground(), back)
	ink := shown(s.GetForeground(), text)
	if s.GetReverse() {
		ink, on = on, ink
	}
	if s.GetFaint() {
		for i := range ink {
			ink[i] = (ink[i] + on[i]) / 2
		}
	}
	return contrast(ink, on)
}

// All text can be read, and all marks can be seen, with any number of colors on black and on white.
func TestContrast(t *testing.T) {
	text := []Role{Text, Strong, Warn, Crit, WarnFill, CritFill, Green, Yellow, Red}
	for _, profile := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256,
		colorprofile.TrueColor} {
		for _, light := range []bool{false, true} {
			looks := newLooks(&standard, profile, light)
			least := map[Role]float64{Dim: 3.9, Data: 3, Cell: 3, Body: 3}
			if profile >= colorprofile.ANSI256 { // bars, cells and graphs are quiet there, beside a number
				least = map[Role]float64{Dim: 4.5, Data: 3, Cell: 1.7, Body: 1.7}
			}
			for _, r := range text {
				least[r] = 4.5
			}
			if profile >= colorprofile.ANSI256 {
				least[Green], least[Yellow], least[Red] = 3.9, 3.9, 3.9
				for r := Odd1; r <= Fine3; r++ {
					least[r] = 4.5
				}
			}
			for role, want := range least {
				if got := seen(looks.roles[role], light); got < want {
					t.Errorf("%v, light %v: role %d has a contrast of %.1f, want %.1f", profile, light, role, got, want)
				}
			}
		}
	}
}

// Without colors, what is wrong is filled: a letter in a cell must not look like a hole.
func TestProblemsAreFilledWithoutColors(t *testing.T) {
	looks := newLooks(&standard, colorprofile.ASCII, false)
	for _, r := range []Role{WarnFill, CritFill} {
		if !looks.roles[r].GetReverse() {
			t.Errorf("role %d is not reversed", r)
		}
	}
}

// With sixteen colors, what is well is darker than what is not: the eye goes to the brightest thing.
func TestWarningsAreBrighterThanBars(t *testing.T) {
	looks := newLooks(&standard, colorprofile.ANSI, false)
	for _, r := range []Role{Cell, Body} {
		if got, warn := seen(looks.roles[r], false), seen(looks.roles[Warn], false); got > warn/2 {
			t.Errorf("role %d has a contrast of %.1f, a warning of %.1f", r, got, warn)
		}
	}
	for _, r := range []Role{BarData, BarMem} {
		got, warn := seen(looks.styleOf(r, block, plain), false), seen(looks.styleOf(BarWarn, block, plain), false)
		if got > warn/2 {
			t.Errorf("a bar in role %d has a contrast of %.1f, one in amber of %.1f", r, got, warn)
		}
	}
}
