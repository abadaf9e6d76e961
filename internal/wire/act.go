package wire

// MaxTargets is the largest number of processes that one Signal or Family may name.
const MaxTargets = 256

// Signal sends a signal to processes, or changes their Schedule. The probe does so only to processes of its own user
// or, as root, to those of the Owner. It never reaches a process that has reused the PID of an ended process.
type Signal struct {
	Number    int         `json:"number"`    // as in kill -l on the node, for example 15 for TERM; 0: there is a Schedule
	Processes []ProcessID `json:"processes"` // each with its start time; otherwise the probe refuses the whole request
	// UID of another user who owns the processes, as root was told; nil: they belong to the probe's own user
	Owner    *int      `json:"owner,omitempty"`
	Schedule *Schedule `json:"schedule,omitempty"` // nil: the signal is sent
}

// Signaled is the result of a signal for one process.
type Signaled struct {
	PID     int    `json:"pid"`
	Error   string `json:"error,omitempty"` // why it was not sent, or may not have been; empty: it was sent
	ErrorID string `json:"error_id,omitempty"`
}

// Values of Signaled.ErrorID.
const (
	SignalGone      = "gone"       // the process has ended
	SignalReused    = "reused"     // another process has its PID now
	SignalOtherUser = "other_user" // the process belongs to another user
	SignalDenied    = "denied"     // the process must not be signaled: it is init, or the probe runs under it
	SignalKernel    = "kernel"     // the kernel refused, or the probe had no time to try
	SignalNoAnswer  = "no_answer"  // the kernel did not answer: the signal may have been sent
)

// Family asks for the relatives of processes: their ancestors up to the first process of the session or of the job
// step, and all descendants.
type Family struct {
	PIDs []int `json:"pids"`
}

// Relative is a process of a Family. Values that /proc hides are absent.
type Relative struct {
	ProcessID
	Parent     int     `json:"parent_pid"`
	UID        *int    `json:"uid,omitempty"`
	User       string  `json:"user,omitempty"` // as in Process, like the following
	Name       string  `json:"name,omitempty"`
	Command    string  `json:"command,omitempty"`
	State      string  `json:"state,omitempty"`
	CPUTicks   *uint64 `json:"cpu_ticks,omitempty"` // the CPU time that it has used, in hundredths of a second
	RSS        *uint64 `json:"rss_bytes,omitempty"`
	ElapsedSec *int64  `json:"elapsed_seconds,omitempty"`
}

// signals are the signals of Linux, by number, as kill -l names them. They are the same on x86 and ARM.
var signals = [...]string{
	1: "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
	"TERM", "STKFLT", "CHLD", "CONT",
	"STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
}

// SignalName returns the name of a signal on a node: "TERM" for 15; "" if it has none.
func SignalName(number int) string {
	if number < 1 || number >= len(signals) {
		return ""
	}
	return signals[number]
}

// SignalNumber returns the number of the signal with that name on a node; 0 if there is none. On this host the number
// may differ.
func SignalNumber(name string) int {
	for number, known := range signals {
		if known != "" && known == name {
			return number
		}
	}
	return 0
}
