package keys

// The key that leads to the stacks of a job, and the keys of that page.
var (
	Stacks        = newBinding("b", "stacks", "b", "B")
	MarkStack     = newBinding("Space", "mark", "space", " ")
	CompareStacks = newBinding("c", "compare", "c")
)

var stackRows = []Row{
	{Bindings: bindingList(Open), Group: Looking, Means: "into", Text: "a group in full", Subject: OfRow,
		Long: "a group in full: its frames, its members, other threads, and workers that wait for files",
		On:   On(OnStacks)},
	{Bindings: bindingList(CompareStacks), Group: Looking, Text: "compare two groups", Subject: OfRow,
		Long: "where the group parts from the largest one, or from the marked one", On: On(OnStacks)},
	{Bindings: bindingList(MarkStack), Group: Looking, Means: "mark", Text: "mark the group to compare with",
		Subject: OfRow,
		On:      On(OnStacks)},
	{Bindings: bindingList(CopyLine, CopyAll), Group: Acting, Each: []string{"copy the group", "copy all groups"},
		Means: "copy", Text: "copy the group / all", Subject: OfRow, On: On(OnStacks)},
}
