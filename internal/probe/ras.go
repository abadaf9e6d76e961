package probe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A rasAsker asks the RAS subsystem of NCCL about a job, at a socket of this node, and passes on the answer. It does
// not understand the answer.
//
// A process may name the socket in its own NCCL_RAS_ADDR; otherwise it is localhost:28028. The name is not resolved,
// and nothing is sent to another host. RAS can only listen at an address of its own host, so only the port counts, and
// the address comes from the kernel's list of the sockets that listen here. The socket must belong to the probe's user.
// A probe that runs as root asks nobody.

const (
	usualRASAddress = "localhost:28028"

	// The greeting asks for nothing yet. A version without JSON says so, and continues with text. A version before 2.29
	// does not know MONITOR. The others have no events of that name, so none are sent.
	rasGreeting     = "CLIENT PROTOCOL 2\nTIMEOUT 5\nSET FORMAT json\nMONITOR nothing\n"
	greetingAnswers = 4 // lines
	unknownMonitor  = "ERROR: Invalid event group "
	rasStatus       = "VERBOSE STATUS\n"

	// maxRASGreeting limits the answers to the greeting, in bytes.
	maxRASGreeting = 4 << 10

	// A piece waits for data no longer than patience, so that a request is always answered soon.
	rasPatience  = 1500 * time.Millisecond
	rasTimeLimit = wire.MaxRASSeconds * time.Second

	// maxSocketTable limits the kernel's list of sockets, in bytes.
	maxSocketTable = 16 << 20
)

// rasAsker asks one question at a time.
type rasAsker struct {
	mount string // of procfs
	uid   int    // of the probe

	mu sync.Mutex     // protects the following
	q  *rasConnection // nil: none
}

// rasConnection is a connection whose answer has not ended.
type rasConnection struct {
	fd   int
	left int  // bytes of the answer that may still come
	old  bool // ask even an NCCL before 2.29

	said []byte // what was answered to the greeting; nil: the question has been asked, or there is nobody to ask

	json, start bool // the answer is JSON; the last byte ended a line
}

// newRASAsker returns an Asker that uses the procfs at mount.
func newRASAsker(mount string) *rasAsker { return &rasAsker{mount: mount, uid: os.Getuid()} }

// Ask asks about the job of a process with these variables, and returns the first piece of the answer. It ends the
// previous question. An NCCL before 2.29 is asked only if old is true.
func (a *rasAsker) Ask(variables []string, old bool) (*wire.RASPiece, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closeQuestion(a.q)
	if a.uid == 0 {
		return nil, errors.New("RAS of NCCL is asked only by the user of the job, and the probe runs as root")
	}
	addr, err := a.findSocket(variables)
	if err != nil {
		return nil, err
	}
	fd, err := openConnection(addr)
	if err != nil {
		return nil, fmt.Errorf("RAS of NCCL at %s: %w", addr, err)
	}
	q := &rasConnection{fd: fd, left: wire.MaxRAS, old: old, said: []byte{}, start: true}
	a.q = q
	time.AfterFunc(rasTimeLimit, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.closeQuestion(q)
	})
	piece, err := a.readPiece()
	if piece != nil {
		piece.Address = addr.String()
	}
	return piece, err
}

// More returns the next piece of the answer.
func (a *rasAsker) More() (*wire.RASPiece, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.readPiece()
}

func (a *rasAsker) closeQuestion(q *rasConnection) {
	if q != nil && q == a.q {
		_ = syscall.Close(q.fd)
		a.q = nil
	}
}

func (a *rasAsker) readPiece() (*wire.RASPiece, error) {
	q := a.q
	if q == nil {
		return nil, errors.New("RAS of NCCL: the answer took too long, or another question was asked")
	}
	p := &wire.RASPiece{More: true}
	buffer := make([]byte, 64<<10)
	late := time.Now().Add(rasPatience)
	for p.More && len(p.Data) <= wire.MaxRASPiece-len(buffer) && time.Now().Before(late) {
		n, err := syscall.Read(q.fd, buffer)
		switch {
		case err == syscall.EAGAIN:
			return p, nil
		case err == syscall.EINTR:
		case err != nil:
			a.closeQuestion(q)
			return nil, fmt.Errorf("RAS of NCCL: %w", err)
		default:
			had := len(p.Data)
			q.addCompact(p, buffer[:n])
			q.left -= len(p.Data) - had
			if p.Old = q.readGreeting(buffer[:n]); p.Old || n == 0 || q.left <= 0 {
				p.More = false
				a.closeQuestion(q)
			}
		}
	}
	return p, nil
}

