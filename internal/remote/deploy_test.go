package remote

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"golang.org/x/crypto/ssh"
)

// TestScriptsSuitAnyLoginShell: sh, csh and fish must all take the command for one argument of /bin/sh.
func TestScriptsSuitAnyLoginShell(t *testing.T) {
	p := scriptPayload(probeScript)
	for _, script := range []string{startScript(p, lookTrust, uploadOrder), startScript(p, lookVerify, uploadOrder), uploadScript(p, placeHome, 1)} {
		if i := strings.IndexAny(script, "'\\!\n"); i >= 0 {
			t.Errorf("%q stands in the script: %q", script[i], script[max(0, i-20):i+1])
		}
	}
}

// cacheDir is where the probe lies on n.
func (n *node) cacheDir() string { return filepath.Join(n.home, ".cache", "nvnodetop") }

func (n *node) probe() string {
	return filepath.Join(n.cacheDir(), fileName(scriptPayload(probeScript)))
}

func TestCopyIsPrivateAndReplacedWhenItIsNot(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	n := startNode(t, s, nil)
	s.configure("n", n)
	drop(s.mustOpen("n"))
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
		drop(s.mustOpen("n"))
		if got := s.steps.last(reach.StageProbe).Text; !strings.HasPrefix(got, "copied") {
			t.Errorf("%s: %q, want it copied anew", name, got)
		}
		if info, err := os.Lstat(n.cacheDir()); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: directory %v %v", name, info, err)
		}
		if info, err := os.Lstat(n.probe()); err != nil || info.Mode() != 0o700 || info.Size() != int64(len(probeScript)) {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
}

// TestDamagedCopyIsReplaced: owner, mode and size of the copy are right, its bytes are not.
func TestDamagedCopyIsReplaced(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	n := startNode(t, s, nil)
	s.configure("n", n)
	drop(s.mustOpen("n"))
	for name, head := range map[string]string{"zeros": "", "no system's executable": "\x7fELF", "ends well": "#!/bin/true\n", "another's script": "#!/nowhere\n"} {
		if err := os.WriteFile(n.probe(), append([]byte(head), make([]byte, len(probeScript)-len(head))...), 0o700); err != nil {
			t.Fatal(err)
		}
		before := len(n.commands())
		drop(s.mustOpen("n"))
		if got := s.steps.last(reach.StageProbe).Text; !strings.HasPrefix(got, "copied") {
			t.Errorf("%s: %q, want it copied anew", name, got)
		}
		if got := len(n.commands()) - before; got != 3 {
			t.Errorf("%s: %d commands, want a look, a closer one and a copy", name, got)
		}
		if data, err := os.ReadFile(n.probe()); err != nil || string(data) != probeScript {
			t.Errorf("%s: the copy is %q, %v", name, data, err)
		}
	}
}

// TestWholeCopyThatFailsStays: what is at fault is not the copy, so it is neither replaced nor asked again and again.
func TestWholeCopyThatFailsStays(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	broken := scriptPayload("#!/bin/sh\necho it cannot be >&2\nexit 3\n")
	s.d.payload = func() (Payload, error) { return broken, nil }
	n := startNode(t, s, nil)
	s.configure("n", n)
	s.mustFail("n", reach.ClassProbeFailed)
	path := filepath.Join(n.cacheDir(), fileName(broken))
	before, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	ran := len(n.commands())
	if f := s.mustFail("n", reach.ClassProbeFailed); f.Words != "it cannot be" {
		t.Errorf("words %q", f.Words)
	}
	for _, c := range n.commands()[ran:] {
		if isUpload(c, placeHome) {
			t.Error("it was copied again")
		}
	}
	if got := len(n.commands()) - ran; got != 2 {
		t.Errorf("%d commands, want a look and a closer one", got)
	}
	if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("the copy was replaced: %v", err)
	}
}

// TestNodeThatOffersWhatItWasNotAskedFor comes to an end, however often it says the same.
func TestNodeThatOffersWhatItWasNotAskedFor(t *testing.T) {
	for place, want := range map[string]int{"x": 1, "": 1, placeHome: 3} {
		t.Run("place "+place, func(t *testing.T) {
			noLeaks(t)
			s := newSite(t)
			n := startNode(t, s, intercept(func(_ *node, ch ssh.Channel, command string) bool {
				if strings.Contains(command, needMark) {
					fmt.Fprintf(ch.Stderr(), "%s %s 1000 y:nowrite %s:ok\n", needMark, scriptPayload("").machine(), place)
					sendStatus(ch, exitNeed)
				} else {
					sendStatus(ch, exitNoWrite)
				}
				return true
			}))
			s.configure("n", n)
			class := reach.ClassGarbage
			if place == "" {
				class = reach.ClassNoSpace
			}
			s.mustFail("n", class)
			if got := len(n.commands()); got != want {
				t.Errorf("%d commands, want %d", got, want)
			}
		})
	}
}

