package openssh

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

func TestSession(t *testing.T) {
	s := newSite(t, "")
	session, probe := s.mustOpen()
	if reply, err := session.Call(t.Context(), wire.Request{Alive: &wire.Alive{}}); err != nil || reply.Error != "" {
		t.Errorf("reply %+v, %v", reply, err)
	}
	_ = session.Close()
	gone(t, probe)
	if n := len(s.ran()); n != 1 {
		t.Errorf("%d ssh for one session", n)
	}
	for _, step := range s.steps {
		if step.Stage == StageSSH && step.State == reach.StepDone && step.Text != "logged in by OpenSSH_9.2p1" {
			t.Errorf("step %q", step.Text)
		}
	}
}

// TestLoginShells: each shell passes the command to /bin/sh as a single argument, and its own output is skipped.
func TestLoginShells(t *testing.T) {
	for shell, file := range map[string]string{"bash": ".bashrc", "zsh": ".zshenv", "tcsh": ".cshrc",
		"bsd-csh": ".cshrc", "fish": ".config/fish/config.fish"} {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skip(shell, " is not installed: ", err)
			}
			s := newSite(t, "")
			rc := filepath.Join(s.dir, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(rc), 0o700),
				os.WriteFile(rc, []byte("echo Welcome; sleep 0.1\n"), 0o600)); err != nil {
				t.Fatal(err)
			}
			t.Setenv("HOME", s.dir)
			t.Setenv("FAKE_SHELL", shell)
			session, probe := s.mustOpen()
			_ = session.Close()
			gone(t, probe)
		})
	}
}

// TestTheUsersConfigurationIsNotObeyed where it would ask, write, forward or leave a master behind.
func TestTheUsersConfigurationIsNotObeyed(t *testing.T) {
	for version, newer := range map[string][2]bool{
		"OpenSSH_7.4p1, OpenSSL": {false, false}, "OpenSSH_7.6p1": {true, false}, "OpenSSH_8.7p1": {true, true},
		"OpenSSH_10.1": {true, true}, "odd": {true, true},
	} {
		s := newSite(t, "")
		t.Setenv("FAKE_VERSION", version)
		session, _ := s.mustOpen()
		_ = session.Close()
		ran := s.ran()[0]
		for _, want := range []string{"-T -a -x", "BatchMode=yes", "StrictHostKeyChecking=yes", "ControlMaster=no",
			"ClearAllForwardings=yes", "ServerAliveInterval=10", "LogLevel=VERBOSE", " -- n exec /bin/sh -c "} {
			if !strings.Contains(ran, want) {
				t.Errorf("%s: no %q in %s", version, want, ran)
			}
		}
		for i, option := range []string{"RemoteCommand=none", "SessionType=default"} {
			if strings.Contains(ran, option) != newer[i] {
				t.Errorf("%s: %s in %s", version, option, ran)
			}
		}
	}
}

// TestACopyNeedsAnotherLogin: the second script does not find the first ssh free.
func TestACopyNeedsAnotherLogin(t *testing.T) {
	s := newSite(t, "")
	sh, err := s.d.Dial(t.Context(), "n", remote.NewLog("n", func(reach.Step) {}))
	if err != nil {
		t.Fatal(err)
	}
	input := strings.Repeat("x", 1<<20)
	for _, c := range []struct{ script, input, out string }{{"echo one; exit 3", "", "one\n"},
		{"head -c 1048576 | wc -c; exit 3", input, "1048576\n"}} {
		p, err := sh.Run(t.Context(), c.script, strings.NewReader(c.input))
		if err != nil {
			t.Fatal(err)
		}
		out, _ := io.ReadAll(p.Out)
		if exit := p.Wait(); string(out) != c.out || !exit.Known || exit.Status != 3 || p.Words.String() != "" {
			t.Errorf("%q, %+v, words %q", out, exit, p.Words.String())
		}
	}
	if sh.Ping(t.Context()) == nil {
		t.Error("an ssh that has ended answers")
	}
	_ = sh.Close()
	if _, err := sh.Run(t.Context(), "true", nil); err == nil {
		t.Error("a closed shell runs a script")
	}
	if n := len(s.ran()); n != 3 {
		t.Errorf("%d logins", n)
	}
}

