package soak

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/remote/local"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// role makes this test binary one of the other programs of TestStopped.
const role = "NVNODETOP_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "watch":
		watchHosts()
	case "probe":
		probeHere()
	default:
		os.Exit(m.Run())
	}
}

// The limits of TestStopped: those of a real session, about eight times as short.
const (
	hostsWatched = 4
	shortAlive   = time.Second
	shortSilence = 3 * time.Second
	probeSilence = 8 * time.Second
)

// probeHere is a probe on the standard input and output of this process.
func probeHere() {
	f := newFleet(1)
	p := &probe{node: f.nodes["n001"], in: os.Stdin, out: os.Stdout, silent: probeSilence, killed: make(chan struct{}),
		exit: make(chan link.Exit, 1), began: time.Now()}
	p.run()
}

// counted is an Opener that counts.
type counted struct {
	*remote.Opener
	opened atomic.Int64
}

func (c *counted) Open(ctx context.Context, node string, step func(reach.Step)) (poller.Session, error) {
	c.opened.Add(1)
	return c.Opener.Open(ctx, node, step)
}

// watchHosts watches hosts until its input ends. Whenever the number of hosts that report or of opened sessions
// changes, it prints both.
func watchHosts() {
	_ = os.Setenv(role, "probe") // for the programs that it starts
	opener := &counted{Opener: remote.New(local.Door{})}
	opener.Installer.Program, _ = os.Executable()
	opener.Installer.Link.Alive, opener.Installer.Link.Silence = shortAlive, shortSilence
	const every = 250 * time.Millisecond
	var names []string
	for i := range hostsWatched {
		names = append(names, fmt.Sprintf("h%d", i))
	}
	store := store.New(every, health.Rules(health.Defaults()))
	hosts := source.NewHosts("h[0-3]", names, poller.New(poller.Config{Opener: opener, Interval: every, Retries: 4}),
		"alice", "laptop")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- hosts.Run(ctx, store.Apply) }()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	for said := ""; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		reporting := 0
		for _, n := range store.Snapshot(time.Now()).Nodes {
			if n.State == cluster.NodeReporting {
				reporting++
			}
		}
		if now := fmt.Sprintln(reporting, opener.opened.Load()); now != said {
			said = now
			fmt.Print(now)
		}
	}
	<-done
}

// watcher is a program that runs watchHosts.
type watcher struct {
	t    *testing.T
	cmd  *exec.Cmd
	said chan [2]int // reporting, opened
	last [2]int      // of said
}

func startWatcher(t *testing.T) *watcher {
	w := &watcher{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0]), said: make(chan [2]int, 1000)}
	w.cmd.Env = append(os.Environ(), role+"=watch")
	in, err1 := w.cmd.StdinPipe()
	out, err2 := w.cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.cmd.Process.Signal(syscall.SIGCONT)
		_ = in.Close()
		for range w.said { // until its output ends
		}
		_ = w.cmd.Wait()
	})
	go func() {
		defer close(w.said)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var s [2]int
			_, _ = fmt.Sscan(lines.Text(), &s[0], &s[1])
			w.said <- s
		}
	}()
	return w
}

// await waits until at least this number of sessions was opened and all hosts report, and returns the number opened.
func (w *watcher) await(least int) (opened int) {
	w.t.Helper()
	for deadline := time.After(time.Minute); len(w.said) > 0 || w.last[0] < hostsWatched || w.last[1] < least; {
		select {
		case s, ok := <-w.said:
			if !ok {
				w.t.Fatal("the program has ended")
			}
			w.last = s
		case <-deadline:
			w.t.Fatalf("%d of %d hosts report, %d sessions were opened", w.last[0], hostsWatched, w.last[1])
		}
	}
	return w.last[1]
}

// stop stops the program for a while, like Ctrl-Z, a debugger or the suspension of a virtual machine: all timers are
// late at once.
func (w *watcher) stop(d time.Duration) {
	if err := w.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		w.t.Fatal(err)
	}
	time.Sleep(d)
	if err := w.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		w.t.Fatal(err)
	}
}

// TestStopped: sessions that survive a stop of the program are kept. The others are opened again, without a storm: a
// busy machine may need two attempts for a host.
func TestStopped(t *testing.T) {
	t.Parallel()
	t.Run("all probes outlive it", func(t *testing.T) {
		t.Parallel()
		w := startWatcher(t)
		opened := w.await(hostsWatched)
		w.stop(4 * shortSilence / 3)     // longer than a session may be silent, and shorter than a probe waits
		time.Sleep(4 * shortSilence / 3) // time enough to find a session dead
		if now := w.await(0); now != opened {
			t.Errorf("%d sessions were opened again", now-opened)
		}
	})
	t.Run("all probes end", func(t *testing.T) {
		t.Parallel()
		w := startWatcher(t)
		opened := w.await(hostsWatched)
		w.stop(probeSilence + shortAlive + time.Second)
		if now := w.await(opened + hostsWatched); now > opened+2*hostsWatched {
			t.Errorf("%d sessions were opened again for %d hosts", now-opened, hostsWatched)
		}
	})
}
