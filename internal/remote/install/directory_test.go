package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// TestNodeThatOffersWhatItWasNotAskedFor ends, however often the node repeats itself.
func TestNodeThatOffersWhatItWasNotAskedFor(t *testing.T) {
	for place, want := range map[Directory]int{"x": 1, "": 1, homeDirectory: 3} {
		t.Run("place "+string(place), func(t *testing.T) {
			noLeaks(t)
			s, n := newSite(t), newNode(t)
			n.instead = func(_ *node, script string) (string, int, bool) {
				if strings.Contains(script, needMark) {
					return fmt.Sprintf("%s %s 1000 y:nowrite %s:ok\n", needMark, scriptPayload("").unameOutput(), place),
						exitNeed, true
				}
				return "", exitNoWrite, true
			}
			if place != "" {
				s.mustEnd(n)
			} else if _, err := s.start(n); !isNoPlace(err) {
				t.Errorf("error %v", err)
			}
			if got := len(n.scripts()); got != want {
				t.Errorf("%d scripts, want %d", got, want)
			}
		})
	}
}

// TestDirectoryThatIsNotOurs: a symlink in place of the directory is not followed, and the next place is taken.
func TestDirectoryThatIsNotOurs(t *testing.T) {
	noLeaks(t)
	s, n := newSite(t), newNode(t)
	n.env = []string{"XDG_RUNTIME_DIR=" + t.TempDir()}
	trap := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Dir(n.cacheDir()), 0o700), os.Symlink(trap, n.cacheDir())); err != nil {
		t.Fatal(err)
	}
	if got := s.mustStart(n); !strings.Contains(got, "to $XDG_RUNTIME_DIR/nvnodetop") {
		t.Errorf("probe: %q", got)
	}
	if left, err := os.ReadDir(trap); err != nil || len(left) > 0 {
		t.Errorf("the symlink was followed: %v %v", left, err)
	}
}

// TestDirectoryThatChanges: between the check and the upload, or during the upload, a directory is opened to others or
// replaced. Then nothing runs from it, and the next place is used.
func TestDirectoryThatChanges(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil  func(n *node, trap string) error // before the copy
		during bool                             // opened to others during the verification of the copy
	}{
		"opened": {func(n *node, _ string) error { return os.Chmod(n.cacheDir(), 0o777) }, false},
		"a symlink": {func(n *node, trap string) error {
			return errors.Join(os.Remove(n.cacheDir()), os.Symlink(trap, n.cacheDir()))
		}, false},
		"opened meantime": {func(*node, string) error { return nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			s, n := newSite(t), newNode(t)
			trap, bin := t.TempDir(), t.TempDir()
			if err := os.Chmod(trap, 0o700); err != nil {
				t.Fatal(err)
			}
			n.env = []string{"XDG_RUNTIME_DIR=" + t.TempDir()}
			if tc.during {
				sum, err := exec.LookPath("sha256sum")
				if err != nil {
					t.Fatal(err)
				}
				writeFile(t, filepath.Join(bin, "sha256sum"), fmt.Sprintf("#!/bin/sh\nchmod 777 %q\nexec %s \"$@\"\n",
					n.cacheDir(), sum))
				if err := os.Chmod(filepath.Join(bin, "sha256sum"), 0o700); err != nil {
					t.Fatal(err)
				}
				n.env = append(n.env, "PATH="+bin+":"+os.Getenv("PATH"))
			}
			n.instead = func(n *node, script string) (string, int, bool) {
				if isUpload(script, homeDirectory) {
					if err := tc.spoil(n, trap); err != nil {
						t.Error(err)
					}
				}
				return "", 0, false
			}
			if got := s.mustStart(n); !strings.Contains(got, "to $XDG_RUNTIME_DIR/nvnodetop") {
				t.Errorf("probe: %q", got)
			}
			if left, err := os.ReadDir(trap); err != nil || len(left) > 0 {
				t.Errorf("the symlink was followed: %v %v", left, err)
			}
		})
	}
}

func TestHomeWithSpaces(t *testing.T) {
	noLeaks(t)
	s, n := newSite(t), newNode(t)
	n.home = filepath.Join(n.home, "a b")
	if err := os.Mkdir(n.home, 0o755); err != nil {
		t.Fatal(err)
	}
	s.mustStart(n)
	if got := s.mustStart(n); got != "already installed" {
		t.Errorf("probe: %q", got)
	}
}

func isNoPlace(err error) bool {
	_, ok := errors.AsType[*NoPlaceError](err)
	return ok
}

func TestNoSpaceTakesTheNextPlace(t *testing.T) {
	noLeaks(t)
	s, n := newSite(t), newNode(t)
	n.instead = func(_ *node, script string) (string, int, bool) {
		return "gzip: stdout: No space left on device\n", exitNoWrite, isUpload(script, homeDirectory)
	}
	n.env = []string{"XDG_RUNTIME_DIR=" + t.TempDir()}
	if got := s.mustStart(n); !strings.Contains(got, "to $XDG_RUNTIME_DIR/nvnodetop") {
		t.Errorf("probe: %q", got)
	}
}

