package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

const (
	silent = 5 * time.Second // longest time for which a state is shown if there is no news, since ages grow
	share  = 10              // at most 1/share of the time is spent on making states
)

// states are the states made so far; only the newest is kept.
type states struct {
	now   func() time.Time
	make  func(now time.Time) *cluster.Snapshot
	news  func() uint64
	least time.Duration // minimum age of a state before the next one is made
	boot  time.Time     // distinguishes revisions of this run from those of other runs

	mu   sync.Mutex // protects the following
	last *state
	seen uint64
}

// state is a Snapshot, with the answers made from it.
type state struct {
	number uint64
	tag    string // for ETag
	snap   *cluster.Snapshot
	over   chan struct{} // closed when there is a newer state
	now    func() time.Time
	took   atomic.Int64 // ns to make it and its answers

	mu   sync.Mutex // protects the following
	made map[string]*compressedAnswer
}

// compressedAnswer is an answer of the server, compressed; it is complete when once is done. Empty: there is no such
// thing.
type compressedAnswer struct {
	once   sync.Once
	packed []byte
	err    error
}

// newestState returns the present state. This is the last state if it is not older than the interval, if nothing new
// has arrived, or if states of such a large cluster cost too much to be made that often.
func (s *states) newestState() *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if s.last != nil {
		age := now.Sub(s.last.snap.At)
		if age < max(s.least, share*time.Duration(s.last.took.Load())) || s.news() == s.seen && age < silent {
			return s.last
		}
	}
	before := s.last
	s.seen = s.news()
	s.last = &state{number: 1, snap: s.make(now), over: make(chan struct{}), now: s.now,
		made: map[string]*compressedAnswer{}}
	s.last.took.Store(int64(s.now().Sub(now)))
	if before != nil {
		s.last.number = before.number + 1
		close(before.over)
	}
	s.last.tag = `W/"` + strconv.FormatInt(s.boot.UnixNano(), 36) + "-" + strconv.FormatUint(s.last.number, 10) + `"`
	return s.last
}

// cachedAnswer returns what write writes for the state. It is made once for each name. If write returns false, there is
// no output.
func (s *state) cachedAnswer(name string, write func(io.Writer, *state) (bool, error)) *compressedAnswer {
	s.mu.Lock()
	a := s.made[name]
	if a == nil {
		a = &compressedAnswer{}
		s.made[name] = a
	}
	s.mu.Unlock()
	a.once.Do(func() { a.makeAnswer(s, write) })
	return a
}

// dropAnswer drops an answer. It is needed because anybody can request things that do not exist.
func (s *state) dropAnswer(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.made, name)
}

// packers are unused compressors, of 1 MB each.
var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	return w
}}

func (a *compressedAnswer) makeAnswer(s *state, write func(io.Writer, *state) (bool, error)) {
	began := s.now()
	defer func() { s.took.Add(int64(s.now().Sub(began))) }()
	var out bytes.Buffer
	packer := packers.Get().(*gzip.Writer)
	defer packers.Put(packer)
	packer.Reset(&out)
	found, err := write(packer, s)
	if err == nil {
		err = packer.Close()
	}
	if found && err == nil {
		a.packed = out.Bytes()
	}
	a.err = err
}
