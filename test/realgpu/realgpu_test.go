package realgpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
)

const script = "../../scripts/realgpu"

// built are the programs that the script needs here.
var built struct {
	sync.Once
	dir string
	err error
}

func TestMain(m *testing.M) {
	status := m.Run()
	_ = os.RemoveAll(built.dir)
	os.Exit(status)
}

// build builds them once, and returns their directory, which every user may read.
func build(t *testing.T) string {
	for _, name := range []string{"python3", "gcc"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("needs python3 and gcc: ", err)
		}
	}
	built.Do(func() {
		built.dir, built.err = os.MkdirTemp("", "realgpu-test-")
		for _, args := range [][]string{
			{"go", "build", "-o", built.dir, "../../cmd/nvnodetop", "../rasd"},
			{"../../scripts/fakenvml/build", built.dir},
			{"gcc", "-shared", "-fPIC", "-o", filepath.Join(built.dir, "libcuda.so.1"), "stub/cuda.c"},
			{"chmod", "-R", "go+rX", built.dir},
		} {
			if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
				built.err = errors.Join(built.err, fmt.Errorf("%q: %w\n%s", args, err, out))
			}
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.dir
}

// run is a run of the script on a GPU of its own.
type run struct {
	cmd  *exec.Cmd
	out  string // directory
	said bytes.Buffer
}

// start starts the script with an idle GPU, the loads of a directory, and more variables of the environment.
func start(t *testing.T, loads string, env []string, args ...string) *run {
	dir, bin := t.TempDir(), build(t)
	scenario := filepath.Join(dir, "scenario")
	const idle = "hopper\ncount 1\nutil 0\nproc none\n"
	for name, text := range map[string]string{".base": idle, "": idle + "memory_used 1000\n", ".lock": ""} {
		if err := os.WriteFile(scenario+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		permit(t, scenario+name, 0o666)
	}
	for d := dir; d != os.TempDir(); d = filepath.Dir(d) { // a part runs as another user if this one is root
		permit(t, d, 0o755)
	}
	permit(t, dir, 0o777)
	r := &run{out: filepath.Join(dir, "out")}
	r.cmd = exec.Command(script, append([]string{"--program", filepath.Join(bin, "nvnodetop"), "--out", r.out}, args...)...)
	r.cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "LD_LIBRARY_PATH="+filepath.Join(bin, "current"),
		"FAKENVML_SCENARIO="+scenario, "PYTHONPATH="+absolute(t, "stub"), "REALGPU_LOADS="+loads,
		"RASD="+filepath.Join(bin, "rasd"), "NCCL_RAS_ADDR=localhost:"+freePort(t), "PYTHONDONTWRITEBYTECODE=1", "SLURM_CONF=/none")
	r.cmd.Env = append(r.cmd.Env, env...)
	r.cmd.Stdout, r.cmd.Stderr = &r.said, &r.said
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// wait returns the exit status.
func (r *run) wait() int {
	_ = r.cmd.Wait()
	return r.cmd.ProcessState.ExitCode()
}

// verdict returns the verdict of a row; empty: there is no such row.
func (r *run) verdict(what string) string {
	found := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(what) + ` \|.*\| ([^|]*) \|$`).FindSubmatch(r.said.Bytes())
	if found == nil {
		return ""
	}
	return string(found[1])
}

func permit(t *testing.T, path string, mode os.FileMode) {
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func absolute(t *testing.T, path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func freePort(t *testing.T) string {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := strings.Cut(l.Addr().String(), ":")
	return port
}

// The script has a row for each metric, or says why not.
func TestMetricsHaveRows(t *testing.T) {
	build(t)
	out, err := exec.Command(script, "--metrics").Output()
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for line := range strings.Lines(string(out)) {
		key, how, _ := strings.Cut(strings.TrimSpace(line), ": ")
		got = append(got, key)
		if how == "" || how == "nothing: " {
			t.Errorf("%s: compared with nothing, and without a reason", key)
		}
	}
	for scope, prefix := range map[metric.Scope]string{metric.GPU: "gpu ", metric.Host: "node "} {
		for id := range metric.All(scope) {
			want = append(want, prefix+id.String())
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("scripts/realgpu.d/metrics.py has the rows\n%q\nwant\n%q", got, want)
	}
}

// Where both sides read the same, no row is wrong, and where they do not, the row says so.
func TestVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	build(t)
	right, wrong := absolute(t, "loads"), lies(t)
	cases := []*struct {
		name, parts, loads string
		env                []string
		status             int
		rows               map[string]string // what, and how its verdict begins
		*run
	}{
		{name: "right", parts: "readings", loads: right, rows: map[string]string{
			"idle: power_watts": "equal", "load: util_percent": "equal", "load: memory_used_bytes": "equal",
			"idle: fan_percent": "equal", "uuid": "equal", "driver_version": "equal", "node: memory_total_bytes": "equal",
			"node: uptime_seconds": "between", "node: cpu_percent": "skipped: the kernel's counters",
		}},
		{name: "right", parts: "activity", loads: right, rows: map[string]string{
			"idle: tensor_active_percent": "between", "product: tensor_active_percent": "between",
			"copy: dram_active_percent": "between", "product: tensor_active_percent, beside dmon": "between",
			"product: energy beside the integral of the power": "between",
			"transfer to the GPU: pcie_rx_bytes_per_second":    "between",
			"transfer from the GPU: pcie_tx_bytes_per_second":  "between",
			"NVLink under a load":                              "skipped: the loads use one GPU",
		}},
		{name: "right", parts: "processes", loads: right, rows: map[string]string{
			"forked, 2048 MiB: memory": "between", "held, 1024 MiB: memory beside nvidia-smi": "equal",
			"ends, 512 MiB: type": "equal", "the one that ended": "equal",
		}},
		{name: "right", parts: "events,names", loads: right, rows: map[string]string{
			"the Xid": "equal", "'Default'": "measured", "unit MHz": "measured",
			"seconds until it is shown": "between", "PID of the program": "not shown", "findings after": "equal",
		}},
		{name: "right", parts: "cost", loads: right, rows: map[string]string{
			"nvml_calls of all reports": "between", "nvmlDeviceGetPowerUsage": "measured",
			"the program as probe: CPU time of a report": "measured", "the small probe": "skipped: there is none",
			"what the load loses by reports every 0.25 s": "between",
		}},
		{name: "right", parts: "ranks", loads: right, rows: map[string]string{
			"busy: frames of the main thread": "equal", "blocked: frames of the main thread": "equal",
			"blocked: ranks that have moved": "equal", "RAS: greeting": "equal", "RAS: version": "equal",
		}},
		{name: "right", parts: "outputs", loads: right, rows: map[string]string{
			"track: GPU memory beside max_memory_allocated": "between", "scalars: power_watts": "equal",
			"available, idle": "equal", "available, busy": "equal", "list: memory.used": "equal",
			"replay: memory_total_bytes": "equal", "replay: metrics that one of both lacks": "equal",
		}},

		{name: "nvidia-smi lies", parts: "readings,names", loads: "/none", status: 1, env: []string{
			"FAKESMI_SAYS=power.draw=12.00 W;fan.speed=40 %;moon/phase=full;serial=1;fabric.state=[N/A];" +
				"gpu_recovery_action=Ask an oracle", "PYNVML_SAYS=nvmlDeviceGetComputeMode=3"},
			rows: map[string]string{
				"idle: power_watts": "wrong: -q -x has 12; --query-gpu has 12; dmon has 12", "idle: fan_percent": "absent but answers",
				"moon": "not shown", "serial": "wrong", "idle: fabric_state": "only ours", "idle: util_percent": "equal",
				"idle: compute_mode": "wrong: pynvml has 3", "'Ask an oracle'": "measured",
				"under a load": "skipped: there is no product in REALGPU_LOADS",
			}},
		{name: "loads lie", parts: "activity", loads: wrong, status: 1, rows: map[string]string{
			"product: tensor_active_percent": "wrong: the load is known", "copy": "skipped: there is no copy",
		}},
		{name: "loads lie", parts: "events,processes", loads: wrong, status: 1, rows: map[string]string{
			"the Xid": "wrong", "held, 1024 MiB: memory": "wrong",
		}},
		{name: "loads lie", parts: "outputs", loads: wrong, status: 1, rows: map[string]string{
			"track: GPU memory beside max_memory_allocated": "wrong", "available, idle": "equal",
		}},
		{name: "loads lie", parts: "ranks", loads: wrong, status: 1, rows: map[string]string{
			"busy: frames of the main thread": "wrong", "NCCL's RAS": "skipped: there is no nccl",
		}},
	}
	for _, c := range cases { // side by side: they mostly sleep
		c.run = start(t, c.loads, c.env, "--only", c.parts)
	}
	for _, c := range cases {
		t.Run(c.name+" "+c.parts, func(t *testing.T) {
			if got := c.wait(); got != c.status {
				t.Errorf("exit status %d, want %d", got, c.status)
			}
			for what, begins := range c.rows {
				if got := c.verdict(what); got == "" || !strings.HasPrefix(got, begins) {
					t.Errorf("%s: %q, want %q", what, got, begins)
				}
			}
			if kept, err := os.ReadFile(filepath.Join(c.out, "table.md")); err != nil || !bytes.Contains(kept, []byte("| verdict |")) {
				t.Errorf("table.md: %v", err)
			}
			if t.Failed() {
				t.Log(c.said.String())
			}
		})
	}
}

// lies returns a directory of loads that do not do what they are called.
func lies(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "loads")
	if err := os.CopyFS(dir, os.DirFS("loads")); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"copy", "nccl", "transfer"} {
		if err := os.Remove(filepath.Join(dir, gone)); err != nil {
			t.Fatal(err)
		}
	}
	for name, change := range map[string][2]string{
		"product": {"gpm_tensor 92", "gpm_tensor 12"}, "fault": {"xid 0 31", "# xid 0 31"},
		"hold": {"sys.argv[1]", `"64"`}, "grow": {"<< 20", "<< 24"}, "train": {"train_loop", "other_loop"},
	} {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.ReplaceAll(string(text), change[0], change[1])
		if changed == string(text) {
			t.Fatalf("%s: nothing to change", name)
		}
		if err := os.WriteFile(path, []byte(changed), 0o700); err != nil {
			t.Fatal(err)
		}
		permit(t, path, 0o755)
	}
	return dir
}

// A part that hangs is a wrong row, and does not keep the next one.
func TestPartThatHangs(t *testing.T) {
	hangs := filepath.Join(t.TempDir(), "nvnodetop")
	if err := os.WriteFile(hangs, []byte("#!/bin/sh\n[ \"$1\" = --version ] || exec sleep 1000\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := start(t, "", nil, "--program", hangs, "--only", "names,names")
	if got := r.wait(); got != 1 || r.verdict("the rest of names") != "wrong: it had not ended after 10 s" ||
		strings.Count(r.said.String(), "it had not ended") != 2 {
		t.Errorf("exit status %d\n%s", got, r.said.String())
	}
}

// Ctrl-C ends everything that was started, and the table is printed.
func TestInterrupt(t *testing.T) {
	r := start(t, absolute(t, "loads"), nil, "--only", "processes")
	scenario := filepath.Join(filepath.Dir(r.out), "scenario")
	processes := regexp.MustCompile(`(?m)^proc 0 (\d+)`)
	var pids []string
	for late := time.Now().Add(30 * time.Second); len(pids) < 3 && time.Now().Before(late); time.Sleep(50 * time.Millisecond) {
		text, _ := os.ReadFile(scenario) // it is replaced by rename, so it is there
		pids = nil
		for _, found := range processes.FindAllSubmatch(text, -1) {
			pids = append(pids, string(found[1]))
		}
	}
	if err := r.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if got := r.wait(); got != 1 || r.verdict("the rest of processes") != "wrong: interrupted" {
		t.Errorf("exit status %d\n%s", got, r.said.String())
	}
	for _, pid := range pids {
		if text, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && !strings.Contains(string(text), ") Z ") {
			t.Errorf("PID %s still runs: %s", pid, text)
		}
	}
	if len(pids) < 3 {
		t.Errorf("it had started %d processes", len(pids))
	}
}

// Wrong arguments and a machine without Python or a driver are one clear line.
func TestRefusals(t *testing.T) {
	build(t)
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args   []string
		env    string
		status int
		says   string
	}{
		"unknown part":   {[]string{"--only", "moon"}, "", 2, "there is no part 'moon'"},
		"no program":     {[]string{"--program", "/none"}, "", 2, "'/none' is no program"},
		"full directory": {[]string{"--out", full}, "", 2, "is not an empty directory"},
		"no Python":      {nil, "PYTHON=/none", 2, "/none is not Python 3.9 or newer"},
		"no driver":      {[]string{"--program", "/bin/true", "--out", t.TempDir()}, "LD_LIBRARY_PATH=/none", 1, "nothing was compared"},
		"help":           {[]string{"--help"}, "", 0, "--only readings,cost"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("nvidia-smi"); err == nil && name == "no driver" {
				t.Skip("this machine has one")
			}
			cmd := exec.Command(script, c.args...)
			cmd.Env = append(os.Environ(), c.env)
			out, _ := cmd.CombinedOutput()
			if got := cmd.ProcessState.ExitCode(); got != c.status || !strings.Contains(string(out), c.says) {
				t.Errorf("exit status %d, want %d, and %q:\n%s", got, c.status, c.says, out)
			}
		})
	}
}

// The loads for a real GPU start, on stubs that do nothing.
func TestLoadsStart(t *testing.T) {
	bin := build(t)
	const loads = "../../scripts/realgpu.d/loads"
	for _, c := range []struct{ load, says string }{
		{"product.py", "done 10 "}, {"copy.py", "done 34359738368 "}, {"transfer.py to", "done 2147483648 "},
		{"transfer.py from", "done 2147483648 "}, {"hold.py 64", "ready "}, {"hold.py 64 fork", "ready "},
		{"fault.py", "failed CUDA_STUB"}, {"grow.py 64 0.1", "allocated 67108864"}, {"train.py busy", "ready "},
		{"nccl.py 0 1 4711", "ready "},
	} {
		t.Run(c.load, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			words := strings.Fields(c.load)
			cmd := exec.CommandContext(ctx, "python3", append([]string{filepath.Join(loads, "load_"+words[0])}, words[1:]...)...)
			cmd.Env = append(os.Environ(), "PYTHONPATH="+absolute(t, "stubtorch"), "LD_LIBRARY_PATH="+bin,
				"PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.StdoutPipe()
			if err := errors.Join(err, cmd.Start()); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
				_ = cmd.Wait()
			}()
			var said bytes.Buffer
			buffer := make([]byte, 4096)
			for !strings.Contains(said.String(), c.says) {
				n, err := out.Read(buffer)
				said.Write(buffer[:n])
				if err != nil {
					t.Fatalf("it says %.500q, want %q: %v\n%s", said.String(), c.says, err, errs.String())
				}
			}
		})
	}
}
