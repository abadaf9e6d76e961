package feed

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// In a batch script the job is its own, unless the user asks for another.
func TestOwnJob(t *testing.T) {
	feedtest.Squeue(t, "exit 1")
	t.Setenv(BatchJob, "48211")
	for args, want := range map[string]string{"": "48211", "--job 7": "7", "--nodes a": "", "--demo=1x1": "",
		"--login l": ""} {
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		p := cli.New(cli.Streams{}, f, "nodes", "demo", "login")
		cli.JobFlag(f, p)
		if err := f.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if own := OwnJob(t.Context(), p); p.Config.Job != want || own != (args == "") {
			t.Errorf("%q: job %q", args, p.Config.Job)
		}
	}
	if (Need{Steady: true}).polling(nil).Slows { // nobody presses a key
		t.Error("nodes slow down where nobody presses a key")
	}
	if !(Need{}).polling(nil).Slows {
		t.Error("nodes do not slow down for an idle user")
	}
}
