package proc

import (
	"bytes"
	"net/netip"
	"strconv"
)

const (
	// maxSocketTable limits a list of the kernel, in bytes.
	maxSocketTable = 4 << 20
	// unansweredSends is how often bytes must have been sent again before the other side counts as not answering.
	unansweredSends = 2
)

// Socket is a TCP socket.
type Socket struct {
	Local, Peer netip.AddrPort
	Unsent      uint64 // bytes that the other side has not confirmed
	Retransmits int    // how often they were sent again without an answer
	Connecting  bool   // the other side has not accepted it yet
}

// IsUnanswered reports whether the other side does not answer.
func (s *Socket) IsUnanswered() bool { return s.Retransmits >= unansweredSends }

// SocketTable has the sockets by the names that /proc gives them: "socket:[4711]".
type SocketTable struct {
	Sockets map[string]Socket
	Unsent  bool // the other side of one of them does not answer
}

// SocketsOf reads the sockets of the network namespace of a process, as far as the kernel lists them.
func SocketsOf(process Process) SocketTable {
	t := SocketTable{Sockets: map[string]Socket{}}
	for _, name := range []string{"/net/tcp", "/net/tcp6"} {
		t.Add(readTable(process, name))
	}
	return t
}

// Add adds the sockets of a list of the kernel.
func (t *SocketTable) Add(list []byte) {
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
	localField, peerField, stateField, queuesField, retransmitsField, inodeField = 1, 2, 3, 4, 6, 9
)

// parseSocket parses a line; false: it is the heading, or belongs to a socket that no process has.
func parseSocket(line []byte) (name string, s Socket, ok bool) {
	fields := bytes.Fields(line)
	if len(fields) <= inodeField || string(fields[inodeField]) == "0" {
		return "", s, false
	}
	var isLocal, isPeer bool
	s.Local, isLocal = Address(fields[localField])
	s.Peer, isPeer = Address(fields[peerField])
	sends, _, _ := bytes.Cut(fields[queuesField], []byte(":"))
	bytesLeft, err := strconv.ParseUint(string(sends), 16, 64)
	again, bad := strconv.ParseInt(string(fields[retransmitsField]), 16, 32)
	if !isLocal || !isPeer || err != nil || bad != nil {
		return "", s, false
	}
	s.Connecting = string(fields[stateField]) == "02" // TCP_SYN_SENT
	s.Unsent, s.Retransmits = bytesLeft, int(again)
	return "socket:[" + string(fields[inodeField]) + "]", s, true
}
