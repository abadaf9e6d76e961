package probe

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// A process of this machine, its child and its grandchild, and the test that has started it.
func TestFamilyOfRealProcesses(t *testing.T) {
	sh := exec.Command("sh", "-c", `sh -c 'sleep 60 & echo $!; wait' & echo $!; wait`)
	out, err := sh.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := sh.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var pids []int
	for len(pids) < 2 && lines.Scan() {
		pid, _ := strconv.Atoi(lines.Text())
		pids = append(pids, pid)
	}
	t.Cleanup(func() {
		for _, pid := range append(pids, sh.Process.Pid) {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
		}
		_ = sh.Wait()
	})
	slices.Sort(pids)
	// a shell says the PID of a child before that has become its program
	for name := []byte{}; string(name) != "sleep\n"; name, _ = os.ReadFile(fmt.Sprintf("/proc/%d/comm", pids[1])) {
		time.Sleep(time.Millisecond)
	}
	list, truncated, err := newDesk().Family(wire.Family{PIDs: []int{pids[0]}})
	if err != nil || truncated {
		t.Fatalf("%v, %v", truncated, err)
	}
	at := map[int]wire.Relative{}
	for _, r := range list {
		at[r.PID] = r
	}
	for _, pid := range []int{pids[0], pids[1], sh.Process.Pid, os.Getpid()} {
		if _, known := at[pid]; !known {
			t.Errorf("%d is not in the family of %d: %+v", pid, pids[0], list)
		}
	}
	leaf := at[pids[1]]
	if leaf.Parent != pids[0] || leaf.Name != "sleep" || leaf.Command != "sleep 60" || leaf.UID == nil ||
		leaf.User != fmt.Sprint("user", os.Getuid()) ||
		leaf.StartTicks != identify(t, pids[1]).StartTicks || leaf.RSS == nil || leaf.CPUTicks == nil ||
		leaf.State == "" {
		t.Errorf("the grandchild: %+v", leaf)
	}
}

// procNode is a /proc with processes: PID, parent, session and name of each.
func procNode(t *testing.T, processes ...string) *processDesk {
	t.Helper()
	files := map[string]string{}
	for _, p := range processes {
		f := strings.Fields(p)
		maps.Copy(files, fakeproc.Of(f[0], f[3], "77", strings.Join(f[3:], "\x00"), "7"))
		files[f[0]+"/stat"] = strings.Replace(files[f[0]+"/stat"], " S 1 1 1 ",
			fmt.Sprintf(" S %s %s %s ", f[1], f[0], f[2]), 1)
	}
	return newProcessDesk(fakeproc.Write(t, files), newDesk().words)
}

func pidsOf(list []wire.Relative) (pids []int) {
	for _, r := range list {
		pids = append(pids, r.PID)
	}
	return pids
}

// Ancestors end at slurmstepd, or at the parent of the session; siblings and strangers do not belong to the family.
func TestFamily(t *testing.T) {
	d := procNode(t,
		"1 0 1 systemd", "20 1 20 slurmd", "30 1 30 slurmstepd", "40 30 40 bash run.sh", "41 40 40 torchrun",
		"50 41 50 python", "51 41 51 python",
		"60 50 50 loader", "61 50 50 loader", "70 60 50 nvcc",
		"80 1 80 sshd", "81 80 81 bash", "82 81 81 make", "83 82 81 cc1", "84 81 81 vim",
	)
	for _, test := range []struct {
		of   []int
		want []int
	}{
		{[]int{50}, []int{30, 40, 41, 50, 60, 61, 70}}, // of another session than the script
		{[]int{60}, []int{30, 40, 41, 50, 60, 70}},
		{[]int{50, 60, 60}, []int{30, 40, 41, 50, 60, 61, 70}},
		{[]int{82}, []int{80, 81, 82, 83}},
		{[]int{51, 83}, []int{30, 40, 41, 51, 80, 81, 82, 83}},
		{[]int{99}, nil},
		{[]int{99, -1, 82}, []int{80, 81, 82, 83}},
	} {
		list, truncated, err := d.Family(wire.Family{PIDs: test.of})
		if err != nil || truncated || !slices.Equal(pidsOf(list), test.want) {
			t.Errorf("%d: %d, %v, %v, want %d", test.of, pidsOf(list), truncated, err, test.want)
		}
	}
	for _, of := range [][]int{nil, make([]int, wire.MaxTargets+1)} {
		if _, _, err := d.Family(wire.Family{PIDs: of}); err == nil {
			t.Errorf("a family of %d processes", len(of))
		}
	}
}

// A process that is its own grandparent, as no kernel shows it, is no endless family.
func TestFamilyWithACircle(t *testing.T) {
	list, _, err := procNode(t, "40 50 40 a", "50 40 40 b").Family(wire.Family{PIDs: []int{40}})
	if err != nil || !slices.Equal(pidsOf(list), []int{40, 50}) {
		t.Errorf("got %d, %v", pidsOf(list), err)
	}
}

// A large family is cut: the process and its ancestors stay, and the reply fits in a line.
func TestFamilyIsCapped(t *testing.T) {
	processes := []string{"10 1 10 slurmstepd", "2000 10 2000 bash"}
	for i := range 1200 {
		processes = append(processes, fmt.Sprintf("%d 2000 2000 worker %s", 3000+i, strings.Repeat("\x01", 300)))
	}
	d := procNode(t, processes...)
	list, truncated, err := d.Family(wire.Family{PIDs: []int{2000}})
	if err != nil || !truncated || len(list) < 200 || len(list) > wire.MaxRelatives || list[0].PID != 10 ||
		list[1].PID != 2000 {
		t.Errorf("%d processes, %v, %v", len(list), truncated, err)
	}
	d.words.Command = func([]string) string { return "" }
	if list, truncated, _ := d.Family(wire.Family{PIDs: []int{2000}}); !truncated || len(list) != wire.MaxRelatives {
		t.Errorf("%d processes, %v", len(list), truncated)
	}
}

// If the read of a command line or a name hangs, the family is there without it.
func TestHangingFamily(t *testing.T) {
	d := procNode(t, "40 1 40 bash", "41 40 40 python", "42 41 40 python")
	d.patience = 20 * time.Millisecond
	release := make(chan struct{})
	defer close(release)
	d.words.Command = func(args []string) string {
		if args[0] == "python" {
			<-release
		}
		return strings.Join(args, " ")
	}
	list, _, err := d.Family(wire.Family{PIDs: []int{41}})
	if err != nil || !slices.Equal(pidsOf(list), []int{40, 41, 42}) || list[0].Command != "bash" ||
		list[1].Command != "" || list[1].Name != "python" || list[2].UID == nil {
		t.Errorf("got %+v, %v", list, err)
	}
}

// The answer to a signal for 8 processes, as on one node of a job with 128 ranks.
func BenchmarkSignal(b *testing.B) {
	var s wire.Signal
	for range 8 {
		c := exec.Command("sleep", "600")
		if err := c.Start(); err != nil {
			b.Fatal(err)
		}
		defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
		stat, _ := proc.Of("/proc", c.Process.Pid).Stat()
		s.Processes = append(s.Processes, wire.ProcessID{PID: c.Process.Pid, StartTicks: stat.Start})
	}
	s.Number = 18 // CONT does nothing to them
	d := newDesk()
	for b.Loop() {
		if list, err := d.Signal(s); err != nil || list[7].Error != "" {
			b.Fatalf("%+v, %v", list, err)
		}
	}
}