func TestOldCopiesGo(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	n := startNode(t, s, nil)
	s.configure("n", n)
	ages := map[string]time.Duration{
		"nvnodetop-probe-old": 182 * 24 * time.Hour, "nvnodetop-probe-new": 179 * 24 * time.Hour,
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
	s.mustOpen("n")
	for name := range ages {
		_, err := os.Lstat(filepath.Join(n.cacheDir(), name))
		if gone, want := err != nil, strings.HasSuffix(name, "old"); gone != want {
			t.Errorf("%s: gone is %v, want %v", name, gone, want)
		}
	}
}

// TestDirectoryThatIsNotOurs: a symlink in place of the directory is not followed, the next place is taken.
func TestDirectoryThatIsNotOurs(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	runtimeDir := t.TempDir()
	n := startNode(t, s, func(n *node) { n.env = []string{"XDG_RUNTIME_DIR=" + runtimeDir} })
	s.configure("n", n)
	trap := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Dir(n.cacheDir()), 0o700), os.Symlink(trap, n.cacheDir())); err != nil {
		t.Fatal(err)
	}
	s.mustOpen("n")
	if got := s.steps.last(reach.StageProbe).Text; !strings.Contains(got, "to $XDG_RUNTIME_DIR/nvnodetop") {
		t.Errorf("probe: %q", got)
	}
	if left, err := os.ReadDir(trap); err != nil || len(left) > 0 {
		t.Errorf("the symlink was followed: %v %v", left, err)
	}
}

// TestHomeWithSpaces also has a login shell that is not sh, where there is one.
func TestHomeWithSpaces(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	n := startNode(t, s, func(n *node) { n.home = filepath.Join(n.home, "a b") })
	if err := os.Mkdir(n.home, 0o755); err != nil {
		t.Fatal(err)
	}
	s.configure("n", n)
	drop(s.mustOpen("n"))
	s.mustOpen("n")
	if got := s.steps.last(reach.StageProbe).Text; got != "there already" {
		t.Errorf("probe: %q", got)
	}
}

// intercept stands between the scripts and /bin/sh.
func intercept(change func(n *node, ch ssh.Channel, command string) bool) func(*node) {
	return func(n *node) {
		n.session = func(ch ssh.Channel, command string) {
			if !change(n, ch, command) {
				n.sh(ch, command)
			}
		}
	}
}

func isUpload(command, place string) bool { return strings.Contains(command, "; place "+place+"; ") }

func TestNoSpaceTakesTheNextPlace(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	runtimeDir := t.TempDir()
	n := startNode(t, s, intercept(func(n *node, ch ssh.Channel, command string) bool {
		if !isUpload(command, placeHome) {
			return false
		}
		fmt.Fprint(ch.Stderr(), "gzip: stdout: No space left on device\n")
		sendStatus(ch, exitNoWrite)
		return true
	}))
	n.env = []string{"XDG_RUNTIME_DIR=" + runtimeDir}
	s.configure("n", n)
	s.mustOpen("n")
	if got := s.steps.last(reach.StageProbe).Text; !strings.Contains(got, "to $XDG_RUNTIME_DIR/nvnodetop") {
		t.Errorf("probe: %q", got)
	}
}

func TestNoPlaceAtAll(t *testing.T) {
	for _, c := range []struct {
		stderr string
		status int
		class  reach.Class
	}{
		{"gzip: stdout: No space left on device", exitNoWrite, reach.ClassNoSpace},
		{"mktemp: Disk quota exceeded", exitNoWrite, reach.ClassNoSpace},
		{"", exitNoExec, reach.ClassNoExec},
		{"sh: 1: exec: Permission denied", 126, reach.ClassNoExec},
		{"the copy has the sha256 00", exitMismatch, reach.ClassOther},
	} {
		t.Run(fmt.Sprint(c.class, c.status), func(t *testing.T) {
			noLeaks(t)
			s := newSite(t)
			n := startNode(t, s, intercept(func(_ *node, ch ssh.Channel, command string) bool {
				need := needMark + " " + scriptPayload("").machine() + " 1000"
				if strings.Contains(command, "uname") {
					for _, place := range uploadOrder {
						if strings.Contains(command, place) && strings.Contains(command[strings.Index(command, "s=; "):], " "+place) {
							need += " " + place + ":ok"
							break
						}
					}
					fmt.Fprintln(ch.Stderr(), need)
					sendStatus(ch, exitNeed)
					return true
				}
				fmt.Fprintln(ch.Stderr(), c.stderr)
				sendStatus(ch, c.status)
				return true
			}))
			s.configure("n", n)
			session, err := s.open("n")
			if err == nil {
				drop(session)
				t.Fatal("it opened")
			}
			var f *reach.Failure
			if !errors.As(err, &f) || f.Class != c.class || !strings.Contains(f.Words, c.stderr) {
				t.Errorf("want %s: %s", c.class, describe(err))
			}
			if got := len(n.commands()); got != 8 {
				t.Errorf("%d commands, want a look and a copy for each of 4 places", got)
			}
		})
	}
}