func TestTheEndOfASession(t *testing.T) {
	for name, c := range map[string]struct {
		does    string
		end     func(ssh, probe int)
		class   reach.Class
		summary string
	}{
		"the probe is killed": {"", func(_, probe int) { _ = syscall.Kill(probe, syscall.SIGKILL) },
			reach.ClassProbeKilled, "probe was killed"},
		"ssh is killed": {"", func(ssh, _ int) { _ = syscall.Kill(ssh, syscall.SIGKILL) }, reach.ClassClosed,
			"ssh was ended on this host"},
		"the connection ends": {
			`sh -c "$command"; echo "Connection to n closed by remote host." >&2; exit 255`,
			func(_, probe int) { _ = syscall.Kill(probe, syscall.SIGKILL) }, reach.ClassClosed, "connection closed",
		},
		"the node is silent": {
			`sh -c "$command"; echo "Timeout, server n not responding." >&2; exit 255`,
			func(_, probe int) { _ = syscall.Kill(probe, syscall.SIGKILL) }, reach.ClassSilent, "connection lost",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, c.does)
			session, probe := s.mustOpen()
			ssh, _ := strconv.Atoi(strings.Fields(s.ran()[0])[0])
			c.end(ssh, probe)
			_, err := session.Next()
			f := reach.AsFailure(err, "")
			if f.Class != c.class || f.Summary() != c.summary || f.Stage != "" || f.Meaning == "" {
				t.Errorf("%s: %s (%+v)", f.Class, f.Summary(), f)
			}
			_ = session.Close()
			gone(t, probe)
		})
	}
}

func TestFewLoginsAtATime(t *testing.T) {
	s := newSite(t, `mkdir "$FAKE_DIR/in.$$"; sleep 0.3; ls -d "$FAKE_DIR"/in.* | wc -l >>"$FAKE_DIR/peak"; rmdir "$FAKE_DIR/in.$$"`)
	s.d.turns = make(remote.Turns, 3)
	var wg sync.WaitGroup
	for range 9 {
		wg.Go(func() {
			c, err := s.d.startLogin(t.Context(), "n", func() {}, func() {})
			if err != nil {
				t.Error(err)
				return
			}
			c.killSession()
		})
	}
	wg.Wait()
	peaks, err := os.ReadFile(filepath.Join(s.dir, "peak"))
	if err != nil || len(strings.Fields(string(peaks))) != 9 {
		t.Fatal(string(peaks), err)
	}
	for peak := range strings.FieldsSeq(string(peaks)) {
		if peak > "3" {
			t.Errorf("%s logins at a time", peak)
		}
	}
}

// TestDeadNodesKeepNobodyWaiting: nobody waits for a turn behind a dead node.
func TestDeadNodesKeepNobodyWaiting(t *testing.T) {
	s := newSite(t, `case "$*" in *" dead "*) exec sleep 600;; esac`)
	s.d.turns, s.d.limits.turn = make(remote.Turns, 2), 50*time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := s.d.startLogin(ctx, "dead", func() {}, func() {}); !errors.Is(err, context.Canceled) {
				t.Errorf("a dead node: %v", err)
			}
		})
	}
	for len(s.ran()) < 2 {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	if c, err := s.d.startLogin(t.Context(), "n", func() {}, func() {}); err != nil || time.Since(began) > 5*time.Second {
		t.Errorf("a healthy node: %v after %v", err, time.Since(began))
	} else {
		c.killSession()
	}
	cancel()
	wg.Wait()
}

// TestALoginThatPrintsAndHangs: such a login does not count as hung, since its output comes from the node.
func TestALoginThatPrintsAndHangs(t *testing.T) {
	s := newSite(t, "echo Welcome; exec sleep 600")
	s.d.limits.login, s.d.limits.closing = 300*time.Millisecond, 100*time.Millisecond
	if f := s.fails(); f.Class != reach.ClassProbeLate ||
		f.Summary() != "login accepted, but no command runs after 0s" || f.Words != "Welcome" {
		t.Errorf("%s: %s, %q", f.Class, f.Summary(), f.Words)
	}
}

// TestAShellThatHangs: ssh says that the login is done. What hangs then is the login shell, whatever it prints.
func TestAShellThatHangs(t *testing.T) {
	const authenticated = `printf 'Authenticated to n ([10.77.1.3]:22) using "publickey".\r\n' >&2; `
	s := newSite(t, authenticated+"exec sleep 600")
	s.d.limits.login, s.d.limits.closing = 300*time.Millisecond, 100*time.Millisecond
	if f := s.fails(); f.Class != reach.ClassProbeLate || f.Stage != StageShell ||
		f.Summary() != "login accepted, but no command runs after 0s" || f.Words != "" {
		t.Errorf("%s at %q: %s, %q", f.Class, f.Stage, f.Summary(), f.Words)
	}
	var stages []string
	for _, step := range s.steps {
		stages = append(stages, fmt.Sprintf("%s %s", step.Stage, step.State))
	}
	if got := strings.Join(stages, ", "); got != "ssh began, ssh began, ssh done, shell began, shell failed" {
		t.Errorf("stages %s", got)
	}
	s = newSite(t, authenticated+"printf 'channel 0: open failed: administratively prohibited: open failed\\r\\n' >&2; exit 255")
	if f := s.fails(); f.Class != reach.ClassDenied || f.Summary() != "session refused after login" {
		t.Errorf("%s: %s", f.Class, f.Summary())
	}
	s = newSite(t, authenticated) // and nothing hangs
	session, _ := s.mustOpen()
	_ = session.Close()
	if last := s.steps[len(s.steps)-1]; last.Stage != remote.StageDriver || last.State != reach.StepDone {
		t.Errorf("the last step is %+v", last)
	}
}

