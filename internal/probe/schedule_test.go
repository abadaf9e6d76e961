package probe

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// reschedule changes the schedule of one process.
func reschedule(t *testing.T, id wire.ProcessID, s wire.Schedule) wire.Signaled {
	t.Helper()
	list, err := newDesk().Signal(wire.Signal{Schedule: &s, Processes: []wire.ProcessID{id}})
	if err != nil || len(list) != 1 || list[0].PID != id.PID {
		t.Fatalf("got %+v, %v", list, err)
	}
	return list[0]
}

// All threads of a process get the nice value and the CPUs, and only of the process that was shown.
func TestSchedule(t *testing.T) {
	c := startNode(t, 0, os.Args[0], headlessArg)
	for deadline := time.Now().Add(10 * time.Second); len(proc.Of("/proc", c.id.PID).Threads()) < 2; { // it has several soon
		if time.Now().After(deadline) {
			t.Fatal("the process has one thread")
		}
		time.Sleep(time.Millisecond)
	}
	if got := reschedule(t, c.id, wire.Schedule{Nice: new(7)}); got.ErrorID != "" {
		t.Fatalf("%+v", got)
	}
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(c.id.PID, &before); err != nil {
		t.Fatal(err)
	}
	cpu := 0
	for !before.IsSet(cpu) {
		cpu++
	}
	if got := reschedule(t, c.id, wire.Schedule{CPUs: strconv.Itoa(cpu)}); got.ErrorID != "" {
		t.Fatalf("%+v", got)
	}
	for _, tid := range proc.Of("/proc", c.id.PID).Threads() {
		stat, err := proc.Of("/proc", c.id.PID).Thread(tid).Stat()
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(tid, &set); err == nil && (set.Count() != 1 || !set.IsSet(cpu)) {
			t.Errorf("thread %d may run on %d CPUs", tid, set.Count())
		}
		if err == nil && stat.Nice != 7 {
			t.Errorf("thread %d has the nice value %d", tid, stat.Nice)
		}
	}
	other := c.id
	other.StartTicks++
	if got := reschedule(t, other, wire.Schedule{Nice: new(9)}); got.ErrorID != wire.SignalReused {
		t.Errorf("of a PID that was reused: %+v", got)
	}
	if stat, err := proc.Of("/proc", c.id.PID).Stat(); err != nil || stat.Nice != 7 {
		t.Errorf("nice value %d, %v", stat.Nice, err)
	}
	if got := reschedule(t, c.id, wire.Schedule{CPUs: "1023"}); !strings.Contains(got.Error, "has none of these CPUs") {
		t.Errorf("CPUs that are not there: %+v", got)
	}
}

// A request that makes no sense is refused as a whole.
func TestWrongSchedule(t *testing.T) {
	id := []wire.ProcessID{{PID: 2, StartTicks: 1}}
	for name, s := range map[string]wire.Signal{
		"none":     {Schedule: &wire.Schedule{}, Processes: id},
		"nice":     {Schedule: &wire.Schedule{Nice: new(20)}, Processes: id},
		"list":     {Schedule: &wire.Schedule{CPUs: "0-"}, Processes: id},
		"signal":   {Schedule: &wire.Schedule{Nice: new(1)}, Number: 9, Processes: id},
		"no start": {Schedule: &wire.Schedule{Nice: new(1)}, Processes: []wire.ProcessID{{PID: 2}}},
	} {
		if list, err := newDesk().Signal(s); err == nil || list != nil {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
}

// Why the kernel refuses is said in words.
func TestWhyRefused(t *testing.T) {
	nice, list := &wire.Schedule{Nice: new(-1)}, &wire.Schedule{CPUs: "9"}
	for want, got := range map[string]string{
		"only root may lower a nice value":           whyRefused(syscall.EACCES, nice),
		"the job has none of these CPUs":             whyRefused(syscall.EINVAL, list),
		"refused: operation not permitted":           whyRefused(syscall.EPERM, nil),
		"the kernel refused: function not implement": whyRefused(syscall.ENOSYS, list),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
