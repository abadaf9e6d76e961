// Package runs owns what is kept of jobs: a few numbers of each, with which a later run of the same job is compared,
// and the faults of its nodes. They stand in one file that only the user can access, a line of JSON for each run.
//
// The file is written whole and renamed, so no program reads half of it. It has at most MaxBytes, and no run older than
// MaxAge. A line that cannot be read is left out, and gone after the next write.
package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/private"
)

const (
	// MaxBytes limits the size of the file; the oldest runs are left out first.
	MaxBytes = 1 << 20
	// MaxAge is how long a run is kept after it was seen last.
	MaxAge = 90 * 24 * time.Hour

	// maxText limits each text of a run, in bytes. A run with a longer one is not kept.
	maxText = 256
)

// Run is a job that has ended, or that nobody has watched any longer.
type Run struct {
	Job   string    `json:"job"` // SLURM's number
	User  string    `json:"user"`
	Name  string    `json:"name"`
	Shape Shape     `json:"shape"`
	Seen  time.Time `json:"seen"` // when it was seen last

	// Form is that of its log: steps of two programs cannot be compared. A run that is kept for its Faults may have no
	// steps.
	Form           string  `json:"form"`
	SecondsPerStep float64 `json:"seconds_per_step"`
	Steps          int64   `json:"steps,omitempty"` // how many it had done; 0: unknown

	Faults []Fault `json:"faults,omitempty"`
}

// Shape is what a job ran on. Only runs of one shape can be compared.
type Shape struct {
	Nodes int    `json:"nodes"`
	GPUs  int    `json:"gpus"` // of all nodes
	Model string `json:"model"`
}

// check returns the reason why a run cannot be kept.
func (r *Run) check() error {
	for _, text := range []string{r.Job, r.User, r.Name, r.Shape.Model, r.Form} {
		if len(text) > maxText {
			return fmt.Errorf("a text of %d bytes is too long to keep", len(text))
		}
	}
	switch {
	case r.Job == "" || r.Seen.IsZero():
		return errors.New("a run has a job, and a time at which it was seen")
	case len(r.Faults) > maxFaults:
		return fmt.Errorf("%d faults are too many to keep", len(r.Faults))
	case r.SecondsPerStep == 0 && len(r.Faults) > 0:
		return nil
	case !(r.SecondsPerStep > 0) || math.IsInf(r.SecondsPerStep, 0):
		return fmt.Errorf("a step cannot take %v s", r.SecondsPerStep)
	}
	return nil
}

// Read returns the runs of a file at a time, in the order in which they were seen last. Without a file there are none.
func Read(path string, now time.Time) ([]Run, error) {
	text, err := private.Read(path, MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parse(text, now), nil
}

// parse reads the lines of a file.
func parse(text []byte, now time.Time) (all []Run) {
	for line := range bytes.Lines(text) {
		var r Run
		if json.Unmarshal(line, &r) == nil && r.check() == nil && !r.Seen.After(now) && now.Sub(r.Seen) <= MaxAge {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b Run) int { return a.Seen.Compare(b.Seen) })
	return all
}

// ErrBusy says that another program writes the file.
var ErrBusy = errors.New("another program writes it")

// Keep adds runs to a file, or to what is kept of the same jobs. It does not wait: if another program writes the
// file, it returns ErrBusy.
func Keep(path string, now time.Time, runs ...Run) error {
	for i := range runs {
		if err := runs[i].check(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock, err := private.Open(path+".lock", os.O_CREATE|os.O_RDWR)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // nothing was written; it ends the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("%q: %w", path, ErrBusy)
	}
	all, err := Read(path, now)
	if err != nil {
		return err
	}
	runs = slices.Clone(runs)
	all = slices.DeleteFunc(all, func(old Run) bool {
		at := slices.IndexFunc(runs, func(r Run) bool { return old.Job == r.Job && old.User == r.User })
		if at >= 0 {
			runs[at] = runs[at].addTo(&old)
		}
		return at >= 0
	})
	text, err := format(append(all, runs...))
	if err != nil {
		return err
	}
	return replace(path, text)
}

// format returns the lines of runs. The first ones are left out if there are too many.
func format(all []Run) ([]byte, error) {
	var text []byte
	for _, r := range all {
		line, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		text = append(append(text, line...), '\n')
	}
	if over := len(text) - MaxBytes; over > 0 {
		text = text[over+bytes.IndexByte(text[over:], '\n')+1:]
	}
	return text, nil
}

// replace writes a file whole, and gives it its name.
func replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".runs-*") // it is the user's alone
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // it has no use
	}
	return err
}

// Comparison is a run beside an earlier one of the same job.
type Comparison struct {
	Before Run
	Faster float64 // the share of the time of a step that is saved: 0.09 is 9 % faster; negative: slower
}

// Compare compares a run with the last one before it of the same user, name, shape and form; nil: there is none. What
// is kept of the job itself does not count.
func Compare(all []Run, r Run) *Comparison {
	if r.check() != nil || r.SecondsPerStep == 0 {
		return nil
	}
	for _, old := range slices.Backward(all) {
		if old.Job != r.Job && old.User == r.User && old.Name == r.Name && old.Shape == r.Shape && old.Form == r.Form &&
			old.Seen.Before(r.Seen) && old.SecondsPerStep > 0 {
			return &Comparison{Before: old, Faster: 1 - r.SecondsPerStep/old.SecondsPerStep}
		}
	}
	return nil
}
