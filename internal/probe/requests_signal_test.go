package probe

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A request reaches a process of this machine, and the reply has its outcome.
func TestSignalRequest(t *testing.T) {
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill() }()
	pid := child.Process.Pid
	stat, err := proc.Of("/proc", pid).Stat()
	if err != nil {
		t.Fatal(err)
	}
	family := ask(t, "/proc", fmt.Sprintf(`"family":{"pids":[%d]}`, pid))
	var names []string
	for _, r := range family.Family {
		names = append(names, fmt.Sprint(r.PID, " ", r.Command))
	}
	if !strings.Contains(strings.Join(names, ","), fmt.Sprint(pid, " sleep 60")) {
		t.Errorf("family %q: %s", names, family.Error)
	}
	if later := ask(t, "/proc", fmt.Sprintf(`"family":{"pids":[%d]}`, pid)); family.ReadMS == 0 ||
		later.ReadMS < family.ReadMS || later.ReadMS > family.ReadMS+60_000 {
		t.Errorf("read at %d, and then at %d", family.ReadMS, later.ReadMS)
	}
	reply := ask(t, "/proc", fmt.Sprintf(`"signal":{"number":15,"processes":[%s,%s]}`,
		processID(pid, int(stat.Start)+1), processID(pid, int(stat.Start))))
	if reply.Error != "" || len(reply.Signaled) != 2 || reply.Signaled[0].ErrorID != wire.SignalReused ||
		reply.Signaled[1] != (wire.Signaled{PID: pid}) {
		t.Errorf("got %+v", reply)
	}
	if err := child.Wait(); err == nil || err.Error() != "signal: terminated" {
		t.Errorf("it ended with %v", err)
	}
	for request, words := range map[string]string{
		`"signal":{"number":0,"processes":[{"pid":5}]}`: "invalid signal 0",
		`"signal":{"number":9}`:                         "1 to 256 processes",
		`"family":{"pids":[]}`:                          "1 to 256 processes",
		fmt.Sprintf(`"family":{"pids":[5]},"process":%s`, processID(os.Getpid(), 1000)): "exactly one",
	} {
		if reply := ask(t, "/proc", request); !strings.Contains(reply.Error, words) || reply.Signaled != nil ||
			reply.Family != nil {
			t.Errorf("%s: got %+v, want %q", request, reply, words)
		}
	}
}

// A signal to 128 processes through 16 probes at once, as to all ranks of a job. It must be answered within a second.
func BenchmarkSignalToAJob(b *testing.B) {
	const nodes, perNode = 16, 8
	var asks []func()
	for range nodes {
		s := &wire.Signal{Number: 18} // CONT does nothing to them
		for range perNode {
			c := exec.Command("sleep", "600")
			if err := c.Start(); err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
			stat, err := proc.Of("/proc", c.Process.Pid).Stat()
			if err != nil {
				b.Fatal(err)
			}
			s.Processes = append(s.Processes, wire.ProcessID{PID: c.Process.Pid, StartTicks: stat.Start})
		}
		asks = append(asks, probeThatSignals(b, s))
	}
	for b.Loop() {
		var all sync.WaitGroup
		for _, ask := range asks {
			all.Go(ask)
		}
		all.Wait()
	}
}

// probeThatSignals starts a probe, and returns the function that requests a signal and waits for the answer.
func probeThatSignals(b *testing.B, s *wire.Signal) (ask func()) {
	in, say := io.Pipe()
	out, said := io.Pipe()
	lib, _ := newFakeLibrary(0)
	go func() { _ = Run(b.Context(), in, said, Options{Library: lib}); _ = said.Close() }()
	b.Cleanup(func() { _ = say.Close() })
	answers := wire.NewReader(out)
	if err := answers.SkipToMagic(); err != nil {
		b.Fatal(err)
	}
	return func() {
		if err := wire.Write(say, wire.Request{ID: 1, Signal: s}); err != nil {
			b.Error(err)
		}
		for {
			var m wire.Message
			if err := answers.Next(&m); err != nil {
				b.Error(err)
				return
			}
			if m.Reply == nil {
				continue
			}
			for i, r := range m.Reply.Signaled {
				if r.PID != s.Processes[i].PID || r.Error != "" {
					b.Errorf("got %+v", r)
				}
			}
			if len(m.Reply.Signaled) != len(s.Processes) {
				b.Errorf("got %+v", m.Reply)
			}
			return
		}
	}
}
