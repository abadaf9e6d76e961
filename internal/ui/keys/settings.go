package keys

// The keys of the settings.
var (
	NextValue = bind("→ Space", "next value", "right", "space", "enter")
	PrevValue = bind("←", "previous value", "left")
	Earlier   = bind("<", "column left", "<", ",")
	Later     = bind(">", "column right", ">", ".")
	Usual     = bind("x", "usual", "x", "X", "backspace")
	Write     = bind("w F12", "write", "w", "W", "f12")
)

var settingsRows = []Row{
	{Bindings: of(PrevValue, NextValue), Group: Acting, Each: []string{"previous value", "next value"},
		Text: "change the value",
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
