package procs

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// mostTable limits a table of sockets, in bytes: it lists those of all processes.
const mostTable = 16 << 20

// findSockets lists the sockets of the process, from the tables of its network namespace. procfs would keep all sockets
// of the node in memory.
func (l *inspectionBuilder) findSockets() error {
	if l.sockets == nil {
		return errors.New("its descriptors cannot be read")
	}
	if len(l.sockets) == 0 {
		return nil
	}
	for _, protocol := range []string{"tcp", "tcp6", "udp", "udp6"} {
		if err := l.readSocketTable(protocol); err != nil && !errors.Is(err, os.ErrNotExist) { // a kernel without IPv6
			return err
		}
	}
	sort.Slice(l.Connections, func(i, k int) bool { return l.Connections[i].FD < l.Connections[k].FD })
	l.noteLeftOut("connections", len(l.Connections)-wire.MaxInspected)
	l.Connections = l.Connections[:min(len(l.Connections), wire.MaxInspected)]
	return nil
}

func (l *inspectionBuilder) readSocketTable(protocol string) error {
	f, err := os.Open(filepath.Join(l.mount, "net", protocol))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // open for reading only: a failure loses nothing
	limited := &io.LimitedReader{R: f, N: mostTable}
	lines := bufio.NewScanner(limited)
	for lines.Scan() {
		if c, inode, ok := parseSocket(lines.Bytes()); ok {
			if fd, own := l.sockets[inode]; own {
				c.FD, c.Protocol = fd, protocol
				if protocol[0] == 'u' {
					c.Status = ""
				}
				l.Connections = append(l.Connections, c)
			}
		}
	}
	if limited.N == 0 {
		return errors.New("the node has too many sockets")
	}
	return lines.Err()
}

// states are the states of TCP by number, as netstat names them.
var states = [...]string{1: "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT", "CLOSE",
	"CLOSE_WAIT", "LAST_ACK", "LISTEN", "CLOSING", "SYN_RECV"}

// parseSocket parses a line of a table; ok is false for the heading and for malformed lines.
func parseSocket(line []byte) (c wire.InspectedConnection, inode uint64, ok bool) {
	var fields [10][]byte
	i := 0
	for field := range bytes.FieldsSeq(line) {
		if fields[i] = field; i == len(fields)-1 {
			break
		}
		i++
	}
	inode, err := strconv.ParseUint(string(fields[9]), 10, 64)
	if err != nil || inode == 0 {
		return c, 0, false
	}
	local, ok1 := proc.Address(fields[1])
	remote, ok2 := proc.Address(fields[2])
	if state, err := strconv.ParseUint(string(fields[3]), 16, 8); err == nil && int(state) < len(states) {
		c.Status = states[state]
	}
	c.Local = local.String()
	if remote.Port() != 0 {
		c.Remote = remote.String()
	}
	return c, inode, ok1 && ok2
}
