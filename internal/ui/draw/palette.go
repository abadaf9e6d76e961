package draw

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// looks is how each Role looks on one kind of terminal. Bars have no look of their own: see bar.
type looks struct {
	roles     [roleCount]lipgloss.Style
	track     color.Color // background of a bar; none: the track is drawn as ░
	selection color.Color // background of a selected cell; none: it is reversed
}

// none is the terminal's own color. Lip Gloss reads the name "-" as it, too.
var none color.Color = lipgloss.NoColor{}

// newLooks returns the looks for a terminal. Each color has three names: for terminals of 16 colors (the user's own), of 256, and of
// all. They are chosen by hand: the nearest of 256 to a good color is often too bright or too dark beside its neighbors. Those of 16 can
// be read with xterm's own colors, where yellow and green on white and dark blue on black cannot. Where there are few colors, faint and
// reverse separate what colors separate elsewhere.
func newLooks(profile colorprofile.Profile, light bool) *looks {
	complete, lightDark := lipgloss.Complete(profile), lipgloss.LightDark(!light)
	shade := func(names string) color.Color {
		n := strings.Fields(names)
		return complete(lipgloss.Color(n[0]), lipgloss.Color(n[1]), lipgloss.Color(n[2]))
	}
	hue := func(onDark, onLight string) color.Color { return lightDark(shade(onLight), shade(onDark)) }
	own := lipgloss.NewStyle()
	ink := func(onDark, onLight string) lipgloss.Style { return own.Foreground(hue(onDark, onLight)) }
	few, mono := profile < colorprofile.ANSI256, profile < colorprofile.ANSI
	return &looks{
		track:     hue("- 236 #21262d", "- 254 #e4e9ee"),
		selection: hue("- 236 #1f3350", "- 189 #dbe9f9"),
		roles: [roleCount]lipgloss.Style{
			Strong:   own.Bold(true),
			Dim:      ink("- 245 #8b949e", "- 241 #59636e").Faint(few),
			Faint:    ink("- 239 #484f58", "- 251 #c4cbd3").Faint(few),
			Data:     ink("6 67 #4a83b8", "4 67 #5f97c9"),
			Cell:     ink("12 24 #366896", "4 110 #9dbfdd"),
			Body:     ink("12 238 #25405b", "12 110 #a9c6e2"),
			Mem:      ink("- 240 #4f5a67", "- 250 #b4bcc5").Faint(few),
			Ghost:    ink("- 241 #606973", "- 245 #87919c").Faint(few),
			GhostBar: ink("- 239 #343c45", "- 252 #cdd4db").Faint(few),
			Warn:     ink("3 214 #f2b632", "5 94 #8a5a00").Bold(true),
			Crit:     ink("9 209 #ff8f6b", "1 124 #b93006").Bold(true),
			WarnFill: own.Foreground(shade("0 16 #111111")).Background(shade("3 214 #f2b632")).Bold(mono || !few).Reverse(mono),
			CritFill: own.Foreground(shade("15 231 #ffffff")).Background(hue("1 160 #d1350f", "1 160 #c9300c")).Bold(true).Reverse(mono),
			Tab:      own.Background(hue("- 237 #30363d", "- 252 #d0d7de")).Bold(!few).Reverse(few),
			Green:    ink("2 71 #3fb950", "- 28 #1a7f37"),
			Yellow:   ink("3 178 #d29922", "5 94 #9a6700"),
			Red:      ink("9 203 #f85149", "1 160 #cf222e"),
		},
	}
}

// of is the look of one kind of cell.
func (l *looks) of(r Role, cl class, selected bool) lipgloss.Style {
	s := l.roles[r]
	if r.bar() {
		s = l.bar(r, cl)
	}
	if selected {
		s = l.selected(s, cl)
	}
	return s
}

// bar is the look of a bar's cell: another role's color on the track, or the track alone as faint glyphs.
func (l *looks) bar(r Role, cl class) lipgloss.Style {
	if l.track == none && cl == shade {
		return l.roles[Faint]
	}
	return l.roles[ink[r]].Bold(false).Background(l.track)
}

// selected is the look of a cell of the selected row. Block glyphs are not reversed: a bar would show the opposite of its value.
func (l *looks) selected(s lipgloss.Style, cl class) lipgloss.Style {
	switch {
	case s.GetBackground() != none:
		return s
	case l.selection != none:
		return s.Background(l.selection)
	case cl == letter:
		return s.UnsetForeground().Faint(false).Reverse(true)
	}
	return s
}
