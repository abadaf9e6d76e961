package wire

import "time"

// Stacks asks where processes of the user are: their threads, and the Python stack of each thread. The probe neither
// stops nor changes the processes and their descendants. It reads them only on request.
type Stacks struct {
	Processes []ProcessID `json:"processes"` // at most MaxStackTargets, each with its start time

	// OverMS is how long, in ms, the probe follows the processes: it looks StacksFollowed times at their main threads
	// in that time, and replies afterwards. 0: it does not follow them.
	OverMS int `json:"over_ms,omitempty"` // at most MaxStacksOverMS
}

// Over returns OverMS as a duration.
func (s *Stacks) Over() time.Duration { return time.Duration(s.OverMS) * time.Millisecond }

// StackLooks sums up several looks at the main thread of a process.
type StackLooks struct {
	Times int `json:"times"` // looks that saw the thread
	Same  int `json:"same"`  // of these, those that saw it in the same lines as the last one
}

// ProcessStacks is where a process is. What /proc hides is absent.
type ProcessStacks struct {
	ProcessID
	Parent int    `json:"parent_pid,omitempty"`
	Of     int    `json:"of_pid,omitempty"` // the requested process that it descends from; 0: it was requested itself
	Name   string `json:"name,omitempty"`   // comm
	State  string `json:"state,omitempty"`  // one letter, as ps shows it

	// read from its memory, for a requested process that has overwritten its environment
	Rank *Rank `json:"rank,omitempty"`

	Looks *StackLooks `json:"looks,omitempty"` // if there were several looks, as Stacks.OverMS asks

	// bytes read and written by system calls, plus those read from and written to disks; absent: not known
	IOBytes *uint64 `json:"io_bytes,omitempty"`

	// its main thread runs a greenlet: other stacks of that thread wait, and are not read
	Greenlets bool `json:"greenlets,omitempty"`

	// Unsent lists its TCP connections whose other side does not answer: at most MaxUnsent.
	Unsent []Connection `json:"unsent,omitempty"`

	MPI bool `json:"mpi,omitempty"` // it has loaded an MPI library, which polls while it waits

	Python  string   `json:"python,omitempty"`  // version of the interpreter: "3.12.4", or "3.8"
	Refusal *Refusal `json:"refusal,omitempty"` // why there are no Python stacks; Threads has the rest

	// Threads are in this order: the main thread, those with frames, then the others, with states D and R first.
	Threads     []ThreadStack `json:"threads,omitempty"`
	MoreThreads int           `json:"more_threads,omitempty"` // threads left out
}

// Refusal says why the stacks of a process cannot be read.
type Refusal struct {
	ID    string `json:"id"`
	Cause string `json:"cause"`
	Hint  string `json:"hint,omitempty"` // what the user or an administrator can change; empty: nothing
}

// Values of Refusal.ID.
const (
	RefusedNoPython = "no_python" // it runs no Python, or none was found
	RefusedVersion  = "version"   // an unknown version of Python, or a Python other than CPython
	RefusedUser     = "user"      // it belongs to another user
	RefusedPtrace   = "ptrace"    // kernel.yama.ptrace_scope
	RefusedDumpable = "dumpable"  // it has gained privileges, or asked to keep its memory private
	RefusedHidden   = "hidden"    // /proc does not show it
	RefusedGone     = "gone"      // it has exited, or another process has its PID
	RefusedState    = "state"     // the interpreter is starting or ending, or its memory does not make sense
	RefusedTime     = "time"      // there was no time for it
	RefusedLimit    = "limit"     // it is larger than the probe is willing to read
	RefusedKernel   = "kernel"    // another error of the kernel
)

