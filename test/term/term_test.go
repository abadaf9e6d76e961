package term

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestTerminal(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", `printf '\033[2;3Hhere\n'; read x; printf "got $x"; stty size; exit 3`)
	term, err := Start(cmd, 40, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close()
	if _, err := term.WaitFor(5*time.Second, "the text at its place", func(s string) bool {
		return strings.HasPrefix(s, "\n  here")
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := term.WaitFor(50*time.Millisecond, "a word",
		func(s string) bool { return strings.Contains(s, "never") }); err == nil {
		t.Error("saw a word that was not written")
	}
	if err := term.Resize(60, 12); err != nil {
		t.Fatal(err)
	}
	if err := term.Type("me\n"); err != nil {
		t.Fatal(err)
	}
	if code, err := term.Wait(5 * time.Second); err != nil || code != 3 {
		t.Errorf("exit code %d, %v", code, err)
	}
	if s := term.Screen(); !strings.Contains(s, "got me12 60") {
		t.Errorf("screen:\n%s", s)
	}
}
