package install

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// herdSite is nodes behind a single link that all share, with a clock of its own.
type herdSite struct {
	*Installer
	t     *testing.T
	zip   []byte
	began time.Time
	fate  func(upload int) fate // of the copies, in the order in which they begin

	mu      sync.Mutex
	homes   map[int]bool // with a copy
	active  int          // copies in progress
	most    int          // at the same time
	uploads int
}

// The link, and the duration of a look.
const (
	bytesPerSecond = 1250e3 // 10 Mbit/s
	roundTrip      = 50 * time.Millisecond
)

// member is a node of a herdSite. It implements Shell.
type member struct {
	*herdSite
	home int
}

// fate is the end of a copy, of which half has arrived.
type fate int

const (
	arrives fate = iota
	dies         // with the connection
	stalls       // makes no progress
	fills        // its home is full
)

var errLost = errors.New("the connection was lost")

func (m *member) Run(ctx context.Context, script string, input io.Reader) (*link.Pipe, error) {
	time.Sleep(roundTrip)
	if input != nil {
		return m.copy(ctx, script, input)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.homes[m.home] {
		return m.probe(), nil
	}
	_, asked, _ := strings.Cut(script, "s=; ")
	place := " tmp:ok"
	if strings.Contains(asked, " home ") {
		place = " home:ok"
	}
	return ended(needMark+" Linux x86_64 1000"+place+"\n", exitNeed), nil
}

// copy takes its share of the link.
func (m *member) copy(ctx context.Context, script string, input io.Reader) (*link.Pipe, error) {
	m.mu.Lock()
	m.active++
	fate := m.fate(m.uploads)
	m.uploads++
	m.most = max(m.most, m.active)
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		m.active--
		m.mu.Unlock()
	}()
	piece := make([]byte, 32<<10)
	for sum := 0; ; {
		n, err := input.Read(piece)
		if err != nil {
			break
		}
		m.mu.Lock()
		took := time.Duration(float64(n) * float64(m.active) / bytesPerSecond * float64(time.Second))
		m.mu.Unlock()
		time.Sleep(took)
		if sum += n; sum < len(m.zip)/2 {
			continue
		}
		switch {
		case fate == dies:
			return nil, errLost
		case fate == fills && isUpload(script, homeDirectory):
			return ended("gzip: stdout: Disk quota exceeded\n", exitNoWrite), nil
		case fate == stalls:
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if isUpload(script, homeDirectory) {
		m.homes[m.home] = true
	}
	return m.probe(), nil
}

// probe is a probe that ends with its input.
func (m *member) probe() *link.Pipe {
	out, theirs := io.Pipe()
	over := make(chan struct{})
	end := sync.OnceFunc(func() {
		_ = theirs.Close()
		close(over)
	})
	go func() { _, _ = io.WriteString(theirs, "\036nvnodetop-probe/1\n") }()
	return &link.Pipe{In: closer(end), Out: out, Words: link.NewWords(), Kill: func() { end(); _ = out.Close() },
		Wait: func() link.Exit {
			<-over
			return link.Exit{Known: true}
		}}
}

// closer is an input that nobody reads.
type closer func()

func (closer) Write(p []byte) (int, error) { return len(p), nil }

func (c closer) Close() error { c(); return nil }

// start starts the probe on all nodes and returns the time that it took, and the number of failures.
func (s *herdSite) start(nodes []*member) (took time.Duration, failed int) {
	var wg sync.WaitGroup
	for _, n := range nodes {
		n.herdSite = s
		wg.Go(func() {
			session, _, err := s.Start(s.t.Context(), n, func(string) {})
			s.mu.Lock()
			if err != nil {
				failed++
			} else {
				took = max(took, time.Since(s.began))
			}
			s.mu.Unlock()
			if err != nil {
				return
			}
			session.Tend(noWay{}, func(err error) error { return err })
			_ = session.Close()
		})
	}
	wg.Wait()
	return took, failed
}

// herdOf returns n nodes of each of several homes.
func herdOf(n, homes int) (nodes []*member) {
	for i := range n * homes {
		nodes = append(nodes, &member{home: i % homes})
	}
	return nodes
}

// TestHerd starts many nodes at once over a slow link.
func TestHerd(t *testing.T) {
	const size = 7_300_000 // as large as this whole program
	alone := time.Duration(size / bytesPerSecond * float64(time.Second))
	first := func(n int, f fate) func(int) fate {
		return func(upload int) fate {
			if upload < n {
				return f
			}
			return arrives
		}
	}
	for name, tc := range map[string]struct {
		nodes         []*member
		fate          func(int) fate
		uploads, most int           // at most
		failed        int           // exactly
		within        time.Duration // at most
	}{
		"one home":                {herdOf(64, 1), first(0, dies), 1, 1, 0, 2 * alone},
		"two homes":               {herdOf(32, 2), first(0, dies), 1 + 4, 4, 0, (2 + 4) * alone},
		"homes of their own":      {herdOf(1, 64), first(0, dies), 64, 4, 0, 65 * alone},
		"the first copier dies":   {herdOf(64, 1), first(1, dies), 2, 1, 1, 2 * alone},
		"five copiers die":        {herdOf(64, 1), first(5, dies), 6, 1, 5, 4 * alone},
		"the first copier stalls": {herdOf(64, 1), first(1, stalls), 2, 2, 1, 3*alone + DefaultLimits.Stall},
		"a home that is full":     {herdOf(16, 1), first(99, fills), 32, 4, 0, 32 * alone},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &herdSite{t: t, zip: make([]byte, size), began: time.Now(), homes: map[int]bool{}, fate: tc.fate}
				p := Payload{OS: "linux", Arch: "amd64", Size: 1, SHA256: strings.Repeat("a", 64),
					Gzip: func() ([]byte, error) { return s.zip, nil }}
				s.Installer = New(func() ([]Payload, error) { return []Payload{p}, nil })
				took, failed := s.start(tc.nodes)
				t.Logf("%v, %d copies, %d at a time", took, s.uploads, s.most)
				if took > tc.within || failed != tc.failed {
					t.Errorf("up after %v, %d failed; want %v, %d", took, failed, tc.within, tc.failed)
				}
				if s.uploads > tc.uploads || s.most > tc.most {
					t.Errorf("%d copies, %d at a time; want %d, %d", s.uploads, s.most, tc.uploads, tc.most)
				}
				if s.gate.running != 0 {
					t.Errorf("%d turns were not ended", s.gate.running)
				}
			})
		})
	}
}
