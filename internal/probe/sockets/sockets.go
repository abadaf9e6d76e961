// Package sockets reads the TCP sockets of a network namespace: who is at the other end, and whether it answers. It
// also reads the addresses at which other hosts reach the namespace.
package sockets

import (
	"bytes"
	"net/netip"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
)

const (
	// maxTable limits a list of the kernel, in bytes.
	maxTable = 4 << 20
	// unanswered is how often bytes must have been sent again before the other side counts as not answering.
	unanswered = 2
)

// Socket is a TCP socket.
type Socket struct {
	Local, Peer netip.AddrPort
	Unsent      uint64 // bytes that the other side has not confirmed
	Retransmits int    // how often they were sent again without an answer
	Connecting  bool   // the other side has not accepted it yet
}

// IsUnanswered reports whether the other side does not answer.
func (s *Socket) IsUnanswered() bool { return s.Retransmits >= unanswered }

// Table has the sockets by the names that /proc gives them: "socket:[4711]".
type Table struct {
	Sockets map[string]Socket
	Unsent  bool // the other side of one of them does not answer
}

// Of reads the sockets of the network namespace of a process, as far as the kernel lists them.
func Of(process proc.Process) Table {
	t := Table{Sockets: map[string]Socket{}}
	for _, name := range []string{"/net/tcp", "/net/tcp6"} {
		t.Add(readTable(process, name))
	}
	return t
}

// Add adds the sockets of a list of the kernel.
func (t *Table) Add(list []byte) {
	for line := range bytes.Lines(list) {
		name, s, ok := parseSocket(line)
		if !ok {
			continue
		}
		t.Sockets[name] = s
		t.Unsent = t.Unsent || s.IsUnanswered()
	}
}

// Fields of a line.
const (
	local, peer, state, queues, retransmits, inode = 1, 2, 3, 4, 6, 9
)

// parseSocket parses a line; false: it is the heading, or belongs to a socket that no process has.
func parseSocket(line []byte) (name string, s Socket, ok bool) {
	fields := bytes.Fields(line)
	if len(fields) <= inode || string(fields[inode]) == "0" {
		return "", s, false
	}
	var isLocal, isPeer bool
	s.Local, isLocal = proc.Address(fields[local])
	s.Peer, isPeer = proc.Address(fields[peer])
	sends, _, _ := bytes.Cut(fields[queues], []byte(":"))
	bytesLeft, err := strconv.ParseUint(string(sends), 16, 64)
	again, bad := strconv.ParseInt(string(fields[retransmits]), 16, 32)
	if !isLocal || !isPeer || err != nil || bad != nil {
		return "", s, false
	}
	s.Connecting = string(fields[state]) == "02" // TCP_SYN_SENT
	s.Unsent, s.Retransmits = bytesLeft, int(again)
	return "socket:[" + string(fields[inode]) + "]", s, true
}
