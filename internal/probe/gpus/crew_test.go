package gpus

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
)

// A GPU that is not read yet, because another one before it takes long, does not hang.
func TestWaitingIsNotHanging(t *testing.T) {
	c, start := newCrew(), time.Now()
	c.hands = make(chan *shift, 1) // nobody takes what is handed over
	g := &gpu{Slot: driver.Slot{Device: struct{ driver.Device }{}}}
	main, _ := c.begin([]*gpu{g}, question{})
	if since, running := c.pending(g); running {
		t.Errorf("before it is read, it is being read since %v", since)
	}
	c.next(main, start)
	if since, running := c.pending(g); !running || !since.Equal(start) {
		t.Errorf("while it is read: %v, %v", since, running)
	}
}