func TestALoginThatHangs(t *testing.T) {
	s := newSite(t, "exec sleep 600")
	s.d.limits.login, s.d.limits.closing = 300*time.Millisecond, 100*time.Millisecond
	if f := s.fails(); f.Class != reach.ClassLoginHangs || f.Stage != StageSSH ||
		f.Summary() != "login timed out after 0s" {
		t.Errorf("%s at %q: %s", f.Class, f.Stage, f.Summary())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	s.d.limits.login = time.Minute
	began := time.Now()
	if _, err := s.open(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	for range cap(s.d.turns) { // no turn is left behind
		s.d.turns <- struct{}{}
	}
	if _, err := s.open(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without a turn: %v", err)
	}
}

// TestAStubbornSSH does not end on request.
func TestAStubbornSSH(t *testing.T) {
	s := newSite(t, `trap "" TERM; while :; do sleep 1; done`)
	s.d.limits.login, s.d.limits.closing = 300*time.Millisecond, 100*time.Millisecond
	_ = s.fails()
	ssh, _ := strconv.Atoi(strings.Fields(s.ran()[0])[0])
	gone(t, ssh)
}

// TestNothingOutlivesUs kills an nvnodetop with an open session.
func TestNothingOutlivesUs(t *testing.T) {
	s := newSite(t, `trap "" PIPE; cat >/dev/null & echo nvnodetop-shell/1; while :; do sleep 0.05; done`)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "FAKE_ROLE=nvnodetop")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if line != "ready\n" {
		t.Fatalf("said %q", line)
	}
	ssh, _ := strconv.Atoi(strings.Fields(s.ran()[0])[0])
	gone(t, ssh)
}

func TestNoSSHHere(t *testing.T) {
	s := newSite(t, "")
	if why := s.d.Missing(); why != "" {
		t.Error(why)
	}
	t.Setenv("PATH", "/nowhere")
	s.d = New()
	s.o.Door = s.d
	if f := s.fails(); f.Class != reach.ClassLocal || f.Summary() != "cannot start ssh: no ssh in PATH on this host" ||
		s.d.Missing() == "" {
		t.Errorf("%s: %s", f.Class, f.Summary())
	}
	s.d.program = filepath.Join(s.dir, "nothing")
	if f := s.fails(); f.Class != reach.ClassLocal || !strings.HasPrefix(f.Summary(), "cannot start ssh: ") {
		t.Errorf("%s: %s", f.Class, f.Summary())
	}
}

// TestOutputOfALogin is about the output before the mark: it may explain a failure, and cannot exhaust the memory.
func TestOutputOfALogin(t *testing.T) {
	for does, want := range map[string]string{
		"echo This account is currently not available.; exit 1":  "denied: account not allowed to run commands",
		"echo only sftp here; exit 1":                            "denied: login accepted, but no command runs",
		"yes | head -c 10000000; exit 1":                         "garbage: unexpected output of the login",
		"kill -SEGV $$":                                          "local: ssh was ended by signal SEGV",
		"echo something quite new >&2; exit 255":                 "other: ssh failed: something quite new",
		"printf 'no newline'; printf 'nvnodetop-shell/'; exit 1": "denied: login accepted, but no command runs",
		"exec printf 'a nvnodetop-shell/1\\n'":                   "garbage: probe did not start",
		"head -c 3000000 /dev/zero >&2; exit 12":                 "denied: login accepted, but no command runs",
	} {
		s := newSite(t, does)
		f := s.fails()
		if got := fmt.Sprintf("%s: %s", f.Class, f.Summary()); got != want {
			t.Errorf("%s: %s, want %s", does, got, want)
		}
		if len(f.Words) > 4<<10+100 {
			t.Errorf("%s: %d bytes of words", does, len(f.Words))
		}
	}
}
