package remote

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

func (s *slotFile) release() { _, _ = unix.Close(s.file), unix.Close(s.dir) }

// However many programs begin at once, as many as there are slots get one.
func TestNoTwoGetOneSlot(t *testing.T) {
	const of, programs = 3, 40
	dir := filepath.Join(t.TempDir(), "slots")
	for range 10 {
		var wg sync.WaitGroup
		var got atomic.Int32
		all := make([]*slotFile, programs)
		for i := range all {
			wg.Go(func() {
				s, err := takeIn(of, dir)
				if full, is := errors.AsType[*SlotsFullError](err); s == nil && (!is || full.Of != of) {
					t.Errorf("error %v", err)
				}
				if s != nil {
					all[i] = s
					got.Add(1)
				}
			})
		}
		wg.Wait()
		if got.Load() != of {
			t.Fatalf("%d of %d programs got one of %d slots", got.Load(), programs, of)
		}
		for _, s := range all {
			if s != nil {
				s.release()
			}
		}
	}
}

// A program that is killed leaves a free slot, and the others name those that run.
func TestAKilledProgramLeavesItsSlot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "slots")
	if at := os.Getenv("SLOTS_OF_THE_TEST"); at != "" { // this is the other program
		if _, err := takeIn(1, at); err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.WriteString("taken\n")
		_, _ = os.Stdin.Read(make([]byte, 1))
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAKilledProgramLeavesItsSlot$")
	cmd.Env = append(os.Environ(), "SLOTS_OF_THE_TEST="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "taken\n" {
		t.Fatalf("%q, %v", line, err)
	}
	_, err = takeIn(1, dir)
	want := "1 of your programs run on this host already (PID " + strconv.Itoa(cmd.Process.Pid) + ")"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	s, err := takeIn(1, dir)
	if err != nil {
		t.Fatal(err)
	}
	s.release()
}

// A directory of somebody else, or open to others, is not used: the next one is.
func TestUnsafeDirectories(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"open to others": func(path string) error {
			return errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, 0o770))
		},
		"a link":        func(path string) error { return os.Symlink(t.TempDir(), path) },
		"a file":        func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"without place": func(string) error { return nil },
		"of another user": func(path string) error {
			if os.Getuid() != 0 {
				return os.Symlink("/nowhere", path)
			}
			return errors.Join(os.Mkdir(path, 0o700), os.Chown(path, 1234, 1234))
		},
	} {
		bad, good := filepath.Join(t.TempDir(), "bad"), filepath.Join(t.TempDir(), "good")
		if name == "without place" {
			bad = filepath.Join(bad, "deeper")
		}
		if err := make(bad); err != nil {
			t.Fatal(err)
		}
		if _, err := takeIn(1, bad); err == nil || !strings.Contains(err.Error(), strconv.Quote(bad)) {
			t.Errorf("%s alone: %v", name, err)
		}
		s, err := takeIn(1, bad, good)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := os.Stat(filepath.Join(good, "0")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s.release()
	}
}

// What looks like a slot and is none is not opened, and keeps nobody out for ever.
func TestStrangeSlots(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(dir, 0o700), os.Symlink("/etc/passwd", filepath.Join(dir, "0"))); err != nil {
		t.Fatal(err)
	}
	if s, err := takeIn(1, dir); err == nil {
		s.release()
		t.Error("a link is a slot")
	}
	_ = os.Remove(filepath.Join(dir, "0"))
	s, err := takeIn(1, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.release()
	if text, err := os.ReadFile(filepath.Join(dir, "0")); string(text) != strconv.Itoa(os.Getpid()) {
		t.Errorf("the slot has %q, %v", text, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "0"), []byte("\x1b[2J"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := takeIn(1, dir); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%v", err)
	}
}

// A program has one slot, however often it asks.
func TestOneSlotForAProgram(t *testing.T) {
	before := SlotDirs
	defer func() { SlotDirs = before }()
	SlotDirs = []string{filepath.Join(t.TempDir(), "slots")}
	for range 3 {
		if err := TakeSlot(1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := takeIn(1, SlotDirs...); err == nil {
		t.Error("another program gets the same slot")
	}
}
