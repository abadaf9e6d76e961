package ras

import (
	"bufio"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault is how a Server misbehaves.
type Fault string

// Faults.
const (
	None    Fault = ""
	Silent  Fault = "silent"  // it takes connections and says nothing, as a stopped process
	Late    Fault = "late"    // it needs a minute for the answer
	Slow    Fault = "slow"    // it sends a few bytes each second
	Endless Fault = "endless" // the answer has no end
	Garbage Fault = "garbage" // it sends random bytes
	Closes  Fault = "closes"  // it closes the connection at once
	Breaks  Fault = "breaks"  // it closes the connection in the middle of the answer
)

// Faults are all of them.
var Faults = []Fault{None, Silent, Late, Slow, Endless, Garbage, Closes, Breaks}

// Server answers at a socket as RAS does.
type Server struct {
	World func() World  // what RAS finds out about the job now
	Took  time.Duration // until it has
	Fault Fault
	Asked func() // is called for each question; nil: nobody counts
}

// Serve takes connections until l is closed.
func (s *Server) Serve(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go s.Talk(conn)
	}
}

// since reports whether the version is this one or newer: JSON came with 2.28.7, MONITOR with 2.29.2.
func (w *World) since(major, minor, patch int) bool {
	var v [3]int
	_, _ = fmt.Sscanf(w.Version, "%d.%d.%d", &v[0], &v[1], &v[2]) // what is no number stays 0
	return slices.Compare(v[:], []int{major, minor, patch}) >= 0
}

// Talk answers one client: commands in any case, one in a line. After a status it closes the connection.
func (s *Server) Talk(conn net.Conn) {
	defer func() { _ = conn.Close() }() // the client sees the end, whatever happens
	switch s.Fault {
	case Silent:
		time.Sleep(time.Hour)
	case Closes:
		return
	case Garbage:
		for i := uint32(1); i < 1<<16; i++ {
			if _, err := conn.Write([]byte{byte(i * 2654435761 >> 24), byte(i * 40503 >> 3)}); err != nil {
				return
			}
		}
		return
	}
	format := "text"
	for in := bufio.NewScanner(conn); in.Scan(); {
		line := strings.TrimRight(in.Text(), "\r")
		say := func(text string) { _, _ = conn.Write([]byte(text + "\n")) } // the next read fails, if this does
		switch command := strings.ToLower(line); {
		case strings.HasPrefix(command, "client protocol "):
			say("SERVER PROTOCOL 2")
		case strings.HasPrefix(command, "timeout "):
			if n, err := strconv.Atoi(command[len("timeout "):]); err != nil || n < 0 {
				say("ERROR: Invalid timeout value " + line[len("timeout "):])
			} else {
				say("OK")
			}
		case strings.HasPrefix(command, "set format ") && s.now().since(2, 28, 7):
			switch format = command[len("set format "):]; format {
			case "text", "json":
				say("OK")
			default:
				say("ERROR: Invalid format " + format)
			}
		case strings.HasPrefix(command, "monitor ") && s.now().since(2, 29, 2):
			say("ERROR: Invalid event group '" + line[len("monitor "):] + "'") // it has no events
		case command == "status", command == "verbose status":
			s.status(conn, format)
			return
		default:
			say("ERROR: Unknown command " + line)
		}
	}
}

func (s *Server) now() *World { return new(s.World()) }

// status sends the answer.
func (s *Server) status(conn net.Conn, format string) {
	if s.Asked != nil {
		s.Asked()
	}
	time.Sleep(s.Took)
	if s.Fault == Late {
		time.Sleep(time.Minute)
	}
	to := bufio.NewWriterSize(&faulty{conn, s.Fault, 0}, 64<<10)
	w := s.now()
	var err error
	if format == "json" {
		err = w.JSON(to)
	} else {
		err = w.Text(to)
	}
	if err == nil && s.Fault == Endless {
		for err == nil {
			_, err = to.WriteString("  Rank 0 -- GPU 0 managed by process 1 on node 172.16.64.1\n")
		}
	}
	if err == nil {
		_ = to.Flush() // the client is gone
	}
}

// faulty sends with a fault.
type faulty struct {
	conn  net.Conn
	fault Fault
	sent  int
}

func (f *faulty) Write(data []byte) (n int, err error) {
	switch f.fault {
	case Slow:
		for n < len(data) && err == nil {
			var wrote int
			wrote, err = f.conn.Write(data[n:min(n+40, len(data))])
			n += wrote
			time.Sleep(time.Second)
		}
		return n, err
	case Breaks:
		n, _ = f.conn.Write(data[:len(data)/2])
		_ = f.conn.Close()
		return n, net.ErrClosed
	}
	return f.conn.Write(data)
}
