package cluster

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/test/term"
)

// read returns the number of bytes that a process has read so far, with its connections.
func read(t *testing.T, pid string) int {
	t.Helper()
	m := regexp.MustCompile(`rchar: (\d+)`).FindStringSubmatch(do(t, "on", "login", "cat", "/proc/"+pid+"/io"))
	if m == nil {
		t.Fatal("no rchar")
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Nodes report ten times less often to a screen in a tmux that is detached, and as before once it is attached.
func TestADetachedTmuxGetsFewReports(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	job(t, 2)
	// other tests look for files that nvnodetop has left
	server := fmt.Sprintf("/tmp/detached-%d", time.Now().UnixNano())
	tmux := func(args ...string) []string {
		return slices.Concat(asAlice, []string{"TERM=xterm-256color", "tmux", "-S", server, "-f", "/dev/null"}, args)
	}
	do(t, tmux("new-session", "-d", "-x", "120", "-y", "40", strings.Join([]string{program, "1", "1", "--view", "node"},
		" "))...)
	t.Cleanup(func() {
		do(t, tmux("kill-server")...)
		do(t, "on", "login", "rm", "-f", server)
	})
	screen := func() string { return do(t, tmux("capture-pane", "-p")...) }
	until := func(what string, want func(string) bool) {
		t.Helper()
		for end := time.Now().Add(slack); !want(screen()); time.Sleep(200 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s not seen; the screen:\n%s", what, screen())
			}
		}
	}
	const during = 15 * time.Second
	counts := func() int {
		t.Helper()
		before := read(t, pid(t))
		time.Sleep(during)
		return read(t, pid(t)) - before
	}
	until("an idle screen", func(s string) bool {
		return strings.Contains(s, "idle: polling every 10s") && strings.Contains(s, reporting(2, 2))
	})
	detached := counts()

	client, err := term.Start(exec.Command("../../scripts/testcluster", tmux("attach")...), 120, 41)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	until("a screen that is not idle", func(s string) bool {
		return !strings.Contains(s, "idle: polling") && strings.Contains(s, reporting(2, 2))
	})
	time.Sleep(2 * time.Second)
	attached := counts()
	if attached < 4*detached {
		t.Errorf("%d bytes came in %v while detached, %d while attached", detached, during, attached)
	}
	t.Logf("%d bytes came in %v while detached, %d while attached", detached, during, attached)
}
