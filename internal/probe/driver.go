package probe

import (
	"errors"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Library is NVML as the collectors need it. While Init or Shutdown runs, nothing else is called. The other methods, and those of the
// Devices, may be called from several goroutines at once, though for one Device not twice the same.
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

// Slot is one GPU as NVML counts them. Device is nil for a GPU that NVML gives no handle for: Lost says why, in its words.
type Slot struct {
	Index   int
	Device  Device
	Readers []Reader // of the Device's numbers, as far as the library has the functions
	Lost    string
	LostID  string // one of the wire's Lost… constants
}

// Reader reads, with one call of the library, numbers of a GPU that the table of metrics has at one pace.
type Reader struct {
	IDs  []metric.ID                // the first one's label stands for all of them in a Fault
	Read func(*metric.Values) error // sets them, unless it fails with an *Error
}

func (r Reader) row() metric.Row { return r.IDs[0].Row() }

// Device is one GPU. An error is an *Error.
type Device interface {
	Card() wire.Card // all but Index, which the Slot has, and Values, which the Readers give

	// Processes lists the contexts on the GPU; nil, with an error, when NVML does not list them. An error beside contexts is of a list that
	// matters less.
	Processes() ([]Context, error)
	// ProcessUtilization gives the driver's samples that are newer than sinceMicros, µs of the Unix epoch.
	ProcessUtilization(sinceMicros uint64) ([]Usage, error)
}

// Context is one process in one of NVML's three lists, or in several of them.
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

	ComputeGraphics ContextType = "C+G" // in both of these lists
)

// Usage is one sample of what a process used of a GPU.
type Usage struct {
	PID        int
	AtMicros   uint64
	SM, Memory int // percent
}

// InitError is why NVML cannot be used at all.
type InitError struct {
	ID    string // one of the wire's Fault… constants
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
	Kind   ErrorKind
	LostID string // of Lost: one of the wire's Lost… constants
	Words  string // NVML's own
}

func (e *Error) Error() string { return e.Words }

// KindOf returns the kind of an error of a Device.
func KindOf(err error) ErrorKind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Other
}