// readGreeting reads the answers to the greeting, and asks the question after the last of them. It reports whether NCCL
// is too old to be asked: before 2.29 NCCL reads beyond its data while it assembles an answer, if processes are
// missing.
func (q *rasConnection) readGreeting(data []byte) (old bool) {
	if q.said == nil {
		return false
	}
	q.said = append(q.said, data...)
	lines := bytes.SplitN(q.said, []byte("\n"), greetingAnswers+1)
	if len(lines) <= greetingAnswers && len(q.said) < maxRASGreeting {
		return false
	}
	q.said = nil
	if len(lines) <= greetingAnswers || !bytes.HasPrefix(lines[0], []byte("SERVER PROTOCOL ")) {
		return false // this is not RAS: the caller notices
	}
	if !q.old && !bytes.HasPrefix(lines[greetingAnswers-1], []byte(unknownMonitor)) {
		return true
	}
	_, _ = syscall.Write(q.fd, []byte(rasStatus)) // if it fails, the next read fails too
	return false
}

// addCompact adds data without the JSON indentation, which is half of it.
func (q *rasConnection) addCompact(p *wire.RASPiece, data []byte) {
	for _, c := range data {
		if c == ' ' && q.start && q.json {
			continue
		}
		q.json = q.json || q.start && c == '{'
		q.start = c == '\n'
		p.Data = append(p.Data, c)
	}
}

// findSocket returns the socket at which RAS listens for a process with these variables.
func (a *rasAsker) findSocket(variables []string) (netip.AddrPort, error) {
	name := usualRASAddress
	for _, v := range variables {
		if value, is := strings.CutPrefix(v, "NCCL_RAS_ADDR="); is {
			name = value
		}
		if v == "NCCL_RAS_ENABLE=0" {
			return netip.AddrPort{}, errors.New("the job has switched RAS of NCCL off: NCCL_RAS_ENABLE=0")
		}
	}
	port, err := strconv.ParseUint(name[strings.LastIndexByte(name, ':')+1:], 10, 16)
	if err != nil || port == 0 {
		return netip.AddrPort{}, errors.New("NCCL_RAS_ADDR of the process has no port")
	}
	others := false
	for _, table := range []string{"tcp", "tcp6"} {
		addr, foreign := a.findListener(table, uint16(port))
		if addr.IsValid() {
			return addr, nil
		}
		others = others || foreign
	}
	if others {
		return netip.AddrPort{}, fmt.Errorf("another user's process listens at port %d, at which RAS of NCCL would "+
			"answer",
			port)
	}
	return netip.AddrPort{}, fmt.Errorf("no RAS of NCCL listens at port %d: the job has no NCCL 2.24 or newer, or "+
		"has not "+
		"used it yet", port)
}

// findListener searches a kernel table for a socket of the user that listens at the port. others says that another user
// has one.
func (a *rasAsker) findListener(table string, port uint16) (addr netip.AddrPort, others bool) {
	f, err := os.Open(filepath.Join(a.mount, "self/net", table))
	if err != nil {
		return addr, false
	}
	defer func() { _ = f.Close() }() // open for reading only: a failure loses nothing
	data, _ := io.ReadAll(io.LimitReader(f, maxSocketTable))
	for line := range bytes.Lines(data) {
		fields := bytes.Fields(line)
		if len(fields) < 8 || string(fields[3]) != "0A" {
			continue
		}
		at, ok := proc.Address(fields[1])
		switch {
		case !ok || at.Port() != port:
		case string(fields[7]) != strconv.Itoa(a.uid):
			others = true
		case at.Addr() == netip.IPv4Unspecified():
			return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port), false
		case at.Addr().IsUnspecified():
			return netip.AddrPortFrom(netip.IPv6Loopback(), port), false
		default:
			return at, false
		}
	}
	return addr, others
}

// openConnection connects to a socket of this host, and sends the greeting.
func openConnection(to netip.AddrPort) (fd int, err error) {
	family, addr := syscall.AF_INET, syscall.Sockaddr(&syscall.SockaddrInet4{Port: int(to.Port()), Addr: addressAs4(to)})
	if to.Addr().Is6() {
		family, addr = syscall.AF_INET6, &syscall.SockaddrInet6{Port: int(to.Port()), Addr: to.Addr().As16()}
	}
	if fd, err = syscall.Socket(family, syscall.SOCK_STREAM, 0); err != nil {
		return 0, err
	}
	syscall.CloseOnExec(fd)
	wait := syscall.NsecToTimeval(int64(rasPatience))
	for _, option := range []int{syscall.SO_RCVTIMEO, syscall.SO_SNDTIMEO} {
		if err = syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, option, &wait); err != nil {
			break
		}
	}
	if err == nil {
		err = syscall.Connect(fd, addr)
	}
	if err == nil {
		_, err = syscall.Write(fd, []byte(rasGreeting))
	}
	if err != nil {
		_ = syscall.Close(fd)
	}
	return fd, err
}

// addressAs4 returns the bytes of an IPv4 address.
func addressAs4(of netip.AddrPort) (b [4]byte) {
	if of.Addr().Is4() {
		b = of.Addr().As4()
	}
	return b
}
