package proc

import (
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/prometheus/procfs"

	"github.com/nvnodetop/nvnodetop/internal/probe/fakeproc"
)

// What is read is what package procfs reads: of a process, and of files with odd contents. The process is stopped, so
// that nothing changes between the two readings.
func TestBesideProcfs(t *testing.T) {
	const numbers = " 5 6 7 8 9 10 11 12 13 100 200 16 17 18 19 3 0 4242 5000 77 18446744073709551615 1 1 0 0 0 0 " +
		"0 0 0 0 0 0 17 3 0 2 44 0 0 0 0 0 0 0 0 0 0\n"
	const io = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\ncancelled_write_bytes: 7\n"
	files := map[string]string{"1/stat": "1 (init) S 0" + numbers, "2/stat": "2 (a) b (c)) R 1" + numbers,
		"3/stat": "3 () Z 1" + strings.Replace(numbers, " 7 8", " -7 -8", 1), "1/cmdline": "a\x00\x00b c\x00\x00",
		"2/cmdline": "", "3/cmdline": "x", "2/environ": "", "3/environ": "A=1\x00\x00B=\x00"}
	for _, pid := range []string{"1", "2", "3"} {
		files[pid+"/status"] = "Name:\tx: y\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nNSpid:\t9\t1\nVmSize:\t  400 kB\n" +
			"VmHWM:\t90 kB\nVmLck:\t1 kB\nVmSwap:\t7 kB\nvoluntary_ctxt_switches:\t5\n" +
			"nonvoluntary_ctxt_switches:\t6\n"
		files[pid+"/io"], files[pid+"/cgroup"] = io, "1:memory,cpu:/a:b\n0::/\n"
	}
	mount := fakeproc.Write(t, files)
	for pid := 1; pid <= 3; pid++ {
		compare(t, mount, pid)
	}
	if got := All(mount); !slices.Contains(got, 2) || len(got) != 3 {
		t.Errorf("processes %v", got)
	}
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		compare(t, "/proc", stopped(t))
	}
}

// stopped starts a process that the kernel has stopped.
func stopped(t *testing.T) int {
	t.Helper()
	command := exec.Command("sleep", "600")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	if err := command.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(command.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("status %v, %v", status, err)
	}
	return command.Process.Pid
}

func compare(t *testing.T, mount string, pid int) {
	t.Helper()
	fs, err := procfs.NewFS(mount)
	if err != nil {
		t.Fatal(err)
	}
	p, err := fs.Proc(pid)
	if err != nil {
		t.Fatal(err)
	}
	own := Of(mount, pid)
	same := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s of %d: %+v, want %+v", what, pid, got, want)
		}
	}
	got, err := own.Stat()
	want, wantErr := p.Stat()
	same("errors", err, wantErr)
	same("names", []string{got.Comm, got.State}, []string{want.Comm, want.State})
	same("numbers", []int{got.PID, got.Parent, got.Session, got.Terminal, got.Priority, got.Nice, got.Threads, got.Policy},
		[]int{want.PID, want.PPID, want.Session, want.TTY, want.Priority, want.Nice, want.NumThreads, int(want.Policy)})
	same("start", got.Start, want.Starttime)
	status, err := own.Status()
	its, wantErr := p.NewStatus()
	same("errors", err, wantErr)
	for i := range status.UIDs {
		same("owners", []int{status.UIDs[i], status.GIDs[i]}, []int{int(its.UIDs[i]), int(its.GIDs[i])})
	}
	arguments, err := own.Arguments()
	wants, wantErr := p.CmdLine()
	same("errors", err, wantErr)
	same("arguments", strings.Join(arguments, "|"), strings.Join(wants, "|"))
	groups, err := p.Cgroups()
	for i, path := range own.Cgroups() {
		same("cgroup", path, groups[i].Path)
	}
	same("errors", nil, err)
	same("counters", []uint64{got.Minor, got.Major, got.User, got.System, got.RSS, got.DiskWaits, got.Children.User,
		got.Children.System, uint64(got.CPU)}, []uint64{uint64(want.MinFlt), uint64(want.MajFlt), uint64(want.UTime),
		uint64(want.STime), uint64(want.RSS), want.DelayAcctBlkIOTicks, uint64(want.CUTime), uint64(want.CSTime),
		uint64(want.Processor)})
	same("sizes", []uint64{status.VMSize, status.VMHWM, status.VMLck, status.VMSwap, status.Voluntary,
		status.Involuntary}, []uint64{its.VmSize, its.VmHWM, its.VmLck, its.VmSwap, its.VoluntaryCtxtSwitches,
		its.NonVoluntaryCtxtSwitches})
	pids := []int{}
	for _, pid := range its.NSpids {
		pids = append(pids, int(pid))
	}
	same("PIDs", status.NSPIDs, pids)
	io, err := own.IO()
	wantIO, wantErr := p.IO()
	same("errors", err, wantErr)
	same("io", io, IO{wantIO.RChar, wantIO.WChar, wantIO.SyscR, wantIO.SyscW, wantIO.ReadBytes, wantIO.WriteBytes})
	environ, err := own.Environ()
	wants, wantErr = p.Environ()
	same("errors", err == nil, wantErr == nil)
	same("environment", strings.Join(environ, "|"), strings.Join(wants, "|"))
}

func TestBrokenStat(t *testing.T) {
	const whole = "7 (x) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
	if s, ok := parseStat([]byte(whole + " -5 1")); !ok || s.RSS != 0 {
		t.Errorf("%+v %v", s, ok)
	}
	for _, text := range []string{"", "7", "7 (x", "7 )x(", "7 (x)", "7 (x) S", whole[:30], whole, whole + " many",
		whole + " -", strings.Replace(whole, "S 1", "S one", 1)} {
		if s, ok := parseStat([]byte(text)); ok {
			t.Errorf("%q is %+v", text, s)
		}
	}
}

// Lines of other files that make no sense are errors, or left out, and never a crash.
func TestBrokenFiles(t *testing.T) {
	mount := fakeproc.Write(t, map[string]string{"1/status": "Uid:\tone\n", "1/io": "rchar: 1\n", "1/statm": "1 2 3\n",
		"1/cgroup": "no colons\n", "1/mountinfo": "36 35 98:0 / /a\\040b\\ rw - ext3 /dev/x\\13 rw,memory\n" +
			"37 36 98:0\n38 36 98:0 / /c rw master:1 - nfs4 host:/x\\040y\n - \n"})
	p := Of(mount, 1)
	_, status := p.Status()
	_, io := p.IO()
	_, pages := p.Statm()
	if status == nil || io == nil || pages == nil || len(p.Cgroups()) > 0 || len(p.Threads()) > 0 {
		t.Errorf("%v, %v, %v", status, io, pages)
	}
	mounts, err := Mounts(mount, "1")
	if want := []Mount{{36, "98:0", "/", `/a b\`, "ext3", `/dev/x\13`, []string{"rw", "memory"}},
		{38, "98:0", "/", "/c", "nfs4", "host:/x y", nil}}; err != nil || !reflect.DeepEqual(mounts, want) {
		t.Errorf("%+v, %v, want %+v", mounts, err, want)
	}
}

func BenchmarkStat(b *testing.B) {
	b.Run("here", func(b *testing.B) {
		for b.Loop() {
			_, _ = Of("/proc", os.Getpid()).Stat()
		}
	})
	b.Run("procfs", func(b *testing.B) {
		fs, err := procfs.NewFS("/proc")
		if err != nil {
			b.Skip(err)
		}
		for b.Loop() {
			p, _ := fs.Proc(os.Getpid())
			_, _ = p.Stat()
		}
	})
}
