package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
	"github.com/nvnodetop/nvnodetop/test/term"
)

// The load of measureHost: 8 GPUs that are busy, and the size of each terminal.
const (
	hostPerGPU  = 1 // processes
	hostColumns = 120
	hostRows    = 40
	hostSettles = 20 * time.Second // programs read more at their start
)

// hostProgram is a program that shows the GPUs of this host each second.
type hostProgram struct {
	name     string
	terminal *term.Terminal
	session  int                   // the number of its session, in which all its processes are
	before   map[int]time.Duration // CPU time of each process

	core            float64  // of all its processes, in percent of a core
	cores, resident []string // of each process; resident in MiB
	pss             float64  // MiB
}

// hostCommands returns the commands to compare. Those of others are left out where they are not installed.
func hostCommands(ours, against string) (commands [][]string) {
	for _, program := range []string{ours, against} {
		if program != "" {
			commands = append(commands, []string{program, "1", "1", "--transport", "local"})
		}
	}
	for _, others := range [][]string{{"nvtop", "--delay", "10"}, {"nvitop", "--interval", "1"}} {
		if _, err := exec.LookPath(others[0]); err != nil {
			fmt.Printf("%s is not installed, so it is not measured\n", others[0])
			continue
		}
		commands = append(commands, others)
	}
	return commands
}

// measureHost compares what programs cost on one host with the fake NVML. All of them run at the same time, so that
// other work on the machine slows all of them.
func measureHost(o options) error {
	dir, err := os.MkdirTemp("", "nvnodetop-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ours, err := buildForHost(dir)
	if err != nil {
		return err
	}
	scenario := filepath.Join(dir, "scenario")
	workers, err := work(scenario, hostPerGPU)
	defer stopWork(workers)
	if err != nil {
		return err
	}
	var programs []*hostProgram
	defer func() {
		for _, p := range programs {
			p.terminal.Close()
		}
	}()
	for _, command := range hostCommands(ours, o.against) {
		p, err := showHost(command, dir, scenario)
		if err != nil {
			return err
		}
		programs = append(programs, p)
	}
	time.Sleep(hostSettles)
	began := time.Now()
	for _, p := range programs {
		p.before = p.cpu()
	}
	time.Sleep(time.Duration(o.seconds) * time.Second)
	for _, p := range programs {
		p.noteCosts(time.Since(began))
	}
	fmt.Printf("one host, %d GPUs, %d processes, each second on a terminal of %dx%d, %d s watched:\n", probeGPUs,
		probeGPUs*hostPerGPU, hostColumns, hostRows, o.seconds)
	for _, p := range programs {
		p.report(programs[0])
	}
	return nil
}

// buildForHost builds the fake NVML, and nvnodetop as for a release of this platform.
func buildForHost(dir string) (string, error) {
	platform := "linux/" + runtime.GOARCH
	build := exec.Command("scripts/build", platform)
	build.Env = append(os.Environ(), "PROBES="+platform)
	for _, cmd := range []*exec.Cmd{build, exec.Command("scripts/fakenvml/build", dir)} {
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w: %s", cmd.Path, err, out)
		}
	}
	return "bin/nvnodetop-linux-" + runtime.GOARCH, nil
}

// showHost starts a program in a terminal and waits until it shows GPUs.
func showHost(command []string, dir, scenario string) (*hostProgram, error) {
	home, err := os.MkdirTemp(dir, "home-")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home,
		"TERM=xterm-256color", "COLORTERM=truecolor", "LD_LIBRARY_PATH="+filepath.Join(dir, "current"),
		"FAKENVML_SCENARIO="+scenario)
	t, err := term.Start(cmd, hostColumns, hostRows)
	if err != nil {
		return nil, err
	}
	if _, err := t.WaitFor(time.Minute, "a number", rig.Number.MatchString); err != nil {
		t.Close()
		return nil, fmt.Errorf("%s: %w", command[0], err)
	}
	return &hostProgram{name: filepath.Base(command[0]), terminal: t, session: cmd.Process.Pid}, nil
}

// cpu returns the CPU time of each process of the program.
func (p *hostProgram) cpu() map[int]time.Duration {
	used := map[int]time.Duration{}
	for _, pid := range rig.PIDsOfSession(p.session) {
		used[pid] = rig.CPUOf(pid)
	}
	return used
}

// noteCosts measures the costs of each process since before.
func (p *hostProgram) noteCosts(over time.Duration) {
	used := p.cpu()
	for _, pid := range slices.Sorted(maps.Keys(used)) {
		core := 100 * (used[pid] - p.before[pid]).Seconds() / over.Seconds()
		p.core += core
		p.cores = append(p.cores, fmt.Sprintf("%.2f", core))
		p.resident = append(p.resident, fmt.Sprintf("%.0f", float64(rig.MemoryOf(pid, "VmRSS"))/1024))
		p.pss += float64(rig.SharesOf(pid, "Pss")) / 1024
	}
}

// report prints the costs of a program, and the ratio of those of the first program to them.
func (p *hostProgram) report(first *hostProgram) {
	fmt.Printf("  %-22s %5.2f %% of a core (%s), RSS %s MiB, PSS of all %.1f MiB", p.name, p.core,
		strings.Join(p.cores, " + "), strings.Join(p.resident, " + "), p.pss)
	if p != first {
		fmt.Printf("; the first has %.2f and %.2f of that", first.core/p.core, first.pss/p.pss)
	}
	fmt.Println()
}
