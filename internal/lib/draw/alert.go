package draw

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// AlertHost has the facts about the user's terminal, from the environment.
type AlertHost struct {
	Name   string // TERM
	Tmux   bool
	Screen bool // GNU screen
}

// AlertHostOf reads the environment.
func AlertHostOf(getenv func(string) string) AlertHost {
	return AlertHost{Name: getenv("TERM"), Tmux: getenv("TMUX") != "", Screen: getenv("STY") != ""}
}

// maxAlert limits the text of an alert, in bytes.
const maxAlert = 300

// AlertSequence returns the bytes that alert the user on this terminal: a bell, and a desktop notification in an escape
// sequence that the terminal understands. style is "bell", "osc9", "osc777" or "auto", which decides by the name of the
// terminal. tmux and GNU screen pass the sequence on if they are allowed to, and mark the window because of the bell.
func AlertSequence(style string, on AlertHost, title, text string) string {
	const bell = "\a"
	if style == "auto" {
		style = "osc9"
		if strings.HasPrefix(on.Name, "rxvt") || strings.HasPrefix(on.Name, "foot") {
			style = "osc777"
		}
	}
	title, text = safe.Line(title, maxAlert), safe.Line(text, maxAlert)
	sequence := ""
	switch style {
	case "osc9":
		sequence = ansi.Notify(strings.TrimSuffix(title+". "+text, ". "))
	case "osc777":
		sequence = ansi.URxvtExt("notify", strings.ReplaceAll(title, ";", ","), strings.ReplaceAll(text, ";", ","))
	}
	switch {
	case sequence == "":
	case on.Tmux:
		sequence = ansi.TmuxPassthrough(sequence)
	case on.Screen:
		sequence = ansi.ScreenPassthrough(sequence, 0)
	}
	return sequence + bell
}

// TitleSequence returns the bytes that set the title of the window, in ASCII: some terminals mistake a byte of another
// character for the end of the title.
func TitleSequence(title string) string {
	return ansi.SetWindowTitle(strings.Map(ASCII, safe.Line(title, maxAlert)))
}
