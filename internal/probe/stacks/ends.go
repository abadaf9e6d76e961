package stacks

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// maxDescriptors limits how many descriptors are examined for one request.
	maxDescriptors = 1 << 14
	// maxSought limits how many descriptors of a process are searched for a socket. A process with more counts as one
	// that has a socket: the lists of the kernel cost less than so many links.
	maxSought = 256
)

// peerFinder finds who is at the other end of pipes and sockets.
type peerFinder struct {
	mount  string
	tables map[string]proc.SocketTable // by network namespace
	files  map[int][]descriptor        // by process
	room   int                         // descriptors that may still be examined
	locks  *proc.LockTable             // nil: not read yet
}

// addEnds adds who is at the other end of the pipes and sockets that threads wait for, who has the locks of files, and
// the connections whose other side does not answer. It begins no process after until.
func (r *Reader) addEnds(list []wire.ProcessStacks, until time.Time) {
	e := peerFinder{r.mount, map[string]proc.SocketTable{}, map[int][]descriptor{}, maxDescriptors, nil}
	for i := range list {
		p := &list[i]
		if time.Now().After(until) || p.Refusal != nil && p.Refusal.ID != wire.RefusedNoPython {
			continue
		}
		table := e.socketTable(proc.Of(r.mount, p.PID))
		if table.Unsent {
			p.Unsent = e.listUnsent(p.PID, table)
		}
		for k := range p.Threads {
			if c := p.Threads[k].Call; c != nil {
				addAddresses(c, table)
				e.addHolders(c, p, list)
				e.addHolder(c, p)
			}
		}
	}
}

// socketTable returns the sockets of the network namespace of a process. A process without a socket gets none: the
// kernel walks over a table of all sockets that there could be, which takes as long as the whole rest of a look.
func (e *peerFinder) socketTable(process proc.Process) proc.SocketTable {
	namespace, err := process.Link("ns/net")
	if err != nil {
		return proc.SocketTable{}
	}
	table, known := e.tables[namespace]
	if !known && hasSocket(process) {
		table = proc.SocketsOf(process)
		e.tables[namespace] = table
	}
	return table
}

// hasSocket reports whether a process may have a socket.
func hasSocket(process proc.Process) bool {
	all := descriptorNumbers(process)
	if len(all) > maxSought {
		return true
	}
	for _, fd := range all {
		if file, _ := process.Link(descriptorLink(fd)); strings.HasPrefix(file, "socket:") {
			return true
		}
	}
	return false
}

// addAddresses adds the addresses of a socket.
func addAddresses(c *wire.SystemCall, table proc.SocketTable) {
	s, known := table.Sockets[c.File]
	if !known {
		return
	}
	if c.Local = s.Local.String(); s.Connecting { // poll(2) also waits for a connection to be accepted
		c.Does = wire.CallConnects
	}
	if s.Peer.Port() != 0 {
		c.Peer = s.Peer.String()
	}
}

// listUnsent lists the connections of a process whose other side does not answer.
func (e *peerFinder) listUnsent(pid int, table proc.SocketTable) (list []wire.Connection) {
	for _, d := range e.listDescriptors(pid) {
		s, known := table.Sockets[d.file]
		if known && s.IsUnanswered() && len(list) < wire.MaxUnsent {
			list = append(list, wire.Connection{Local: s.Local.String(), Peer: s.Peer.String(), Bytes: s.Unsent,
				Retransmits: s.Retransmits})
		}
	}
	return list
}

// addHolders adds the descendants of the same rank that have the other end of a pipe.
func (e *peerFinder) addHolders(c *wire.SystemCall, p *wire.ProcessStacks, list []wire.ProcessStacks) {
	if !strings.HasPrefix(c.File, "pipe:") || c.Does != wire.CallReads && c.Does != wire.CallWrites {
		return
	}
	rank := p.Of
	if rank == 0 {
		rank = p.PID
	}
	for i := range list {
		other := &list[i]
		if other.PID == p.PID || other.PID != rank && other.Of != rank || len(c.Ends) == wire.MaxEnds {
			continue
		}
		if e.hasOtherEnd(other.PID, c) {
			c.Ends = append(c.Ends, other.PID)
		}
	}
}

// hasOtherEnd reports whether a process has the other end of the pipe of a call.
func (e *peerFinder) hasOtherEnd(pid int, c *wire.SystemCall) bool {
	for _, d := range e.listDescriptors(pid) {
		if d.file == c.File && (c.Does == wire.CallReads && d.writes || c.Does == wire.CallWrites && d.reads) {
			return true
		}
	}
	return false
}

// descriptor is an open file of a process.
type descriptor struct {
	file          string
	reads, writes bool
}

// listDescriptors lists the open pipes and sockets of a process. It reads only links of /proc, never the files that
// they name.
func (e *peerFinder) listDescriptors(pid int) (list []descriptor) {
	if list, known := e.files[pid]; known {
		return list
	}
	process := proc.Of(e.mount, pid)
	for _, fd := range descriptorNumbers(process) {
		if e.room--; e.room < 0 {
			break
		}
		file, _ := process.Link(descriptorLink(fd))
		if !strings.HasPrefix(file, "pipe:") && !strings.HasPrefix(file, "socket:") {
			continue
		}
		if info, err := os.Lstat(string(process) + "/" + descriptorLink(fd)); err == nil {
			list = append(list, descriptor{file, info.Mode()&0o400 != 0, info.Mode()&0o200 != 0})
		}
	}
	e.files[pid] = list
	return list
}

// descriptorNumbers lists the descriptors of a process; 0 is always among them.
func descriptorNumbers(process proc.Process) []int {
	return append([]int{0}, proc.All(string(process)+"/fd")...) // All leaves out 0, which is not a PID
}

func descriptorLink(fd int) string { return "fd/" + strconv.Itoa(fd) }
