package record_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// A container in a job has the job's variables and often no SLURM: nobody has asked for a job, so these are about this
// host.
func TestOwnJobWithoutSLURM(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(feed.BatchJob, "7")
	dir := t.TempDir()
	for _, args := range [][]string{
		{"record", "--max-time", "1s", filepath.Join(dir, "run.nvr")},
		{"log", "--csv", filepath.Join(dir, "gpus.csv")},
	} {
		_, _, errs := apptest.Run(t, args...)
		if strings.Contains(errs, "job \"7\"") || !strings.Contains(errs, feed.NotInstalled) {
			t.Errorf("%s: stderr %q, want that this host is looked at", args[0], errs)
		}
	}
}
