package bell

import "testing"

func TestRing(t *testing.T) {
	b := New()
	b.Ring()
	b.Ring() // does not block, and counts as the same ring
	<-b
	select {
	case <-b:
		t.Error("two rings were received twice")
	default:
	}
}
