package app

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
)

// unconfigured has what SLURM's commands say without a configuration, by the way they were built.
var unconfigured = map[string]string{
	"configless": `error: resolve_ctls_from_dns_srv: res_nsearch error: Unknown host
fatal: Could not establish a configuration source`,
	"old": `error: s_p_parse_file: unable to status file /etc/slurm/slurm.conf: No such file or directory
fatal: Unable to process configuration file`,
}

// isUnconfigured puts SLURM's commands without a configuration into PATH, and a GPU into this host.
func isUnconfigured(t *testing.T, says string) {
	t.Helper()
	dir := t.TempDir()
	for _, command := range []string{"squeue", "scontrol", "sinfo", "sacct"} {
		script := "#!/bin/sh\ncat >&2 <<'END'\n" + says + "\nEND\nexit 1\n"
		if err := os.WriteFile(filepath.Join(dir, command), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv(lostEnv, "GPU is lost")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
}

// SLURM that is installed without a configuration is no SLURM, for every command: this host is watched.
func TestUnconfiguredSlurmIsNone(t *testing.T) {
	file := func(t *testing.T) string { return filepath.Join(t.TempDir(), "run.nvr") }
	isUnconfigured(t, unconfigured["configless"])
	t.Setenv("CUDA_VISIBLE_DEVICES", "0")
	for _, test := range []struct {
		args string
		out  string // printed; "": anything
		errs string // in place of it
	}{
		{args: "-1 -ov --first-sample", out: "1 node"}, {args: "--json --first-sample", out: `"nodes"`},
		{args: "list --first-sample", out: "status"}, {args: "snapshot --format csv --first-sample", out: "util"},
		{args: "record --max-time 1s " + file(t), out: "recorded"},
		{args: "available", errs: "too few free GPUs"}, {args: "available --cluster", errs: "SLURM is not configured"},
		{args: "logs 7", errs: "SLURM is not configured"}, {args: "report 7", errs: "SLURM is not configured"},
		{args: "stacks 7", errs: `SLURM is not configured on this host: it cannot be asked for job "7"`},
		{args: "list --job 7", errs: `it cannot be asked for job "7"`},
	} {
		_, out, errs := program(t, strings.Fields(test.args)...)
		if !strings.Contains(out, test.out) || !strings.Contains(errs, test.errs) ||
			(test.errs == "") != (out != "") {
			t.Errorf("%s: stdout %.300q, stderr %q", test.args, out, errs)
		}
	}
	t.Setenv(feed.BatchJob, "7") // as in a container
	if code, out, errs := program(t, "record", "--max-time", "1s", file(t)); code != cli.ExitOK {
		t.Errorf("in a job: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}

// serve serves such a host, too.
func TestServeWithUnconfiguredSlurm(t *testing.T) {
	for name, says := range unconfigured {
		t.Run(name, func(t *testing.T) {
			isUnconfigured(t, says)
			for _, args := range [][]string{{}, {"--transport", "local"}} {
				lines, end := serving(t, append(args, "--listen", "127.0.0.1:0")...)
				if status, _ := ask(t, http.DefaultClient, lines[0], "-/ready"); status != http.StatusOK {
					t.Errorf("%q: ready %d", args, status)
				}
				if status, text := ask(t, http.DefaultClient, lines[0], "api/v1/jobs"); status != http.StatusOK ||
					!strings.Contains(text, `"gpus":1`) {
					t.Errorf("%q: %d, %.300s", args, status, text)
				}
				if err := end(); err != nil {
					t.Errorf("%q: it ends with %v", args, err)
				}
			}
		})
	}
}
