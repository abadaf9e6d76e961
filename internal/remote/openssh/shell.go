package openssh

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// shell is a node that ssh has logged in to. It implements remote.Shell.
type shell struct {
	d    *Door
	node string

	mu       sync.Mutex // protects the following
	children []*sshProcess
	spare    *sshProcess // it runs no script yet; nil: it does
	closed   bool
}

var errClosed = errors.New("shell closed")

// Run implements install.Shell. The first script runs in the ssh that logged in. Another script, needed only on the
// first visit to a home, costs another login.
func (s *shell) Run(ctx context.Context, script string, input io.Reader) (*link.Pipe, error) {
	c := s.takeSpare()
	if c == nil {
		var err error
		if c, err = s.d.startLogin(ctx, s.node, func() {}, func() {}); err != nil {
			return nil, err
		}
		if !s.keepChild(c) {
			c.killSession()
			return nil, errClosed
		}
	}
	return c.runScript(ctx, script, input)
}

func (s *shell) takeSpare() *sshProcess {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.spare
	s.spare = nil
	return c
}

// keepChild makes c end with s. It returns false if s has ended.
func (s *shell) keepChild(c *sshProcess) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.children = append(s.children, c)
	return !s.closed
}

// Ping implements link.Way. ssh itself asks sshd for a sign of life, and ends if there is no answer.
func (s *shell) Ping(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.children[len(s.children)-1].hasEnded() {
		return errors.New("ssh has ended")
	}
	return nil
}

// Close implements link.Way.
func (s *shell) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, c := range s.children {
		c.killSession()
	}
	return nil
}
