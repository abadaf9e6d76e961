package install

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// node is a home on this machine, in which scripts run with a real /bin/sh unless instead runs them. It implements Shell.
type node struct {
	t       testing.TB
	home    string
	env     []string
	instead func(n *node, script string, input []byte) (words string, status int, ok bool)

	mu  sync.Mutex
	ran []string
}

func newNode(t testing.TB) *node { return &node{t: t, home: t.TempDir()} }

func (n *node) scripts() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.ran)
}

func (n *node) Run(_ context.Context, script string, input []byte) (*link.Pipe, error) {
	n.mu.Lock()
	n.ran = append(n.ran, script)
	n.mu.Unlock()
	if n.instead != nil {
		if words, status, ok := n.instead(n, script, input); ok {
			return ended(words, status), nil
		}
	}
	return n.sh(script, input), nil
}

// ended is a script that said words on standard error and nothing else.
func ended(words string, status int) *link.Pipe {
	p := &link.Pipe{In: nopCloser{}, Out: strings.NewReader(""), Words: link.NewWords(), Kill: func() {}}
	io.WriteString(p.Words, words)
	p.Wait = func() link.Exit { return link.Exit{Known: true, Status: status} }
	return p
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func (n *node) sh(script string, input []byte) *link.Pipe {
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = append([]string{"HOME=" + n.home, "PATH=" + os.Getenv("PATH")}, n.env...)
	cmd.Dir = n.home
	words := link.NewWords()
	cmd.Stderr = words
	in, err1 := cmd.StdinPipe()
	out, theirs, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		n.t.Fatal(err)
	}
	cmd.Stdout = theirs
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	_ = theirs.Close()
	_, _ = in.Write(input)
	done := make(chan link.Exit, 1)
	go func() {
		_ = cmd.Wait()
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		done <- link.Exit{Known: true, Status: cmd.ProcessState.ExitCode(), Signal: map[bool]string{true: "KILL"}[status.Signaled()]}
	}()
	kill := sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = in.Close()
		_ = out.Close()
	})
	n.t.Cleanup(kill)
	return &link.Pipe{In: in, Out: out, Words: words, Wait: func() link.Exit { return <-done }, Kill: kill}
}

// site is a place where an Installer runs.
type site struct {
	t testing.TB
	*Installer
	steps []string // of the last start
	mu    sync.Mutex
}

func newSite(t testing.TB) *site { return siteWith(t, probeScript) }

func siteWith(t testing.TB, script string) *site {
	return &site{t: t, Installer: New(func() (Payload, error) { return scriptPayload(script), nil })}
}

func (s *site) start(n *node) (how string, err error) {
	var steps []string
	session, how, err := s.Start(s.t.Context(), n, func(text string) { steps = append(steps, text) })
	if err == nil {
		_, err = session.Hello(s.t.Context())
		session.Tend(noWay{}, func(err error) error { return err })
		_ = session.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = steps
	return how, err
}

func (s *site) mustStart(n *node) (how string) {
	s.t.Helper()
	how, err := s.start(n)
	if err != nil {
		s.t.Fatalf("start: %v", err)
	}
	return how
}

// mustEnd starts a probe that must end as a *link.EndError.
func (s *site) mustEnd(n *node) *link.EndError {
	s.t.Helper()
	_, err := s.start(n)
	e, ok := errors.AsType[*link.EndError](err)
	if !ok {
		s.t.Fatalf("error %T %v, want an end", err, err)
	}
	return e
}

// noWay is a way that is always there.
type noWay struct{}

func (noWay) Ping(context.Context) error { return nil }
func (noWay) Close() error               { return nil }

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// probeScript is a probe as short as it can be: it greets, and answers each request.
const probeScript = `#!/bin/sh
[ "$1" = probe ] || exit 64
printf '\036nvnodetop-probe/1\n'
echo '{"hello":{"version":1,"build":"test","host":"fake","pid":'$$',"cpus":2,"driver":"550.54","gpus":[{"index":0},{"index":1}]}}'
while read -r line; do
	id=${line#*'"id":'}; id=${id%%,*}
	echo '{"reply":{"id":'"${id%\}}"'}}'
done
`

func scriptPayload(text string) Payload {
	sum := sha256.Sum256([]byte(text))
	return Payload{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:]),
		Gzip: func() ([]byte, error) {
			var b bytes.Buffer
			zip := gzip.NewWriter(&b)
			if _, err := io.WriteString(zip, text); err != nil {
				return nil, err
			}
			err := zip.Close()
			return b.Bytes(), err
		},
	}
}

