package ssh

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/sshconn"
)

// TestAConnectionThatComesTooLateIsClosed even if it comes while the attempt ends: nobody else would take it.
func TestAConnectionThatComesTooLateIsClosed(t *testing.T) {
	s := &shell{hostLogin: &hostLogin{conn: &sshconn.Watched{}},
		Sessions: &sshconn.Sessions{Client: &sshconn.Client{Gone: make(chan struct{})}}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	late := 0
	for range 20 { // by chance an attempt sees the connection or its own end
		ours, theirs := net.Pipe()
		done := make(chan struct{})
		close(done)
		j := &jump{openings: map[string]*jumpRequest{"n:22": {left: true, done: done, conn: ours}}}
		conn, err := j.openConn(ctx, s, "n", "22")
		if err == nil {
			_ = conn.Close()
		} else {
			late++
		}
		_ = theirs.SetReadDeadline(time.Now().Add(2 * time.Second))
		if _, err := theirs.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("the connection is open after an attempt that ended with %v", err)
		}
	}
	if late == 0 {
		t.Error("no attempt ended first")
	}
}
