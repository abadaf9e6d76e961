package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
)

// The load of measureProbe: a node with 8 GPUs in which each has 2 processes.
const (
	probeGPUs      = 8
	probePerGPU    = 2
	probeIntervals = 500 * time.Millisecond
	probeSkipped   = 10 // reports at the start that do not count: the first ones are whole, and read everything
)

// measureProbe measures a report of the probe alone, on the fake NVML of scripts/fakenvml, without a cluster: its CPU
// time, its bytes and the memory of the process, with the probe of a release, and with the program of go install, which
// is its own probe. The GPUs are busy and their values change in each report; each report lists processes.
func measureProbe(reports int) error {
	dir, err := os.MkdirTemp("", "nvnodetop-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	small := filepath.Join(dir, "nvnodetop-probe")
	for _, args := range [][]string{{"scripts/build", "--probe", "linux/" + runtime.GOARCH, small},
		{"scripts/fakenvml/build", dir}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", args[0], err, out)
		}
	}
	whole, err := buildCopy(dir)
	if err != nil {
		return err
	}
	scenario := filepath.Join(dir, "scenario")
	workers, err := work(scenario, probePerGPU)
	defer stopWork(workers)
	if err != nil {
		return err
	}
	for _, exe := range []string{small, whole} {
		cmd := exec.Command(exe, "probe")
		cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Join(dir, "current"), "FAKENVML_SCENARIO="+scenario)
		if err := watch(cmd, reports); err != nil {
			return err
		}
	}
	return nil
}

// buildCopy builds nvnodetop and returns the path of a copy, written in the small pieces in which a node gets it: of a
// file in large pieces, as from a linker, the kernel maps more than the program reads.
func buildCopy(dir string) (string, error) {
	exe, err := buildProgram(dir)
	if err != nil {
		return "", err
	}
	whole := filepath.Join(dir, "nvnodetop-copy")
	if out, err := exec.Command("dd", "bs=32k", "if="+exe, "of="+whole).CombinedOutput(); err != nil {
		return "", fmt.Errorf("dd: %w: %s", err, out)
	}
	return whole, os.Chmod(whole, 0o700)
}

// work starts processes, some for each GPU, and writes a scenario that puts them there.
func work(scenario string, perGPU int) (workers []*exec.Cmd, err error) {
	text := fmt.Sprintf("count %d\nhopper\n", probeGPUs)
	for gpu := range probeGPUs {
		for range perGPU {
			w := exec.Command("sleep", "3600")
			w.Env = append(os.Environ(), fmt.Sprintf("RANK=%d", len(workers)),
				fmt.Sprintf("WORLD_SIZE=%d", probeGPUs*perGPU))
			if err := w.Start(); err != nil {
				return workers, err
			}
			workers = append(workers, w)
			text += fmt.Sprintf("proc %d %d 2048 compute 40\n", gpu, w.Process.Pid)
		}
	}
	return workers, os.WriteFile(scenario, []byte(text), 0o600)
}

func stopWork(workers []*exec.Cmd) {
	for _, w := range workers {
		_ = w.Process.Kill()
		_ = w.Wait()
	}
}

// watch runs a probe for a number of reports with processes, and as many without, and prints their cost.
func watch(cmd *exec.Cmd, reports int) error {
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		in.Close()
		_ = cmd.Wait()
	}()
	file, err := os.Stat(cmd.Path)
	if err != nil {
		return err
	}
	fmt.Printf("%s of %.1f MB, %d GPUs, %d processes, %d reports on the fake NVML:\n", filepath.Base(cmd.Path),
		float64(file.Size())/1e6, probeGPUs, probeGPUs*probePerGPU, reports)
	lines := bufio.NewReaderSize(out, 1<<20)
	for i, processes := range []bool{true, false} {
		if _, err := fmt.Fprintf(in, `{"id":%d,"pace":{"interval_ms":%d,"processes":%v}}`+"\n", i+1,
			probeIntervals.Milliseconds(), processes); err != nil {
			return err
		}
		if err := cost(cmd.Process.Pid, lines, reports, processes); err != nil {
			return err
		}
	}
	fmt.Printf("  memory (peak RSS)  %6.2f MiB\n", float64(rig.PeakOf(cmd.Process.Pid))/1024)
	printParts(cmd.Process.Pid)
	return nil
}

// cost prints the cost of reports after the first ones.
func cost(pid int, lines *bufio.Reader, reports int, processes bool) error {
	first, _, err := next(lines, probeSkipped)
	if err != nil {
		return err
	}
	before, woken := rig.CPUOf(pid), wakeUpsOf(pid)
	_, size, err := next(lines, reports)
	if err != nil {
		return err
	}
	each := (rig.CPUOf(pid) - before) / time.Duration(reports)
	title := "without processes"
	if processes {
		title = "with processes"
	}
	fmt.Printf("  %s\n", title)
	fmt.Printf("    CPU per report   %6.2f ms   (%.3f %% of a core at one report in 3 s)\n", each.Seconds()*1000,
		100*each.Seconds()/3)
	if processes {
		fmt.Printf("    first report     %6.2f kB\n", float64(first)/1000)
	}
	fmt.Printf("    bytes per report %6.2f kB\n", float64(size)/float64(reports)/1000)
	fmt.Printf("    wake-ups         %6.2f for each, by thread:",
		float64(sum(wakeUpsOf(pid))-sum(woken))/float64(reports))
	for thread, n := range wakeUpsOf(pid) {
		if n -= woken[thread]; n > 0 {
			fmt.Printf(" %.2f", float64(n)/float64(reports))
		}
	}
	fmt.Println()
	return nil
}

func sum(counts map[string]int64) (all int64) {
	for _, n := range counts {
		all += n
	}
	return all
}

// wakeUpsOf returns the number of times that each thread of a process has slept, and so was woken up.
func wakeUpsOf(pid int) map[string]int64 {
	counts := map[string]int64{}
	paths, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(text), "\nvoluntary_ctxt_switches:")
		number, _, _ := strings.Cut(rest, "\n")
		counts[path], _ = strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	}
	return counts
}

// printParts prints the parts of a process's memory: its own, and pages of files, which are the program and libraries
// that all processes share.
func printParts(pid int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for _, part := range []struct{ key, is string }{
		{"\nRss:", "now"}, {"\nPss:", "its share of it"}, {"\nAnonymous:", "its own: heap, stacks, runtime"},
		{"\nShared_Clean:", "of libraries that others have too"},
		{"\nPrivate_Clean:", "of its program, which the kernel can drop"},
	} {
		_, rest, _ := strings.Cut(string(text), part.key)
		number, _, _ := strings.Cut(rest, "kB")
		kib, _ := strconv.ParseFloat(strings.TrimSpace(number), 64)
		fmt.Printf("    %6.2f MiB       %s\n", kib/1024, part.is)
	}
}

// next reads a number of reports. It returns the bytes of the first one and of all.
func next(lines *bufio.Reader, reports int) (first, all int, err error) {
	for n := 0; n < reports; {
		line, err := lines.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			return first, all, errors.New("the probe ended")
		case err != nil:
			return first, all, err
		case bytes.HasPrefix(line, []byte(`{"report":`)):
			if n++; n == 1 {
				first = len(line)
			}
			all += len(line)
		}
	}
	return first, all, nil
}
