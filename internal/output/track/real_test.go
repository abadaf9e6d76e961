//go:build linux

package track_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/nvnodetop/nvnodetop/internal/output/track"
)

// TestMain makes this test binary the tracked command if the environment has orders for it. It prints the CPU time, in
// seconds, of itself and of the children for which it has waited, and the memory, in megabytes, that it had at its
// start.
func TestMain(m *testing.M) {
	work := os.Getenv("TRACKED")
	if work == "" {
		track.ChildMain(m)
		return
	}
	before := resident()
	for _, step := range strings.Fields(work) {
		what, amount, _ := strings.Cut(step, "=")
		n, err := strconv.Atoi(amount)
		if err != nil {
			panic(err)
		}
		do(what, n)
	}
	release() // at the end the kernel would do it, in CPU time that counts for the command after it has said its own
	fmt.Printf("%.3f %.3f %.3f\n", cpu(syscall.RUSAGE_SELF), cpu(syscall.RUSAGE_CHILDREN), before)
}

func do(what string, n int) {
	switch what {
	case "hold": // megabytes
		hold(n)
	case "burn": // milliseconds of CPU
		for until := cpu(syscall.RUSAGE_SELF) + float64(n)/1000; cpu(syscall.RUSAGE_SELF) < until; {
			for range 1 << 16 {
			}
		}
	case "forks": // children that share what this process holds, but for so many megabytes
		for range forks {
			fork(n)
		}
	case "sleep": // milliseconds
		time.Sleep(time.Duration(n) * time.Millisecond)
	case "burners": // children, one after the other
		for range n {
			run("burn=60", false)
		}
	case "holder": // a child with so many megabytes, for a moment
		run("hold="+strconv.Itoa(n)+" sleep=200", false) // longer than between samples, also on a busy host
	case "orphan": // milliseconds of CPU of a process whose parent has ended
		run("leave="+strconv.Itoa(n), false)
	case "leave":
		run("burn="+strconv.Itoa(n)+" done=0", true)
	case "done": // says how much CPU time this process has used
		text := strconv.FormatFloat(cpu(syscall.RUSAGE_SELF), 'f', 3, 64)
		if err := os.WriteFile(os.Getenv("DONE")+".new", []byte(text), 0o600); err != nil {
			panic(err)
		}
		_ = os.Rename(os.Getenv("DONE")+".new", os.Getenv("DONE"))
	case "await": // waits until another process has said so
		for range 3000 {
			if _, err := os.Stat(os.Getenv("DONE")); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// run runs this program with other work.
func run(work string, leave bool) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "TRACKED="+work)
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if !leave {
		_ = cmd.Wait()
	}
}

// forks is the number of children of "forks".
const forks = 4

// fork starts a child with the memory of this process, as a DataLoader does. The child writes to some megabytes of what
// is held, which are then its own, and ends with its parent. It makes only system calls: Go has one thread in it.
//
//go:norace
func fork(megabytes int) {
	parent := os.Getpid()
	own := held[:megabytes*1e6]
	forever := &syscall.Timespec{Sec: 1000}
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 {
		panic(errno)
	}
	if pid != 0 {
		return
	}
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0)
	if now, _, _ := syscall.RawSyscall(syscall.SYS_GETPPID, 0, 0, 0); int(now) == parent {
		for i := 0; i < len(own); i += 4096 {
			own[i] = 2
		}
		_, _, _ = syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(forever)), 0, 0)
	}
	_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
}

var held []byte // by hold

// hold keeps megabytes of memory.
func hold(n int) {
	memory, err := syscall.Mmap(-1, 0, n*1e6, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		panic(err)
	}
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	held = memory
}

// release gives back what is held.
func release() {
	if held == nil {
		return
	}
	if err := syscall.Munmap(held); err != nil {
		panic(err)
	}
	held = nil
}

// resident is the memory of this process in megabytes. The race detector takes 10 to 20 of them.
func resident() float64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		panic(err)
	}
	return float64(pages*os.Getpagesize()) / 1e6
}

func cpu(who int) float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// tracked runs the work, and returns the report, and the CPU time of the command and of its children and the memory of
// a process that does nothing, as the command says.
func tracked(t *testing.T, work string, every time.Duration) (r *track.Report, main, children, base float64) {
	t.Helper()
	t.Setenv("TRACKED", work)
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var c *track.Child
	tracker, err := track.New(track.Options{Proc: "/proc", Self: os.Getpid(), Interval: every, Cores: 2,
		Own: func(pid int) bool { return c.Own(pid) }})
	if err != nil {
		t.Fatal(err)
	}
	defer tracker.Close()
	if err := track.AdoptDescendants(); err != nil {
		t.Fatal(err)
	}
	c, err = track.StartChild([]string{"/proc/self/exe"}, track.ChildStreams{In: os.Stdin, Out: out, Err: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	var own syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &own)
	tracker.Begin(time.Now(), c.PID(), track.PeakOf(&own))
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for running := true; running; {
		select {
		case <-ticker.C:
			tracker.Sample(time.Now())
		case <-c.Ended():
			tracker.End(time.Now())
			running = false
		}
	}
	result := c.Reap()
	tracker.Peak(result.Peak)
	if result.Status != 0 {
		t.Fatalf("status %d", result.Status)
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscan(out, &main, &children, &base); err != nil {
		t.Fatal(err)
	}
	r = tracker.Report(track.Units{RAM: "megabytes", GPURAM: "megabytes", Time: "seconds"})
	var text bytes.Buffer
	if err := track.Text(&text, r); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\nthe command used %.3f s of CPU, its children %.3f s", &text, main, children)
	return r, main, children, base
}

// near checks that a number is within 5 percent.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.05*want {
		t.Errorf("%s is %.3f, want %.3f within 5 %%", what, got, want)
	}
}

