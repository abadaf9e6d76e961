package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/test/fakeprobe"
	"github.com/nvnodetop/nvnodetop/test/leaks"
)

// node is a home on this machine. Its scripts run with a real /bin/sh, unless instead runs them. It implements Shell.
type node struct {
	t       testing.TB
	home    string
	login   string // the user's shell, which runs /bin/sh; empty: none does
	env     []string
	instead func(n *node, script string) (words string, status int, ok bool)

	mu  sync.Mutex
	ran []string
}

func newNode(t testing.TB) *node { return &node{t: t, home: t.TempDir()} }

func (n *node) scripts() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.ran)
}

func (n *node) Run(_ context.Context, script string, input io.Reader) (*link.Pipe, error) {
	n.mu.Lock()
	n.ran = append(n.ran, script)
	n.mu.Unlock()
	if n.instead != nil {
		if words, status, ok := n.instead(n, script); ok {
			return ended(words, status), nil
		}
	}
	return n.sh(script, input), nil
}

// ended is a script that has written words to standard error and nothing else.
func ended(words string, status int) *link.Pipe {
	p := &link.Pipe{In: nopCloser{}, Out: strings.NewReader(""), Words: link.NewWords(), Kill: func() {}}
	io.WriteString(p.Words, words)
	p.Wait = func() link.Exit { return link.Exit{Known: true, Status: status} }
	return p
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func (n *node) sh(script string, input io.Reader) *link.Pipe {
	cmd := exec.Command("/bin/sh", "-c", script)
	if n.login != "" {
		cmd = exec.Command(n.login, "-c", Quoted(script)) // as sshd does
	}
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
	if input != nil {
		_, _ = io.Copy(in, input)
	}
	done := make(chan link.Exit, 1)
	go func() {
		_ = cmd.Wait()
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		done <- link.Exit{Known: true, Status: cmd.ProcessState.ExitCode(),
			Signal: map[bool]string{true: "KILL"}[status.Signaled()]}
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

func newSite(t testing.TB) *site { return siteWith(t, fakeprobe.Script) }

func siteWith(t testing.TB, script string) *site {
	return &site{t: t, Installer: New(func() ([]Payload, error) { return []Payload{scriptPayload(script)}, nil })}
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

// noWay is a connection that is always up.
type noWay struct{}

func (noWay) Ping(context.Context) error { return nil }

func (noWay) Close() error { return nil }

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func scriptPayload(text string) Payload {
	sum := sha256.Sum256([]byte(text))
	return Payload{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:]),
		Gzip: func() ([]byte, error) { return fakeprobe.Gzip(text) },
	}
}

// noLeaks fails the test if goroutines of ours outlive it. It must be called first.
func noLeaks(t *testing.T) {
	t.Helper()
	leaks.Check(t, "internal/remote")
}

// cacheDir is the directory of the probe on n.
func (n *node) cacheDir() string { return filepath.Join(n.home, ".cache", "nvnodetop") }

func (n *node) probe() string {
	return filepath.Join(n.cacheDir(), fileName(scriptPayload(fakeprobe.Script)))
}
