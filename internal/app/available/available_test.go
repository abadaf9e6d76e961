package available_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
	"github.com/nvnodetop/nvnodetop/test/stubs"
)

func TestAvailable(t *testing.T) {
	for args, want := range map[string]struct {
		code int
		out  string
	}{
		"--demo=2x8 -c 1 -G 100 --tol 5 --separator : -f 60GiB": {cli.ExitFailed, ""}, // the job uses 87 % of each
		"--demo 2x2 --max-memory-percent 100 -l 1":              {cli.ExitOK, "gpu-n01 0\ngpu-n02 0\ngpu-s11 0\n"},
		"--demo=1x2 -n 2 -f 1GiB -s :":                          {cli.ExitOK, "gpu-n01 0:1\ngpu-s11 0:1\n"},
		"--demo=1x2 --count 2 --min-free-memory 1GiB --newline": {cli.ExitOK, "gpu-n01 0\n1\ngpu-s11 0\n1\n"},
		"--demo=1x2 -n 2 -f 1073741824 -0":                      {cli.ExitOK, "gpu-n01 0\x001\x00gpu-s11 0\x001\x00"},
		"--demo=1x2 -n 1 -f 1g -i 1,0 -S":                       {cli.ExitOK, "gpu-n01 1\ngpu-s11 1\n"},
		"--demo=1x2 --account-as-free alice bob":                {cli.ExitOK, "gpu-n01 0,1\ngpu-s11 0,1\n"},
		"--demo=1x2 --account-as-free bob":                      {cli.ExitFailed, ""},
		"--demo=1x2 -n 3 -f 1GiB":                               {cli.ExitFailed, ""},
		"--demo=1x2 -n 1":                                       {cli.ExitFailed, ""}, // more than 20 % are in use
	} {
		code, out, errs := apptest.Run(t, append([]string{"available"}, strings.Fields(args)...)...)
		if code != want.code || out != want.out || code != cli.ExitOK && !strings.Contains(errs, "too few free GPUs") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q; want %d, %q", args, code, out, errs, want.code, want.out)
		}
	}
	code, out, _ := apptest.Run(t, "available", "--demo=1x2", "-f", "1GiB", "-O", "uuid", "-l", "1")
	if code != cli.ExitOK || !strings.HasPrefix(out, "gpu-n01 GPU-") {
		t.Errorf("UUIDs: %d, %q", code, out)
	}
	t.Setenv("CUDA_VISIBLE_DEVICES", "1")
	if code, out, _ := apptest.Run(t, "available", "--demo=1x2", "-f", "1GiB", "-i"); code != cli.ExitOK ||
		out != "gpu-n01 1\ngpu-s11 1\n" {
		t.Errorf("inherited: %d, %q", code, out)
	}
}

// Under nvisel's name no memory is too full, and the GPUs with the most free memory come first.
func TestNvisel(t *testing.T) {
	for args, want := range map[string]string{
		"--demo=1x2 -n 1":      "gpu-n01 1\ngpu-s11 0\n",
		"--demo=1x2":           "gpu-n01 1,0\ngpu-s11 0,1\n",
		"--demo=1x2 -C 1 -S":   "gpu-n01 0\ngpu-s11 0\n",
		"--demo=1x2 -f 70GiB":  "gpu-n01 \ngpu-s11 \n",
		"--demo=1x2 -c 0 -n 0": "gpu-n01 \ngpu-s11 \n",
	} {
		code, out, errs := apptest.Run(t, append([]string{"nvisel"}, strings.Fields(args)...)...)
		if code != cli.ExitOK || out != want || errs != "" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q; want %q", args, code, out, errs, want)
		}
	}
}

// Without a GPU nothing is printed, and the exit code is that of too few GPUs.
func TestAvailableWithoutGPU(t *testing.T) {
	for fault, want := range map[string]string{"": "no free GPU on this host: it has no NVIDIA GPU",
		"Driver/library version mismatch": "no working NVIDIA driver"} {
		t.Setenv(apptest.DriverFault, fault)
		code, out, errs := apptest.Run(t, "available", "-l", "1")
		if code != cli.ExitFailed || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
		}
	}
}

