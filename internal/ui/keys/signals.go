package keys

// The keys that signal processes and cancel jobs.
var (
	SignalInt  = newBinding("I", "interrupt", "I")
	SignalTerm = newBinding("T", "terminate", "T")
	SignalKill = newBinding("K", "kill", "K")
	SignalAny  = newBinding("S", "signal", "S")
	Renice     = newBinding("R", "renice", "R")
	Scancel    = newBinding("X", "scancel", "X")
)

// The keys of the dialogs, which have the keyboard while they are open.
var (
	Send        = newBinding("y", "send", "y")
	Whom        = newBinding("Tab", "recipients", "tab")
	WhomBefore  = newBinding("Shift-Tab", "recipients", "shift+tab")
	OtherSignal = newBinding("s", "other signal", "s")
	Choose      = newBinding("Enter", "choose", "enter")
	Dismiss     = newBinding("Esc", "cancel", "esc", "enter", "q", "n")
	Leave       = newBinding("Esc", "cancel", "esc") // where letters are text
	Other       = newBinding("Tab", "other way", "tab", "shift+tab")
	Erase       = newBinding("Backspace", "erase", "backspace", "ctrl+h")
	EraseAll    = newBinding("Ctrl-U", "erase all", "ctrl+u")
)

var signalTexts = []string{"interrupt… (SIGINT)", "terminate… (SIGTERM)", "kill… (SIGKILL)"}

var signalRows = []Row{
	{
		Bindings: bindingList(SignalInt, SignalTerm, SignalKill), Group: Acting, Each: signalTexts,
		Needs:    NeedsSignals | NeedsProcess,
		EachAlso: []string{"ctrl-c", "stop the process, end the process", "kill -9, kill the process, pkill"},
		Subject:  OfProcess,
		Text:     "interrupt / terminate / kill",
		On:       On(OnProcesses, OnMetrics, OnRanks),
		Long: "send SIGINT / SIGTERM / SIGKILL to the process, to the tagged processes, to its rank, or to all ranks; " +
			"asks first",
	},
	{Bindings: bindingList(SignalAny), Group: Acting, Needs: NeedsSignals | NeedsProcess, Text: "any signal, by name",
		Long:    "send any signal, by name: SIGUSR1 for a checkpoint; asks first",
		Also:    "signal, sigusr1, usr1, sigusr2, usr2, sighup, sigstop, sigcont, sigquit, checkpoint, send a signal",
		Subject: OfProcess, On: On(OnProcesses, OnMetrics, OnRanks)},
	{Bindings: bindingList(Renice), Group: Acting, Needs: NeedsSignals | NeedsProcess, Text: "nice value or CPUs",
		Long:    "change the nice value or the CPUs of the process, its rank or all ranks; asks first",
		Also:    "renice, nice, priority, taskset, affinity, cpu affinity, pin, bind, cores, schedule",
		Subject: OfProcess, On: On(OnProcesses, OnMetrics, OnRanks)},
	{Bindings: bindingList(Scancel), Group: Acting, Needs: NeedsSignals | NeedsOwnJob, Text: "scancel",
		Long: "cancel the job, or have SLURM send a signal to its steps; asks first",
		Also: "cancel, stop job, stop, abort, end the job, kill job, delete job, qdel", Subject: OfJob,
		On: On(OnProcesses, OnMetrics)},
}
