package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The load of measureTrack: a node with GPUs, and a command with descendants that do nothing.
const (
	trackedGPUs        = 8
	trackedDescendants = 16
	trackStart         = 3 // seconds of a run that is subtracted: the start of the program and of its probe
)

// measureTrack measures the cost of nvnodetop track at one sample per second, with its probe, without a cluster. The
// fake NVML of scripts/fakenvml has the GPUs. The command itself is included, but uses next to nothing.
func measureTrack(seconds int) error {
	dir, err := os.MkdirTemp("", "nvnodetop-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	exe := filepath.Join(dir, "nvnodetop")
	for _, args := range [][]string{{"go", "build", "-o", exe, "./cmd/nvnodetop"}, {"scripts/fakenvml/build", dir}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	scenario := filepath.Join(dir, "scenario")
	if err := os.WriteFile(scenario, fmt.Appendf(nil, "count %d\nhopper\n", trackedGPUs), 0o600); err != nil {
		return err
	}
	run := func(seconds int) (time.Duration, error) {
		cmd := exec.Command(exe, "track", "--output", filepath.Join(dir, "report"), "--", "sh", "-c",
			fmt.Sprintf("for i in $(seq %d); do sleep %d & done; wait", trackedDescendants, seconds))
		cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Join(dir, "current"), "FAKENVML_SCENARIO="+scenario)
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("nvnodetop track: %w: %s", err, out)
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
	}
	start, err := run(trackStart)
	if err != nil {
		return err
	}
	all, err := run(trackStart + seconds)
	if err != nil {
		return err
	}
	report, err := os.ReadFile(filepath.Join(dir, "report"))
	if err != nil {
		return err
	}
	if !strings.Contains(string(report), fmt.Sprintf("System GPU count: %d", trackedGPUs)) {
		return fmt.Errorf("the probe was not there:\n%s", report)
	}
	fmt.Printf("nvnodetop track with its probe, %d GPUs, %d descendants, %d s at one sample per second:\n", trackedGPUs,
		trackedDescendants, seconds)
	fmt.Printf("  CPU                %6.3f %% of a core\n", 100*(all-start).Seconds()/float64(seconds))
	fmt.Printf("  start and end      %6.0f ms\n", start.Seconds()*1000)
	return nil
}
