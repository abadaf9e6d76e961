package probe

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// headlessArg makes this test binary a process whose first thread has ended, while others run.
const headlessArg = "headless"

func init() {
	if len(os.Args) == 2 && os.Args[1] == headlessArg {
		runtime.LockOSThread() // the first thread
		time.AfterFunc(time.Minute, func() { os.Exit(1) })
		_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
	}
}

// child is a running process of ours.
type child struct {
	*exec.Cmd
	id    wire.ProcessID
	ended chan error
}

// startNode starts a process, as another user if uid is not 0.
func startNode(t *testing.T, uid uint32, argv ...string) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(argv[0], argv[1:]...), ended: make(chan error, 1)}
	if uid != 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	c.id = identify(t, c.Process.Pid)
	go func() { c.ended <- c.Wait() }()
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

func identify(t *testing.T, pid int) wire.ProcessID {
	t.Helper()
	stat, err := proc.Of("/proc", pid).Stat()
	if err != nil {
		t.Fatal(err)
	}
	return wire.ProcessID{PID: pid, StartTicks: stat.Start}
}

// end waits for the end of the process, and returns the signal that ended it.
func (c *child) end(t *testing.T) syscall.Signal {
	t.Helper()
	select {
	case <-c.ended:
		return c.ProcessState.Sys().(syscall.WaitStatus).Signal()
	case <-time.After(10 * time.Second):
		t.Fatal("the process still runs")
		return 0
	}
}

// runs reports whether the process still runs a moment later.
func (c *child) runs() bool {
	select {
	case <-c.ended:
		return false
	case <-time.After(50 * time.Millisecond):
		return true
	}
}

func newDesk() *processDesk {
	return newProcessDesk("/proc", processTexts{
		User:    func(uid int) string { return fmt.Sprint("user", uid) },
		Command: func(args []string) string { return strings.Join(args, " ") },
		Elapsed: func(uint64) *int64 { return nil },
	})
}

// one sends a signal to one process.
func one(t *testing.T, d *processDesk, number int, id wire.ProcessID) wire.Signaled {
	t.Helper()
	list, err := d.Signal(wire.Signal{Number: number, Processes: []wire.ProcessID{id}})
	if err != nil || len(list) != 1 || list[0].PID != id.PID {
		t.Fatalf("got %+v, %v", list, err)
	}
	return list[0]
}

// old is a desk on a kernel without pidfds.
func old() *processDesk {
	d := newDesk()
	d.hold = func(int) (int, error) { return 0, unix.ENOSYS }
	return d
}

// The right process gets the signal, and others do not, with and without pidfds.
func TestSignal(t *testing.T) {
	for name, d := range map[string]*processDesk{"pidfd": newDesk(), "kill": old()} {
		target, bystander := startNode(t, 0, "sleep", "60"), startNode(t, 0, "sleep", "60")
		if got := one(t, d, int(syscall.SIGUSR1), target.id); got.Error != "" || got.ErrorID != "" {
			t.Errorf("%s: %+v", name, got)
		}
		if got := target.end(t); got != syscall.SIGUSR1 {
			t.Errorf("%s: ended by %v", name, got)
		}
		if !bystander.runs() {
			t.Errorf("%s: another process ended", name)
		}
		if got := one(t, d, int(syscall.SIGTERM), target.id); got.ErrorID != wire.SignalGone {
			t.Errorf("%s: a process that has ended: %+v", name, got)
		}
	}
}

// A process with the PID of an ended process gets no signal.
func TestReusedPID(t *testing.T) {
	for name, d := range map[string]*processDesk{"pidfd": newDesk(), "kill": old()} {
		c := startNode(t, 0, "sleep", "60")
		for _, start := range []uint64{c.id.StartTicks - 1, c.id.StartTicks + 1} {
			if got := one(t, d, int(syscall.SIGKILL),
				wire.ProcessID{PID: c.id.PID, StartTicks: start}); got.ErrorID != wire.SignalReused {
				t.Errorf("%s: %+v", name, got)
			}
		}
		if !c.runs() {
			t.Errorf("%s: the process ended", name)
		}
	}
}

