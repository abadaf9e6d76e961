package app

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

func TestSelection(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "1,GPU-1c2d")
	t.Setenv("PATH", t.TempDir()) // without SLURM
	const here = "--only-visible is about the GPUs of this host: use it with --transport local, or name GPUs with " +
		"--only"
	me, _ := access.Here()
	for _, test := range []struct{ args, processes, only, wrong string }{
		{args: ""},
		{args: "-u", processes: "user=" + me},
		{args: "-u --login carol@cluster", processes: "user=carol"},
		{args: "-u --login ssh://carol@cluster", processes: "user=carol"},
		{args: "-u --login carol@EXAMPLE.ORG@cluster:22", processes: "user=carol@EXAMPLE.ORG"},
		{args: "-u --login ssh://cluster", processes: "user=" + me},
		{args: "-u alice bob -p 1 2 -c", processes: "user=alice,bob and pid=1,2 and type=C,M"},
		{args: "-C -o 3:1", processes: "type=C,M and type!=G", only: "3:1"},
		{args: "-g", processes: "type=G"},
		{args: "--only-graphics", processes: "type=G and type!=C"},
		{args: "-ov --transport local", only: "1,GPU-1c2d"},
		{args: "--once -o 1", only: "1"},
		{args: "-u a;b", wrong: `--user takes names of users, such as alice or alice,bob, not "a;b"`},
		{args: "-u a)", wrong: `--user takes names of users, such as alice or alice,bob, not "a)"`},
		{args: "-p", wrong: "--pid needs process IDs, such as 4711 or 4711,4712"},
		{args: "-p 0", wrong: `--pid takes process IDs, such as 4711 or 4711,4712, not "0"`},
		{args: "-p " + strings.Repeat("99999 ", 100), wrong: "-u and -p: a filter has at most 512 characters"},
		{args: "-o", wrong: "--only names no GPU"},
		{args: "-o x", wrong: `--only takes numbers, UUIDs and PCI bus IDs of GPUs, such as 0 or 0,3, not "x"`},
		{args: "-ov", only: "1,GPU-1c2d"},
		{args: "-ov --nodes n1", wrong: here},
		{args: "-ov --login n1", wrong: here},
		{args: "-ov --demo", wrong: here},
		{args: "-ov -o 1 --transport local", wrong: "--only and --only-visible cannot be combined"},
		{args: "--json -o 1", wrong: "--json has every GPU: -o cannot be combined with it"},
		{args: "--json -u alice", processes: "user=alice"},
		{args: "-1 -c", processes: "type=C,M"},
	} {
		f, json := pflag.NewFlagSet("", pflag.ContinueOnError), false
		p, flags := cli.New(cli.Streams{}, f, cli.Shared()...), cli.AddSelection(f)
		f.Bool("once", false, "")
		f.BoolVar(&json, "json", false, "")
		if err := f.Parse(asNvitop(strings.Fields(test.args))); err != nil {
			t.Fatal(err)
		}
		wrong := ""
		choice, err := flags.Choose(t.Context(), p, json)
		if err != nil {
			wrong = err.Error()
		}
		want, _ := filter.Parse(test.processes, filter.Of(&rows.Processes))
		if wrong != test.wrong || wrong == "" && (!reflect.DeepEqual(choice.Processes, want) ||
			strings.Join(choice.GPUs, ",") != test.only) {
			t.Errorf("%s: %v, only %q, error %q", test.args, choice.Processes, choice.GPUs, wrong)
		}
	}
	feedtest.Squeue(t, "")
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	p, flags := cli.New(cli.Streams{}, f, cli.Shared()...), cli.AddSelection(f)
	if err := f.Parse([]string{"--only-visible"}); err != nil {
		t.Fatal(err)
	}
	if _, err := flags.Choose(t.Context(), p, false); err == nil || err.Error() != here {
		t.Errorf("with SLURM: %v", err)
	}
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	f = pflag.NewFlagSet("", pflag.ContinueOnError)
	p, flags = cli.New(cli.Streams{}, f, cli.Shared()...), cli.AddSelection(f)
	if err := f.Parse([]string{"--only-visible", "--transport", "local"}); err != nil {
		t.Fatal(err)
	}
	if _, err := flags.Choose(t.Context(), p, false); err == nil || err.Error() != "CUDA_VISIBLE_DEVICES names no GPU" {
		t.Errorf("nothing is visible: %v", err)
	}
}

// nvitop -1 prints processes, so this does; -u and its like choose among them, in JSON too.
func TestProcessesAreChosenInWhatIsPrintedOnce(t *testing.T) {
	count := func(args string) (alice, bob int) {
		_, out, errs := apptest.Run(t, strings.Fields("--demo 4x8 "+args)...)
		if alice = strings.Count(out, " alice "); strings.Contains(args, "--json") {
			var doc schema.Snapshot
			if err := json.Unmarshal([]byte(out), &doc); err != nil {
				t.Fatalf("%s: %v, %s", args, err, errs)
			}
			alice = 0
			for _, n := range doc.Nodes {
				if len(n.GPUs) > 0 && n.GPUs[0].UUID == "" {
					t.Errorf("%s: a GPU without its UUID", args)
				}
				for _, p := range n.Processes {
					if alice += 1; p.User == "bob" {
						alice, bob = alice-1, bob+1
					}
				}
			}
			return alice, bob
		}
		return alice, strings.Count(out, " bob ")
	}
	for _, args := range []string{"-1", "--json"} {
		alice, bob := count(args)
		if alice < 20 || bob < 2 {
			t.Errorf("%s: %d processes of alice and others, %d of bob", args, alice, bob)
		}
		if alice, of := count(args + " -u bob -c"); of != bob || args == "--json" && alice > 0 {
			t.Errorf("%s -u bob: %d and %d", args, alice, of)
		}
	}
}
