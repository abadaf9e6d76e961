package probe

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestRealHello(t *testing.T) {
	if _, err := os.Stat("/proc/meminfo"); err != nil {
		t.Skip("needs /proc of Linux")
	}
	at := now()
	if at.Boot < at.Mono || at.Mono <= 0 {
		t.Errorf("clocks %+v: the time since boot counts sleep as well", at)
	}
	var hello wire.Hello
	describeHost(&hello, "/proc")
	if hello.CPUs < 1 || hello.Kernel == "" || hello.Host == "" {
		t.Errorf("hello %+v", hello)
	}
}

// The memory of a job is read if a process of the user belongs to it, and of the probe's own job.
func TestJobsOf(t *testing.T) {
	process := func(pid int, job string, uid *int) wire.Process {
		return wire.Process{PID: pid, Identity: wire.Identity{Job: job, UID: uid}}
	}
	me, other := os.Getuid(), os.Getuid()+1
	list := []wire.Process{process(1, "7", &me), process(2, "8", &other), process(3, "9", nil), process(4, "", &me), process(5, "5", &me)}
	if diff := cmp.Diff(map[string]string{"7": "1", "5": "self"}, jobsOf(list, "5")); diff != "" {
		t.Error(diff)
	}
}