// If a PID is reused after the check, a pidfd holds the old process: the new one gets nothing.
func TestReusedAfterTheCheck(t *testing.T) {
	victim, newcomer := startNode(t, 0, "sleep", "60"), startNode(t, 0, "sleep", "60")
	d := newDesk()
	held := 0
	d.hold = func(int) (int, error) { // the process with the PID at that moment
		handle, err := openPidfd(victim.id.PID)
		held = handle
		return handle, err
	}
	d.send = func(handle, number int) error {
		_ = victim.Process.Kill()
		victim.end(t)
		return sendPidfd(handle, number)
	}
	if got := one(t, d, int(syscall.SIGKILL), newcomer.id); got.ErrorID != wire.SignalGone || held == 0 {
		t.Errorf("got %+v", got)
	}
	if !newcomer.runs() {
		t.Error("the process that has the PID now ended")
	}
}

func TestProcessesOfOthers(t *testing.T) {
	d := newDesk()
	own := startNode(t, 0, "sleep", "60")
	d.uid++
	if got := one(t, d, int(syscall.SIGKILL), own.id); got.ErrorID != wire.SignalOtherUser ||
		got.Error != fmt.Sprint("belongs to user", os.Getuid()) {
		t.Errorf("got %+v", got)
	}
	if !own.runs() {
		t.Error("the process ended")
	}
	if os.Getuid() != 0 {
		return // only root may start a process of another user
	}
	other := startNode(t, 65534, "sleep", "60")
	if got := one(t, newDesk(), int(syscall.SIGKILL), other.id); got.ErrorID != wire.SignalOtherUser ||
		got.Error != "belongs to user65534" {
		t.Errorf("as root: %+v", got)
	}
	if !other.runs() {
		t.Error("root's probe ended a process of another user")
	}
}

// Neither init nor the probe nor the probe's ancestors get a signal.
func TestSparedProcesses(t *testing.T) {
	d := newDesk()
	d.send = func(int, int) error { t.Error("a signal was sent"); return nil }
	d.kill = d.send
	parent := identify(t, os.Getppid())
	d.uid = os.Getuid()
	for _, id := range []wire.ProcessID{identify(t, os.Getpid()), parent, {PID: 1, StartTicks: 1},
		{PID: 0, StartTicks: 1}, {PID: -1, StartTicks: 1}, {PID: -os.Getpid(), StartTicks: 1},
		{PID: math.MaxInt32 + 2, StartTicks: 1}} {
		if got := one(t, d, int(syscall.SIGTERM), id); got.ErrorID != wire.SignalDenied || got.Error == "" {
			t.Errorf("%+v: %+v", id, got)
		}
	}
}

// becomes waits until a process is in a state.
func becomes(t *testing.T, pid int, state string) {
	t.Helper()
	for range 1000 {
		if stat, _ := proc.Of("/proc", pid).Stat(); stat.State == state {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("process %d does not become %s", pid, state)
}

// A stopped process gets its signal; a zombie does not.
func TestStatesOfProcesses(t *testing.T) {
	stopped := startNode(t, 0, "sleep", "60")
	d := newDesk()
	for _, number := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGTERM, syscall.SIGCONT} {
		if got := one(t, d, int(number), stopped.id); got.Error != "" {
			t.Errorf("%v to a stopped process: %+v", number, got)
		}
		if number == syscall.SIGSTOP {
			becomes(t, stopped.id.PID, "T")
		}
	}
	if got := stopped.end(t); got != syscall.SIGTERM {
		t.Errorf("ended by %v", got)
	}
	headless := startNode(t, 0, "/proc/self/exe", headlessArg)
	becomes(t, headless.id.PID, "Z")
	if got := one(t, d, int(syscall.SIGTERM), headless.id); got.Error != "" {
		t.Errorf("a process whose first thread has ended: %+v", got)
	}
	if got := headless.end(t); got != syscall.SIGTERM {
		t.Errorf("it was ended by %v", got)
	}
	zombie := exec.Command("true")
	if err := zombie.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = zombie.Wait() }()
	id := identify(t, zombie.Process.Pid)
	becomes(t, id.PID, "Z")
	if got := one(t, d, int(syscall.SIGTERM), id); got.ErrorID != wire.SignalGone {
		t.Errorf("a zombie: %+v", got)
	}
}

