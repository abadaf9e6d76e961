package keys

// The keys of the settings.
var (
	NextValue = bind("→ Space", "next value", "right", "space", "enter")
	PrevValue = bind("←", "previous value", "left")
	Earlier   = bind("<", "column to the front", "<", ",")
	Later     = bind(">", "column to the back", ">", ".")
	Usual     = bind("x", "usual", "x", "X", "backspace")
	Write     = bind("w F12", "write", "w", "W", "f12")
)

var settingsRows = []Row{
	{Bindings: of(PrevValue, NextValue), Group: Acting, Each: []string{"previous value", "next value"},
		Text: "change the value",
		Long: "previous / next value; show or hide the column", On: On(OnSettings)},
	{Bindings: of(Earlier, Later), Group: Acting, Each: []string{"move the column to the front",
		"move the column to the back"}, Text: "move the column", Long: "move the column to the front / to the back",
		On: On(OnSettings)},
	{Bindings: of(Usual), Group: Acting, Text: "the usual value",
		Long: "the usual value; for a column the usual columns of its table",
		On:   On(OnSettings)},
	{Bindings: of(Write), Group: Acting, Text: "write what has changed",
		Long: "write what has changed to your configuration file",
		On:   On(OnSettings)},
}
