package host

import (
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

const (
	// diskEvery is how often the space of a file system is read.
	diskEvery = time.Minute
	// diskKept is how long the space is repeated while a reading hangs.
	diskKept = 3 * time.Minute
)

// disk reads the space of a file system, whose server may be dead.
type disk struct {
	path        string
	free, total metric.ID
	call        *asyncCall[string, space]
	last        space
	asked       time.Duration // start of the last call
	at          time.Duration // start of the call that returned last
}

// space is the space of a file system in bytes.
type space struct {
	free, total uint64 // free: bytes that users may fill
	err         error  // nil: the space is known
}

func newDisk(path string, free, total metric.ID) *disk {
	return &disk{path: path, free: free, total: total, call: newAside("the space of "+path, spaceOf), asked: -diskEvery,
		at: -diskKept}
}

func (d *disk) readSpace(to *metric.Values, at time.Duration) error {
	if !d.call.running && at-d.asked >= diskEvery {
		d.asked = at
		d.call.startCall(at, d.path)
	}
	if now, ok := d.call.take(at); ok {
		d.last, d.at = now, d.asked
	}
	if d.last.err != nil {
		return fmt.Errorf("the space of %s: %w", d.path, d.last.err)
	}
	if at-d.at < diskKept {
		to.Set(d.free, float64(d.last.free))
		to.Set(d.total, float64(d.last.total))
	}
	return d.call.hangError(at)
}
