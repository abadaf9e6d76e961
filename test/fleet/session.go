package fleet

import (
	"errors"
	"io"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// session is a probe. It has one goroutine, which reads; a timer writes reports.
type session struct {
	*node
	channel ssh.Channel

	mu     sync.Mutex // protects the following
	writer wire.Writer
	pace   *wire.Pace // nil: the client has not asked for one
	beat   *time.Timer
	next   time.Time // when the next report is due
	listed time.Time // time of the last list of processes
	seq    uint64
	over   bool
}

// listEvery is the interval of the process lists that nobody asked for.
const listEvery = metric.SlowSeconds * time.Second

// probe runs until its input ends, or its output.
func (n *node) probe(channel ssh.Channel) {
	s := &session{node: n, channel: channel}
	n.count(func(c *Counts) { c.Sessions.add(1) })
	defer n.count(func(c *Counts) { c.Sessions.add(-1) })
	defer s.end()
	if _, err := io.WriteString(channel, wire.Magic+"\n"); err != nil {
		return
	}
	if n.attack != nil {
		n.attack(s)
	} else {
		s.write(wire.Message{Hello: n.cluster.Hello(n.number)})
	}
	for lines := wire.NewReader(channel); ; {
		var r wire.Request
		if lines.Next(&r) != nil {
			return
		}
		s.answer(&r)
	}
}

// end ends the reports.
func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if s.beat != nil {
		s.beat.Stop()
	}
}

var errTooLate = errors.New("the session has ended")

// write writes a message in one piece.
func (s *session) write(m wire.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.send(m)
}

// send writes a message. s.mu is held.
func (s *session) send(m wire.Message) error {
	if s.over {
		return errTooLate
	}
	return s.writer.Write(counted{s}, m)
}

// counted counts the bytes written.
type counted struct{ *session }

func (c counted) Write(p []byte) (int, error) {
	n, err := c.channel.Write(p)
	c.count(func(to *Counts) { to.Bytes += uint64(n) })
	return n, err
}

// answer answers a request.
func (s *session) answer(r *wire.Request) {
	if r.Pace == nil && r.Alive == nil {
		reply := s.cluster.Answer(s.number, r, time.Now())
		s.write(wire.Message{Reply: &reply})
		return
	}
	s.mu.Lock()
	err := s.send(wire.Message{Reply: &wire.Reply{ID: r.ID}})
	s.mu.Unlock()
	if err == nil && r.Pace != nil {
		s.setPace(*r.Pace)
	}
}

// setPace behaves as a probe: the first report comes at once, and so does one off the beat when processes are newly
// wanted.
func (s *session) setPace(p wire.Pace) {
	s.mu.Lock()
	old := s.pace
	s.pace = &p
	changed := old == nil || old.IntervalMS != p.IntervalMS
	if changed {
		s.schedule(time.Now().Add(interval(&p)))
	}
	s.mu.Unlock()
	switch {
	case old == nil:
		s.report(false)
	case p.Processes && !old.Processes:
		s.report(true)
	}
}

// interval is the time between two reports.
func interval(p *wire.Pace) time.Duration { return time.Duration(p.IntervalMS) * time.Millisecond }

// schedule sets the time of the next report. s.mu is held.
func (s *session) schedule(at time.Time) {
	s.next = at
	switch wait := time.Until(at); {
	case s.over:
	case s.beat == nil:
		s.beat = time.AfterFunc(wait, s.tick)
	default:
		s.beat.Reset(wait)
	}
}

// tick sends a report that is due. A report that could not be sent in its interval is left out.
func (s *session) tick() {
	if !s.report(false) {
		_ = s.channel.Close()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	every := interval(s.pace)
	s.next = s.next.Add(every)
	if missed := time.Since(s.next) / every; missed > 0 {
		s.next = s.next.Add(missed * every)
	}
	s.schedule(s.next)
}

// report sends a report, and reports whether the session continues.
func (s *session) report(offBeat bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	list := s.pace != nil && s.pace.Processes || now.Sub(s.listed) >= listEvery
	s.seq++
	if list {
		s.listed = now
	}
	r := s.cluster.Report(s.number, now, s.seq, list)
	r.OffBeat = offBeat
	if s.send(wire.Message{Report: r}) != nil {
		return false
	}
	s.told(list)
	if s.trouble == flaps && s.seq >= flapAfter {
		s.killed()
		return false
	}
	return true
}

// told counts a report.
func (s *session) told(list bool) {
	first := s.trouble == none && !s.reported.Swap(true)
	s.count(func(c *Counts) {
		c.Reports++
		if list {
			c.Lists++
		}
		if !first {
			return
		}
		if c.Reporting++; c.Reporting == s.options.Nodes-s.options.Trouble {
			c.AllAt = time.Now()
		}
	})
}
