package realgpu

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// The script has a row for each metric, or says why not.
func TestMetricsHaveRows(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	out, err := exec.Command(script, "--metrics").Output()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		key, how, _ := strings.Cut(strings.TrimSpace(line), ": ")
		rows[key] = true
		if how == "" || how == "nothing:" {
			t.Errorf("%s: compared with nothing, and without a reason", key)
		}
	}
	for scope, prefix := range map[metric.Scope]string{metric.GPU: "gpu ", metric.Host: "node "} {
		for id := range metric.All(scope) {
			if key := prefix + id.String(); !rows[key] {
				t.Errorf("scripts/realgpu.d/metrics.py has no row for %s", key)
			}
			delete(rows, prefix+id.String())
		}
	}
	for key := range rows {
		t.Errorf("scripts/realgpu.d/metrics.py has a row for %s, which is no metric", key)
	}
}

// The limits of the parts are at most six minutes in all, and docs/REALGPU.md has them.
func TestLimits(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	const list = "import sys; sys.path.insert(0, '../../scripts/realgpu.d'); import main; " +
		"[print(part, limit) for part, (limit, _) in main.PARTS.items()]"
	out, err := exec.Command("python3", "-B", "-c", list).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	doc, err := os.ReadFile("../../docs/REALGPU.md")
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0, 0
	for line := range strings.Lines(string(out)) {
		var part string
		var limit int
		if _, err := fmt.Sscan(line, &part, &limit); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		sum, n = sum+limit, n+1
		if !regexp.MustCompile(fmt.Sprintf("(?m)^\\| `%s` \\|.*\\| %d s \\|$", part, limit)).Match(doc) {
			t.Errorf("docs/REALGPU.md does not say that %s takes at most %d s", part, limit)
		}
	}
	if sum > 330 || n == 0 { // and 30 s for the first import of torch
		t.Errorf("%d parts take up to %d s", n, sum)
	}
}

// expected is a run and what it must say.
type expected struct {
	name, parts string
	env         []string
	status      int
	rows        map[string]string // what, and how its verdict begins
	lies        bool              // the loads do
	*run
}

// right are the runs in which both sides read the same.
var right = []expected{
	{name: "right", parts: "readings", rows: map[string]string{
		"idle: power_watts": "equal", "load: util_percent": "equal", "load: memory_used_bytes": "equal",
		"idle: fan_percent": "equal", "uuid": "equal", "driver_version": "equal", "node: memory_total_bytes": "equal",
		"node: uptime_seconds": "between", "node: cpu_percent": "skipped: the kernel's counters",
	}},
	{name: "right", parts: "activity", rows: map[string]string{
		"idle: tensor_active_percent": "between", "product: tensor_active_percent": "between",
		"copy: dram_active_percent": "between", "product: tensor_active_percent, beside dmon": "between",
		"product: energy beside the integral of the power": "between",
		"transfer to the GPU: pcie_rx_bytes_per_second":    "between",
		"transfer from the GPU: pcie_tx_bytes_per_second":  "between",
		"NVLink under a load":                              "skipped: the loads use one GPU",
	}},
	{name: "right", parts: "processes", rows: map[string]string{
		"forked, 2048 MiB: memory": "between", "held, 1024 MiB: memory beside nvidia-smi": "equal",
		"ends, 512 MiB: type": "equal", "the one that ended": "equal",
	}},
	{name: "right", parts: "events,names", rows: map[string]string{
		"the Xid": "equal", "'Default'": "measured", "unit MHz": "measured",
		"seconds until it is shown": "between", "PID of the program": "not shown", "findings after": "equal",
	}},
	{name: "right", parts: "cost", rows: map[string]string{
		"idle: nvml_calls of all reports": "between", "idle: nvmlDeviceGetPowerUsage": "measured",
		"load: nvml_calls of all reports": "between",
		"the probe: CPU time of a report": "measured", "the probe: the file": "measured",
		"what the load loses by reports every 0.25 s": "between",
	}},
	{name: "right", parts: "ranks", rows: map[string]string{
		"busy: frames of the main thread": "equal", "blocked: frames of the main thread": "equal",
		"blocked: ranks that have moved": "equal", "RAS: greeting": "equal", "RAS: version": "equal",
		"RAS: the verdict of nvnodetop": "equal",
	}},
	{name: "right", parts: "outputs", rows: map[string]string{
		"track: GPU memory beside max_memory_allocated": "between", "scalars: power_watts": "equal",
		"available, idle": "equal", "available, busy": "equal", "list: memory.used": "equal",
		"replay: memory_total_bytes": "equal", "replay: metrics that one of both lacks": "equal",
	}},
}

// wrong are those in which a tool of theirs or a load lies.
var wrong = []expected{
	{name: "nvidia-smi lies", parts: "readings,names", status: 1, env: []string{
		"FAKESMI_SAYS=power.draw=12.00 W;fan.speed=40 %;moon/phase=full;serial=1;fabric.state=[N/A];" +
			"gpu_recovery_action=Ask an oracle", "PYNVML_SAYS=nvmlDeviceGetComputeMode=3"},
		rows: map[string]string{
			"idle: power_watts": "wrong: -q -x has 12; --query-gpu has 12; dmon has 12",
			"idle: fan_percent": "absent but answers",
			"moon":              "not shown", "serial": "wrong", "idle: fabric_state": "only ours", "idle: util_percent": "equal",
			"idle: compute_mode": "wrong: pynvml has 3", "'Ask an oracle'": "measured",
		}},
	{name: "loads lie", parts: "activity", lies: true, status: 1, rows: map[string]string{
		"product: tensor_active_percent": "wrong: the load is known", "copy": "skipped: there is no copy",
	}},
	{name: "loads lie", parts: "events,processes", lies: true, status: 1, rows: map[string]string{
		"the Xid": "wrong", "held, 1024 MiB: memory": "wrong",
	}},
	{name: "loads lie", parts: "outputs", lies: true, status: 1, rows: map[string]string{
		"track: GPU memory beside max_memory_allocated": "wrong", "available, idle": "equal",
	}},
	{name: "loads lie", parts: "ranks", lies: true, status: 1, rows: map[string]string{
		"busy: frames of the main thread": "wrong", "NCCL's RAS": "skipped: there is no nccl",
	}},
}

// Where both sides read the same, no row is wrong, and where they do not, the row says so.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	build(t)
	honest, lying := absolute(t, "loads"), lies(t)
	cases := slices.Concat(right, wrong)
	for i, c := range cases { // side by side: they mostly sleep
		loads := honest
		if c.lies {
			loads = lying
		}
		cases[i].run = start(t, loads, c.env, "--only", c.parts)
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
			kept, err := os.ReadFile(filepath.Join(c.out, "table.md"))
			if err != nil || !bytes.Contains(kept, []byte("| verdict |")) {
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
	t.Parallel()
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
	t.Parallel()
	r := start(t, absolute(t, "loads"), nil, "--only", "processes")
	scenario := filepath.Join(filepath.Dir(r.out), "scenario")
	processes := regexp.MustCompile(`(?m)^proc 0 (\d+)`)
	var pids []string
	for late := time.Now().Add(time.Minute); len(pids) < 3 && time.Now().Before(late); time.Sleep(50 * time.Millisecond) {
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
	t.Parallel()
	need(t, "python3")
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
		"no driver": {[]string{"--program", "/bin/true", "--out", t.TempDir()}, "LD_LIBRARY_PATH=/none", 1,
			"nothing was compared"},
		"help": {[]string{"--help"}, "", 0, "--only readings,cost"},
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
