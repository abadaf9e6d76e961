package joblog

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/probe/tail"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// inShell runs a script as a login host does.
func inShell(shell string) func(context.Context, string, []byte) ([]byte, []byte, int, error) {
	return func(ctx context.Context, script string, input []byte) (stdout, stderr []byte, status int, err error) {
		cmd := exec.CommandContext(ctx, shell, "-c", script)
		var out, words bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &words
		err = cmd.Run()
		if exit, is := errors.AsType[*exec.ExitError](err); is {
			status, err = exit.ExitCode(), nil
		}
		return out.Bytes(), words.Bytes(), status, err
	}
}

// The script for a login host reads what package tail reads, and refuses what that refuses.
func TestOnLogin(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	text := strings.Repeat("0123456789\x00\xff\x1b[31m\r\n", 1000)
	if err := errors.Join(os.WriteFile(path("a b$(x)'\""), []byte(text), 0o600), os.WriteFile(path("empty"), nil, 0o600),
		os.WriteFile(path("shut"), []byte("x"), 0), os.Mkdir(path("dir"), 0o700), syscall.Mkfifo(path("fifo"), 0o600),
		os.Symlink("a b$(x)'\"", path("link")), os.Symlink(path("loop"), path("loop")),
		os.Symlink("link", path("second")), os.Symlink("nowhere", path("broken"))); err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{"sh", "bash"} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		read := OnLogin(inShell(shell))
		for _, name := range []string{"a b$(x)'\"", "empty", "link", "second", "broken", "nothing", "dir", "fifo", "loop",
			"dir/../empty", "empty/x", "shut"} {
			for _, q := range []wire.ReadLog{{Max: 10}, {From: 7, Max: 1 << 16}, {From: -5, Max: 10}, {From: -1 << 40, Max: 3},
				{From: 1 << 40, Max: 3}, {From: 3, Max: 4, Latest: true}, {From: 16_000, Max: 1 << 16, Latest: true}} {
				if q.Path = path(name); !strings.HasPrefix(name, "a b") && q.Latest {
					continue // a shell starts some programs
				}
				want, wantErr := tail.Read(q)
				got, err := read(q)
				switch {
				case (err == nil) != (wantErr == nil):
					t.Errorf("%s: %+v: %v, want %v", shell, q, err, wantErr)
				case err != nil && strings.Count(err.Error(), "\n") > 0:
					t.Errorf("%s: %+v: %q", shell, q, err)
				case err == nil && (got.Missing != want.Missing || got.Size != want.Size || got.From != want.From ||
					!bytes.Equal(got.Data, want.Data) || got.ModMS/1000 != want.ModMS/1000):
					t.Errorf("%s: %+v: %+v, want %+v", shell, q, got, want)
				}
			}
		}
	}
}

// What a login host answers is not trusted.
func TestBadAnswersOfALoginHost(t *testing.T) {
	for _, out := range []string{"", "x", "1 2 3 4\n", "1 2 -3\n", "5 1 6\n", "5 0 0\n", "9 1 0\n12345"} {
		read := OnLogin(func(context.Context, string, []byte) ([]byte, []byte, int, error) {
			return []byte(out), nil, 0, nil
		})
		if p, err := read(wire.ReadLog{Path: "/o", Max: 4}); err == nil {
			t.Errorf("%q: %+v", out, p)
		}
	}
	for _, path := range []string{"o", "/a\nb", "/a\x00b", ""} {
		if p, err := OnLogin(nil)(wire.ReadLog{Path: path, Max: 4}); err == nil {
			t.Errorf("%q: %+v", path, p)
		}
	}
}
