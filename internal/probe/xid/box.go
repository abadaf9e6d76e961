package xid

import (
	"sync"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Box holds events until the next report. Its methods may be called by several goroutines at once.
type Box struct {
	Rung chan struct{} // there is something new

	mu   sync.Mutex // protects the following
	xids []wire.Xid
	left int // those that did not fit
}

func (b *Box) put(x wire.Xid) {
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

// Take empties the box. It says how many events did not fit.
func (b *Box) Take() (xids []wire.Xid, left int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	xids, left = b.xids, b.left
	b.xids, b.left = nil, 0
	return xids, left
}

// Empty reports whether no event came since Take.
func (b *Box) Empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.xids) == 0
}
