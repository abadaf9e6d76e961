package feed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
	"github.com/nvnodetop/nvnodetop/test/stubs"
)

// A SLUID is taken wherever the ID of a job is: the job is then named by its ID. SLURM is asked once.
func TestSLUIDs(t *testing.T) {
	const sluid, unknown = "s4Y5M8CR7ZYE00", "s4Y5M8CR7ZYE01"
	feedtest.Squeue(t, "exit 0")
	dir, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	asked, accounts := filepath.Join(dir, "asked"), filepath.Join(dir, "accounts")
	for name, script := range map[string]string{
		"scontrol": `case "$*" in *` + sluid + `*) echo "$*" >>` + asked + `; printf '` +
			`JobId=48211 JobName=x\n   SLUID=` + sluid + `\n   UserId=a(1)\n\n'; exit;; esac; ` +
			`echo "scontrol_print_job error: Invalid job id specified" >&2; exit 1`,
		"sacct": `echo "$*" >>` + accounts + `; echo "Slurm accounting storage is disabled" >&2; exit 1`,
	} {
		stubs.Write(t, dir, name, script)
	}
	for _, command := range []string{"logs JOB", "report JOB", "report JOB 7", "watch JOB", "watch JOB 7", "stacks JOB",
		"doctor --job JOB", "available --job JOB", "list --job JOB", "scalars --job JOB --csv " + dir +
			"/x.csv", "record --job JOB " + dir + "/x.nvr"} {
		run := func(job string) (code int, printed string) {
			code, out, errs := apptest.Run(t, strings.Fields(strings.Replace(command, "JOB", job, 1))...)
			return code, out + errs
		}
		_, _ = os.Remove(asked), os.Remove(accounts)
		_, printed := run(sluid)
		text, err := os.ReadFile(asked)
		books, _ := os.ReadFile(accounts)
		if err != nil || string(text) != "-d show job "+sluid+"\n" || strings.Contains(printed+string(books), sluid) ||
			!strings.Contains(printed+string(books), "48211") {
			t.Errorf("%s: SLURM is asked %q and %q; %s", command, text, books, printed)
		}
		if code, printed := run(unknown); code != cli.ExitNoJobs ||
			!strings.Contains(printed, `SLURM does not know the SLUID "`+unknown+`"`) {
			t.Errorf("%s: exit code %d, %s", command, code, printed)
		}
	}
}
