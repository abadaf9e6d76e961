package feed

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
)

// console is a terminal with a user at the other end.
func console(t *testing.T) (user *os.File, at *terminalAsker) {
	t.Helper()
	user, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = user.Close(), tty.Close() })
	if at = NewTerminal(cli.Streams{In: tty, Out: tty, Err: tty}); at == nil {
		t.Fatal("a terminal is not taken for one")
	}
	return user, at
}

// types waits for a prompt, types a line and returns what the terminal has shown until then.
func types(t *testing.T, user *os.File, prompt, line string) *strings.Builder {
	t.Helper()
	shown := &strings.Builder{}
	piece := make([]byte, 256)
	for !strings.Contains(shown.String(), prompt) {
		n, err := user.Read(piece)
		if err != nil {
			t.Fatal(err)
		}
		shown.Write(piece[:n])
	}
	time.Sleep(20 * time.Millisecond) // until echo is off
	if _, err := io.WriteString(user, line+"\n"); err != nil {
		t.Fatal(err)
	}
	return shown
}

func TestAsk(t *testing.T) {
	for _, secret := range []bool{true, false} {
		user, at := console(t)
		answer := make(chan string, 2)
		go func() {
			for _, prompt := range []string{"Code\x1b[2J\x07: ", "Again: "} {
				text, err := at.Ask(t.Context(), "alice@login1", prompt, secret)
				if err != nil {
					text = err.Error()
				}
				answer <- text
			}
		}()
		shown := types(t, user, "(alice@login1) Code[2J: ", "one two").String()
		if got := <-answer; got != "one two" || strings.ContainsAny(shown, "\x1b\x07") {
			t.Errorf("secret %v: answer %q, shown %q", secret, got, shown)
		}
		shown = types(t, user, "Again: ", "three").String()
		if got := <-answer; got != "three" || strings.Contains(shown, "one two") == secret {
			t.Errorf("secret %v: answer %q, shown %q", secret, got, shown)
		}
	}
}

// asks asks for a secret. The question ends before the terminal is closed.
func asks(t *testing.T, at *terminalAsker, host, words string) {
	t.Helper()
	var asking sync.WaitGroup
	asking.Go(func() { _, _ = at.Ask(context.Background(), host, words, true) })
	t.Cleanup(asking.Wait)
}

// TestAHostCannotSpeakForUs: a host that asks for the passphrase of a key in our words does so behind its name, in
// each line.
func TestAHostCannotSpeakForUs(t *testing.T) {
	const ours = "Passphrase of the key \"/home/alice/.ssh/id_ed25519\": "
	for _, words := range []string{ours, "Code:\n" + ours, "Code:\r" + ours, "\x1b[2K\x1b[G" + ours,
		"Code:" + strings.Repeat(" ", 500) + ours, "\u2028" + ours, "a\u202e\n\n" + ours} {
		user, at := console(t)
		asks(t, at, "alice@login1", words)
		shown := types(t, user, "key", "x").String()
		for line := range strings.Lines(shown) {
			if !strings.HasPrefix(line, "(alice@login1) ") || len(strings.TrimSpace(line)) > 80 {
				t.Errorf("%.20q: the line %q", words, line)
			}
		}
	}
	user, at := console(t)
	asks(t, at, "", ours)
	if shown := types(t, user, "key", "x").String(); !strings.HasPrefix(shown, "Passphrase") {
		t.Errorf("our own question is shown as %q", shown)
	}
}

// Ctrl-C and a signal end the question, and the terminal echoes again.
func TestAskIsCanceled(t *testing.T) {
	user, at := console(t)
	before, err := term.GetState(at.in.Fd())
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(stop) })
	if _, err := at.Ask(ctx, "n", "Password: ", true); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	if after, err := term.GetState(at.in.Fd()); err != nil || *after != *before {
		t.Errorf("the terminal's state is %v, %v, want %v", after, err, before)
	}
	_, _ = io.WriteString(user, "\n") // wakes the read that was left behind
}

func TestNobodyIsAskedWithoutATerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if NewTerminal(cli.Streams{In: r, Out: w, Err: w}) != nil {
		t.Error("a pipe is taken for a terminal")
	}
}
