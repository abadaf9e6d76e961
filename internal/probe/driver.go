package probe

import (
	"errors"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Library is NVML as the collectors need it. Its methods are called from one goroutine at a time.
type Library interface {
	// Init attaches to the driver. Its error is an *InitError. Shutdown must not be called after an Init that failed: NVML's own
	// symbol for it may not be there.
	Init() error
	Shutdown()

	// Versions gives the driver's version and the highest CUDA version that it supports; empty when NVML does not tell.
	Versions() (driver, cuda string)
	// Missing names the optional symbols that the loaded library lacks.
	Missing() []string
	// Devices lists the GPUs that this process may see, in NVML's order.
	Devices() ([]Slot, error)
}

// Slot is one GPU as NVML counts them. Device is nil for a GPU that gives no handle: Lost says why, in NVML's words.
type Slot struct {
	Index  int
	Device Device
	Lost   string
}

// Device is one GPU. An error is an *Error.
type Device interface {
	Card() Card // all but Index, which the Slot has
	Utilization() (gpu, memory int, err error)
	Memory() (used, total uint64, err error)
	Temperature() (celsius int, err error)
	Power() (watts float64, err error)
	PowerLimit() (watts float64, err error)
	SMClock() (mhz int, err error)
	MemoryClock() (mhz int, err error)
	Throttle() (reasons uint64, err error)
	ECCUncorrected() (count uint64, err error)

	// Processes lists the contexts on the GPU. It may return some together with an error.
	Processes() ([]Context, error)
	// ProcessUtilization gives the driver's samples that are newer than sinceMicros, µs of the Unix epoch.
	ProcessUtilization(sinceMicros uint64) ([]Usage, error)
}

// Context is one process in one of NVML's three lists.
type Context struct {
	PID    int
	Type   ContextType
	Memory *uint64 // bytes; nil when the driver does not tell
}

// ContextType says which of NVML's lists a Context is from.
type ContextType string

// The types of contexts, as the wire names them.
const (
	Compute  ContextType = "C"
	Graphics ContextType = "G"
	MPS      ContextType = "M"
)

// Usage is one sample of what a process used of a GPU.
type Usage struct {
	PID        int
	AtMicros   uint64
	SM, Memory int // percent
}

// Card is the wire's, and so are the classes of an InitError: an implementation of Library knows this package alone.
type Card = wire.Card

// Classes of InitError.
const (
	FaultNoLibrary = wire.FaultNoLibrary
	FaultMismatch  = wire.FaultMismatch
	FaultNoDriver  = wire.FaultNoDriver
	FaultNoNVML    = wire.FaultNoNVML
	FaultOther     = wire.FaultOther
)

// InitError is why NVML cannot be used at all.
type InitError struct {
	ID    string // one of the Fault… constants
	Words string // the library's own
}

func (e *InitError) Error() string { return e.Words }

// ErrorKind says what a failed NVML call means for what it was to read.
type ErrorKind int

// Kinds of errors.
const (
	Other  ErrorKind = iota
	Absent           // this driver or this GPU has no such number, or not for us
	Lost             // the GPU has fallen off the bus or needs a reset
	Gone             // the driver was unloaded under us: no GPU answers any more
)

// Error is an NVML call that failed.
type Error struct {
	Kind  ErrorKind
	Words string // NVML's own
}

func (e *Error) Error() string { return e.Words }

// kindOf returns the kind of an error of a Device.
func kindOf(err error) ErrorKind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Other
}
