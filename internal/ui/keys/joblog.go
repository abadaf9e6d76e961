package keys

// The key that leads to the log of a job, the keys of that page, and the keys of the report of a job and of a job that
// waits.
var (
	Log       = newBinding("l", "log", "l", "L")
	NextMatch = newBinding("n", "next match", "n")
	PrevMatch = newBinding("N", "previous match", "N")

	CompareReports = newBinding("c", "compare", "c")

	Estimate = newBinding("E", "ask SLURM", "E")
)

var logRows = []Row{
	{Bindings: bindingList(Estimate), Group: Looking, Text: "when a waiting job starts",
		Long: "ask SLURM why a job waits: what is ahead of it, its priority, and when it would start, also with " +
			"less",
		Also: "why, when, why does it wait, when does it start, sprio, test-only, estimate, start sooner, " +
			"queue position",
		On: On(OnJobs, OnWaiting), Subject: OfRow},
	{Bindings: bindingList(CompareReports), Group: Looking, Text: "compare two jobs",
		Long: "show it beside the report that was open before, of another job; again: alone",
		Also: "compare reports, compare runs, slower than yesterday, yesterday, difference", On: On(OnReport)},
	{Bindings: bindingList(Up, Down), Group: Moving, Each: []string{"scroll up", "scroll down"},
		Text: "scroll", On: On(OnLog)},
	{Bindings: bindingList(Left, Right), Group: Moving, Means: "sibling", Text: "standard output / error",
		Also: "stderr, stdout, error output", On: On(OnLog)},
	{Bindings: bindingList(CommandLeft, CommandRight), Group: Moving, Means: "scroll the commands",
		Text: "scroll to the side",
		On:   On(OnLog)},
	{Bindings: bindingList(First, Last), Group: Moving, Means: "first / last", Each: []string{"beginning of the log",
		"end of the log: follow it"}, Text: "beginning / end, followed", On: On(OnLog)},
	{Bindings: bindingList(NextMatch, PrevMatch), Group: Moving, Means: "next / previous match",
		Each: []string{"next match", "previous match"}, Text: "next / prev match",
		Long: "next / previous match; without a search, the next line that matters: errors, tracebacks, NCCL, Xids",
		On:   On(OnLog)},
	{Bindings: bindingList(Search), Group: Arranging, Means: "search the log", Text: "search",
		Also: "search the log, grep the log, find in the log",
		Long: "search in the log; a capital makes it case-sensitive; Enter goes to the nearest match, Esc ends it",
		On:   On(OnLog)},
}
