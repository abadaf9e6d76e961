package fleet

import (
	"io"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// trouble is a fault of a node.
type trouble uint8

const (
	none    trouble = iota
	off             // nothing answers at its address
	refuses         // it has no sshd
	hangs           // its sshd accepts and says nothing
	slow            // each answer comes late
	flaps           // its sessions end again and again
	hostile         // it sends data that no probe would
	kinds   = iota - 1
)

// late is the delay of the answers of a slow node. A login has about ten answers.
const late = 700 * time.Millisecond

// flapAfter is the number of reports in a session of a node that flaps.
const flapAfter = 2

// troubles returns the trouble of each node. Nodes in trouble are spread among the others; the first has none, since
// all nodes use its port.
func (o Options) troubles() []trouble {
	all := make([]trouble, o.Nodes)
	for i := range o.Trouble {
		all[o.Nodes-1-i*o.Nodes/o.Trouble] = trouble(1 + i%kinds)
	}
	return all
}

// attacks are the messages of hostile nodes after their greeting. They take turns.
var attacks = []func(*session){
	(*session).longLine, (*session).garbage, (*session).controls, (*session).tooMany, (*session).words,
}

// arm gives the hostile nodes their attacks.
func (f *Fleet) arm() {
	armed := 0
	for _, n := range f.nodes {
		if n.trouble == hostile {
			n.attack = attacks[armed%len(attacks)]
			armed++
		}
	}
}

// flood writes a text until writing fails.
func flood(to io.Writer, text string) {
	for {
		if _, err := io.WriteString(to, text); err != nil {
			return
		}
	}
}

// longLine sends a line that does not end.
func (s *session) longLine() { flood(s.channel, strings.Repeat(`{"report":`, 1000)) }

// garbage sends lines that are no messages.
func (s *session) garbage() { flood(s.channel, "\x00\xff\x1b[2J}{\"report\":\n") }

// words floods the standard error.
func (s *session) words() { flood(s.channel.Stderr(), "\x1b]0;title\a\x1b[31mno\r\n") }

// tooMany sends reports that nobody has asked for.
func (s *session) tooMany() {
	s.write(wire.Message{Hello: s.cluster.Hello(s.number)})
	for s.report(false) {
	}
}

// controls sends text that a terminal would act on, but otherwise behaves as a probe.
func (s *session) controls() {
	const bad = "\x1b[2J\x1b]52;c;aGk=\a\x9b31m\u202e\r\n\x00"
	h := s.cluster.Hello(s.number)
	h.Host, h.Driver, h.Kernel = bad+h.Host, bad, bad
	for i := range h.GPUs {
		h.GPUs[i].Name = bad + h.GPUs[i].Name
	}
	s.write(wire.Message{Hello: h})
}

// hang keeps a connection and says nothing.
func (n *node) hang(conn io.Reader) { _, _ = io.Copy(io.Discard, conn) }

// killed ends a session like that of a killed program.
func (s *session) killed() {
	_, _ = s.channel.SendRequest("exit-signal", false, ssh.Marshal(struct {
		Name       string
		Core       bool
		Text, Lang string
	}{Name: "KILL"}))
	_ = s.channel.Close()
}