// noLeaks fails the test when goroutines of ours outlive it. It is to be called first, so that it
// runs after all other cleanups.
func noLeaks(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		deadline := time.Now().Add(3 * time.Second)
		for {
			buf := make([]byte, 1<<20)
			all := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
			var left []string
			for _, g := range all[1:] {
				if !strings.Contains(g, "testing.tRunner") && strings.Contains(g, "internal/remote") {
					left = append(left, g)
				}
			}
			if len(left) == 0 {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
}

// TestScriptsSuitAnyLoginShell: sh, csh and fish must all take the command for one argument of /bin/sh.
func TestScriptsSuitAnyLoginShell(t *testing.T) {
	p := scriptPayload(probeScript)
	for _, script := range []string{startScript(p, trusting, uploadOrder), startScript(p, verifying, uploadOrder), uploadScript(p, placeHome, 1)} {
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
		if info, err := os.Lstat(n.probe()); err != nil || info.Mode() != 0o700 || info.Size() != int64(len(probeScript)) {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
}

// TestDamagedCopyIsReplaced: owner, mode and size of the copy are right, its bytes are not.
func TestDamagedCopyIsReplaced(t *testing.T) {
	noLeaks(t)
	s, n := newSite(t), newNode(t)
	s.mustStart(n)
	for name, head := range map[string]string{"zeros": "", "no system's executable": "\x7fELF", "ends well": "#!/bin/true\n", "another's script": "#!/nowhere\n"} {
		if err := os.WriteFile(n.probe(), append([]byte(head), make([]byte, len(probeScript)-len(head))...), 0o700); err != nil {
			t.Fatal(err)
		}
		before := len(n.scripts())
		if got := s.mustStart(n); !strings.HasPrefix(got, "copied") {
			t.Errorf("%s: %q, want it copied again", name, got)
		}
		if got := len(n.scripts()) - before; got != 3 {
			t.Errorf("%s: %d scripts, want a look, a closer one and a copy", name, got)
		}
		if data, err := os.ReadFile(n.probe()); err != nil || string(data) != probeScript {
			t.Errorf("%s: the copy is %q, %v", name, data, err)
		}
	}
}

// TestWholeCopyThatFailsStays: what is at fault is not the copy, so it is neither replaced nor asked again and again.
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
	if e := s.mustEnd(n); e.Stderr != "it cannot be\n" || e.Exit != (link.Exit{Known: true, Status: 3}) {
		t.Errorf("ended with %+v", e)
	}
	for _, c := range n.scripts()[ran:] {
		if isUpload(c, placeHome) {
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

// TestProbeHasAnEmptyPath however it is started: from a copy that was just made, that is trusted, that was verified.
func TestProbeHasAnEmptyPath(t *testing.T) {
	noLeaks(t)
	s, n := siteWith(t, "#!/bin/sh\necho \"PATH=${PATH-unset}\" >>\"$HOME/paths\"\nexit 3\n"), newNode(t)
	s.mustEnd(n)
	s.mustEnd(n)
	if paths, err := os.ReadFile(filepath.Join(n.home, "paths")); string(paths) != "PATH=\nPATH=\nPATH=\n" {
		t.Errorf("the probes had %q, %v; want an empty PATH three times", paths, err)
	}
}

// TestNodeThatOffersWhatItWasNotAskedFor comes to an end, however often it says the same.
func TestNodeThatOffersWhatItWasNotAskedFor(t *testing.T) {
	for place, want := range map[Place]int{"x": 1, "": 1, placeHome: 3} {
		t.Run("place "+string(place), func(t *testing.T) {
			noLeaks(t)
			s, n := newSite(t), newNode(t)
			n.instead = func(_ *node, script string, _ []byte) (string, int, bool) {
				if strings.Contains(script, needMark) {
					return fmt.Sprintf("%s %s 1000 y:nowrite %s:ok\n", needMark, scriptPayload("").machine(), place), exitNeed, true
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

func TestOldCopiesGo(t *testing.T) {
	noLeaks(t)
	s, n := newSite(t), newNode(t)
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
	s.mustStart(n)
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

// TestDirectoryThatChanges: a directory is opened to others, or replaced, between the check and the upload, or during the upload. Nothing is
// run from it then, and the next place is used.
func TestDirectoryThatChanges(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil  func(n *node, trap string) error // before the copy
		during bool                             // opened to others while the copy is verified
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
				writeFile(t, filepath.Join(bin, "sha256sum"), fmt.Sprintf("#!/bin/sh\nchmod 777 %q\nexec %s \"$@\"\n", n.cacheDir(), sum))
				if err := os.Chmod(filepath.Join(bin, "sha256sum"), 0o700); err != nil {
					t.Fatal(err)
				}
				n.env = append(n.env, "PATH="+bin+":"+os.Getenv("PATH"))
			}
			n.instead = func(n *node, script string, _ []byte) (string, int, bool) {
				if isUpload(script, placeHome) {
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

func isUpload(script string, place Place) bool {
	return strings.Contains(script, "; place "+string(place)+"; ")
}

func TestNoSpaceTakesTheNextPlace(t *testing.T) {
	noLeaks(t)
	s, n := newSite(t), newNode(t)
	n.instead = func(_ *node, script string, _ []byte) (string, int, bool) {
		return "gzip: stdout: No space left on device\n", exitNoWrite, isUpload(script, placeHome)
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
			n.instead = func(_ *node, script string, _ []byte) (string, int, bool) {
				_, asked, ok := strings.Cut(script, "s=; ")
				if !ok { // a copy
					return c.stderr, c.status, true
				}
				need := needMark + " " + scriptPayload("").machine() + " 1000"
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

// TestTruncatedUpload cuts the stream: nothing of it stays, and nothing is run.
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

func (c *cutShell) Run(ctx context.Context, script string, input []byte) (*link.Pipe, error) {
	if !isUpload(script, placeHome) {
		return c.node.Run(ctx, script, input)
	}
	p, err := c.node.Run(ctx, script, input[:100])
	if err == nil {
		_ = p.In.Close()
	}
	return p, err
}

// TestErrorsAreNotKept: a payload that could not be read once is read again.
func TestErrorsAreNotKept(t *testing.T) {
	noLeaks(t)
	tries := 0
	s := &site{t: t, Installer: New(func() (Payload, error) {
		if tries++; tries == 1 {
			return Payload{}, syscall.EMFILE
		}
		return scriptPayload(probeScript), nil
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

// together starts the probe on nodes at once.
func (s *site) together(nodes ...*node) {
	var wg sync.WaitGroup
	for i, n := range nodes {
		wg.Go(func() {
			if _, err := s.start(n); err != nil {
				s.t.Errorf("node %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

// TestSharedHome starts 16 nodes with one home at once: they end up with one copy, made once.
func TestSharedHome(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	home := t.TempDir()
	var nodes []*node
	for range 16 {
		nodes = append(nodes, &node{t: t, home: home})
	}
	s.together(nodes...)
	uploads := 0
	for _, n := range nodes {
		for _, script := range n.scripts() {
			if isUpload(script, placeHome) {
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
	s, n := newSite(t), newNode(t)
	s.mustStart(n)
	n.instead = func(_ *node, script string, _ []byte) (string, int, bool) {
		return "sh: 1: exec: Permission denied\n", 126, strings.Contains(script, needMark)
	}
	if wait, copier := s.gate.enter(1, false); wait != nil || !copier {
		t.Fatal("the gate is not free")
	}
	if got := s.mustStart(n); !strings.Contains(got, "to ~/.cache/nvnodetop") {
		t.Errorf("probe: %q", got)
	}
	if wait, copier := s.gate.enter(1, false); wait == nil || copier || s.gate.copies() != 1 {
		t.Error("the other node's turn was ended")
	}
	s.gate.leave(true)
}

// TestHomesApart: where homes are the nodes' own, each gets its copy.
func TestHomesApart(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	var nodes []*node
	for range 8 {
		nodes = append(nodes, newNode(t))
	}
	s.together(nodes...)
	for i, n := range nodes {
		if _, err := os.Lstat(n.probe()); err != nil {
			t.Errorf("node %d: %v", i, err)
		}
	}
}

func TestParseNeed(t *testing.T) {
	for text, want := range map[string]need{
		"mkdir: no\nnvnodetop-need/1: Linux x86_64 1000 home:nowrite run:absent shm:ok\n": {machine: "Linux x86_64", uid: "1000", place: "shm", refused: []Refusal{{placeHome, NoWrite}, {placeRuntime, Absent}}},
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
		if rest := WithoutNeed(text); strings.Contains(rest, needMark) || len(rest) > len(text) {
			t.Errorf("%q leaves %q", text, rest)
		}
	})
}
