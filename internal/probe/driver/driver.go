// Package driver has the interfaces through which the probe uses the driver: the GPUs, the Readers of their metrics,
// the processes on them, their Xids, and errors by their consequence. internal/probe/nvml implements them. It waits for
// Xids, and detects a probe that hangs in the driver.
//
// A driver call may take seconds, or never return. While Init or Shutdown runs, nothing else may be called; all other
// methods may be called from several goroutines at once.
package driver

import (
	"errors"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Library is NVML as the collectors need it. While Init or Shutdown runs, no other method is called. All other methods,
// including those of the Devices, may be called from several goroutines at once.
type Library interface {
	// Init attaches to the driver. Its error is an *InitError. Shutdown must not be called after an Init that failed.
	Init() error
	Shutdown()

	// Versions gives the driver's version and the highest CUDA version that it supports; empty if unknown.
	Versions() (driver, cuda string)
	// Missing names the optional symbols that the loaded library lacks.
	Missing() []string
	// Devices lists the GPUs that this process may see, in NVML's order.
	Devices() ([]Slot, error)
}

// Watcher is a Library that reports the Xids of its GPUs.
type Watcher interface {
	// Watch asks the driver for the Xids of the GPUs of slots from now on. refused says why a GPU gives no Xids, by
	// Slot.Index. The Watch is nil if all GPUs refuse.
	Watch(slots []Slot) (w XidWatch, refused map[int]error)
}

// Meter is a Library that counts the driver calls.
type Meter interface {
	Calls() uint64 // since the program began; may be called from any goroutine at any time
}

// Slot is one GPU in NVML's list. Device is nil if NVML gives no handle for it: Lost is its error message.
type Slot struct {
	Index   int
	Device  Device
	Readers []Reader // readers of the Device's metrics, as far as the library has the functions for them
	Lost    string
	LostID  string // one of the wire's Lost… constants

	// Parts lists the instances of a GPU in MIG mode; nil if it never has any.
	Parts func() []Slot
}

// Reader reads metrics of a GPU, all of one pace, with one call of the library.
type Reader struct {
	IDs []metric.ID // a Fault has the label of the first one

	// Read puts its results into the Answer: a value with Set, or a counter with Count where the metric is a rate. It
	// returns an *Error if it could read none of its metrics, and calls Refuse if it could not read one of several.
	Read func(*Answer) error
}

// Row is the row of the first metric: its pace is the pace of all metrics of the Reader, and its label names the
// Reader.
func (r Reader) Row() metric.Row { return r.IDs[0].Row() }

// Device is one GPU. Its errors are of type *Error.
type Device interface {
	Card() wire.Card // without Index, which the Slot has, and Values, which the Readers read

	// Processes lists the contexts on the GPU. If NVML does not list them, it returns nil and an error. An error
	// together with contexts concerns a less important list.
	Processes() ([]Context, error)
	// ProcessUtilization returns the driver's samples that are newer than sinceMicros, in µs of the Unix epoch.
	ProcessUtilization(sinceMicros uint64) ([]Usage, error)
}

// Context is one process in one or more of NVML's three lists.
type Context struct {
	PID    int
	Type   ContextType
	Memory *uint64 // bytes; nil if unknown
	In     *InstanceID
}

// InstanceID is the MIG instance of a GPU that a context is on; nil: none.
type InstanceID struct{ GPU, Compute int }

// ContextType says which of NVML's lists a Context comes from.
type ContextType string

// The types of contexts, as the wire names them.
const (
	Compute  ContextType = "C"
	Graphics ContextType = "G"
	MPS      ContextType = "M"

	ComputeGraphics ContextType = "C+G" // in both of these lists
)

// Usage is one sample of a process's use of a GPU.
type Usage struct {
	AtMicros     uint64
	wire.Process // its PID, and the shares of time, in percent
}

// Listing is the driver's list of the processes on a GPU; each process has one Context.
type Listing struct {
	GPU      int // Slot.Index
	Contexts []Context
	Usage    map[int]Usage // the newest sample of each process, by PID
}

// InitError says why NVML does not work at all.
type InitError struct {
	ID    string // one of the wire's Fault… constants
	Words string // the library's error message
}

func (e *InitError) Error() string { return e.Words }

// ErrorKind classifies errors of NVML calls by their consequence.
type ErrorKind int

// Kinds of errors.
const (
	Other    ErrorKind = iota
	Absent             // this driver or GPU does not have the value
	Denied             // we may not read the value
	Lost               // the GPU has fallen off the bus or needs a reset
	Gone               // the driver was unloaded: no GPU responds any more
	Doubtful           // the driver gives a number that it cannot mean
	Stale              // the MIG instance is gone: the instances have to be listed again
)

// Error is an NVML call that failed.
type Error struct {
	Kind   ErrorKind
	LostID string // of Lost: one of the wire's Lost… constants
	Words  string // NVML's error message
}

func (e *Error) Error() string { return e.Words }

// KindOf returns the kind of an error of a Device.
func KindOf(err error) ErrorKind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Other
}

// LostIDOf returns the class of an error of the kind Lost.
func LostIDOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.LostID != "" {
		return e.LostID
	}
	return wire.LostOther
}
