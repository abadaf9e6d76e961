package probe

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
	"github.com/nvnodetop/nvnodetop/test/ras"
)

// listeningRAS is a fake RAS, and an Asker with its variables.
func listeningRAS(t *testing.T, s *ras.Server) (a *rasAsker, addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go s.Serve(l)
	a = newRASAsker("/proc")
	a.uid = max(os.Getuid(), 1)
	if os.Getuid() == 0 { // the socket is root's: say that it is not
		at := l.Addr().(*net.TCPAddr)
		a.mount = fakeproc.Write(t, map[string]string{"self/net/tcp": socketRow("0100007F", at.Port, "0A", a.uid)})
	}
	return a, l.Addr().String()
}

// socketRow is a line of the kernel's list of sockets.
func socketRow(host string, port int, state string, uid int) string {
	return fmt.Sprintf("   0: %s:%04X 00000000:0000 %s 00000000:00000000 00:00000000 00000000 %5d        0 12345 1 0 "+
		"100\n",
		host, port, state, uid)
}

// readRASAnswer reads all pieces, whatever NCCL it is.
func readRASAnswer(t *testing.T, a *rasAsker, variables ...string) (text string, pieces int, err error) {
	t.Helper()
	p, err := a.Ask(variables, true)
	for pieces = 1; err == nil; pieces++ {
		if len(p.Data) > wire.MaxRASPiece {
			t.Fatalf("a piece of %d bytes", len(p.Data))
		}
		if text += string(p.Data); !p.More {
			return text, pieces, nil
		}
		p, err = a.More()
	}
	return text, pieces, err
}

func TestAsk(t *testing.T) {
	world := ras.Parallel(ras.Grid(16, 8), 8, 100)
	for _, version := range []string{"2.24.3", "2.27.7", "2.28.9", "2.30.7"} {
		world.Version = version
		a, addr := listeningRAS(t, &ras.Server{World: func() ras.World { return world }})
		text, pieces, err := readRASAnswer(t, a, "PATH=/bin", "NCCL_RAS_ADDR="+addr, "RANK=3")
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		want.WriteString("SERVER PROTOCOL 2\nOK\n")
		switch version {
		case "2.30.7":
			want.WriteString("OK\nERROR: Invalid event group 'nothing'\n")
			err = world.JSON(&want)
		case "2.28.9":
			want.WriteString("OK\nERROR: Unknown command MONITOR nothing\n")
			err = world.JSON(&want)
		default:
			want.WriteString("ERROR: Unknown command SET FORMAT json\nERROR: Unknown command MONITOR nothing\n")
			err = world.Text(&want)
		}
		if err != nil {
			t.Fatal(err)
		}
		if version >= "2.28.9" { // without the indentation
			lines := strings.Split(want.String(), "\n")
			for i := range lines {
				lines[i] = strings.TrimLeft(lines[i], " ")
			}
			want.Reset()
			want.WriteString(strings.Join(lines, "\n"))
		}
		if text != want.String() {
			t.Errorf("%s in %d pieces: got\n%.300s\nwant\n%.300s", version, pieces, text, want.String())
		}
	}
}

// An NCCL of which an answer can crash the job is asked only on request. The fake counts the questions.
func TestOldVersionsAreNotAsked(t *testing.T) {
	for version, old := range map[string]bool{"2.24.3": true, "2.26.6": true, "2.28.3": true, "2.28.9": true,
		"2.29.2": false, "2.30.7": false, "3.0.1": false} {
		for _, anyhow := range []bool{false, true} {
			world := ras.Parallel(ras.Grid(2, 2), 2, 100)
			world.Version = version
			var asked atomic.Int32
			a, addr := listeningRAS(t, &ras.Server{World: func() ras.World { return world }, Asked: func() { asked.Add(1) }})
			p, err := a.Ask([]string{"NCCL_RAS_ADDR=" + addr}, anyhow)
			for err == nil && p.More {
				p, err = a.More()
			}
			if err != nil || p.Old != (old && !anyhow) || (asked.Load() == 0) != p.Old || a.q != nil {
				t.Errorf("%s, on request %t: old %t, asked %d times, %v", version, anyhow, p.Old, asked.Load(), err)
			}
		}
	}
}

