package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// What is read is what the files have at the places that proc(5) tells: of a process, and of files with odd contents.
// The process is stopped, so that nothing changes between two readings.
func TestPlacesOfNumbers(t *testing.T) {
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
	p := Of(mount, pid)
	same := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s of %d: %+v, want %+v", what, pid, got, want)
		}
	}
	read := func(name string) string {
		text, _ := os.ReadFile(p.filePath(name))
		return string(text)
	}
	stat, err := p.Stat()
	text := read("stat")
	at := strings.LastIndex(text, ")")
	same("name", fmt.Sprintf("%d (%s", stat.PID, stat.Comm), text[:at])
	fields := strings.Fields(text[at+1:])
	for n, got := range map[int]any{3: stat.State, 4: stat.Parent, 6: stat.Session, 7: stat.Terminal, 10: stat.Minor,
		11: stat.Children.Minor, 12: stat.Major, 13: stat.Children.Major, 14: stat.User, 15: stat.System,
		16: stat.Children.User, 17: stat.Children.System, 18: stat.Priority, 19: stat.Nice, 20: stat.Threads,
		22: stat.Start, 24: stat.RSS, 39: stat.CPU, 41: stat.Policy, 42: stat.DiskWaits, 48: stat.ArgumentsFrom,
		49: stat.ArgumentsTo, 50: stat.EnvironFrom, 51: stat.EnvironTo} {
		same(fmt.Sprint("field ", n), fmt.Sprint(got), fields[n-3])
	}
	same("error", err, nil)
	status, err := p.Status()
	same("error", err, nil)
	compareKeys(t, read("status"), map[string]any{"Uid": status.UIDs, "Gid": status.GIDs, "NSpid": status.NSPIDs,
		"VmSize": status.VMSize, "VmHWM": status.VMHWM, "VmLck": status.VMLck, "VmSwap": status.VMSwap,
		"voluntary_ctxt_switches": status.Voluntary, "nonvoluntary_ctxt_switches": status.Involuntary})
	io, err := p.IO()
	same("error", err, nil)
	compareKeys(t, read("io"), map[string]any{"rchar": io.ReadChars, "wchar": io.WrittenChars, "syscr": io.Reads,
		"syscw": io.Writes, "read_bytes": io.ReadBytes, "write_bytes": io.WrittenBytes})
	arguments, err := p.Arguments()
	same("error", err, nil)
	same("arguments", strings.Join(arguments, "\x00"), strings.TrimRight(read("cmdline"), "\x00"))
	environ, _ := p.Environ() // some have none
	same("environment", strings.Join(environ, "\x00"), strings.TrimSuffix(read("environ"), "\x00"))
	groups := []string(nil)
	for line := range strings.Lines(read("cgroup")) {
		_, path, _ := strings.Cut(line[strings.Index(line, ":")+1:len(line)-1], ":")
		groups = append(groups, path)
	}
	same("cgroups", p.Cgroups(), groups)
}

// compareKeys compares numbers with those of lines such as "VmSize:  400 kB" and "Uid:  1 1 1 1".
func compareKeys(t *testing.T, text string, got map[string]any) {
	t.Helper()
	for key, number := range got {
		_, line, _ := strings.Cut("\n"+text, "\n"+key+":")
		line, _, _ = strings.Cut(line, "\n")
		if size, kilo := strings.CutSuffix(line, " kB"); kilo {
			line = size
			number = number.(uint64) >> 10
		}
		if want := strings.Join(strings.Fields(line), " "); strings.Trim(fmt.Sprint(number), "[]") != want {
			t.Errorf("%s: %v, want %s", key, number, want)
		}
	}
}

// The sums of the areas are the same in one file and, on old kernels, area by area.
func TestRollup(t *testing.T) {
	const sums = "Size: 90 kB\nRss:    60 kB\nPss: 31 kB\nShared_Clean: 1 kB\nShared_Dirty: 2 kB\n" +
		"Private_Clean: 4 kB\nPrivate_Dirty: 8 kB\nPrivate_Hugetlb: 7 kB\nSwap: 5 kB\nSwapPss: 5 kB\n"
	mount := fakeproc.Write(t, map[string]string{"1/smaps_rollup": "55d0-7ffc ---p 00000000 00:00 0    [rollup]\n" + sums,
		"2/smaps": "55d0-55e0 r--p 00000000 08:01 9 /a: Rss: 3 kB\n" + sums + "55f0-5600 rw-p 00000000 00:00 0\n" + sums +
			"VmFlags: rd mr\n", "3/stat": ""})
	for pid, want := range map[int]Rollup{1: {60 << 10, 31 << 10, 12 << 10, 3 << 10},
		2: {120 << 10, 62 << 10, 24 << 10, 6 << 10}} {
		if got, err := Of(mount, pid).Rollup(); got != want || err != nil {
			t.Errorf("%d: %+v, %v, want %+v", pid, got, err, want)
		}
	}
	if got, err := Of(mount, 3).Rollup(); err == nil {
		t.Errorf("no file is %+v", got)
	}
	if here, err := Of("/proc", os.Getpid()).Rollup(); err == nil &&
		(here.PSS > here.RSS || here.Private+here.Shared > here.RSS || here.Private == 0) {
		t.Errorf("%+v", here)
	}
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
	for b.Loop() {
		_, _ = Of("/proc", os.Getpid()).Stat()
	}
}

// A file that is longer than usual is read to its end: a user may be in hundreds of groups.
func TestLongStatus(t *testing.T) {
	dir := t.TempDir()
	text := "Name:\tx\nGroups:\t" + strings.Repeat("1000001 ", statusSize/8) + "\nCpus_allowed_list:\t0-3,8\nMems_allowed:\t1\n"
	if err := os.WriteFile(filepath.Join(dir, "status"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, known := Process(dir).AllowedCPUs(); !known || list != "0-3,8" {
		t.Errorf("got %q, %v", list, known)
	}
	if list, known := Process(t.TempDir()).AllowedCPUs(); known {
		t.Errorf("a process that has ended may use %q", list)
	}
}
