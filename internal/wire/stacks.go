package wire

import "time"

// Stacks asks where processes of the user are: their threads, and the Python stack of each thread. The processes and
// their descendants are neither stopped nor changed. It is read only on request.
type Stacks struct {
	Processes []ProcessID `json:"processes"` // at most MaxStackTargets, each with its start time

	// OverMS is the time, in ms, over which the probe first looks StacksFollowed times at their main threads; 0: it does
	// not. The reply comes after that.
	OverMS int `json:"over_ms,omitempty"` // at most MaxStacksOverMS
}

// Over is the time of OverMS.
func (s *Stacks) Over() time.Duration { return time.Duration(s.OverMS) * time.Millisecond }

// StackLooks is what several looks at the main thread of a process have in common.
type StackLooks struct {
	Times int `json:"times"` // looks that have seen it
	Same  int `json:"same"`  // those that have seen it where the last one has, line by line
}

// ProcessStacks is where a process is. What /proc hides is absent.
type ProcessStacks struct {
	ProcessID
	Parent int    `json:"parent_pid,omitempty"`
	Of     int    `json:"of_pid,omitempty"` // the requested process of which it is a descendant; 0: it was requested
	Name   string `json:"name,omitempty"`   // comm
	State  string `json:"state,omitempty"`  // one letter, as ps shows it

	// from its memory, of a requested process that has overwritten its environment
	Rank *Rank `json:"rank,omitempty"`

	Looks *StackLooks `json:"looks,omitempty"` // if there were several, as Stacks.OverMS asks

	// bytes that it has read and written by system calls, or had read from disks and written there; absent: not known
	IOBytes *uint64 `json:"io_bytes,omitempty"`

	// its main thread runs a greenlet: other stacks of it wait, and are not read
	Greenlets bool `json:"greenlets,omitempty"`

	// Unsent are TCP connections of it at which the other side does not answer: at most MaxUnsent.
	Unsent []Connection `json:"unsent,omitempty"`

	MPI bool `json:"mpi,omitempty"` // it has loaded a library of MPI, which polls while it waits

	Python  string   `json:"python,omitempty"`  // version of the interpreter: "3.12.4", or "3.8"
	Refusal *Refusal `json:"refusal,omitempty"` // why there are no Python stacks; Threads have the rest

	// Threads are ordered: the main thread first, then those with frames, then the others, with states D and R first.
	Threads     []ThreadStack `json:"threads,omitempty"`
	MoreThreads int           `json:"more_threads,omitempty"` // that are left out
}

// Refusal is why the stacks of a process cannot be read.
type Refusal struct {
	ID    string `json:"id"`
	Cause string `json:"cause"`
	Hint  string `json:"hint,omitempty"` // what the user or an administrator can change; empty: nothing
}

// Values of Refusal.ID.
const (
	RefusedNoPython = "no_python" // it runs no Python, or none that is found
	RefusedVersion  = "version"   // a version of Python that is not known, or another Python than CPython
	RefusedUser     = "user"      // it belongs to another user
	RefusedPtrace   = "ptrace"    // kernel.yama.ptrace_scope
	RefusedDumpable = "dumpable"  // it has gained privileges, or asked for its memory to be private
	RefusedHidden   = "hidden"    // /proc does not show it
	RefusedGone     = "gone"      // it has exited, or another process has its PID
	RefusedState    = "state"     // the interpreter is starting or ending, or its memory does not make sense
	RefusedTime     = "time"      // there was no time for it
	RefusedLimit    = "limit"     // it is larger than the probe reads
	RefusedKernel   = "kernel"    // another error of the kernel
)

// ThreadStack is where a thread is.
type ThreadStack struct {
	TID   int    `json:"tid,omitempty"` // absent: the interpreter has the thread, but it is not known which one it is
	Name  string `json:"name,omitempty"`
	Main  bool   `json:"main,omitempty"`  // the first thread of the process
	GIL   *bool  `json:"gil,omitempty"`   // holds the interpreter's lock; absent: not known
	State string `json:"state,omitempty"` // one letter, as ps shows it
	WChan string `json:"wchan,omitempty"` // the function of the kernel in which it waits

	CPUTicks *uint64 `json:"cpu_ticks,omitempty"` // CPU time, in hundredths of a second; Reply.ReadMS is the time of it

	// Switches is how often it has begun to wait since it began; absent: not known.
	Switches *uint64 `json:"voluntary_switches,omitempty"`

	// WaitsFor is the file for which a thread in state D waits.
	WaitsFor *FileWait `json:"waits_for,omitempty"`

	// Call is the system call in which the main thread, or one that runs Python, waits; absent: it is in none that is
	// known, or the kernel does not say.
	Call *SystemCall `json:"call,omitempty"`

	Frames []Frame `json:"frames,omitempty"` // innermost first; empty: no Python runs in it

	// Deeper says that there are more frames outside of the last one.
	Deeper bool `json:"deeper,omitempty"`
	// Moving says that the thread was running, and that frames inside of the first one changed while they were read.
	Moving bool `json:"moving,omitempty"`
}

// Frame is a call of a Python function.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"` // absent: not known
}

// FileWait is a file, or at least a file system, of which the kernel waits.
type FileWait struct {
	Path       string `json:"path,omitempty"`
	FileSystem string `json:"file_system,omitempty"` // its type: "lustre"
	Mount      string `json:"mount,omitempty"`       // where it is mounted
	Source     string `json:"source,omitempty"`      // what is mounted: "10.0.0.1@o2ib:/set7"
}

// SystemCall is a system call that waits, and for what. What the kernel does not say is absent.
type SystemCall struct {
	Does string `json:"does"`           // see CallReads
	FD   *int   `json:"fd,omitempty"`   // its descriptor
	File string `json:"file,omitempty"` // a path, or as the kernel names what has none: "pipe:[77]", "socket:[78]"

	Child int   `json:"child,omitempty"` // the PID of the process whose end it waits for, as the program knows it
	Ends  []int `json:"ends,omitempty"`  // processes of the same rank with the other end of the pipe: at most MaxEnds

	// Holder is the process of the node that has the lock of the file, or has taken it; 0: not known.
	Holder     int    `json:"holder_pid,omitempty"`
	HolderName string `json:"holder,omitempty"`      // its comm
	HolderGone bool   `json:"holder_gone,omitempty"` // it has exited: who has inherited the file has the lock
	// HeldElsewhere says that no process of the node has the lock: the file system asks somebody else.
	HeldElsewhere bool `json:"held_elsewhere,omitempty"`

	Local string `json:"local,omitempty"` // addresses of its TCP socket
	Peer  string `json:"peer,omitempty"`
}

// Values of SystemCall.Does.
const (
	CallReads    = "read" // or receives, or polls one descriptor for that
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

// Connection is a TCP connection with bytes that the other side has not confirmed, though they were sent again.
type Connection struct {
	Local       string `json:"local"`
	Peer        string `json:"peer"`
	Bytes       uint64 `json:"bytes"` // that are not confirmed
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
	MaxStackCalls     = 32        // threads of a process with a SystemCall
	MaxStacks         = 768 << 10 // bytes of JSON
	StacksFollowed    = 10        // looks within Stacks.OverMS
	MaxStacksOverMS   = 10_000
)
