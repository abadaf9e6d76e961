package command

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/private"
)

// KeptAnswers keeps SLURM's last answers for the next program of the same user. A status line that runs every 5 s then
// asks SLURM as seldom as a screen does.
//
// Each answer is a file in a directory that only the user can access. A file is written whole and renamed, so no
// program reads half of it. A file is ignored if it is too large, if others can read or write it, if it answers another
// question, or if it is from the future.

const (
	// LongestKept is how old a kept answer may become.
	LongestKept = time.Hour

	// maxKeptFile limits the size of a file; a longer answer is not kept. The answer for a user with 1000 jobs has 1 MB.
	maxKeptFile = 16 << 20

	keptFormat    = 1 // version of the files' format
	keptExtension = ".json"
)

// KeptAnswers are the kept answers to one asker. A nil Answers keeps nothing.
type KeptAnswers struct{ dir, asker string }

// NewKeptAnswers returns the answers below dir to an asker: the user, with everything that decides which cluster
// answers.
func NewKeptAnswers(dir string, asker ...string) *KeptAnswers {
	return &KeptAnswers{dir, strings.Join(asker, "\x00")}
}

// keptFile is the content of a file.
type keptFile struct {
	Format   int       `json:"format"`
	Asker    string    `json:"asker"`
	Question string    `json:"question"`
	At       time.Time `json:"at"`
	Answer   any       `json:"answer"`
}

// Read reads the last answer to a question, and returns its time. It reports false if there is none.
func (a *KeptAnswers) Read(question string, answer any) (at time.Time, ok bool) {
	if a == nil || checkDir(a.dir) != nil {
		return time.Time{}, false
	}
	text, err := readPrivateFile(a.answerPath(question))
	f := keptFile{Answer: answer}
	if err != nil || json.Unmarshal(text, &f) != nil {
		return time.Time{}, false
	}
	now := time.Now()
	same := f.Format == keptFormat && f.Asker == a.asker && f.Question == question
	return f.At.Local(), same && !f.At.After(now) && now.Sub(f.At) <= LongestKept
}

// Keep keeps an answer from that time. A caller may ignore the error: then the next program asks SLURM.
func (a *KeptAnswers) Keep(question string, at time.Time, answer any) error {
	if a == nil {
		return nil
	}
	text, err := json.Marshal(keptFile{keptFormat, a.asker, question, at, answer})
	if err != nil {
		return err
	}
	if len(text) > maxKeptFile {
		return fmt.Errorf("an answer of %d bytes is too long to keep", len(text))
	}
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	if err := checkDir(a.dir); err != nil {
		return err
	}
	a.removeOldFiles(time.Now())
	return replaceFile(a.answerPath(question), text)
}

// AskKept returns the kept answer to a question if it is younger than within and fits. Otherwise it returns the answer
// of ask, and keeps it. at is the time of the answer.
func AskKept[T any](a *KeptAnswers, question string, within time.Duration, fits func(*T) bool, ask func() (*T, error)) (
	answer *T, at time.Time, err error) {
	if within > 0 {
		var last T
		if at, ok := a.Read(question, &last); ok && time.Since(at) < within && fits(&last) {
			return &last, at, nil
		}
	}
	if answer, err = ask(); err != nil || answer == nil {
		return answer, time.Now(), err
	}
	at = time.Now()
	if within > 0 && fits(answer) {
		_ = a.Keep(question, at, answer) // if it is not kept, the next program asks SLURM
	}
	return answer, at, nil
}

// answerPath returns the file for a question.
func (a *KeptAnswers) answerPath(question string) string {
	sum := sha256.Sum256([]byte(a.asker + "\x00" + question))
	return filepath.Join(a.dir, hex.EncodeToString(sum[:16])+keptExtension)
}

// removeOldFiles removes files that nobody reads any longer.
func (a *KeptAnswers) removeOldFiles(now time.Time) {
	all, _ := os.ReadDir(a.dir)
	for _, entry := range all {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > LongestKept {
			_ = os.Remove(filepath.Join(a.dir, entry.Name()))
		}
	}
}

// checkDir returns an error unless only the user can access a directory.
func checkDir(dir string) error {
	info, err := os.Lstat(dir)
	if err == nil {
		err = private.Check(info, fs.ModeDir)
	}
	if err != nil {
		return fmt.Errorf("%q is not a directory of this user alone: %w", dir, err)
	}
	return nil
}

// readPrivateFile reads a file that only this user can access. It follows no link.
func readPrivateFile(path string) ([]byte, error) {
	f, err := private.Open(path, os.O_RDONLY|syscall.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxKeptFile+1))
	if err == nil && len(text) > maxKeptFile {
		err = fmt.Errorf("%q has more than %d bytes", path, maxKeptFile)
	}
	return text, err
}

// replaceFile replaces a whole file at once.
func replaceFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // it has mode 0600
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
		_ = os.Remove(f.Name())
	}
	return err
}