// The answer is in the order of the request. A hanging call, and everything after it, counts as failed; nothing is sent
// later.
func TestHangingSignal(t *testing.T) {
	first, hangs, last := startNode(t, 0, "sleep", "60"), startNode(t, 0, "sleep", "60"), startNode(t, 0, "sleep", "60")
	d := newDesk()
	d.patience = 200 * time.Millisecond
	release := make(chan struct{})
	d.hold = func(pid int) (int, error) {
		if pid == hangs.id.PID {
			<-release
		}
		return openPidfd(pid)
	}
	list, err := d.Signal(wire.Signal{Number: int(syscall.SIGTERM), Processes: []wire.ProcessID{first.id, hangs.id,
		last.id}})
	if err != nil || len(list) != 3 || list[0].Error != "" || list[1].ErrorID != wire.SignalNoAnswer ||
		list[2].ErrorID != wire.SignalKernel || list[1].Error == list[2].Error {
		t.Fatalf("got %+v, %v", list, err)
	}
	first.end(t)
	close(release)
	hangs.end(t) // its outcome was reported as unknown
	if !last.runs() {
		t.Error("a signal was sent after the answer")
	}
}

// If too many requests hang, no signal is tried, and the answer says so for each process, the first included.
func TestNothingIsTriedWhenTooManyHang(t *testing.T) {
	a, b := startNode(t, 0, "sleep", "60"), startNode(t, 0, "sleep", "60")
	d := newDesk()
	d.hung.Store(maxHung)
	list, err := d.Signal(wire.Signal{Number: int(syscall.SIGTERM), Processes: []wire.ProcessID{a.id, b.id}})
	if err != nil || len(list) != 2 {
		t.Fatalf("got %+v, %v", list, err)
	}
	for _, got := range list {
		if got.ErrorID != wire.SignalKernel || got.Error != "not tried: too many earlier requests hang on the node" {
			t.Errorf("got %+v", got)
		}
	}
	if !a.runs() || !b.runs() {
		t.Error("a signal was sent")
	}
}

// A directory of users that does not answer costs a name only, and stuck look-ups are limited.
func TestHangingNames(t *testing.T) {
	c := startNode(t, 0, "sleep", "60")
	d := newDesk()
	d.patience, d.uid = 20*time.Millisecond, d.uid+1
	release := make(chan struct{})
	defer close(release)
	asked := make(chan int, 2*maxHung)
	d.words.User = func(uid int) string { asked <- uid; <-release; return "" }
	for range 2 * maxHung {
		got := one(t, d, int(syscall.SIGTERM), c.id)
		if got.ErrorID == wire.SignalKernel && len(asked) == maxHung {
			return // no more requests are carried out
		}
		if got.Error != fmt.Sprintf("belongs to uid %d", os.Getuid()) {
			t.Errorf("got %+v", got)
		}
	}
	t.Errorf("%d look-ups hang", len(asked))
}

func TestWrongSignals(t *testing.T) {
	target := []wire.ProcessID{{PID: 1 << 20, StartTicks: 1}}
	for _, s := range []wire.Signal{{Processes: target}, {Number: -1, Processes: target},
		{Number: 65, Processes: target}, {Number: 15},
		{Number: 15, Processes: make([]wire.ProcessID, wire.MaxTargets+1)}} {
		if list, err := newDesk().Signal(s); err == nil {
			t.Errorf("%d to %d processes: %+v", s.Number, len(s.Processes), list)
		}
	}
}

// Without its start time nobody can tell a process from a later process with its PID. The request is wrong: the answer
// says so, and nobody gets the signal.
func TestSignalWithoutAStartTime(t *testing.T) {
	c := startNode(t, 0, "sleep", "60")
	list, err := newDesk().Signal(wire.Signal{Number: int(syscall.SIGKILL),
		Processes: []wire.ProcessID{c.id, {PID: c.id.PID}}})
	if want := fmt.Sprintf("the request has no start time for pid %d: it could be another process by now",
		c.id.PID); err == nil || err.Error() != want || list != nil {
		t.Errorf("got %+v, %v, want %s", list, err, want)
	}
	if !c.runs() {
		t.Error("the process ended")
	}
}

// The kernel's refusal is reported in its own words.
func TestRefusingKernel(t *testing.T) {
	c := startNode(t, 0, "sleep", "60")
	d := newDesk()
	d.send = func(int, int) error { return unix.EPERM }
	if got := one(t, d, int(syscall.SIGTERM), c.id); got.ErrorID != wire.SignalKernel ||
		!strings.Contains(got.Error, "not permitted") {
		t.Errorf("got %+v", got)
	}
}