func TestUsageOfLists(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"available -l 0":                     "--limit must be at least 1, not 0",
		"available -n 0":                     "--count must be at least 1, not 0",
		"available -l 1 -n 2":                "--limit cannot be combined with --max-count or --count",
		"available -c 3 -C 2":                "--min-count must be",
		"available -c -1":                    "--min-count must be",
		"available --max-memory-percent 101": "--max-memory-percent must be from 0 to 100, not 101",
		"available -f much":                  `--free-memory must be an amount of memory, such as 10GiB, not "much"`,
		"available -t -3GiB":                 `--total-memory must be an amount of memory`,
		"available -O name":                  `--format must be index or uuid, not "name"`,
		"available --newline -0":             "--sep, --newline and --null cannot be combined",
		"available --json":                   "add --cluster",
		"available --cluster -l 1":           "--limit cannot be combined with --cluster",
		"available --cluster --nodes n1":     "--nodes cannot be combined with --cluster",
		"available 3":                        `unexpected argument "3"`,
		"available --nodes=":                 "--nodes is empty",
		"available --job=":                   "--job is empty",
		"available --job 1 --nodes n1":       "--job cannot be combined with --nodes or --demo",
		"available --nodes a;b":              `invalid host name "a;b"`,
		"list --json=xml":                    `--json must be nvgpu or gpustat, not "xml"`,
		"list --watch=0.1":                   `--interval must be from 0.25 to 600 seconds, such as 5 or 30s, not "0.1"`,
		"list --watch=NaN":                   `--interval must be`,
		"snapshot x":                         `unexpected argument "x"`,
		"list x":                             `unexpected argument "x"`,
		"nvl --nonsense":                     "unknown flag: --nonsense",
	} {
		code, out, errs := apptest.Run(t, strings.Fields(args)...)
		if code != cli.ExitUsage || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q; want 2 and one line with %q", args, code, out, errs, want)
		}
	}
}

// A job that is not the user's, or has ended, is not running.
func TestListOfNoJob(t *testing.T) {
	feedtest.Squeue(t, apptest.OneJob)
	for _, command := range []string{"list", "available"} {
		code, out, errs := apptest.Run(t, command, "--job", "8", "--timeout", "5s")
		if code != cli.ExitNoJobs || out != "" || errs != "nvnodetop: job \"8\" is not one of your running jobs\n" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", command, code, out, errs)
		}
	}
	code, out, errs := apptest.Run(t, "list", "--job", "7", "--timeout", "1s")
	if code != cli.ExitFailed || !strings.HasPrefix(out, "host.invalid\n") ||
		!strings.Contains(errs, "1 of 1 nodes not reporting") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	code, out, errs := apptest.Run(t, "list", "--demo=2x2")
	if code != cli.ExitOK || !strings.HasPrefix(out, "gpu-n01\n    status    type ") ||
		strings.Count(out, "[~]") != 6 ||
		!strings.Contains(out, "train.py") {
		t.Errorf("exit code %d, stderr %q, printed\n%s", code, errs, out)
	}
	for _, form := range []string{"--json", "--json=nvgpu", "--json=gpustat"} {
		code, out, _ := apptest.Run(t, "nvl", "--demo=2x2", form)
		var hosts []struct {
			Hostname string
			GPUs     []map[string]any
		}
		if err := json.Unmarshal([]byte(out), &hosts); code != cli.ExitOK || err != nil || len(hosts) != 3 ||
			len(hosts[1].GPUs) != 2 {
			t.Errorf("%s: exit code %d, %v in\n%s", form, code, err, out)
		}
	}
}

