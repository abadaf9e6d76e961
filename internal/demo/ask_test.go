package demo

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestAsk(t *testing.T) {
	d := New(2, 4, 1, time.Second)
	h := d.world.hosts[0]
	own := d.world.processes(h, 0)[0]
	id := &wire.ProcessID{PID: own.PID, StartTicks: own.StartTicks}
	ask := func(node string, r wire.Request) wire.Reply {
		t.Helper()
		reply, err := d.Ask(t.Context(), node, r)
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	if reply := ask(h.name, wire.Request{Environ: id}); reply.Environ == nil || !slices.Contains(reply.Environ.Variables, "SLURM_JOB_ID="+own.Job) {
		t.Errorf("environment: %+v", reply)
	}
	if reply := ask(h.name, wire.Request{Process: id}); reply.Process == nil || reply.Process.User != own.User || reply.Process.PID != own.PID {
		t.Errorf("process: %+v", reply)
	}
	for words, r := range map[string]wire.Request{
		"another process now": {Environ: &wire.ProcessID{PID: own.PID}},
		"no process 1":        {Process: &wire.ProcessID{PID: 1}},
		"a demo answers only": {Alive: &wire.Alive{}},
	} {
		if reply := ask(h.name, r); !strings.Contains(reply.Error, words) || reply.Environ != nil || reply.Process != nil {
			t.Errorf("%+v, want an error with %q", reply, words)
		}
	}
	if _, err := d.Ask(t.Context(), "nowhere", wire.Request{Process: id}); err == nil {
		t.Error("a node that is not there answered")
	}
}
