package install

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/test/fakeprobe"
)

// TestScriptsSuitAnyLoginShell: sh, csh and fish must all pass the command to /bin/sh as a single argument.
func TestScriptsSuitAnyLoginShell(t *testing.T) {
	p := scriptPayload(fakeprobe.Script)
	for _, script := range []string{startScript([]Payload{p}, trusting, uploadOrder, false),
		startScript([]Payload{p}, verifying, uploadOrder, true), uploadScript(p, homeDirectory, 1),
		uploadScript(p, shmDirectory, 1), uploadScript(p, tmpDirectory, 1)} {
		if i := strings.IndexAny(script, "'\\!\n"); i >= 0 {
			t.Errorf("%q stands in the script: %q", script[i], script[max(0, i-20):i+1])
		}
	}
}

// TestRealLoginShells copies and starts a probe through the login shells of Debian, which print text at each start. A
// shell that is not installed is skipped.
func TestRealLoginShells(t *testing.T) {
	for shell, file := range map[string]string{
		"bash": ".bashrc", "dash": ".profile", "ksh": ".kshrc", "zsh": ".zshenv", "tcsh": ".cshrc", "bsd-csh": ".cshrc",
		"fish": ".config/fish/config.fish",
	} {
		t.Run(shell, func(t *testing.T) {
			program, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(shell, " is not installed: ", err)
			}
			noLeaks(t)
			s, n := newSite(t), newNode(t)
			n.login, n.env = program, []string{"XDG_RUNTIME_DIR="}
			writeFile(t, filepath.Join(n.home, file), "echo Welcome; sleep 0.1\n")
			for _, want := range []string{"copied", "already installed"} {
				if got := s.mustStart(n); !strings.HasPrefix(got, want) {
					t.Errorf("%q, want %q…", got, want)
				}
			}
		})
	}
}

func TestCopyIsPrivateAndReplacedWhenItIsNot(t *testing.T) {
	noLeaks(t)
	s, n := newSite(t), newNode(t)
	s.mustStart(n)
	for path, want := range map[string]os.FileMode{n.cacheDir(): os.ModeDir | 0o700, n.probe(): 0o700} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != want {
			t.Fatalf("%s: %v %v, want %v", path, info, err, want)
		}
	}
	for name, spoil := range map[string]func() error{
		"cut short":      func() error { return os.Truncate(n.probe(), 10) },
		"open to others": func() error { return os.Chmod(n.probe(), 0o755) },
		"directory open": func() error { return errors.Join(os.Chmod(n.cacheDir(), 0o777), os.Remove(n.probe())) },
		"a symlink": func() error {
			return errors.Join(os.Rename(n.probe(), n.probe()+".real"), os.Symlink(n.probe()+".real", n.probe()))
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if got := s.mustStart(n); !strings.HasPrefix(got, "copied") {
			t.Errorf("%s: %q, want it copied again", name, got)
		}
		if info, err := os.Lstat(n.cacheDir()); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: directory %v %v", name, info, err)
		}
		if info, err := os.Lstat(n.probe()); err != nil || info.Mode() != 0o700 ||
			info.Size() != int64(len(fakeprobe.Script)) {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
}

// TestDamagedCopyIsReplaced: the copy has the right owner, mode and size, but wrong bytes.
func TestDamagedCopyIsReplaced(t *testing.T) {
	noLeaks(t)
	s, n := newSite(t), newNode(t)
	s.mustStart(n)
	for name, head := range map[string]string{"zeros": "", "no system's executable": "\x7fELF",
		"ends well": "#!/bin/true\n", "another's script": "#!/nowhere\n"} {
		if err := os.WriteFile(n.probe(), append([]byte(head), make([]byte, len(fakeprobe.Script)-len(head))...),
			0o700); err != nil {
			t.Fatal(err)
		}
		before := len(n.scripts())
		if got := s.mustStart(n); !strings.HasPrefix(got, "copied") {
			t.Errorf("%s: %q, want it copied again", name, got)
		}
		if got := len(n.scripts()) - before; got != 3 {
			t.Errorf("%s: %d scripts, want a look, a closer one and a copy", name, got)
		}
		if data, err := os.ReadFile(n.probe()); err != nil || string(data) != fakeprobe.Script {
			t.Errorf("%s: the copy is %q, %v", name, data, err)
		}
	}
}

// TestWholeCopyThatFailsStays: the copy is not at fault, so it is neither replaced nor verified again and again.
func TestWholeCopyThatFailsStays(t *testing.T) {
	noLeaks(t)
	const script = "#!/bin/sh\necho it cannot be >&2\nexit 3\n"
	s, n, broken := siteWith(t, script), newNode(t), scriptPayload(script)
	s.mustEnd(n)
	path := filepath.Join(n.cacheDir(), fileName(broken))
	before, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	ran := len(n.scripts())
	if e := s.mustEnd(n); WithoutMarks(e.Stderr) != "it cannot be\n" || !HasBegun(e.Stderr) || e.Exit != (link.Exit{Known: true, Status: 3}) {
		t.Errorf("ended with %+v", e)
	}
	for _, c := range n.scripts()[ran:] {
		if isUpload(c, homeDirectory) {
			t.Error("it was copied again")
		}
	}
	if got := len(n.scripts()) - ran; got != 2 {
		t.Errorf("%d scripts, want a look and a closer one", got)
	}
	if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("the copy was replaced: %v", err)
	}
}

