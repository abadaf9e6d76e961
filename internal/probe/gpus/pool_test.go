package gpus

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
)

// A GPU that waits behind a slow GPU does not hang.
func TestWaitingIsNotHanging(t *testing.T) {
	c, start := newPool(), time.Now()
	c.hands = make(chan *gpuQueue, 1) // nobody takes the shift
	g := &gpu{Slot: driver.Slot{Device: struct{ driver.Device }{}}}
	main, _ := c.startRound([]*gpu{g}, readingRequest{})
	if since, running := c.runningSince(g); running {
		t.Errorf("before it is read, it is being read since %v", since)
	}
	c.nextGPU(main, start)
	if since, running := c.runningSince(g); !running || !since.Equal(start) {
		t.Errorf("while it is read: %v, %v", since, running)
	}
}

// A report names the GPUs with more to come: those that are read later, and those that were read before a list was
// wanted. It names neither a finished GPU nor a GPU that refuses its list.
func TestReportSaysWhatIsUnread(t *testing.T) {
	c := newPool()
	c.hands = make(chan *gpuQueue, 1) // nobody takes the shift
	g := &gpu{Slot: driver.Slot{Device: struct{ driver.Device }{}}}
	sm := &sample.Report{Wanted: true}
	c.startRound([]*gpu{g}, readingRequest{})
	if out, _ := g.makeEntry(sm, c, time.Second); !out.Reading || out.HangsMS != 0 || out.Unlisted != Silent {
		t.Errorf("a GPU whose turn is later is %+v", out)
	}
	g.out = false
	for _, test := range []struct {
		list listing
		more bool
	}{{listing{}, true}, {listing{listed: true}, false}, {listing{unlisted: "Insufficient Permissions"}, false}} {
		g.last = gpuAnswer{round: c.report.number, ended: time.Now(), listing: test.list}
		if out, _ := g.makeEntry(sm, c, time.Second); out.Reading != test.more {
			t.Errorf("with the list %+v it is %+v", test.list, out)
		}
	}
}
