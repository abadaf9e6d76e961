package screen

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tmux and GNU screen show whether a terminal is attached in the mode of their socket: the owner's execute bit stands
// for an attached client. One stat reads it, without asking a process. All sessions of tmux share one socket, so a
// client of another session counts too: only asking tmux could tell the sessions apart, at the cost of a process each
// time. An unknown state counts as attached.

// How often a Terminal is checked: while attached, and while detached, when somebody may be waiting for a fresh
// picture.
const (
	attachedEvery = 5 * time.Second
	detachedEvery = time.Second
)

// userTerminal is the terminal in which this process runs.
type userTerminal struct {
	sockets [][]string // for each multiplexer, the possible paths of its socket; the first one that exists is used
}

// findTerminal returns the Terminal of a process with these environment variables. One multiplexer may run inside the
// other, in either order.
func findTerminal(getenv func(string) string) *userTerminal {
	t := &userTerminal{}
	if socket, _, _ := strings.Cut(getenv("TMUX"), ","); filepath.IsAbs(socket) {
		t.sockets = append(t.sockets, []string{socket})
	}
	if name := getenv("STY"); name != "" && name == filepath.Base(name) {
		t.sockets = append(t.sockets, ofScreen(name, getenv))
	}
	return t
}

// ofScreen returns the possible paths of a screen session's socket, which differ between distributions.
func ofScreen(name string, getenv func(string) string) []string {
	if dir := getenv("SCREENDIR"); dir != "" {
		return []string{filepath.Join(dir, name)}
	}
	var paths []string
	for _, dir := range []string{"/run/screen/S-", "/var/run/screen/S-", "/run/screens/S-", "/run/uscreens/S-",
		"/tmp/screens/S-", "/tmp/uscreens/S-"} {
		paths = append(paths, filepath.Join(dir+getenv("USER"), name))
	}
	return append(paths, filepath.Join(getenv("HOME"), ".screen", name))
}

// canDetach reports whether the Terminal can be detached at all.
func (t *userTerminal) canDetach() bool { return len(t.sockets) > 0 }

// Attached reports whether somebody may see the Terminal. If one multiplexer runs inside another, both must be
// detached: it is unknown which is the inner one, and the variables of the outer one stay when it is gone.
func (t *userTerminal) Attached() bool {
	for _, paths := range t.sockets {
		if isAttached(paths) {
			return true
		}
	}
	return !t.canDetach()
}

func isAttached(paths []string) bool {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			return info.Mode()&(fs.ModeSocket|fs.ModeNamedPipe) == 0 || info.Mode()&0o100 != 0
		}
	}
	return true
}

// Watch calls tell when the Terminal is detached or attached, until ctx ends. At first it counts as attached. A
// Terminal that cannot be detached is not checked.
func (t *userTerminal) Watch(ctx context.Context, tell func(attached bool)) {
	if !t.canDetach() {
		return
	}
	for was := true; ; {
		wait := attachedEvery
		if !was {
			wait = detachedEvery
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if is := t.Attached(); is != was {
			was = is
			tell(is)
		}
	}
}