// TestTruncatedUpload cuts the stream: nothing of it stays, and nothing is run.
func TestTruncatedUpload(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	n := startNode(t, s, intercept(func(n *node, ch ssh.Channel, command string) bool {
		if !isUpload(command, placeHome) {
			return false
		}
		n.sh(&cutChannel{Channel: ch, left: 100}, command)
		return true
	}))
	n.env = []string{"XDG_RUNTIME_DIR=" + t.TempDir()}
	s.configure("n", n)
	s.mustOpen("n")
	if left, err := os.ReadDir(n.cacheDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// cutChannel ends its input early.
type cutChannel struct {
	ssh.Channel
	left int
}

func (c *cutChannel) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	n, err := c.Channel.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// TestSharedHome starts 16 nodes with one home at once: they end up with one copy, made once.
func TestSharedHome(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	home := t.TempDir()
	var nodes []*node
	for i := range 16 {
		n := startNode(t, s, func(n *node) { n.home = home })
		s.configure(fmt.Sprintf("n%d", i), n)
		nodes = append(nodes, n)
	}
	var wg sync.WaitGroup
	for i := range nodes {
		wg.Go(func() {
			session, err := s.d.Open(t.Context(), fmt.Sprintf("n%d", i), func(reach.Step) {})
			if err != nil {
				t.Errorf("n%d: %s", i, describe(err))
				return
			}
			drop(session)
		})
	}
	wg.Wait()
	uploads := 0
	for _, n := range nodes {
		for _, c := range n.commands() {
			if isUpload(c, placeHome) {
				uploads++
			}
		}
	}
	if uploads != 1 {
		t.Errorf("%d copies were made, want 1", uploads)
	}
}

// TestGateIsLeftByWhoEnteredIt: a node that copies without a turn, as its whole copy may not be executed, ends nobody else's.
func TestGateIsLeftByWhoEnteredIt(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	var noexec atomic.Bool
	n := startNode(t, s, intercept(func(_ *node, ch ssh.Channel, command string) bool {
		if noexec.Load() && strings.Contains(command, needMark) {
			fmt.Fprintln(ch.Stderr(), "sh: 1: exec: Permission denied")
			sendStatus(ch, 126)
			return true
		}
		return false
	}))
	s.configure("n", n)
	drop(s.mustOpen("n"))
	noexec.Store(true)
	if wait, copier := s.d.gate.enter(1); wait != nil || !copier {
		t.Fatal("the gate is not free")
	}
	s.mustOpen("n")
	if got := s.steps.last(reach.StageProbe).Text; !strings.Contains(got, "to ~/.cache/nvnodetop") {
		t.Errorf("probe: %q", got)
	}
	if wait, copier := s.d.gate.enter(1); wait == nil || copier || s.d.gate.copies() != 1 {
		t.Error("the other node's turn was ended")
	}
	s.d.gate.leave(true)
}

// TestHomesApart: where homes are the nodes' own, each gets its copy, and only the first one waits for nothing.
func TestHomesApart(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	names := strings.Fields("n0 n1 n2 n3 n4 n5 n6 n7")
	for _, name := range names {
		s.configure(name, startNode(t, s, nil))
	}
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Go(func() {
			session, err := s.d.Open(t.Context(), name, func(reach.Step) {})
			if err != nil {
				t.Errorf("%s: %s", name, describe(err))
				return
			}
			drop(session)
		})
	}
	wg.Wait()
}

func TestParseNeed(t *testing.T) {
	for text, want := range map[string]need{
		"mkdir: no\nnvnodetop-need/1: Linux x86_64 1000 home:nowrite run:absent shm:ok\n": {machine: "Linux x86_64", uid: "1000", place: "shm", refused: []string{"home:nowrite", "run:absent"}},
		"no newline nvnodetop-need/1: Linux aarch64 7":                                    {machine: "Linux aarch64", uid: "7"},
	} {
		if got, ok := parseNeed(text); !ok || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %+v %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "nvnodetop-need/1:", "nvnodetop-need/1: Linux x86_64", "nvnodetop-need/1: Linux x86_64 1000 home"} {
		if got, ok := parseNeed(text); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func FuzzParseNeed(f *testing.F) {
	f.Add("noise\nnvnodetop-need/1: Linux x86_64 1000 home:nowrite run:absent shm:ok\n")
	f.Add("nvnodetop-need/1: a b c :ok")
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := parseNeed(text)
		if ok != (n.machine != "") {
			t.Errorf("%q: %+v %v", text, n, ok)
		}
		if rest := withoutNeed(text); strings.Contains(rest, needMark) || len(rest) > len(text) {
			t.Errorf("%q leaves %q", text, rest)
		}
	})
}
