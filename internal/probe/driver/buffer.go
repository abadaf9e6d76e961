package driver

import (
	"sync"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// XidBox holds events until the next report. Its methods may be called by several goroutines at once.
type XidBox struct {
	Rung chan struct{} // has an element when an event is new

	mu   sync.Mutex // protects the following
	xids []wire.Xid
	left int // number of events that did not fit
}

func (b *XidBox) addXid(x wire.Xid) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.xids) == wire.MaxXids {
		b.left++
		return
	}
	b.xids = append(b.xids, x)
	select {
	case b.Rung <- struct{}{}:
	default:
	}
}

// Take empties the box. left is the number of events that did not fit.
func (b *XidBox) Take() (xids []wire.Xid, left int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	xids, left = b.xids, b.left
	b.xids, b.left = nil, 0
	return xids, left
}

// Empty reports whether no event has come since Take.
func (b *XidBox) Empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.xids) == 0
}
