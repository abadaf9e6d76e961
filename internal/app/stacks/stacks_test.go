package stacks_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// atOnce runs the program on a clock that does not wait: two looks are 5 s apart.
func atOnce(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { code, out, errs = apptest.Run(t, args...) })
	return code, out, errs
}

// What the command says of a job that hangs, with its exit code.
func TestStacks(t *testing.T) {
	t.Parallel()
	code, out, errs := atOnce(t, "stacks", "--demo=4x8,hang", "48211")
	for _, want := range []string{": stuck\nNCCL 2.29.7: 31 of 32 ranks wait in AllReduce #66502 for rank 11 (gpu-n02 GPU3, PID ",
		"\n31 of 32 ranks are in all_reduce, rank 11 (gpu-n02 GPU3, PID ",
		"is in _try_get_data (torch/utils/data/dataloader.py:1144).\n",
		"2 worker processes on gpu-n02 wait in state D for /lustre/set7/shard-0317.tar (lustre).\n",
		"None has moved within 5 s.\n", "     1 rank   _try_get_data"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if code != 1 || errs != "" {
		t.Errorf("exit code %d, %q", code, errs)
	}
}

func TestStacksOfAJobThatMoves(t *testing.T) {
	t.Parallel()
	code, out, errs := atOnce(t, "stacks", "--demo=4x8", "--json", "--until-moved", "--every", "5s", "48377_3")
	var d schema.Stacks
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != cli.ExitOK || d.State != schema.StacksMoving ||
		d.Version != schema.StacksVersion || d.Job != "48377_3" || d.Asked != 2 || *d.Groups[0].Moved == 0 {
		t.Errorf("exit code %d, %v, %q:\n%s", code, err, errs, out)
	}
}

func TestStacksRefuses(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]struct {
		code int
		said string
	}{
		"stacks --demo=2x2": {cli.ExitUsage,
			"you have 2 running jobs: name one of them, such as nvnodetop stacks "},
		"stacks --demo=2x2 7":               {cli.ExitNoJobs, `job "7" is not one of your running jobs`},
		"stacks 1 2":                        {cli.ExitUsage, "stacks takes one job"},
		"stacks --every 1s --demo=2x2 1":    {cli.ExitUsage, "--every must be at least 5s, not 1s"},
		"stacks --nodes a 1":                {cli.ExitUsage, "a job cannot be combined with --nodes"},
		"stacks --demo=2x2,hangs 48211":     {cli.ExitUsage, `with ",hang" its job hangs`},
		"stacks --login nobody@127.0.0.1:1": {cli.ExitNoJobs, "127.0.0.1"},
	} {
		code, _, errs := apptest.Run(t, strings.Fields(args)...)
		if code != want.code || !strings.Contains(errs, want.said) {
			t.Errorf("%s: exit code %d, %q", args, code, errs)
		}
	}
}

// The document matches the schema of the same program, of a job that hangs and of one that moves.
func TestStacksMatchTheirSchema(t *testing.T) {
	t.Parallel()
	for args, has := range map[string]string{"--demo=4x8,hang 48211": `"workers"`, "--demo=4x8 48377_3": `"moved"`} {
		t.Run(has, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				out := apptest.Document(t, "stacks", append([]string{"stacks", "--json"}, strings.Fields(args)...)...)
				if !strings.Contains(out, has) {
					t.Errorf("no %s in\n%s", has, out)
				}
			})
		})
	}
}
