package cli

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// stuck is a file on which writes hang until it is let go.
type stuck struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *stuck) Close() error { return nil }

// Nobody waits for a file that hangs; lost lines are counted.
func TestAHungLogFileStopsNobody(t *testing.T) {
	f := &stuck{}
	f.mu.Lock()
	d := newDrain(f)
	line := func(n int) { _, _ = d.Write([]byte(strconv.Itoa(n) + "\n")) }
	for n := range 3 * drainRoom {
		line(n)
	}
	f.mu.Unlock()
	for len(d.lines) > drainRoom/2 {
		f.mu.Lock()
		f.mu.Unlock() //nolint:staticcheck // lets the writer go on
	}
	line(-1)
	if err := d.awaitLines(); err != nil {
		t.Error(err)
	}
	line(-2)
	text := f.text.String()
	lost := regexp.MustCompile(`msg="records left out" count=(\d+)\n-1\n$`).FindStringSubmatch(text)
	if lost == nil || !strings.HasPrefix(text, "0\n1\n2\n") {
		t.Fatalf("the end of the log is %q", text[max(0, len(text)-100):])
	}
	if n, _ := strconv.Atoi(lost[1]); n+strings.Count(text, "\n")-2 != 3*drainRoom {
		t.Errorf("%d lines, %d lost", strings.Count(text, "\n"), n)
	}
}

// What a full disk does not take is said.
func TestAFullLogFile(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	d := newDrain(f)
	for range 3 {
		_, _ = d.Write([]byte("line\n"))
	}
	if err := d.awaitLines(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v", err)
	}
}

// So is what a file system that hangs did not take in time.
func TestAHungLogFileIsSaid(t *testing.T) {
	f := &stuck{}
	f.mu.Lock()
	defer f.mu.Unlock()
	d := newDrain(f)
	_, _ = d.Write([]byte("line\n"))
	if err := d.awaitLines(); err == nil {
		t.Error("no error")
	}
}