// What is no RAS gets no question.
func TestGreeting(t *testing.T) {
	for _, c := range []struct {
		said       []string
		old, asked bool
	}{
		{[]string{"SERVER PROTOCOL 2\nOK\nOK\nERROR: Invalid event group 'nothing'\n"}, false, true},
		{[]string{"SERVER PROTO", "COL 3\nOK\nOK\nERROR: Invalid event", " group 'nothing'\n"}, false, true},
		{[]string{"SERVER PROTOCOL 2\nOK\nOK\nERROR: Unknown command MONITOR nothing\n"}, true, false},
		{[]string{"SERVER PROTOCOL 2\nOK\nOK\nERROR: Invalid event group 'no"}, false, false},
		{[]string{"HTTP/1.1 400 Bad Request\n\n\n\n\n"}, false, false},
		{[]string{strings.Repeat("x", 2*maxRASGreeting), "SERVER PROTOCOL 2\nOK\nOK\nERROR: Invalid event group\n"}, false,
			false},
	} {
		var pipe [2]int
		if err := syscall.Pipe(pipe[:]); err != nil {
			t.Fatal(err)
		}
		q := rasConnection{fd: pipe[1], said: []byte{}}
		old := false
		for _, data := range c.said {
			old = q.readGreeting([]byte(data)) || old
		}
		_ = syscall.Close(pipe[1])
		got, err := io.ReadAll(os.NewFile(uintptr(pipe[0]), "pipe"))
		if err != nil || old != c.old || string(got) != map[bool]string{true: rasStatus}[c.asked] {
			t.Errorf("%q: old %t, sent %q, %v", c.said, old, got, err)
		}
	}
}

// The largest jobs fit: 1,024 ranks, each in all of 40 communicators.
func TestLargestAnswer(t *testing.T) {
	world := ras.World{Version: "2.30.7"}
	for i := range 40 {
		world.Comms = append(world.Comms, ras.Group(uint64(i+1), ras.Grid(128, 8), 1_000_000))
	}
	a, addr := listeningRAS(t, &ras.Server{World: func() ras.World { return world }})
	text, pieces, err := readRASAnswer(t, a, "NCCL_RAS_ADDR="+addr)
	if err != nil || !strings.HasSuffix(text, "}\n}\n") || len(text) > wire.MaxRAS {
		t.Fatalf("%d bytes in %d pieces, %v: ends with %q", len(text), pieces, err, text[max(len(text)-40, 0):])
	}
	t.Logf("%d bytes in %d pieces", len(text), pieces)
}

func TestEndlessAnswer(t *testing.T) {
	a, addr := listeningRAS(t, &ras.Server{World: func() ras.World { return ras.World{Version: "2.27.7"} },
		Fault: ras.Endless})
	text, _, err := readRASAnswer(t, a, "NCCL_RAS_ADDR="+addr)
	if err != nil || len(text) < wire.MaxRAS || len(text) > wire.MaxRAS+wire.MaxRASPiece {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// A process that says nothing costs a request little, so that the caller may give it up.
func TestRASSilence(t *testing.T) {
	a, addr := listeningRAS(t, &ras.Server{Fault: ras.Silent})
	began := time.Now()
	p, err := a.Ask([]string{"NCCL_RAS_ADDR=" + addr}, false)
	if took := time.Since(began); err != nil || !p.More || len(p.Data) > 0 || p.Address != addr ||
		took > 3*time.Second {
		t.Fatalf("%+v, %v after %s", p, err, took)
	}
	a.closeQuestion(a.q) // as after its time
	if _, err := a.More(); err == nil {
		t.Error("more of an answer that was given up")
	}
	if _, err := newRASAsker("/proc").More(); err == nil {
		t.Error("more without a question")
	}
}

func TestOnlyTheUsersOwnSocketOfThisHost(t *testing.T) {
	const own, port = 4711, 28028
	for _, c := range []struct {
		name, v4, v6 string
		variable     string
		want         string // the address, or a part of the error
	}{
		{name: "the usual one", v4: socketRow("0100007F", port, "0A", own), want: "127.0.0.1:28028"},
		{name: "on all addresses", v4: socketRow("00000000", port, "0A", own), want: "127.0.0.1:28028"},
		{name: "on all of IPv6", v6: socketRow("00000000000000000000000000000000", port, "0A", own), want: "[::1]:28028"},
		{name: "of IPv6", v6: socketRow("00000000000000000000000001000000", 555, "0A", own), variable: "[::1]:555",
			want: "[::1]:555"},
		{name: "an address of this host", v4: socketRow("0140A8C0", 28030, "0A", own), variable: "n1.site:28030",
			want: "192.168.64.1:28030"},
		{name: "another host", v4: socketRow("0100007F", port, "0A", own), variable: "evil.example:80",
			want: "no RAS of NCCL"},
		{name: "another host's port is ours", v4: socketRow("0100007F", port, "0A", own), variable: "evil.example:28028",
			want: "127.0.0.1:28028"},
		{name: "another user", v4: socketRow("0100007F", port, "0A", own+1),
			want: "another user's process listens at port 28028"},
		{name: "after another user's", v4: socketRow("0100007F", port, "0A", own+1) + socketRow("0140A8C0", port, "0A", own),
			want: "192.168.64.1:28028"},
		{name: "a connection", v4: socketRow("0100007F", port, "01", own), want: "no RAS of NCCL listens at port 28028"},
		{name: "nobody", want: "no RAS of NCCL listens at port 28028"},
		{name: "no port", variable: "localhost", want: "NCCL_RAS_ADDR of the process has no port"},
		{name: "port 0", variable: "localhost:0", want: "NCCL_RAS_ADDR of the process has no port"},
		{name: "hostile", variable: "x:\x1b[2J", want: "NCCL_RAS_ADDR of the process has no port"},
		{name: "nonsense in the list", v4: "x y z 0A\n" + strings.Repeat("z ", 12) + "\n", want: "no RAS of NCCL"},
	} {
		a := newRASAsker(fakeproc.Write(t, map[string]string{"self/net/tcp": c.v4, "self/net/tcp6": c.v6}))
		a.uid = own
		variables := []string{"A=b"}
		if c.variable != "" {
			variables = append(variables, "NCCL_RAS_ADDR="+c.variable)
		}
		addr, err := a.findSocket(variables)
		if got := addr.String(); err != nil && !strings.Contains(err.Error(), c.want) || err == nil && got != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.name, got, err, c.want)
		}
	}
}

