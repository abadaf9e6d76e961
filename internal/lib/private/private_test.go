package private

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Only what belongs to the user, and to nobody else, is opened.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte("text"), 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	fifo, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.Symlink(write("target", 0o600), link)); err != nil {
		t.Fatal(err)
	}
	cases := map[string]error{write("own", 0o600): nil, write("all", 0o700): nil, write("read only", 0o400): nil,
		link:                  nil,
		write("group", 0o640): ErrMode, write("others", 0o602): ErrMode, write("run", 0o601): ErrMode, fifo: ErrKind,
		dir: ErrKind, os.DevNull: ErrKind, filepath.Join(dir, "none"): fs.ErrNotExist}
	if os.Geteuid() == 0 {
		foreign := write("foreign", 0o600)
		if err := os.Chown(foreign, 1, -1); err != nil {
			t.Fatal(err)
		}
		cases[foreign] = ErrOwner
	}
	for path, want := range cases {
		f, err := Open(path, os.O_RDONLY)
		if !errors.Is(err, want) || (err == nil) != (f != nil) ||
			err != nil && !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	f, err := Open(filepath.Join(dir, "new"), os.O_WRONLY|os.O_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := f.Stat(); err != nil || info.Mode() != 0o600 {
		t.Errorf("a new file: %v, %v", info.Mode(), err)
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := Read(path, 4); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Read(path, 3); err == nil || !strings.HasSuffix(err.Error(), "is longer than 3 bytes") {
		t.Errorf("%v", err)
	}
}

func TestKind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(info, fs.ModeSocket); err != nil {
		t.Error(err)
	}
	if err := Check(info, 0); !errors.Is(err, ErrKind) {
		t.Error(err)
	}
}
