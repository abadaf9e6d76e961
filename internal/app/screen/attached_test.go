package screen

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"
)

// tmuxSocket makes a socket with a mode, and returns its path.
func tmuxSocket(t *testing.T, dir, name string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(dir, name)
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	chmod(t, path, mode)
	return path
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// terminalEnv are environment variables, in pairs.
func terminalEnv(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestWhatIsNotKnownIsAttached(t *testing.T) {
	dir := t.TempDir()
	on, off := tmuxSocket(t, dir, "on", 0o770), tmuxSocket(t, dir, "off", 0o660)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(filepath.Join(home, ".screen"), 0o700); err != nil {
		t.Fatal(err)
	}
	tmuxSocket(t, filepath.Join(home, ".screen"), "7.x", 0o600)
	for _, test := range []struct {
		name string
		env  []string
		want bool
	}{
		{"no multiplexer", nil, true},
		{"tmux attached", []string{"TMUX", on + ",12,0"}, true},
		{"tmux detached", []string{"TMUX", off + ",12,0"}, false},
		{"tmux of another user, or on another host", []string{"TMUX", filepath.Join(dir, "none") + ",12,0"}, true},
		{"not a path", []string{"TMUX", "off"}, true},
		{"not a socket", []string{"TMUX", file + ",1,1"}, true},
		{"screen attached", []string{"STY", "on", "SCREENDIR", dir}, true},
		{"screen detached", []string{"STY", "off", "SCREENDIR", dir}, false},
		{"screen detached, in the home", []string{"STY", "7.x", "HOME", home, "USER", "nobody-here"}, false},
		{"a name that leads elsewhere", []string{"STY", "../off", "SCREENDIR", home}, true},
		{"screen detached in an attached tmux", []string{"TMUX", on, "STY", "off", "SCREENDIR", dir}, true},
		{"both detached", []string{"TMUX", off, "STY", "off", "SCREENDIR", dir}, false},
	} {
		if got := findTerminal(terminalEnv(test.env...)).Attached(); got != test.want {
			t.Errorf("%s: attached is %v", test.name, got)
		}
	}
}

func TestEachChangeIsToldOnce(t *testing.T) {
	dir := t.TempDir()
	path := tmuxSocket(t, dir, "s", 0o770)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		var told []bool
		tell := func(attached bool) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, attached)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			findTerminal(terminalEnv("TMUX", path+",1,1")).Watch(ctx, tell)
		}()
		for _, step := range []struct {
			mode os.FileMode
			wait time.Duration
			want []bool
		}{
			{0o770, time.Minute, nil},
			{0o660, attachedEvery, []bool{false}},
			{0o660, time.Hour, []bool{false}},
			{0o770, detachedEvery, []bool{false, true}},
			{0o770, time.Hour, []bool{false, true}},
			{0o660, attachedEvery, []bool{false, true, false}},
		} {
			chmod(t, path, step.mode)
			time.Sleep(step.wait)
			synctest.Wait()
			mu.Lock()
			if !slices.Equal(told, step.want) {
				t.Errorf("told %v, want %v", told, step.want)
			}
			mu.Unlock()
		}
		cancel()
		<-done
		findTerminal(terminalEnv()).Watch(t.Context(), nil) // returns at once
	})
}

// untilAttached waits for a state of a Terminal.
func untilAttached(t *testing.T, term *userTerminal, want bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); term.Attached() != want; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("attached is %v after 20 s", !want)
		}
	}
}

// attach runs a command on a terminal until the test calls the result.
func attach(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Env = append(os.Environ(), "TERM=xterm", "TMUX=", "STY=")
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		buf := make([]byte, 4096)
		for err := error(nil); err == nil; {
			_, err = tty.Read(buf)
		}
	}()
	t.Cleanup(func() {
		tty.Close()
		_ = cmd.Wait()
	})
}

func mustAttach(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// attachProgram skips the test where a program is not installed.
func attachProgram(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
}

func TestTmuxSaysWhetherItIsAttached(t *testing.T) {
	attachProgram(t, "tmux")
	server := []string{"-S", filepath.Join(t.TempDir(), "s"), "-f", "/dev/null"}
	tmux := func(args ...string) string { return mustAttach(t, "tmux", append(slices.Clone(server), args...)...) }
	tmux("new-session", "-d", "-s", "a", "sleep 600")
	t.Cleanup(func() { _ = exec.Command("tmux", append(slices.Clone(server), "kill-server")...).Run() })
	term := findTerminal(terminalEnv("TMUX", tmux("display-message", "-p", "#{socket_path},#{pid},0")))
	untilAttached(t, term, false)
	attach(t, exec.Command("tmux", append(slices.Clone(server), "attach", "-t", "a")...))
	untilAttached(t, term, true)
	tmux("detach-client", "-s", "a")
	untilAttached(t, term, false)
}

func TestScreenSaysWhetherItIsAttached(t *testing.T) {
	attachProgram(t, "screen")
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SCREENDIR", dir)
	mustAttach(t, "screen", "-dmS", "attached", "sleep", "600")
	var found []string
	for end := time.Now().Add(20 * time.Second); len(found) == 0; time.Sleep(20 * time.Millisecond) {
		if found, _ = filepath.Glob(filepath.Join(dir, "*.attached")); time.Now().After(end) {
			t.Fatal("screen has made no socket in 20 s")
		}
	}
	name := filepath.Base(found[0])
	t.Cleanup(func() { _ = exec.Command("screen", "-S", name, "-X", "quit").Run() })
	term := findTerminal(terminalEnv("STY", name, "SCREENDIR", dir))
	untilAttached(t, term, false)
	attach(t, exec.Command("screen", "-r", name))
	untilAttached(t, term, true)
	mustAttach(t, "screen", "-S", name, "-X", "detach")
	untilAttached(t, term, false)
}
