package bell

import "testing"

func TestRing(t *testing.T) {
	b := New()
	b.Ring()
	b.Ring() // does not block, and is the same ring
	<-b
	select {
	case <-b:
		t.Error("two rings that nobody heard were heard twice")
	default:
	}
}
