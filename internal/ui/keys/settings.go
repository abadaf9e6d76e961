package keys

// The keys of the settings.
var (
	NextValue = bind("→ Enter", "next value", "right", "enter", "space")
	PrevValue = bind("←", "previous value", "left")
	Earlier   = bind("Shift-↑", "column left", "shift+up")
	Later     = bind("Shift-↓", "column right", "shift+down")
	Usual     = bind("Backspace", "usual", "backspace", "delete")
	Write     = bind("Ctrl-S F12", "write", "ctrl+s", "f12")
)

var settingsRows = []Row{
	{Bindings: of(PrevValue, NextValue), Group: Acting, Each: []string{"previous value", "next value"},
		Means: "sibling", Text: "change the value",
		Long: "previous / next value; show or hide the column", On: On(OnSettings)},
	{Bindings: of(Earlier, Later), Group: Acting, Each: []string{"move the column left",
		"move the column right"}, Text: "move the column", Long: "move the column left / right",
		On: On(OnSettings)},
	{Bindings: of(Usual), Group: Acting, Text: "reset to default",
		Long: "reset to default; for a column, all columns of its table",
		On:   On(OnSettings)},
	{Bindings: of(Write), Group: Acting, Text: "save to config file",
		Long: "save the changes to your config file",
		On:   On(OnSettings)},
}
