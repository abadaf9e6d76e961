package ui

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// An answer is a message with all that its question said; nothing of it is on the screen yet.
func TestAsk(t *testing.T) {
	r := newRig(t, fixture())
	request := wire.Request{Environ: &wire.ProcessID{PID: 7, StartTicks: 8}}
	a, ok := r.ask("gpu-n01", request)().(answer)
	if !ok || a.node != "gpu-n01" || a.request != request || a.err != nil || a.reply.Environ == nil || a.reply.Environ.Variables[0] != "PID=7" {
		t.Errorf("got %+v", a)
	}
	if a := r.ask("gpu-n99", request)().(answer); a.err == nil || a.reply.Environ != nil {
		t.Errorf("a node that is not there: %+v", a)
	}
	if _, cmd := r.Update(a); cmd != nil || r.dirty {
		t.Error("an answer changes the screen")
	}
}
