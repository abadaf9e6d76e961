package signal

import "github.com/nvnodetop/nvnodetop/internal/wire"

// command is what a Dialog does to processes: it sends a signal, or changes how the kernel schedules them. The zero
// command is not chosen yet.
type command struct {
	signal   Signal
	schedule *wire.Schedule // nil: it is the signal
}

func (c command) isChosen() bool { return c.signal != 0 || c.schedule != nil }

// String names it in a sentence: "SIGTERM", "nice value 10".
func (c command) String() string {
	if c.schedule != nil {
		return c.schedule.String()
	}
	return c.signal.String()
}

// commandWords are the words about a command.
type commandWords struct {
	do, did, doing, to string // "Send X to 3 processes?"
	done               string // "sent", "not sent"
	late, perhaps      string // of one without an answer
	may                string // what root may do to processes of others
	hidden             [2]string
}

var (
	signalWords = commandWords{do: "Send", did: "Sent", doing: "Sending", to: "to", done: "sent",
		late: "the signal may still arrive", perhaps: "it may have arrived", may: "signal",
		hidden: [2]string{"it gets the signal too", "they get the signal too"}}
	scheduleWords = commandWords{do: "Set", did: "Set", doing: "Setting", to: "for", done: "set",
		late: "it may still be set", perhaps: "it may have been set", may: "change",
		hidden: [2]string{"it is changed too", "they are changed too"}}
)

func (c command) words() *commandWords {
	if c.schedule != nil {
		return &scheduleWords
	}
	return &signalWords
}

// effectText describes in a sentence the effect on a process.
func (c command) effectText() string {
	switch {
	case c.schedule == nil:
		return c.signal.effectText()
	case c.schedule.Nice != nil:
		return "Where CPUs are scarce, processes with a lower value go first. Only root may lower it again. " +
			"Children that already run, such as data loaders, keep theirs."
	}
	return "All its threads run on these CPUs only, as far as the job has them. Children that already run, such as data " +
		"loaders, keep theirs."
}

// haltsPrograms reports whether most programs end or pause, so that others may wait for them.
func (c command) haltsPrograms() bool { return c.schedule == nil && c.signal.haltsPrograms() }