func TestNoPlaceAtAll(t *testing.T) {
	for _, c := range []struct {
		stderr string
		status int
		state  State
	}{
		{"gzip: stdout: No space left on device", exitNoWrite, NoWrite},
		{"mktemp: Disk quota exceeded", exitNoWrite, NoWrite},
		{"", exitNoExec, NoExec},
		{"", exitTaken, Taken},
		{"sh: 1: exec: Permission denied", 126, NoExec},
		{"the copy has the sha256 00", exitMismatch, Damaged},
	} {
		t.Run(fmt.Sprint(c.state, c.status), func(t *testing.T) {
			noLeaks(t)
			s, n := newSite(t), newNode(t)
			n.instead = func(_ *node, script string) (string, int, bool) {
				_, asked, ok := strings.Cut(script, "s=; ")
				if !ok { // a copy
					return c.stderr, c.status, true
				}
				need := needMark + " " + scriptPayload("").unameOutput() + " 1000"
				for _, place := range uploadOrder {
					if strings.Contains(asked, " "+string(place)) {
						need += " " + string(place) + ":ok"
						break
					}
				}
				return need + "\n", exitNeed, true
			}
			_, err := s.start(n)
			none, ok := errors.AsType[*NoPlaceError](err)
			if !ok || none.Words != c.stderr || len(none.Refused) != 4 || !none.Any(c.state) {
				t.Errorf("error %#v, want 4 places that refuse as %s", err, c.state)
			}
			if got := len(n.scripts()); got != 8 {
				t.Errorf("%d scripts, want a look and a copy for each of 4 places", got)
			}
		})
	}
}

// TestCopyInMemoryGoes with the session: the copy has no name when the probe starts, so it disappears even if the probe
// is killed.
func TestCopyInMemoryGoes(t *testing.T) {
	noLeaks(t)
	s, n := newSite(t), newNode(t)
	runtime := t.TempDir()
	n.env = []string{"XDG_RUNTIME_DIR=" + runtime}
	n.instead = func(_ *node, script string) (string, int, bool) {
		return "gzip: stdout: No space left on device\n", exitNoWrite, isUpload(script, homeDirectory)
	}
	for range 2 {
		session, how, err := s.Start(t.Context(), n, func(string) {})
		if err != nil || !strings.Contains(how, "to $XDG_RUNTIME_DIR/nvnodetop") {
			t.Fatal(how, err)
		}
		if left, err := os.ReadDir(runtime); err != nil || len(left) > 0 {
			t.Errorf("left while the probe runs: %v %v", left, err)
		}
		session.Tend(noWay{}, func(err error) error { return err })
		_ = session.Close()
	}
}

// elsewhere is a node with other directories in place of /dev/shm and /tmp.
type elsewhere struct {
	*node
	shm, tmp string
}

func (e elsewhere) Run(ctx context.Context, script string, input io.Reader) (*link.Pipe, error) {
	script = strings.NewReplacer("/dev/shm", e.shm, "d=/tmp/", "d="+e.tmp+"/").Replace(script)
	return e.node.Run(ctx, script, input)
}

// TestNamesThatOthersHaveTaken: where all may write, another user can make our directory, a link or a file in its
// place, but not a directory that nobody knows before. The copy there goes with the session, and so does what a killed
// script has left a day ago.
func TestNamesThatOthersHaveTaken(t *testing.T) {
	noLeaks(t)
	trap := t.TempDir()
	for name, squat := range map[string]func(path string) error{
		"a link": func(path string) error { return os.Symlink(trap, path) },
		"a file": func(path string) error { return os.WriteFile(path, nil, 0o644) },
	} {
		for _, place := range []string{"shm", "tmp"} {
			t.Run(name+" in "+place, func(t *testing.T) {
				s, n := newSite(t), newNode(t)
				n.env = []string{"XDG_RUNTIME_DIR="}
				writeFile(t, filepath.Join(n.home, ".cache"), "")
				e := elsewhere{n, t.TempDir(), t.TempDir()}
				at := e.shm
				if place == "tmp" {
					e.shm, at = filepath.Join(e.shm, "absent"), e.tmp
				}
				ours := filepath.Join(at, fmt.Sprintf("nvnodetop-%d", os.Getuid()))
				old := time.Now().Add(-50 * time.Hour)
				if err := errors.Join(squat(ours), os.Mkdir(ours+".killed", 0o700), os.Mkdir(ours+".runs", 0o700),
					os.Chtimes(ours+".killed", old, old)); err != nil {
					t.Fatal(err)
				}
				session, how, err := s.Start(t.Context(), e, func(string) {})
				if err != nil || !strings.Contains(how, " to /") {
					t.Fatal(how, err)
				}
				var left []string
				files, err := os.ReadDir(at)
				for _, f := range files {
					left = append(left, f.Name())
				}
				if want := []string{filepath.Base(ours), filepath.Base(ours) + ".runs"}; err != nil ||
					!slices.Equal(left, want) {
					t.Errorf("there are %q while the probe runs, want %q, %v", left, want, err)
				}
				session.Tend(noWay{}, func(err error) error { return err })
				_ = session.Close()
			})
		}
	}
	if left, err := os.ReadDir(trap); err != nil || len(left) > 0 {
		t.Errorf("the link was followed: %v %v", left, err)
	}
}
