package chromium

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
)

// JavaScript that leaves its page has no answer of its own: that is no failure of Leave, and Wait looks at the next
// page. Other failures are told.
func TestPageIsLeft(t *testing.T) {
	t.Parallel()
	b := New(t)
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	leave := "location.href = '" + s.URL + "'; new Promise(() => {})"
	if err := b.Leave(leave); err != nil {
		t.Error(err)
	}
	if err := b.Wait("location.href.startsWith('" + s.URL + "')"); err != nil {
		t.Error(err)
	}
	if err := b.Eval("location.reload(); new Promise(() => {})", nil); !errors.Is(err, errLeft) {
		t.Errorf("%v, not that the page was left", err)
	}
	if b.Leave("nothing()") == nil || b.Wait("nothing()") == nil {
		t.Error("a function that is not there was called")
	}
}

// The error about a Chromium that has ended has its exit status and its last messages.
func TestEndIsExplained(t *testing.T) {
	t.Parallel()
	b := New(t)
	if err := syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = b.cmd.Wait()
	if err := os.WriteFile(b.stderrFile(), []byte("a last word"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := b.Wait("false")
	if err == nil || !strings.Contains(err.Error(), "killed") || !strings.Contains(err.Error(), "a last word") {
		t.Error(err)
	}
}
