package keys

// The keys of the settings.
var (
	NextValue = newBinding("→ Enter", "next value", "right", "enter", "space")
	PrevValue = newBinding("←", "previous value", "left")
	Earlier   = newBinding("Shift-↑", "column left", "shift+up")
	Later     = newBinding("Shift-↓", "column right", "shift+down")
	Usual     = newBinding("Backspace", "default", "backspace", "delete")
	Write     = newBinding("Ctrl-S F12", "write", "ctrl+s", "f12")
)

var settingsRows = []Row{
	{Bindings: bindingList(PrevValue, NextValue), Group: Acting, Each: []string{"previous value", "next value"},
		Means: "sibling", Text: "change the value",
		Long: "previous / next value; show or hide the column", Subject: OfRow, On: On(OnSettings)},
	{Bindings: bindingList(Earlier, Later), Group: Acting, Each: []string{"move the column left",
		"move the column right"}, Text: "move the column", Long: "move the column left / right",
		Subject: OfRow, On: On(OnSettings)},
	{Bindings: bindingList(Usual), Group: Acting, Text: "reset to default",
		Long: "reset to default; for a column, all columns of its table", Also: "usual, defaults", Subject: OfRow,
		On: On(OnSettings)},
	{Bindings: bindingList(Search), Group: Arranging, Means: "filter", Text: "search the settings",
		Long: "show only settings and columns that have all these words; Enter keeps them, Esc shows all",
		On:   On(OnSettings)},
	{Bindings: bindingList(Write), Group: Acting, Text: "save to config file",
		Long: "save the changes to your config file", Also: "save, save settings, write",
		On: On(OnSettings)},
}
