package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/source/recording"
)

// recorder writes Events to one file after the other. take may be called from any goroutine.
type recorder struct {
	path  string
	limit fileLimits
	keep  int // maximum number of files; 0: one, and the recording ends with it
	w     *recording.Writer

	mu    sync.Mutex // protects the following
	file  *os.File
	count int      // number of files so far
	files []string // the files kept
	since time.Time
	total recording.Written // of all files so far
	over  bool              // the recording has ended
	err   error
}

// openNextFile begins the next file.
func (r *recorder) openNextFile(at time.Time) error {
	path := r.path
	if r.count == 0 && r.keep > 0 {
		if err := noneOf(path); err != nil {
			return err
		}
	}
	if r.count > 0 {
		path = fmt.Sprintf("%s.%d", r.path, r.count+1)
	}
	f, err := newFile(path)
	if err != nil {
		return err
	}
	r.count++
	r.file, r.files, r.since = f, append(r.files, path), at
	if r.keep > 0 && len(r.files) > r.keep {
		if err := os.Remove(r.files[0]); err != nil {
			return fmt.Errorf("remove an old recording: %w", err)
		}
		r.files = r.files[1:]
	}
	if err := r.w.Begin(f, at); err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	return nil
}

// noneOf returns an error if a file already exists that a recording to several files would reach, perhaps in the middle
// of the night: FILE.2, FILE.3 and so on.
func noneOf(path string) error {
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("create the recording: %w", err)
	}
	for _, f := range files {
		number, ours := strings.CutPrefix(f.Name(), filepath.Base(path)+".")
		if n, err := strconv.ParseUint(number, 10, 32); ours && err == nil && n > 1 &&
			strconv.FormatUint(n, 10) == number {
			return fmt.Errorf("%q %w", path+"."+number, errExists)
		}
	}
	return nil
}

// take records an Event, and reports whether the recording continues.
func (r *recorder) take(e cluster.Event) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return false
	}
	r.err = r.w.Write(e)
	if r.err == nil && r.isFull(e.At) {
		if r.err = r.finishFile(); r.err == nil && r.keep > 0 {
			r.err = r.openNextFile(e.At)
		}
		r.over = r.keep == 0
	}
	r.over = r.over || r.err != nil
	return !r.over
}

// failNext makes the recording end with the next Event, with an error.
func (r *recorder) failNext(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over, r.err = true, err
}

// discardFile ends the recording, and removes its file, which has no content.
func (r *recorder) discardFile() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	_ = r.finishFile()
	r.total = recording.Written{}
}

// isFull reports whether the file has reached a limit.
func (r *recorder) isFull(at time.Time) bool {
	return r.limit.time > 0 && at.Sub(r.since) >= r.limit.time || r.limit.bytes > 0 &&
		r.w.Written().Bytes >= r.limit.bytes
}

// finishFile ends the open file.
func (r *recorder) finishFile() error {
	if r.file == nil {
		return nil
	}
	err := r.w.Close()
	n := r.w.Written()
	if info, failed := r.file.Stat(); failed == nil {
		r.total.Bytes += info.Size()
	}
	if closed := r.file.Close(); err == nil {
		err = closed
	}
	r.file = nil
	r.total.Events += n.Events
	if r.total.First.IsZero() {
		r.total.First = n.First
	}
	if n.Last.After(r.total.Last) {
		r.total.Last = n.Last
	}
	return err
}

// closeFile completes the recording, and returns its error. An empty file is removed.
func (r *recorder) closeFile() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	path := r.files[len(r.files)-1]
	err := r.finishFile()
	if r.err != nil {
		err = r.err
	}
	if r.total.Events == 0 {
		_ = os.Remove(path)
	}
	if err != nil && r.total.Events > 0 {
		return fmt.Errorf("the recording ends at %s: %w", r.total.Last.Format(time.TimeOnly), err)
	}
	return err
}