// seconds is the CPU time in a report.
func seconds(r *track.Report, p track.Percents) float64 { return p.MeanSum * r.Time.Time / 100 }

func TestMemoryAndCPU(t *testing.T) {
	r, main, _, base := tracked(t, "hold=400 burn=700 sleep=150", 50*time.Millisecond)
	near(t, "total RSS", r.RAM.Main.Total, base+400)
	near(t, "private RSS", r.RAM.Main.Private, base+400)
	near(t, "combined RSS", r.RAM.Combined.Total, base+400)
	near(t, "CPU time", seconds(r, r.CPU.Main), main)
	if r.CPU.Main.MaxSum < r.CPU.Main.MeanSum || r.CPU.Main.MaxHardware != r.CPU.Main.MaxSum/2 ||
		r.CPU.MainThreads < 2 {
		t.Errorf("%+v", r.CPU)
	}
	if none := r.RAM.Descendants; none != (track.RSS{}) || r.CPU.Descendants != (track.Percents{}) ||
		r.CPU.DescendantsThreads != 0 {
		t.Errorf("descendants: %+v, %+v", none, r.CPU)
	}
	if r.RAM.SystemCapacity < r.RAM.System || r.RAM.System < 400 || r.Time.Time < 0.85 || r.CPU.System.MaxSum <= 0 {
		t.Errorf("system: %+v, %+v, %v", r.RAM, r.CPU.System, r.Time)
	}
}

// TestBetweenSamples tracks processes that live and die between two samples.
func TestBetweenSamples(t *testing.T) {
	r, main, children, base := tracked(t, "burners=12 holder=400", time.Minute)
	near(t, "CPU time of descendants", seconds(r, r.CPU.Descendants), children)
	near(t, "CPU time of all", seconds(r, r.CPU.Combined), main+children)
	near(t, "RSS of descendants", r.RAM.Descendants.Total, base+400)
	near(t, "RSS of all", r.RAM.Combined.Total, base+400)
	if r.RAM.Main.Total > 50 {
		t.Errorf("the command has %+v", r.RAM.Main)
	}
}

// TestLastMoment tracks memory that the command itself takes after the last sample.
func TestLastMoment(t *testing.T) {
	r, _, _, base := tracked(t, "sleep=20 hold=400", time.Minute)
	near(t, "RSS", r.RAM.Main.Total, base+400)
	if r.RAM.Descendants != (track.RSS{}) {
		t.Errorf("descendants: %+v", r.RAM.Descendants)
	}
}

// TestOrphan tracks a process without its parent, while it runs and after its end.
func TestOrphan(t *testing.T) {
	done := filepath.Join(t.TempDir(), "done")
	t.Setenv("DONE", done)
	r, _, parents, _ := tracked(t, "orphan=1500 await=0 sleep=200", 50*time.Millisecond)
	text, err := os.ReadFile(done)
	if err != nil {
		t.Fatal(err)
	}
	orphan, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "CPU time of descendants", seconds(r, r.CPU.Descendants), orphan+parents)
	if r.CPU.DescendantsThreads == 0 || r.RAM.Descendants.Total == 0 {
		t.Errorf("no descendant was seen: %+v", r)
	}
}

// TestForks tracks processes that share the memory of their parent. There are more pages than may be walked at once.
func TestForks(t *testing.T) {
	r, _, _, base := tracked(t, "hold=120 sleep=200 forks=10 sleep=3000", 50*time.Millisecond)
	near(t, "RSS of all", r.RAM.Combined.Total, base+120+forks*10)
	near(t, "RSS of the command", r.RAM.Main.Total, base+120)
	near(t, "RSS of descendants", r.RAM.Descendants.Total, base+110+forks*10)
}

func TestFamily(t *testing.T) {
	r, _, _, base := tracked(t, "hold=300 holder=600", 20*time.Millisecond)
	near(t, "RSS of the command", r.RAM.Main.Total, base+300)
	near(t, "RSS of descendants", r.RAM.Descendants.Total, base+600)
	near(t, "RSS of all", r.RAM.Combined.Total, 2*base+900)
}
