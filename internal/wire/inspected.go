package wire

// InspectedProcess has the kernel's facts about a process. Unknown facts are absent; Absent has the reasons. Of another
// user's process only public facts are read, even by root.
type InspectedProcess struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"start_ticks"`

	Arguments []string `json:"arguments,omitempty"` // the command line
	Truncated bool     `json:"truncated,omitempty"` // it was longer than a node sends
	Terminal  string   `json:"terminal,omitempty"`  // the controlling one: "pts/3"
	UIDs      []int    `json:"uids,omitempty"`      // real, effective, saved, file system
	GIDs      []int    `json:"gids,omitempty"`      // likewise

	Nice       *int   `json:"nice,omitempty"`        // -20..19
	Priority   *int   `json:"priority,omitempty"`    // as the kernel uses it
	Policy     string `json:"policy,omitempty"`      // of the scheduler: "other", "batch", "idle", "fifo", …
	IOPriority string `json:"io_priority,omitempty"` // "none", or a class with its level: "best-effort 4"
	LastCPU    *int   `json:"last_cpu,omitempty"`    // the one it ran on last
	// the CPUs on which it may run, as in wire.Process
	CPUAffinity string `json:"cpu_affinity,omitempty"`

	// CPU time in seconds: of the process, and of its children that have ended; and how long it waited for disks.
	UserSeconds           *float64 `json:"user_seconds,omitempty"`
	SystemSeconds         *float64 `json:"system_seconds,omitempty"`
	ChildrenUserSeconds   *float64 `json:"children_user_seconds,omitempty"`
	ChildrenSystemSeconds *float64 `json:"children_system_seconds,omitempty"`
	DiskWaitSeconds       *float64 `json:"disk_wait_seconds,omitempty"`

	VoluntarySwitches   *uint64 `json:"voluntary_switches,omitempty"`   // by its first thread, to wait
	InvoluntarySwitches *uint64 `json:"involuntary_switches,omitempty"` // another process got the CPU
	MinorFaults         *uint64 `json:"minor_faults,omitempty"`
	MajorFaults         *uint64 `json:"major_faults,omitempty"` // a page had to be read from a disk

	Memory      *MemoryUse            `json:"memory,omitempty"`
	Full        *FullMemory           `json:"full_memory,omitempty"`
	IO          *IOCounts             `json:"io,omitempty"`
	Limits      []InspectedLimit      `json:"limits,omitempty"`
	Files       *Descriptors          `json:"descriptors,omitempty"`
	Connections []InspectedConnection `json:"connections,omitempty"` // TCP and UDP
	Threads     []InspectedThread     `json:"threads,omitempty"`     // those with the most CPU time first

	// More says how many elements were left out of a list, by its key.
	More map[string]int `json:"more,omitempty"`
	// Absent gives the reasons for absent facts, by key.
	Absent map[string]string `json:"absent,omitempty"`
}

// MemoryUse is the memory of a process, in bytes.
type MemoryUse struct {
	VMS    uint64 `json:"vms_bytes"`
	RSS    uint64 `json:"rss_bytes"`
	Peak   uint64 `json:"peak_rss_bytes"`
	Shared uint64 `json:"shared_bytes"` // the part of RSS that comes from files or is shared
	Text   uint64 `json:"text_bytes"`
	Data   uint64 `json:"data_bytes"` // including the stack
	Swap   uint64 `json:"swap_bytes"`
	Locked uint64 `json:"locked_bytes"`
}

// FullMemory is the memory of a process by page, in bytes.
type FullMemory struct {
	USS  uint64 `json:"uss_bytes"` // what would become free if it ended
	PSS  uint64 `json:"pss_bytes"` // with its share of the pages that other processes have too
	Swap uint64 `json:"swap_bytes"`
	// by file, largest RSS first
	Maps []InspectedMapping `json:"maps"`
}

// InspectedMapping is the memory that a process has of one file.
type InspectedMapping struct {
	Path    string `json:"path"` // "[heap]", "[anon]" for memory without a file
	Areas   int    `json:"areas"`
	Size    uint64 `json:"size_bytes"`
	RSS     uint64 `json:"rss_bytes"`
	PSS     uint64 `json:"pss_bytes"`
	Private uint64 `json:"private_bytes"`
	Swap    uint64 `json:"swap_bytes"`
}

// IOCounts says how much a process has read and written since it started.
type IOCounts struct {
	Read       uint64 `json:"read_bytes"` // by system calls, from files, caches and pipes
	Written    uint64 `json:"write_bytes"`
	Reads      uint64 `json:"read_calls"`
	Writes     uint64 `json:"write_calls"`
	DiskRead   uint64 `json:"disk_read_bytes"` // from storage: network file systems may not count
	DiskWrites uint64 `json:"disk_write_bytes"`
}

// InspectedLimit is a resource limit (getrlimit(2)). nil: there is none.
type InspectedLimit struct {
	Name string  `json:"name"` // as the kernel writes it: "Max open files"
	Soft *uint64 `json:"soft,omitempty"`
	Hard *uint64 `json:"hard,omitempty"`
	Unit string  `json:"unit,omitempty"` // "bytes", "files"
}

// Descriptors are the open files of a process.
type Descriptors struct {
	Count   int        `json:"count"`
	Sockets int        `json:"sockets"` // among the descriptors that were examined
	Pipes   int        `json:"pipes"`
	Others  int        `json:"others"` // event counters, timers and the like
	Files   []OpenFile `json:"files"`
}

// OpenFile is a file or a device that a process has open.
type OpenFile struct {
	FD       int    `json:"fd"`
	Path     string `json:"path"`
	Mode     string `json:"mode,omitempty"` // "r", "w", "rw", with "a" for append
	Position uint64 `json:"position"`
}

// InspectedConnection is a socket of a process.
type InspectedConnection struct {
	FD       int    `json:"fd"`
	Protocol string `json:"protocol"` // "tcp", "tcp6", "udp", "udp6"
	Local    string `json:"local"`    // "10.0.0.1:29500"
	Remote   string `json:"remote,omitempty"`
	Status   string `json:"status,omitempty"` // "ESTABLISHED"; of TCP
}

// InspectedThread is a thread of a process.
type InspectedThread struct {
	ID            int     `json:"tid"`
	Name          string  `json:"name"`
	State         string  `json:"state"`
	LastCPU       int     `json:"last_cpu"`
	UserSeconds   float64 `json:"user_seconds"`
	SystemSeconds float64 `json:"system_seconds"`
}