// On a SLURM host without a GPU, such as a login node, the jobs are shown; without SLURM the missing parts are named.
func TestListHere(t *testing.T) {
	feedtest.Squeue(t, "exit 0")
	if code, _, errs := apptest.Run(t, "list"); code != cli.ExitNoJobs || !strings.Contains(errs, "no running job") {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv(apptest.DriverFault, "Driver/library version mismatch")
	if code, _, errs := apptest.Run(t, "list"); code != cli.ExitFailed ||
		!strings.Contains(errs, "no GPU to list on this host: it has no working NVIDIA driver") {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
	t.Setenv(apptest.DriverFault, "")
	if code, _, errs := apptest.Run(t, "list"); code != cli.ExitNoJobs ||
		!strings.Contains(errs, "squeue is not in PATH on this host and it has no NVIDIA GPU") {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}

// --watch prints until it is interrupted, on a terminal in one place.
func TestListWatches(t *testing.T) {
	tty, written := feedtest.Terminal(t)
	t.Setenv("TERM", "xterm")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	code, errs := apptest.RunTo(ctx, t, tty, "list", "--demo=1x2", "--watch", "0.25")
	if code != cli.ExitOK || errs != "" {
		t.Errorf("interrupted: exit code %d, stderr %q", code, errs)
	}
	if text := written(); strings.Count(text, "\x1b[H") < 2 || strings.Count(text, "status") != 2*strings.Count(text,
		"\x1b[H") {
		t.Errorf("written: %q", text)
	}
}

func TestAvailableOnTheCluster(t *testing.T) {
	feedtest.Squeue(t, "exit 1")
	dir, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	for name, script := range map[string]string{
		"sinfo": "echo 'gpu*|up|gpu:a100:4|node01'",
		"scontrol": "printf 'NodeName=node01 Arch=x\\n   Gres=gpu:a100:4\\n   GresUsed=gpu:a100:1(IDX:2)\\n   " +
			"State=MIXED X=1\\n'",
	} {
		stubs.Write(t, dir, name, script)
	}
	code, out, errs := apptest.Run(t, "available", "--cluster")
	if code != cli.ExitOK || !strings.Contains(out, "gpu        a100     3     1    0      4  up, default\n") ||
		!strings.Contains(out, "node01  a100     3     1    0      4  mixed               gpu\n") ||
		!strings.HasSuffix(out, "\nSLURM does not say whose jobs use them: squeue failed: exit status 1\n") {
		t.Errorf("exit code %d, stderr %q, printed\n%s", code, errs, out)
	}
	var d struct {
		Partitions []struct{ GPUs []struct{ Free int } }
	}
	if code, out, _ := apptest.Run(t, "available", "--cluster", "--json"); code != cli.ExitOK ||
		json.Unmarshal([]byte(out), &d) != nil || d.Partitions[0].GPUs[0].Free != 3 {
		t.Errorf("exit code %d, printed\n%s", code, out)
	}
	stubs.Write(t, dir, "sinfo", "sleep 5")
	if code, _, errs := apptest.Run(t, "available", "--cluster", "--timeout", "50ms"); code != cli.ExitNoJobs ||
		errs != "nvnodetop: SLURM did not answer within 50ms\n" {
		t.Errorf("a silent controller: exit code %d, stderr %q", code, errs)
	}
	t.Setenv("PATH", t.TempDir())
	if code, out, errs := apptest.Run(t, "available", "--cluster"); code != cli.ExitNoJobs || out != "" ||
		errs != "nvnodetop: "+feed.NotInstalled+": run this on a login node, or with --login alice@cluster\n" {
		t.Errorf("exit code %d, stderr %q, printed\n%s", code, errs, out)
	}
}

// The file of nvgpu's master names the agents, unless the command line says which nodes.
func TestAgentsOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.cfg")
	agents := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"hostname": "node02", "gpus": [{"type": "Tesla K80", "is_available": false, "pids": "7",
			"users": "bob", "running_since": "2 days ago", "cmd": "train.py"}]}`)
	}))
	defer agents.Close()
	t.Setenv("NVGPU_CLUSTER_CFG", path)
	if code, _, errs := apptest.Run(t, "list"); code != cli.ExitUsage ||
		!strings.Contains(errs, "NVGPU_CLUSTER_CFG: open") {
		t.Errorf("a file that is not there: exit code %d, %q", code, errs)
	}
	if err := os.WriteFile(path, []byte("AGENTS = ['"+agents.URL+"']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, out, errs := apptest.Run(t, "list"); !strings.Contains(out, "2 days ago") || !strings.Contains(out, "train.py") {
		t.Errorf("printed %q, and %q", out, errs)
	}
	if err := os.WriteFile(path, []byte("AGENTS = []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"list": "", "list --json=nvgpu": "[]"} {
		if code, out, errs := apptest.Run(t, strings.Fields(args)...); code != cli.ExitOK || errs != "" ||
			!strings.Contains(out, want) {
			t.Errorf("%s without agents: exit code %d, printed %q, and %q", args, code, out, errs)
		}
	}
	if code, out, _ := apptest.Run(t, "list", "--demo=1x1"); code != cli.ExitOK || strings.Contains(out, "Tesla K80") {
		t.Errorf("the demo has agents: exit code %d, %q", code, out)
	}
}
