package keys

// The keys that signal processes and cancel jobs.
var (
	SignalInt  = bind("I", "interrupt", "I")
	SignalTerm = bind("T", "terminate", "T")
	SignalKill = bind("K", "kill", "K")
	SignalAny  = bind("S", "signal", "S")
	Scancel    = bind("X", "scancel", "X")
)

// The keys of the dialogs, which have the keyboard while they are open.
var (
	Send        = bind("y", "send", "y")
	Whom        = bind("Tab", "recipients", "tab")
	WhomBefore  = bind("Shift-Tab", "recipients", "shift+tab")
	OtherSignal = bind("s", "other signal", "s")
	Choose      = bind("Enter", "choose", "enter")
	Dismiss     = bind("Esc", "cancel", "esc", "enter", "q", "n")
	Leave       = bind("Esc", "cancel", "esc") // where letters are text
	Other       = bind("Tab", "other way", "tab", "shift+tab")
	Erase       = bind("Backspace", "erase", "backspace", "ctrl+h")
	EraseAll    = bind("Ctrl-U", "erase all", "ctrl+u")
)

var signalTexts = []string{"interrupt… (SIGINT)", "terminate… (SIGTERM)", "kill… (SIGKILL)"}

var signalRows = []Row{
	{
		Bindings: of(SignalInt, SignalTerm, SignalKill), Group: Acting, Each: signalTexts, Needs: NeedsSignals,
		Text: "interrupt / terminate / kill",
		On:   On(OnProcesses, OnMetrics, OnRanks),
		Long: "send SIGINT / SIGTERM / SIGKILL to the process, to the tagged processes, to its rank, or to all ranks; " +
			"asks first",
	},
	{Bindings: of(SignalAny), Group: Acting, Needs: NeedsSignals, Text: "any signal, by name",
		Long: "send any signal, by name: SIGUSR1 for a checkpoint; asks first",
		On:   On(OnProcesses, OnMetrics, OnRanks)},
	{Bindings: of(Scancel), Group: Acting, Needs: NeedsSignals, Text: "scancel",
		Long: "cancel the job, or have SLURM send a signal to its steps; asks first", On: On(OnProcesses, OnMetrics)},
}
