package smi

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// console is the script on a node. Any goroutine may send it commands; only one at a time may read its lines.
type console struct {
	pipe  *link.Pipe
	wait  func() link.Exit // pipe.Wait, which may be called again
	lines *bufio.Scanner

	telling sync.Mutex // protects writing to pipe.In
}

// maxLine limits a line of nvidia-smi.
const maxLine = 16 << 10

func newConsole(p *link.Pipe) *console {
	c := &console{pipe: p, wait: sync.OnceValue(p.Wait), lines: bufio.NewScanner(p.Out)}
	c.lines.Buffer(make([]byte, 0, maxLine), maxLine)
	return c
}

func (c *console) sendLine(line string) error {
	c.telling.Lock()
	defer c.telling.Unlock()
	_, err := fmt.Fprintln(c.pipe.In, line)
	return err
}

// lastWords is how long to wait for the exit of a script whose output has ended.
const lastWords = time.Second

func (c *console) nextLine() (string, error) {
	if c.lines.Scan() {
		return c.lines.Text(), nil
	}
	over := make(chan struct{})
	crash.Go(func() {
		c.wait()
		close(over)
	})
	select { // waits until its last words have come
	case <-over:
	case <-time.After(lastWords):
	}
	words := text.FirstLine(strings.TrimSpace(c.pipe.Words.String()))
	return "", &UnusableError{cmp.Or(words, errors.Join(c.lines.Err(), io.ErrUnexpectedEOF).Error())}
}

// scanLines sends all lines to a channel, until over is closed.
func (c *console) scanLines(lines chan<- string, over <-chan struct{}) {
	defer close(lines)
	for c.lines.Scan() {
		select {
		case lines <- c.lines.Text():
		case <-over:
			return
		}
	}
}