// ThreadStack is where a thread is.
type ThreadStack struct {
	TID   int    `json:"tid,omitempty"` // absent: the interpreter has the thread, but its kernel number is unknown
	Name  string `json:"name,omitempty"`
	Main  bool   `json:"main,omitempty"`  // the first thread of the process
	GIL   *bool  `json:"gil,omitempty"`   // holds the interpreter's lock; absent: not known
	State string `json:"state,omitempty"` // one letter, as ps shows it
	WChan string `json:"wchan,omitempty"` // the kernel function in which it waits

	CPUTicks *uint64 `json:"cpu_ticks,omitempty"` // CPU time, in hundredths of a second, at Reply.ReadMS

	// Switches is how often the thread has begun to wait in its whole life; absent: not known.
	Switches *uint64 `json:"voluntary_switches,omitempty"`

	// WaitsFor is the file that a thread in state D waits for.
	WaitsFor *FileWait `json:"waits_for,omitempty"`

	// Call is the system call in which the thread waits, for the main thread and those that run Python; absent: it is
	// in no known call, or the kernel does not say.
	Call *SystemCall `json:"call,omitempty"`

	Frames []Frame `json:"frames,omitempty"` // innermost first; empty: no Python runs in it

	// Deeper says that there are more frames outside the last one.
	Deeper bool `json:"deeper,omitempty"`
	// Moving says that the thread was running, and that frames inside the first one changed while they were read.
	Moving bool `json:"moving,omitempty"`
}

// Frame is a call of a Python function.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"` // absent: not known
}

// FileWait is the file that the kernel waits for, or at least its file system.
type FileWait struct {
	Path       string `json:"path,omitempty"`
	FileSystem string `json:"file_system,omitempty"` // its type: "lustre"
	Mount      string `json:"mount,omitempty"`       // where it is mounted
	Source     string `json:"source,omitempty"`      // what is mounted: "10.0.0.1@o2ib:/set7"
}

// SystemCall is a system call that waits, and what it waits for. What the kernel does not say is absent.
type SystemCall struct {
	Does string `json:"does"`           // one of the Call… constants
	FD   *int   `json:"fd,omitempty"`   // its descriptor
	File string `json:"file,omitempty"` // a path, or the kernel's name for what has none: "pipe:[77]", "socket:[78]"

	Child int   `json:"child,omitempty"` // the PID of the process whose end it waits for, as the program knows it
	Ends  []int `json:"ends,omitempty"`  // processes of the same rank with the other end of the pipe: at most MaxEnds

	// Holder is the process on the node that holds the lock of the file, or that took it; 0: not known.
	Holder     int    `json:"holder_pid,omitempty"`
	HolderName string `json:"holder,omitempty"`      // its comm
	HolderGone bool   `json:"holder_gone,omitempty"` // it has exited: whoever inherited the file has the lock
	// HeldElsewhere says that no process on the node has the lock: the file system asks another host.
	HeldElsewhere bool `json:"held_elsewhere,omitempty"`

	Local string `json:"local,omitempty"` // addresses of its TCP socket
	Peer  string `json:"peer,omitempty"`
}

// Values of SystemCall.Does.
const (
	CallReads    = "read" // or receives, or polls one descriptor for input
	CallWrites   = "write"
	CallOpens    = "open"
	CallSyncs    = "sync" // until a file is on its disk
	CallLocks    = "lock" // a file
	CallAccepts  = "accept"
	CallConnects = "connect"
	CallChild    = "wait" // for a child process
	CallFutex    = "futex"
	CallSleeps   = "sleep"
)

// Connection is a TCP connection with bytes that the other side has not confirmed, although they were sent again.
type Connection struct {
	Local       string `json:"local"`
	Peer        string `json:"peer"`
	Bytes       uint64 `json:"bytes"` // not confirmed
	Retransmits int    `json:"retransmits"`
}

// Limits of Reply.Stacks.
const (
	MaxStackTargets   = 64 // requested processes
	MaxStackProcesses = 512
	MaxStackThreads   = 128 // of a process
	MaxStackFrames    = 1000
	MaxFunction       = 128 // bytes of Frame.Function; a longer name is cut
	MaxUnsent         = 4
	MaxAddresses      = 64 // of a node
	MaxEnds           = 8
	MaxStackCalls     = 32        // threads of a process that have a SystemCall
	MaxStacks         = 768 << 10 // bytes of JSON
	StacksFollowed    = 10        // looks within Stacks.OverMS
	MaxStacksOverMS   = 10_000
)
