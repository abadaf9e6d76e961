package sshconn

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/test/leaks"
)

// lostConn is a connection whose loop has ended while its writes still succeed: opening a channel in it blocks forever,
// and to close it wakes nobody. x/crypto has this state for a moment whenever a connection ends.
type lostConn struct {
	ssh.Conn
	test  <-chan struct{} // closed at the end of the test, which is forever
	ended chan struct{}
	asked chan struct{} // takes one for each channel that is opened
}

func (c *lostConn) OpenChannel(string, []byte) (ssh.Channel, <-chan *ssh.Request, error) {
	c.asked <- struct{}{}
	<-c.test
	return nil, nil, io.EOF
}

func (c *lostConn) Wait() error {
	select {
	case <-c.ended:
	case <-c.test:
	}
	return io.EOF
}

func (c *lostConn) Close() error { return nil }

// lost returns a client of a lostConn that ends when a channel is opened in it, or not at all.
func lost(t *testing.T, ends bool) *Client {
	conn := &lostConn{test: t.Context().Done(), ended: make(chan struct{}), asked: make(chan struct{}, 1)}
	if ends {
		go func() {
			<-conn.asked
			close(conn.ended)
		}()
	}
	chans, reqs := make(chan ssh.NewChannel), make(chan *ssh.Request)
	close(chans)
	close(reqs)
	return NewClient(conn, chans, reqs)
}

// TestLostConnectionHoldsNobodyUp: a session that is opened in a connection that has just ended fails, whatever
// x/crypto does.
func TestLostConnectionHoldsNobodyUp(t *testing.T) {
	leaks.Check(t, "internal/remote", "/x/crypto")
	for name, ends := range map[string]bool{"the connection ends": true, "the time is up": false} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			failed := make(chan error, 1)
			go func() {
				_, err := (&Sessions{Client: lost(t, ends)}).Run(ctx, "true", nil)
				failed <- err
			}()
			select {
			case err := <-failed:
				if want := map[bool]error{true: io.EOF, false: context.DeadlineExceeded}[ends]; !errors.Is(err, want) {
					t.Errorf("error %v, want %v", err, want)
				}
			case <-time.After(5 * time.Second):
				t.Fatal("it waits forever")
			}
		})
	}
}

// TestCloseGivesUpWhatWillNotEnd: who waits for a program without a deadline is let go by Close, even if the loop of
// the connection hangs.
func TestCloseGivesUpWhatWillNotEnd(t *testing.T) {
	leaks.Check(t, "internal/remote", "/x/crypto")
	conn, far := net.Pipe()
	defer far.Close()
	s := &Sessions{Client: lost(t, false), conn: conn, closing: time.Millisecond}
	failed := make(chan error, 1)
	go func() {
		_, err := Await(context.Background(), s.Client.Gone, func() (any, error) {
			<-t.Context().Done()
			return nil, nil
		}, nil)
		failed <- err
	}()
	s.Close()
	select {
	case err := <-failed:
		if !errors.Is(err, io.EOF) {
			t.Errorf("error %v, want that of a connection that has ended", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("it waits forever")
	}
}
