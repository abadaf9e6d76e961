package mark

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/private"
)

// Limits of marks.
const (
	MaxName  = 64      // characters of a name
	maxFile  = 1 << 20 // bytes of a file, some 8,000 marks of a host
	maxFiles = 1024    // hosts of a job
	maxJobs  = 1 << 16
	maxAge   = 30 * 24 * time.Hour
)

const suffix = ".jsonl"

var (
	name     = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	notAName = regexp.MustCompile(`[^A-Za-z0-9_-]`)
)

// Valid reports whether an ID can be used for marks.
func Valid(id string) bool { return name.MatchString(id) }

// CheckName returns an error if the name of a part is not valid.
func CheckName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("the name is empty")
	case len([]rune(name)) > MaxName || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("a name has at most %d printable characters, not %q", MaxName, name)
	}
	return nil
}

// ErrFull says that a host has written too many marks.
var ErrFull = errors.New("1 MiB of marks of this host are there already")

// Write appends a mark to the file of this host, below dir.
func Write(dir string, m *cluster.Mark) error {
	if !Valid(m.Job) {
		return fmt.Errorf("%q is not the number of a job", m.Job)
	}
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	of := filepath.Join(dir, m.Job)
	if err := os.MkdirAll(of, 0o700); err != nil {
		return err
	}
	host, _, _ := strings.Cut(m.By, "/")
	host = notAName.ReplaceAllString(host, "_")
	path := filepath.Join(of, host[:min(len(host), 64)]+suffix)
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		removeOld(dir)
	}
	f, err := private.Open(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.Size()+int64(len(line)) > maxFile:
		err = ErrFull
	default:
		_, err = f.Write(append(line, '\n')) // one write: other processes of this host append, too
	}
	return errors.Join(err, f.Close())
}

// removeOld removes the directories of jobs that ended long ago: those in which nothing was created or written since.
func removeOld(dir string) {
	for _, job := range readEntries(dir, maxJobs) {
		of := filepath.Join(dir, job.Name())
		if !job.IsDir() || !isExpired(job) {
			continue
		}
		files := readEntries(of, maxFiles)
		for _, f := range files {
			if !f.Type().IsRegular() || !strings.HasSuffix(f.Name(), suffix) || !isExpired(f) {
				files = nil
				break
			}
		}
		for _, f := range files {
			_ = os.Remove(filepath.Join(of, f.Name()))
		}
		_ = os.Remove(of) // unless it has files
	}
}

func readEntries(dir string, most int) []os.DirEntry {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }() // it was only read
	list, _ := d.ReadDir(most)
	return list
}

func isExpired(e os.DirEntry) bool {
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) > maxAge
}

// Reader reads the marks of jobs as they arrive.
type Reader struct {
	dir string
	at  map[string]int64 // how far each file has been read
}

// NewReader returns a Reader of the marks below dir.
func NewReader(dir string) *Reader { return &Reader{dir: dir, at: map[string]int64{}} }

// Next returns the new marks of the jobs. It leaves out what cannot be read.
func (r *Reader) Next(jobs []string) (marks []cluster.Mark) {
	for _, job := range jobs {
		if !Valid(job) {
			continue
		}
		for _, f := range readEntries(filepath.Join(r.dir, job), maxFiles) {
			if strings.HasSuffix(f.Name(), suffix) {
				marks = append(marks, r.readMarks(filepath.Join(job, f.Name()), job)...)
			}
		}
	}
	return marks
}

func (r *Reader) readMarks(name, job string) (marks []cluster.Mark) {
	f, err := os.OpenFile(filepath.Join(r.dir, name), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read
	at := r.at[name]
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() <= at || at >= maxFile {
		return nil
	}
	text, err := io.ReadAll(io.NewSectionReader(f, at, maxFile-at))
	if err != nil {
		return nil
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	r.at[name] = at + int64(len(text))
	for line := range bytes.Lines(text) {
		var m cluster.Mark
		if json.Unmarshal(line, &m) == nil && m.Job == job && CheckName(m.Name) == nil {
			marks = append(marks, m)
		}
	}
	return marks
}
