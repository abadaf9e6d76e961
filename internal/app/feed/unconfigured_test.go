package feed_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// SLURM that is installed without a configuration is no SLURM, for every command: this host is watched.
func TestUnconfiguredSlurmIsNone(t *testing.T) {
	file := func(t *testing.T) string { return filepath.Join(t.TempDir(), "run.nvr") }
	apptest.WithoutConfiguration(t, apptest.Unconfigured["configless"])
	t.Setenv("CUDA_VISIBLE_DEVICES", "0")
	for _, test := range []struct {
		args string
		out  string // printed; "": anything
		errs string // in place of it
	}{
		{args: "-1 -ov --first-sample", out: "1 node"}, {args: "--json --first-sample", out: `"nodes"`},
		{args: "list --first-sample", out: "status"}, {args: "snapshot --format csv --first-sample", out: "util"},
		{args: "record --max-time 1s " + file(t) + " 0.25", out: "recorded"},
		{args: "available", errs: "too few free GPUs"}, {args: "available --cluster", errs: "SLURM is not configured"},
		{args: "logs 7", errs: "SLURM is not configured"}, {args: "report 7", errs: "SLURM is not configured"},
		{args: "stacks 7", errs: `SLURM is not configured on this host: it cannot be asked for job "7"`},
		{args: "list --job 7", errs: `it cannot be asked for job "7"`},
	} {
		_, out, errs := apptest.Run(t, strings.Fields(test.args)...)
		if !strings.Contains(out, test.out) || !strings.Contains(errs, test.errs) ||
			(test.errs == "") != (out != "") {
			t.Errorf("%s: stdout %.300q, stderr %q", test.args, out, errs)
		}
	}
	t.Setenv(feed.BatchJob, "7") // as in a container
	if code, out, errs := apptest.Run(t, "record", "--max-time", "1s", file(t), "0.25"); code != cli.ExitOK {
		t.Errorf("in a job: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}
