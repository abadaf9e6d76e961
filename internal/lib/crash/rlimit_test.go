package crash

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/test/raced"
)

// limitTexts is /proc/self/limits of a session without limits, on Linux 6.1.
const limitTexts = `Limit                     Soft Limit           Hard Limit           Units     
Max cpu time              unlimited            unlimited            seconds   
Max file size             unlimited            unlimited            bytes     
Max data size             unlimited            unlimited            bytes     
Max stack size            8388608              unlimited            bytes     
Max core file size        0                    unlimited            bytes     
Max resident set          unlimited            unlimited            bytes     
Max processes             93985                93985                processes 
Max open files            1024                 1048576              files     
Max locked memory         3095629824           3095629824           bytes     
Max address space         unlimited            unlimited            bytes     
`

func TestOfProbe(t *testing.T) {
	with := func(key, value string) string {
		line := key + strings.Repeat(" ", 26-len(key)) + value + " unlimited units\n"
		return strings.Replace(limitTexts, "Max cpu time ", line+"Max cpu time ", 1)
	}
	for _, c := range []struct {
		list string
		file uint64
		want string // May and Needs
	}{
		{limitTexts, 5 << 20, ""},
		{"", 5 << 20, ""},
		{with("Max address space", "600000000"), 0, "use only 572 MiB of virtual memory (ulimit -v): 1.75 GiB"},
		{with("Max address space", "614400000"), 0, "use only 585 MiB of virtual memory (ulimit -v): 1.75 GiB"},
		{with("Max address space", "2048000000"), 0, ""},
		{with("Max data size", "51200000"), 0, "use only 48 MiB of data (ulimit -d): 128 MiB"},
		{with("Max processes", "3"), 0, "have only 3 processes and threads (ulimit -u): 16"},
		{with("Max open files", "5"), 0, "open only 5 files (ulimit -n): 64"},
		{with("Max file size", "512"), 5 << 20, "write only files of 512 bytes (ulimit -f): 5 MiB"},
		{with("Max file size", "10240"), 5 << 20, "write only files of 10 KiB (ulimit -f): 5 MiB"},
		{with("Max file size", "512"), 0, ""}, // nothing had to be written
		{limitTexts + MemoryLimitKey + " 16777216\n", 0, "use only 16 MiB of memory (cgroup): 48 MiB"},
		{limitTexts + MemoryLimitKey + " max\n" + MemoryLimitKey + " 16777216\n", 0, "use only 16 MiB of memory (cgroup): 48 MiB"},
		{limitTexts + MemoryLimitKey + " 9223372036854771712\n" + MemoryLimitKey + "\n", 0, ""},
		{"Max address space -1\nMax open files\nMax address space", 0, ""},
	} {
		got := ""
		if s := ProbeShortage(c.list, c.file); s != nil {
			got = s.May + ": " + s.Needs
		}
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestOfProgram asks about limits of its own, in a process of its own.
func TestOfProgram(t *testing.T) {
	if os.Getenv("LIMITED") != "" {
		for of, value := range map[int]uint64{unix.RLIMIT_AS: 1790 << 20, unix.RLIMIT_NOFILE: 20} {
			if os.Getenv("LIMITED") != map[int]string{unix.RLIMIT_AS: "-v", unix.RLIMIT_NOFILE: "-n"}[of] {
				continue
			}
			if err := unix.Setrlimit(of, &unix.Rlimit{Cur: value, Max: value}); err != nil {
				t.Fatal(err)
			}
		}
		if s := ProgramShortage(); s != nil {
			_, _ = os.Stderr.WriteString("said: " + s.Error() + "\n")
		}
		return
	}
	for flag, want := range map[string]string{
		"-v": "this session may use only 1790 MiB of virtual memory (ulimit -v): nvnodetop needs 1.75 GiB",
		"-n": "this session may open only 20 files (ulimit -n): nvnodetop needs 32",
		"no": "",
	} {
		if flag == "-v" && raced.On { // the detector alone has mapped more: under the limit the runtime gets nothing
			continue
		}
		cmd := exec.Command(os.Args[0], "-test.run=TestOfProgram")
		cmd.Env = append(os.Environ(), "LIMITED="+flag)
		out, err := cmd.CombinedOutput()
		_, said, _ := strings.Cut(string(out), "said: ")
		if said, _, _ = strings.Cut(said, "\n"); err != nil || said != want {
			t.Errorf("%s: %q, %v, want %q in %s", flag, said, err, want, out)
		}
	}
}

// FuzzOfProbe: the list comes from a node.
func FuzzOfProbe(f *testing.F) {
	f.Add(limitTexts, uint64(5))
	f.Add(MemoryLimitKey+" 99999999999999999999\n", uint64(0))
	f.Fuzz(func(_ *testing.T, list string, file uint64) { ProbeShortage(list, file) })
}
