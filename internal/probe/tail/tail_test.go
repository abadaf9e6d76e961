package tail

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "slurm-1.out")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	path := file(t, "0123456789")
	for _, test := range []struct {
		q    wire.ReadLog
		from int64
		data string
	}{
		{wire.ReadLog{From: 0, Max: 4}, 0, "0123"},
		{wire.ReadLog{From: 8, Max: 4}, 8, "89"},
		{wire.ReadLog{From: 10, Max: 4}, 10, ""},
		{wire.ReadLog{From: 99, Max: 4}, 10, ""},
		{wire.ReadLog{From: -4, Max: 4}, 6, "6789"},
		{wire.ReadLog{From: -99, Max: 4}, 0, "0123"},
		{wire.ReadLog{From: 2, Max: 4, Latest: true}, 6, "6789"},
		{wire.ReadLog{From: 8, Max: 4, Latest: true}, 8, "89"},
	} {
		test.q.Path = path
		p, err := Read(test.q)
		if err != nil || p.From != test.from || string(p.Data) != test.data || p.Size != 10 || p.Missing {
			t.Errorf("%+v: %+v, %v", test.q, p, err)
		}
	}
	if p, err := Read(wire.ReadLog{Path: path + "x", Max: 1}); err != nil || !p.Missing {
		t.Errorf("a missing file: %+v, %v", p, err)
	}
	for _, q := range []wire.ReadLog{{Path: "slurm-1.out", Max: 1}, {Path: "", Max: 1}, {Path: path, Max: 0},
		{Path: path, Max: wire.MaxLog + 1}, {Path: path + "\x00", Max: 1}} {
		if p, err := Read(q); err == nil {
			t.Errorf("%+v gives %+v", q, p)
		}
	}
}

// A file of 50 GB costs what its piece costs.
func TestHugeFile(t *testing.T) {
	path := file(t, "")
	const size = 50 << 30
	if err := os.Truncate(path, size); err != nil {
		t.Skip(err)
	}
	p, err := Read(wire.ReadLog{Path: path, From: -1 << 10, Max: 1 << 10})
	if err != nil || p.Size != size || p.From != size-1<<10 || len(p.Data) != 1<<10 {
		t.Errorf("got %d bytes at %d of %d, %v", len(p.Data), p.From, p.Size, err)
	}
}

// What is not a file of the user is refused at once: a FIFO does not block, and nobody at its other end notices.
func TestOnlyFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	fifo, socket, loop := filepath.Join(dir, "fifo"), filepath.Join(dir, "socket"), filepath.Join(dir, "loop")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	toFIFO := filepath.Join(dir, "to fifo")
	if err := os.Symlink("fifo", toFIFO); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		fifo: "is a FIFO", toFIFO: "is a FIFO", socket: "not a regular file", dir: "is a directory",
		"/dev/zero": "not a regular file", loop: "too many symbolic links",
	} {
		began := time.Now()
		p, err := Read(wire.ReadLog{Path: path, Max: 1})
		if err == nil || !strings.Contains(err.Error(), want) || time.Since(began) > time.Second {
			t.Errorf("%s: %+v, %v after %v", path, p, err, time.Since(began))
		}
	}
}

// A link of the user's own leads to the log, also a relative one.
func TestOwnLinks(t *testing.T) {
	path := file(t, "hello")
	for name, to := range map[string]string{"absolute": path, "relative": filepath.Base(path)} {
		link := filepath.Join(filepath.Dir(path), name)
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
		if p, err := Read(wire.ReadLog{Path: link, Max: 9}); err != nil || string(p.Data) != "hello" {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

// Whose file and whose link it is decides; tests run as one user.
func TestRefuse(t *testing.T) {
	const me, root, other = 1000, 0, 1001
	for _, test := range []struct {
		mode  os.FileMode
		owner uint32
		want  string
	}{
		{0, me, ""},
		{0, other, "belongs to another user"},
		{0, root, "belongs to another user"},
		{os.ModeSymlink, me, ""},
		{os.ModeSymlink, root, ""},
		{os.ModeSymlink, other, "link of another user"},
		{os.ModeNamedPipe, me, "FIFO"},
		{os.ModeDevice | os.ModeCharDevice, me, "not a regular file"},
		{os.ModeDir, me, "directory"},
	} {
		err := refusalError("/x", test.mode, test.owner, me)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v of %d: %v, want %q", test.mode, test.owner, err, test.want)
		}
	}
}

// Another user's file is refused even where its mode lets everyone read it.
func TestAnotherUsersFile(t *testing.T) {
	path := file(t, "secret")
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 4242, 4242); err != nil {
			t.Skip(err)
		}
	} else {
		path = "/etc/passwd"
	}
	if p, err := Read(wire.ReadLog{Path: path, Max: 9}); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("got %+v, %v", p, err)
	}
}
