package draw

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// roleStyles has the look of each Role on one kind of terminal. Bars have no look of their own (see bar).
type roleStyles struct {
	roles     [roleCount]lipgloss.Style
	track     color.Color // the empty part of a bar; none: it is faint
	selection color.Color // background of a selected cell; none: the cell is reversed
	cursor    color.Color // background of the cursor; none: the cell is reversed
	onCursor  [roleCount]color.Color
	paper     *paper // what the screen is painted with; nil: it keeps the terminal's own colors
}

// none is the terminal's own color. Lip Gloss reads the name "-" as the same color.
var none color.Color = lipgloss.NoColor{}

// on returns the color for a terminal.
func (c themeColor) on(profile colorprofile.Profile, light bool) color.Color {
	names := strings.Fields(c[0])
	if light {
		names = strings.Fields(c[1])
	}
	return lipgloss.Complete(profile)(lipgloss.Color(names[0]), lipgloss.Color(names[1]), lipgloss.Color(names[2]))
}

// newLooks returns the looks of a palette for a terminal. On terminals with few colors, faint and reverse replace
// colors.
func newLooks(p *palette, profile colorprofile.Profile, light bool) *roleStyles {
	if p.sharp && profile < colorprofile.ANSI256 {
		// the user chooses the sixteen colors, so their looks are unknown
		profile = min(profile, colorprofile.ASCII)
	}
	hue := func(names themeColor) color.Color { return names.on(profile, light) }
	few, mono := profile < colorprofile.ANSI256, profile < colorprofile.ANSI
	own, faint := lipgloss.NewStyle(), few && !p.sharp
	l := &roleStyles{track: hue(p.track), selection: hue(p.selection), cursor: hue(p.cursor)}
	for r, names := range map[Role]themeColor{Text: p.cursor, Warn: p.inks[Warn], Crit: p.inks[Crit]} {
		l.onCursor[r] = names.on(profile, !light) // the cursor has the opposite background
	}
	for r, names := range p.inks {
		if names != (themeColor{}) {
			l.roles[r] = own.Foreground(hue(names))
		}
	}
	for _, r := range []Role{Dim, Faint, Mem, Ghost, GhostBar} {
		l.roles[r] = l.roles[r].Faint(faint)
	}
	for _, r := range []Role{Cell, Body} { // healthy cells are darker than troubled ones
		l.roles[r] = l.roles[r].Faint(faint && !mono && !light)
	}
	l.roles[Strong] = own.Bold(true)
	l.roles[Warn] = l.roles[Warn].Bold(true)
	l.roles[Crit] = l.roles[Crit].Bold(true).Reverse(p.fills && few)
	l.roles[WarnFill] = own.Foreground(hue(p.warnFill[0])).Background(hue(p.warnFill[1])).Bold(mono ||
		!few).Reverse(mono)
	l.roles[CritFill] = own.Foreground(hue(p.critFill[0])).Background(hue(p.critFill[1])).Bold(true).Reverse(mono)
	for i, names := range p.shades {
		r := Even + Role(i)
		l.roles[r] = own.Foreground(hue(names[0])).Background(hue(names[1])).Faint(faint && (r == Even || r == Fine1)).
			Bold(few && (r == Odd2 || r == Odd3)).Reverse(few && r == Odd3)
	}
	l.roles[Tab] = own.Background(hue(p.tab)).Bold(!few).Reverse(few)
	return l
}

// styleOf returns the look of one kind of cell.
func (l *roleStyles) styleOf(r Role, cl class, on cellBackground) lipgloss.Style {
	s := l.roles[r]
	if r.isBar() {
		s = l.barStyle(r, cl)
	}
	switch on {
	case selected:
		if r == Ghost { // it is too dark for a row that is no longer black
			s = l.roles[Dim]
		}
		return l.selectedStyle(s, cl)
	case pointed:
		return l.pointedStyle(s, r)
	}
	return s
}

// pointedStyle returns the look of a cell under the cursor: the color of its meaning, on the cursor.
func (l *roleStyles) pointedStyle(s lipgloss.Style, r Role) lipgloss.Style {
	own := lipgloss.NewStyle().Bold(true)
	if l.cursor == none {
		return own.Reverse(!s.GetReverse())
	}
	ink := l.onCursor[Text]
	switch r {
	case Warn, WarnFill, BarWarn, Odd1, Odd2, Odd3:
		ink = l.onCursor[Warn]
	case Crit, CritFill:
		ink = l.onCursor[Crit]
	}
	return own.Foreground(ink).Background(l.cursor)
}

// barStyle returns the look of a bar's cell: another role's color, or that of the track.
func (l *roleStyles) barStyle(r Role, cl class) lipgloss.Style {
	switch {
	case cl != shade:
		return l.roles[ink[r]].Bold(false)
	case l.track == none:
		return l.roles[Faint]
	}
	return lipgloss.NewStyle().Foreground(l.track)
}

// selectedStyle returns the look of a cell of the selected row. Block glyphs are not reversed: a bar would show the
// opposite of its value.
func (l *roleStyles) selectedStyle(s lipgloss.Style, cl class) lipgloss.Style {
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
