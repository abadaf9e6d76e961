package stacks_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// On a host without SLURM the doctor examines the host itself. A fault of its driver is a warning, since no job wants
// its GPUs.
func TestDoctorOfThisHost(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("SLURM_CONF", "/nowhere")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	code, out, errs := apptest.Run(t, "doctor", "--json")
	var r struct {
		Verdict string
		Nodes   []struct{ Transport string }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 1 || errs != "" {
		t.Fatalf("exit code %d, stdout %q, stderr %q, %v", code, out, errs, err)
	}
	if r.Verdict != "warning" || len(r.Nodes) != 1 || r.Nodes[0].Transport != "local" {
		t.Errorf("%+v", r)
	}
	code, out, _ = apptest.Run(t, "doctor", "--transport", "local", "--ascii", "nosuchhost")
	if code != 2 || !strings.Contains(out, "\n  skipped  local      this host is ") ||
		!strings.Contains(out, "\n  failed   transport  no transport reaches this node\n") {
		t.Errorf("exit code %d, stdout %s", code, out)
	}
}

func TestDoctorUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"doctor --demo":             "unknown flag: --demo",
		"doctor --transport pigeon": "--transport must be auto, ssh",
		"doctor --login a@b@@":      "--login takes [USER@]HOST[:PORT], such as alice@cluster: ",
		"doctor alice@gpu01":        `NODE takes host names only, not "alice@gpu01"`,
		"doctor gpu[1-":             "NODE: ",
		"doctor --job 7 gpu01":      "--job takes the nodes from SLURM: it cannot be combined with a NODE",
		"doctor --job=":             "the ID of the job is empty",
	} {
		if code, out, errs := apptest.Run(t, strings.Fields(args)...); code != cli.ExitUsage || out != "" ||
			!strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, out, errs, want)
		}
	}
}
