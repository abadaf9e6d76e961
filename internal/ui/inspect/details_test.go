package inspect

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// inspection is what a node tells about a process of the user.
func inspected() *wire.InspectedProcess {
	return &wire.InspectedProcess{
		PID: 77, StartTicks: 9, Arguments: []string{"python", "train.py", "--name", "a b"},
		UIDs: []int{1000, 0, 0, 0}, GIDs: []int{100, 100, 100, 100}, Nice: new(5), Priority: new(25), Policy: "batch",
		CPUAffinity: "3", LastCPU: new(3), UserSeconds: new(3723.0), SystemSeconds: new(1.5),
		Limits:  []wire.InspectedLimit{{Name: "Max open files", Soft: new(uint64(1024)), Unit: "files"}},
		Threads: []wire.InspectedThread{{ID: 78, Name: "pt_main\x1b[2J", State: "R", UserSeconds: 12.25}},
		Files: &wire.Descriptors{Count: 3, Sockets: 1, Files: []wire.OpenFile{{FD: 5, Path: "/scratch/a", Mode: "rw",
			Position: 42}}},
		Connections: []wire.InspectedConnection{{FD: 6, Protocol: "tcp", Local: "10.0.0.1:1", Remote: "10.0.0.2:2",
			Status: "ESTABLISHED"}},
		More:   map[string]int{"threads": 12},
		Absent: map[string]string{"io": "permission denied"},
	}
}

// The details come on request; f asks again for the memory in full, and what is absent has its reason.
func TestDetails(t *testing.T) {
	s := scene(140, 60, noon)
	e, a := NewDetails(target())
	if len(a.Ask) != 1 || a.Ask[0].Request.Inspect == nil || a.Ask[0].Request.Inspect.Memory {
		t.Fatalf("asks %+v", a.Ask)
	}
	e.Press(nav.Result{Ask: a.Ask[0], Reply: wire.Reply{Inspected: inspected()}}, s)
	text := drawn(s, e)
	for _, want := range []string{"Details of n1:77", "python train.py --name 'a b'",
		"1000, effective 0, saved 0, of files 0", "5, priority 25, policy batch", "may run on 3, ran last on 3",
		"user 1:02:03, system 1.50s", "max open files", "1024 files, can be raised to unlimited",
		"1, most CPU time first, 12 more are left out", "thread 78", "user 12.25s",
		"3 descriptors: 1 file, 1 socket, 0 pipes, 0 others", "/scratch/a  rw  at 42",
		"10.0.0.1:1 → 10.0.0.2:2  ESTABLISHED", "not known: permission denied", "f reads it"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Error("the name of a thread reaches the screen as it is")
	}
	again, open := pressed(e, s, "f")
	if !open || len(again.Ask) != 1 || !again.Ask[0].Request.Inspect.Memory {
		t.Fatalf("f asks %+v", again.Ask)
	}
	if twice, _ := pressed(e, s, "f"); len(twice.Ask) > 0 {
		t.Error("a key that repeats asks for the memory again before the answer")
	}
	full := inspected()
	full.Full = &wire.FullMemory{USS: 3 << 30, PSS: 4 << 30, Maps: []wire.InspectedMapping{{Path: "/lib/a.so", Areas: 2}}}
	e.Press(nav.Result{Ask: again.Ask[0], Reply: wire.Reply{Inspected: full}}, s)
	if text := drawn(s, e); !strings.Contains(text, "USS 3.0 GiB, PSS 4.0 GiB") || !strings.Contains(text, "/lib/a.so") {
		t.Errorf("shown is\n%s", text)
	}
	if again, _ := pressed(e, s, "f"); len(again.Ask) != 1 {
		t.Error("after the answer f asks for nothing")
	}
	if a, _ := pressed(e, s, "y"); a.Copy != "command: python train.py --name 'a b'" {
		t.Errorf("copied is %q", a.Copy)
	}
	if _, open := pressed(e, s, "esc"); open {
		t.Error("Esc does not lead back")
	}
}

// An environment that arrives is not taken for details, nor those of another process.
func TestDetailsOfAnother(t *testing.T) {
	s := scene(140, 60, noon)
	e, a := NewDetails(target())
	other := a.Ask[0]
	other.Request = wire.Request{Inspect: &wire.Inspect{ProcessID: wire.ProcessID{PID: 77, StartTicks: 10}}}
	e.Press(nav.Result{Ask: other, Reply: wire.Reply{Inspected: inspected()}}, s)
	if text := drawn(s, e); !strings.Contains(text, "Asking n1") {
		t.Errorf("shown is\n%s", text)
	}
	e.Press(nav.Result{Ask: a.Ask[0], Reply: wire.Reply{Error: "no process 77"}}, s)
	if text := drawn(s, e); !strings.Contains(text, "The details cannot be shown: no process 77.") {
		t.Errorf("shown is\n%s", text)
	}
}
