package procs

import (
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// inspected inspects a process of a /proc.
func inspected(t *testing.T, mount string, pid int, memory bool) *wire.InspectedProcess {
	t.Helper()
	in := NewInspector(mount, sample.Now)
	stat, err := proc.Of(mount, pid).Stat()
	if err != nil {
		t.Fatal(err)
	}
	got, err := in.Inspect(wire.Inspect{ProcessID: wire.ProcessID{PID: pid, StartTicks: stat.Start},
		Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// What the kernel says of this very process is what it has.
func TestInspectItself(t *testing.T) {
	if _, err := os.Stat("/proc/self/smaps"); err != nil {
		t.Skip("no /proc")
	}
	name := filepath.Join(t.TempDir(), "a file")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.WriteString("12345"); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	got := inspected(t, "/proc", os.Getpid(), true)
	if len(got.Absent) > 0 {
		t.Errorf("absent: %v", got.Absent)
	}
	if !slices.Equal(got.Arguments, os.Args) {
		t.Errorf("arguments %q, want %q", got.Arguments, os.Args)
	}
	if at := slices.IndexFunc(got.Files.Files, func(f wire.OpenFile) bool { return f.Path == name }); at < 0 ||
		got.Files.Files[at].FD != int(f.Fd()) || got.Files.Files[at].Mode != "rw" || got.Files.Files[at].Position != 5 {
		t.Errorf("files %+v", got.Files)
	}
	if !slices.ContainsFunc(got.Connections, func(c wire.InspectedConnection) bool {
		return c.Local == l.Addr().String() && c.Status == "LISTEN" && c.Protocol == "tcp" && c.Remote == ""
	}) {
		t.Errorf("connections %+v, want one at %v", got.Connections, l.Addr())
	}
	if len(got.Threads) < 2 || !slices.ContainsFunc(got.Threads,
		func(t wire.InspectedThread) bool { return t.ID == os.Getpid() }) {
		t.Errorf("threads %+v", got.Threads)
	}
	if len(got.UIDs) != 4 || got.UIDs[0] != os.Getuid() || got.GIDs[0] != os.Getgid() {
		t.Errorf("users %v, groups %v", got.UIDs, got.GIDs)
	}
	m, full := got.Memory, got.Full
	if m.RSS == 0 || m.VMS < m.RSS || m.Peak < m.RSS/2 || full.USS == 0 || full.PSS < full.USS || full.PSS > m.VMS ||
		len(full.Maps) == 0 || full.Maps[0].RSS == 0 {
		t.Errorf("memory %+v, %+v", m, full)
	}
	if at := slices.IndexFunc(got.Limits, func(l wire.InspectedLimit) bool { return l.Name == "Max open files" }); at < 0 ||
		got.Limits[at].Unit != "files" || got.Limits[at].Soft == nil {
		t.Errorf("limits %+v", got.Limits)
	}
	if got.Policy != "other" || got.IOPriority == "" || *got.UserSeconds+*got.SystemSeconds < 0 || got.IO.Reads == 0 ||
		got.VoluntarySwitches == nil || got.CPUAffinity == "" || *got.LastCPU < 0 {
		t.Errorf("%+v", got)
	}
	if got := inspected(t, "/proc", os.Getpid(), false); got.Full != nil {
		t.Error("the memory is read in full, and nobody asked for it")
	}
}

// Niceness, limits and the state of another process are its own.
func TestInspectAChild(t *testing.T) {
	child := exec.Command("sh", "-c", "ulimit -n 77; renice -n 7 $$ >/dev/null; exec sleep 60")
	if err := child.Start(); err != nil {
		t.Skip(err)
	}
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	for range 100 {
		if text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child.Process.Pid)); strings.HasPrefix(string(text),
			"sleep") {
			break
		}
		_, _ = exec.Command("sleep", "0.05").Output()
	}
	got := inspected(t, "/proc", child.Process.Pid, false)
	if *got.Nice != 7 || !slices.Equal(got.Arguments, []string{"sleep", "60"}) {
		t.Errorf("nice %v, %q", *got.Nice, got.Arguments)
	}
	at := slices.IndexFunc(got.Limits, func(l wire.InspectedLimit) bool { return l.Name == "Max open files" })
	if at < 0 || *got.Limits[at].Soft != 77 || *got.Limits[at].Hard != 77 {
		t.Errorf("limits %+v", got.Limits)
	}
}

// Of another user's process only what everybody may see is read, also by root; the rest has its reason.
func TestInspectAnotherUsers(t *testing.T) {
	uid := strconv.Itoa(os.Getuid() + 4242)
	files := fakeproc.Of("42", "python", "1000", "python3\x00-c\x00print(1, 2)\x00", uid)
	maps.Copy(files, map[string]string{"42/io": "rchar: 1\n", "42/smaps": "", "42/fd/0": "", "42/net/tcp": "",
		"42/limits": "Limit                     Soft Limit           Hard Limit           Units     \n" +
			"Max cpu time              unlimited            9                    seconds   \n",
		"42/task/42/stat": files["42/stat"], "42/statm": "100 20 10 3 0 40 0\n"})
	files["42/status"] += "VmSize:\t400 kB\nVmHWM:\t90 " +
		"kB\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t6\n"
	got := inspected(t, fakeproc.Write(t, files), 42, true)
	for _, key := range []string{"io", "full_memory", "descriptors", "connections"} {
		if want := "the process belongs to " + uid; got.Absent[key] != want {
			t.Errorf("%s is absent since %q, want %q", key, got.Absent[key], want)
		}
	}
	page := uint64(os.Getpagesize())
	if got.IO != nil || got.Full != nil || got.Files != nil || got.Connections != nil ||
		!slices.Equal(got.Arguments, []string{"python3", "-c", "print(1, 2)"}) || *got.VoluntarySwitches != 5 ||
		*got.InvoluntarySwitches != 6 || got.Memory.VMS != 100*page || got.Memory.Shared != 10*page ||
		got.Memory.Peak != 90<<10 || len(got.Threads) != 1 || got.Threads[0].UserSeconds != 1 ||
		len(got.Limits) != 1 || got.Limits[0].Soft != nil || *got.Limits[0].Hard != 9 ||
		got.Limits[0].Unit != "seconds" {
		t.Errorf("%+v", got)
	}
}

func TestTerminal(t *testing.T) {
	for device, want := range map[int]string{0: "", 136 << 8: "pts/0", 136<<8 | 3: "pts/3", 137<<8 | 1: "pts/257",
		4<<8 | 2: "tty2", 4<<8 | 64: "ttyS0", 5<<8 | 1: "console", 1 << 8: ""} {
		if got := terminalName(device); got != want {
			t.Errorf("%#x is %q, want %q", device, got, want)
		}
	}
}

func TestSocket(t *testing.T) {
	for line, want := range map[string]wire.InspectedConnection{
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100": {
			Local: "127.0.0.1:8080", Status: "LISTEN"},
		"   1: 0A00000A:735C 0B00000A:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100": {
			Local: "10.0.0.10:29532", Remote: "10.0.0.11:40000", Status: "ESTABLISHED"},
		"   2: 00000000000000000000000001000000:0016 000080FE00000000FF005450FE563412:D431 06 " +
			"00000000:00000000 00:00000000 00000000  0 0 4711": {Local: "[::1]:22",
			Remote: "[fe80::5054:ff:1234:56fe]:54321", Status: "TIME_WAIT"},
	} {
		got, inode, ok := parseSocket([]byte(line))
		if !ok || inode != 4711 || got != want {
			t.Errorf("%s: %+v, %d, %v", line, got, inode, ok)
		}
	}
	for _, line := range []string{"", "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   " +
		"uid  timeout inode",
		"0: 0100007F:1F90 zz:0000 0A 0 0 0 0 0 4711", "1: 01:1 01:1 0A 0 0 0 0 0 4711"} {
		if got, _, ok := parseSocket([]byte(line)); ok {
			t.Errorf("%q is %+v", line, got)
		}
	}
}

// Files are summed up over their areas. Areas without a file are one.
func TestSumMaps(t *testing.T) {
	area := func(head string, rss, private int) string {
		return fmt.Sprintf("%s\nSize:   100 kB\nRss:  %d kB\nPss:  %d kB\nPss_Dirty: 99 kB\nPrivate_Clean:  1 kB\n"+
			"Private_Dirty: %d kB\nSwap: 2 kB\nSwapPss: 77 kB\nTHPeligible:    0\nVmFlags: rd ex mr\n", head, rss,
			rss/2,
			private-1)
	}
	text := area("55d0-55d1 r--p 00000000 08:01 42   /usr/bin/python 3", 10, 4) +
		area("7ffd0000-7ffd1000 rw-p 00000000 00:00 0 ", 20, 20) +
		area("55d1-55d2 r-xp 00001000 08:01 42   /usr/bin/python 3", 30, 6)
	full, files, err := sumMaps(strings.NewReader(text), sample.Now().Wall.AddDate(1, 0, 0))
	if err != nil || full.USS != 30<<10 || full.PSS != 30<<10 || full.Swap != 6<<10 || len(files) != 2 ||
		files["/usr/bin/python 3"] != (wire.InspectedMapping{Path: "/usr/bin/python 3", Areas: 2, Size: 200 << 10,
			RSS: 40 << 10,
			PSS: 20 << 10, Private: 10 << 10, Swap: 4 << 10}) || files["[anon]"].RSS != 20<<10 {
		t.Errorf("%+v, %+v, %v", full, files, err)
	}
	if _, _, err := sumMaps(strings.NewReader(text), sample.Now().Wall); err == nil {
		t.Error("it may take for ever")
	}
}
