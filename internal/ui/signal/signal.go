// Package signal has the dialogs that send signals to processes, change their schedule and cancel jobs: boxes over a
// page that have the keyboard while they are open.
//
// Sending needs a key that does nothing else: y, or the ID of the job and Enter. Enter alone and Esc close a dialog. y
// counts only after the question has been on the screen for a while with no key pressed (Scene.Still): a user who has
// not read the question has not answered it. The user's choice fixes the recipients of a signal, so later processes are
// not hit. A dialog only makes requests, which its page returns in a nav.Answer. It takes only the results of its own
// requests, whenever they arrive. Answers from nodes and SLURM are made safe to display before they are stored.
//
// A dialog belongs to one goroutine.
//
// # From the key to the process
//
// First, a dialog asks on the screen (internal/ui/signal). Only y sends a signal, and only the typed ID of the job and
// Enter cancel a job; Enter alone closes the dialog. y counts only 0.3 s after the question was drawn and the last key
// was pressed (Scene.Still): "Ky" may be a paste. The user's choice fixes the recipients of the signal: a process that
// is listed later is not hit, and the dialog says that there are more. Each node gets one request for up to 256
// processes. The dialog takes only the results of its own requests, so the late result of an earlier dialog never
// appears in the next.
//
// scancel is run like squeue: it waits until the running command has ended and the controller has had a pause, and
// squeue follows soon. scancel --signal reaches the steps that srun has started, but not the batch script and its own
// children. With readonly, app passes on neither a signal nor scancel, whatever the screen asks for.
package signal

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Signal is a signal by its number on a node; 0: none yet.
type Signal int

// The signals that have a key of their own.
const (
	Interrupt Signal = 2
	Kill      Signal = 9
	Terminate Signal = 15
)

// Name is the signal's name as scancel and kill write it: "TERM".
func (s Signal) Name() string { return wire.SignalName(int(s)) }

// String is the signal's full name: "SIGTERM".
func (s Signal) String() string { return "SIG" + s.Name() }

// signalMeaning is a signal with its description.
type signalMeaning struct {
	name    string
	meaning string // beside the name in the list
}

// first are the signals that are sent most often, in the order of the list.
var first = []signalMeaning{
	{"USR1", "often: write a checkpoint"},
	{"HUP", "the terminal has gone; daemons reload their settings"},
	{"INT", "as Ctrl-C does; Python raises KeyboardInterrupt"},
	{"QUIT", "ends with a core dump; Go and Java print their stacks"},
	{"USR2", "what it does is up to the program"},
	{"TERM", "asks the program to end; it may clean up first"},
	{"CONT", "continues after STOP"},
	{"STOP", "pauses; cannot be caught"},
	{"KILL", "ends at once; cannot be caught, nothing is saved"},
	{"ABRT", "ends with a core dump"},
}

// signalEntry is a signal in the list.
type signalEntry struct {
	Signal
	meaning string
}

// all are the signals, beginning with those that are sent most often.
var all = func() (list []signalEntry) {
	listed := map[Signal]bool{}
	for _, k := range first {
		s := Signal(wire.SignalNumber(k.name))
		list, listed[s] = append(list, signalEntry{s, k.meaning}), true
	}
	for s := Signal(1); s.Name() != ""; s++ {
		if !listed[s] {
			list = append(list, signalEntry{s, ""})
		}
	}
	return list
}()

// matchSignals returns the signals whose name, with or without SIG, or whose number begins with the typed text; an
// exact match comes first.
func matchSignals(typed string) (list []signalEntry) {
	name := strings.TrimPrefix(strings.ToUpper(typed), "SIG")
	if strings.HasPrefix("SIG", strings.ToUpper(typed)) && len(typed) > 1 { // part of SIG
		name = ""
	}
	for _, e := range all {
		number := strconv.Itoa(int(e.Signal))
		switch {
		case name != "" && (e.Name() == name || number == name):
			list = append([]signalEntry{e}, list...)
		case strings.HasPrefix(e.Name(), name), strings.HasPrefix(number, name):
			list = append(list, e)
		}
	}
	return list
}

// effectText describes in a sentence the effect of the signal on a process.
func (s Signal) effectText() string {
	switch s.Name() {
	case "KILL":
		return "SIGKILL cannot be caught: nothing is saved."
	case "INT":
		return "Python raises KeyboardInterrupt."
	case "STOP":
		return "SIGSTOP cannot be caught: the process pauses until SIGCONT, and keeps its GPU memory."
	case "CONT":
		return "A stopped process continues."
	case "TSTP", "TTIN", "TTOU":
		return "A process that does not handle " + s.String() + " pauses until SIGCONT."
	case "CHLD", "URG", "WINCH":
		return "A process that does not handle " + s.String() + " ignores it."
	}
	return "A process that does not handle " + s.String() + " ends."
}

// haltsPrograms reports whether the signal ends or pauses most programs, so that others may wait for them.
func (s Signal) haltsPrograms() bool {
	switch s.Name() {
	case "USR1", "USR2", "CONT", "CHLD", "URG", "WINCH":
		return false
	}
	return true
}
