package keys

// The keys that lead to the pages about one process, and the keys of these pages.
var (
	Environ  = newBinding("e", "environment", "e")
	Inspect  = newBinding("v", "details", "v", "V")
	Metrics  = newBinding("Enter", "metrics", "enter")
	CopyMenu = newBinding("y", "copy", "y")

	Search  = newBinding("/", "search", "/")
	Secrets = newBinding("x", "show secrets", "x")

	FullMemory = newBinding("f", "memory in full", "f")

	CopyLine = newBinding("y", "copy line", "y")
	CopyAll  = newBinding("Y", "copy all", "Y")
	Pick     = newBinding("Enter y", "copy", "enter", "y")
	Close    = newBinding("Esc", "cancel", "esc", "q")

	LeaveEnviron = newBinding("Esc q e", "back", "esc", "q", "Q", "f10", "e")
	LeaveDetails = newBinding("Esc q", "back", "esc", "q", "Q", "f10")
	LeaveMetrics = newBinding("Esc q", "back", "esc", "q", "Q", "f10", "enter")
)

var inspectRows = []Row{
	{Bindings: bindingList(Metrics), Group: Looking, Means: "into", Text: "metrics of the process",
		Long: "metrics of the process, with graphs", Also: "leak, memory leak, memory over time, io, disk reads",
		Subject: OfProcess, On: On(OnProcesses)},
	{Bindings: bindingList(Environ), Group: Looking, Text: "its environment",
		Long: "its environment, which can be searched and copied",
		Also: "env, environment variables, variables, cuda_visible_devices, nccl_debug, path", Subject: OfProcess,
		Needs: NeedsProcess, On: On(OnProcesses, OnMetrics)},
	{Bindings: bindingList(Inspect), Group: Looking, Means: "view", Text: "details from the kernel",
		Long: "everything the kernel knows about it: limits, memory, threads, open files, connections",
		Also: "proc, limits, ulimit, threads, open files, lsof, affinity, oom score", Subject: OfProcess,
		On: On(OnProcesses, OnMetrics)},
	{Bindings: bindingList(CopyMenu), Group: Acting, Means: "copy", Text: "copy its PID, command …",
		Long:    "copy: PID, node:PID, the command for a shell on its node, UUID of the GPU, command line",
		Also:    "copy, clipboard, yank, ssh, shell, open a shell, terminal, attach, log in, uuid, command line, pid",
		Subject: OfProcess, On: On(OnProcesses, OnMetrics)},
	{Bindings: bindingList(Up, Down), Group: Moving, Means: "move the cursor", Text: "select a variable",
		On: On(OnEnviron)},
	{Bindings: bindingList(PageUp, PageDown), Group: Moving, Each: []string{"page up", "page down"},
		Text: "page up / down",
		On:   On(OnEnviron)},
	{Bindings: bindingList(First, Last), Group: Moving, Each: []string{"first", "last"}, Text: "first / last",
		On: On(OnEnviron)},
	{Bindings: bindingList(Search), Group: Arranging, Means: "filter", Text: "search names and values",
		Long: "show only variables whose names and values contain all these words; Enter keeps them, Esc shows all",
		On:   On(OnEnviron)},
	{Bindings: bindingList(Secrets), Group: Looking, Text: "show or hide secrets",
		Long: "show or hide values that look like secrets",
		On:   On(OnEnviron)},
	{Bindings: bindingList(CopyLine, CopyAll), Group: Acting, Each: []string{"copy the line", "copy all"},
		Means: "copy", Text: "copy the line / all", Long: "copy the variable / all that are shown",
		On: On(OnEnviron)},
	{Bindings: bindingList(Up, Down), Group: Moving, Means: "move the cursor", Text: "select a fact", On: On(OnDetails)},
	{Bindings: bindingList(PageUp, PageDown), Group: Moving, Each: []string{"page up", "page down"},
		Text: "page up / down",
		On:   On(OnDetails)},
	{Bindings: bindingList(First, Last), Group: Moving, Each: []string{"first", "last"}, Text: "first / last",
		On: On(OnDetails)},
	{Bindings: bindingList(Search), Group: Arranging, Means: "filter", Text: "search names and values",
		Long: "show only facts that contain all these words; Enter keeps them, Esc shows all", On: On(OnDetails)},
	{Bindings: bindingList(FullMemory), Group: Looking, Text: "memory in full: USS, PSS",
		Long: "memory in full: USS, PSS, and by file; this may hold up a large process for a moment",
		On:   On(OnDetails)},
	{Bindings: bindingList(CopyLine, CopyAll), Group: Acting, Each: []string{"copy the line", "copy all"},
		Means: "copy", Text: "copy the line / all", Long: "copy the fact / all that are shown", On: On(OnDetails)},
	{Bindings: bindingList(LeaveDetails), Group: Leaving, Means: "out", Text: "back", On: On(OnDetails)},
	{Bindings: bindingList(LeaveEnviron), Group: Leaving, Means: "out", Text: "back", On: On(OnEnviron)},
	{Bindings: bindingList(LeaveMetrics), Group: Leaving, Means: "out", Text: "back", On: On(OnMetrics)},
}
