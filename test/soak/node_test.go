package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// condition is the lasting fault of a node.
type condition string

const (
	well     condition = "well"
	dead     condition = "dead"      // packets are lost: open connections hang, nothing answers
	refusing condition = "refusing"  // no sshd
	revoked  condition = "revoked"   // no key is accepted
	garbling condition = "garbling"  // the output is not the protocol
	full     condition = "full disk" // no room for the probe
	mute     condition = "mute"      // the probe lives and reports nothing
	lostGPU  condition = "GPU lost"
	noDriver condition = "no driver"
)

// reports reports whether a node in this condition reports.
func (c condition) reports() bool { return c == well || c == lostGPU || c == noDriver }

// node is one fake node.
type node struct {
	fleet  *fleet
	name   string
	number int

	mu        sync.Mutex // protects the following
	condition condition
	since     time.Time     // time of the condition
	series    int           // number of its set of GPUs: each restart brings others
	ahead     time.Duration // error of its clock
	installed bool          // it has a copy of the probe
	probes    map[*probe]bool
}

// fleet is all nodes. It implements remote.Door.
type fleet struct {
	nodes map[string]*node
	names []string
	count struct {
		sync.Mutex
		shells, pipes, probes int // open now
		dials, copies         int // so far
	}
}

func newFleet(size int) *fleet {
	f := &fleet{nodes: map[string]*node{}}
	for i := range size {
		name := fmt.Sprintf("n%03d", i+1)
		f.names = append(f.names, name)
		f.nodes[name] = &node{fleet: f, name: name, number: i, condition: well, since: time.Now(),
			probes: map[*probe]bool{}}
	}
	return f
}

func (f *fleet) add(n *int, by int) {
	f.count.Lock()
	defer f.count.Unlock()
	*n += by
}

// open returns the numbers of open things on the far side.
func (f *fleet) open() (shells, pipes, probes int) {
	f.count.Lock()
	defer f.count.Unlock()
	return f.count.shells, f.count.pipes, f.count.probes
}

const stageTCP, stageLogin reach.Stage = "TCP", "login"

// Stages implements remote.Door.
func (f *fleet) Stages() []reach.Stage { return []reach.Stage{stageTCP, stageLogin} }

// Dial implements remote.Door.
func (f *fleet) Dial(ctx context.Context, name string, log *remote.Log) (remote.Shell, error) {
	n := f.nodes[name]
	f.add(&f.count.dials, 1)
	log.Begin(stageTCP, "")
	if !wait(ctx, 5*time.Millisecond) {
		return nil, ctx.Err()
	}
	switch n.now() {
	case dead:
		if !wait(ctx, 5*time.Second) {
			return nil, ctx.Err()
		}
		return nil, log.Case().Settle(context.DeadlineExceeded,
			func(c *remote.Case, _ error) { c.Is(reach.ClassTimeout, "no answer") })
	case refusing:
		return nil, &reach.Failure{Class: reach.ClassRefused, Stage: stageTCP, Short: "connection refused"}
	case revoked:
		log.Done("")
		log.Begin(stageLogin, "")
		return nil, &reach.Failure{Class: reach.ClassAuth, Stage: stageLogin, Short: "no key accepted"}
	}
	log.Done("")
	log.Begin(stageLogin, "")
	log.Done("publickey accepted")
	f.add(&f.count.shells, 1)
	return &shell{node: n}, nil
}

// wait returns false if ctx ended before d had passed.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (n *node) now() condition {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.condition
}

// become gives the node another condition, which its probes notice.
func (n *node) become(c condition) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.condition == c {
		return
	}
	n.condition, n.since = c, time.Now()
	for p := range n.probes {
		switch c {
		case dead:
			p.tell(hang)
		case refusing, revoked, full:
			p.tell(cut)
		case garbling:
			p.tell(garble)
		default:
			p.tell(greet)
		}
	}
	if c == full {
		n.installed = false
	}
}

// once makes something happen to the node that does not last.
func (n *node) once(what order) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch what {
	case restart:
		n.series++
		n.installed = false
	case jump:
		n.ahead = time.Duration(rand.Int64N(int64(48*time.Hour))) - 24*time.Hour
	}
	for p := range n.probes {
		p.tell(what)
	}
}

// shell implements remote.Shell.
type shell struct {
	node *node
	once sync.Once
}

// Run implements install.Shell: it knows nvnodetop's scripts by their distinctive parts.
func (s *shell) Run(ctx context.Context, script string, input io.Reader) (*link.Pipe, error) {
	n := s.node
	condition := n.now()
	copies := strings.Contains(script, "gzip -dc")
	n.mu.Lock()
	installed := n.installed
	n.mu.Unlock()
	switch {
	case condition == dead: // since it was dialed
		if !wait(ctx, time.Minute) {
			return nil, ctx.Err()
		}
		return nil, errors.New("connection timed out")
	case strings.Contains(script, "nvidia-smi"):
		return n.ended("sh: nvidia-smi: not found\n", 127), nil
	case condition == full:
		return n.ended("mkdir: cannot create directory: No space left on device\nnvnodetop-need/1: Linux x86_64 1000 "+
			"home:nowrite run:absent shm:nowrite tmp:nowrite\n", 75), nil
	case copies:
		if _, err := io.Copy(io.Discard, input); err != nil {
			return nil, err
		}
		n.fleet.add(&n.fleet.count.copies, 1)
		n.mu.Lock()
		n.installed = true
		n.mu.Unlock()
	case !installed:
		return n.ended("nvnodetop-need/1: Linux x86_64 1000 home:ok\n", 75), nil
	}
	return n.start(), nil
}

// ended returns the pipe of a script that has ended.
func (n *node) ended(words string, status int) *link.Pipe {
	p := &link.Pipe{In: nopCloser{io.Discard}, Out: strings.NewReader(""), Words: link.NewWords(), Kill: func() {}}
	_, _ = io.WriteString(p.Words, words)
	p.Wait = func() link.Exit { return link.Exit{Known: true, Status: status} }
	return p
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// Ping implements link.Way: sshd answers while the node lives.
func (s *shell) Ping(ctx context.Context) error {
	if s.node.now() != dead {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

// Close implements link.Way.
func (s *shell) Close() error {
	s.once.Do(func() { s.node.fleet.add(&s.node.fleet.count.shells, -1) })
	return nil
}

// Explain implements remote.Shell.
func (s *shell) Explain(c *remote.Case, err error) {
	if c.Failure.Class != "" {
		return
	}
	if errors.Is(err, link.ErrSilent) {
		c.Is(reach.ClassSilent, "no data received")
		return
	}
	if _, ended := errors.AsType[*link.EndError](err); ended {
		c.Is(reach.ClassClosed, "connection closed")
	}
}

// payload is the probe that is copied to the nodes.
func payload() ([]install.Payload, error) {
	return []install.Payload{{OS: "linux", Arch: "amd64", Size: 1 << 10, SHA256: strings.Repeat("ab", 32),
		Gzip: func() ([]byte, error) { return make([]byte, 512), nil }}}, nil
}