// TestProbeHasAnEmptyPath, however it is started: from a fresh copy, a trusted copy, a verified copy.
func TestProbeHasAnEmptyPath(t *testing.T) {
	noLeaks(t)
	s, n := siteWith(t, "#!/bin/sh\necho \"PATH=${PATH-unset}\" >>\"$HOME/paths\"\nexit 3\n"), newNode(t)
	s.mustEnd(n)
	s.mustEnd(n)
	if paths, err := os.ReadFile(filepath.Join(n.home, "paths")); string(paths) != "PATH=\nPATH=\nPATH=\n" {
		t.Errorf("the probes had %q, %v; want an empty PATH three times", paths, err)
	}
}

func TestOldCopiesGo(t *testing.T) {
	noLeaks(t)
	s, n := newSite(t), newNode(t)
	ages := map[string]time.Duration{
		"nvnodetop-probe-old": 8 * 24 * time.Hour, "nvnodetop-probe-new": 6 * 24 * time.Hour,
		".up.old": 49 * time.Hour, ".up.new": time.Hour, "other": 999 * 24 * time.Hour,
	}
	for name, age := range ages {
		path := filepath.Join(n.cacheDir(), name)
		writeFile(t, path, "x")
		when := time.Now().Add(-age)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	s.mustStart(n)
	for name := range ages {
		_, err := os.Lstat(filepath.Join(n.cacheDir(), name))
		if gone, want := err != nil, strings.HasSuffix(name, "old"); gone != want {
			t.Errorf("%s: gone is %v, want %v", name, gone, want)
		}
	}
}

func isUpload(script string, place Directory) bool {
	return strings.Contains(script, "; place "+string(place)+"; ")
}

// TestTruncatedUpload cuts the stream: nothing of it stays, and nothing runs.
func TestTruncatedUpload(t *testing.T) {
	noLeaks(t)
	s, n := newSite(t), newNode(t)
	cut := &cutShell{n}
	n.env = []string{"XDG_RUNTIME_DIR=" + t.TempDir()}
	session, _, err := s.Start(t.Context(), cut, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	session.Tend(noWay{}, func(err error) error { return err })
	_ = session.Close()
	if left, err := os.ReadDir(n.cacheDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// cutShell ends the input of a copy to the home early.
type cutShell struct{ *node }

func (c *cutShell) Run(ctx context.Context, script string, input io.Reader) (*link.Pipe, error) {
	if !isUpload(script, homeDirectory) {
		return c.node.Run(ctx, script, input)
	}
	p, err := c.node.Run(ctx, script, io.LimitReader(input, 100))
	if err == nil {
		_ = p.In.Close()
	}
	return p, err
}

// TestErrorsAreNotKept: a payload that could not be read once is read again.
func TestErrorsAreNotKept(t *testing.T) {
	noLeaks(t)
	tries := 0
	s := &site{t: t, Installer: New(func() ([]Payload, error) {
		if tries++; tries == 1 {
			return nil, syscall.EMFILE
		}
		return []Payload{scriptPayload(fakeprobe.Script)}, nil
	})}
	n := newNode(t)
	if _, err := s.start(n); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("error %v", err)
	}
	s.mustStart(n)
	s.mustStart(n)
	if tries != 2 {
		t.Errorf("read %d times, want 2", tries)
	}
}