func TestWhoIsNotAsked(t *testing.T) {
	a, addr := listeningRAS(t, &ras.Server{World: func() ras.World { return ras.World{Version: "2.28.9"} }})
	if _, err := a.Ask([]string{"NCCL_RAS_ENABLE=0", "NCCL_RAS_ADDR=" + addr}, false); err == nil ||
		!strings.Contains(err.Error(), "NCCL_RAS_ENABLE=0") {
		t.Errorf("RAS that is switched off: %v", err)
	}
	a.uid = 0
	if _, err := a.Ask([]string{"NCCL_RAS_ADDR=" + addr}, false); err == nil || !strings.Contains(err.Error(), "root") {
		t.Errorf("root: %v", err)
	}
}

// What is left of JSON is the same JSON, whatever the pieces are.
func TestSqueeze(t *testing.T) {
	text := "OK\n  {\nSERVER\n{\n  \"a\": \"b  c\",\n\n      \"d\": [\n 1 ]\n}\n"
	want := "OK\n  {\nSERVER\n{\n\"a\": \"b  c\",\n\n\"d\": [\n1 ]\n}\n"
	for range 50 {
		q, p := rasConnection{start: true}, wire.RASPiece{}
		for rest := []byte(text); len(rest) > 0; {
			n := 1 + rand.IntN(len(rest))
			q.addCompact(&p, rest[:n])
			rest = rest[n:]
		}
		if string(p.Data) != want {
			t.Fatalf("got %q", p.Data)
		}
	}
}

// The address in the kernel's list is what a real socket has.
func TestTheListOfTheKernel(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if _, err := os.Stat("/proc/self/net/tcp"); err != nil {
		t.Skip("no /proc")
	}
	want := netip.MustParseAddrPort(l.Addr().String())
	if got, _ := (&rasAsker{mount: "/proc", uid: os.Getuid()}).findListener("tcp", want.Port()); got != want {
		t.Errorf("got %s, want %s as user %s", got, want, strconv.Itoa(os.Getuid()))
	}
}

// An answer ends with the last byte that is wanted.
func TestAnswerEnds(t *testing.T) {
	for left, more := range map[int]bool{4: false, 5: false, 6: true} {
		ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := syscall.Write(ends[1], []byte("hello")); err != nil {
			t.Fatal(err)
		}
		a := newRASAsker("/proc")
		a.q = &rasConnection{fd: ends[0], left: left}
		if p, err := a.readPiece(); err != nil || string(p.Data) != "hello" || p.More != more || (a.q != nil) != more {
			t.Errorf("%d bytes left: %+v, %v", left, p, err)
		}
		a.closeQuestion(a.q)
		_ = syscall.Close(ends[1])
	}
}
