package app

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/access"
	"github.com/nvnodetop/nvnodetop/internal/config"
)

func TestAsNvitop(t *testing.T) {
	for args, want := range map[string]string{
		"-V": "--version", "-1 -U": "--once --ascii", "--no-unicode": "--ascii",
		"--light --colorful": "--theme=light --colors=classic", "--interval 2 1": "2 1", "--interval=0.5": "0.5",
		"--interval": "--interval", "--interval x": "--interval x", "--interval=x": "--interval=x",
		"-m": "--monitor=auto", "-m full -o 0": "--monitor=full --only=0", "--monitor 3": "--monitor=auto 3",
		"-m -c": "--monitor=auto -c", "-m wide": "--monitor=wide", "--monitor=compact": "--monitor=compact",
		"-- -1 -m":               "-- -1 -m",
		"":                       "",
		"5 2":                    "5 2",
		"-ov":                    "--only-visible",
		"-u":                     "--user=",
		"-u alice bob -c":        "--user=alice,bob -c",
		"5 --user alice":         "5 --user=alice",
		"-u=alice 5":             "-u=alice 5",
		"--user=alice 5":         "--user=alice 5",
		"-p 1 2 -o 0 3 --ascii":  "--pid=1,2 --only=0,3 --ascii",
		"-u alice -- 5":          "--user=alice -- 5",
		"-- -u alice -ov":        "-- -u alice -ov",
		"-o GPU-1c2d 1b:00.0 -g": "--only=GPU-1c2d,1b:00.0 -g",
	} {
		if got := strings.Join(asNvitop(strings.Fields(args)), " "); got != want {
			t.Errorf("%s is %s, want %s", args, got, want)
		}
	}
}

func TestNarrow(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "1,GPU-1c2d")
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
		{args: "-u a;b", wrong: `--user takes names of users, not "a;b"`},
		{args: "-u a)", wrong: `--user takes names of users, not "a)"`},
		{args: "-p", wrong: "--pid takes process IDs: there is none behind it"},
		{args: "-p 0", wrong: `--pid takes process IDs, not "0"`},
		{args: "-p " + strings.Repeat("99999 ", 100), wrong: "-u and -p: a filter has at most 512 characters"},
		{args: "-o", wrong: "--only names no GPU"},
		{args: "-o x", wrong: `--only takes numbers, UUIDs and PCI bus IDs of GPUs, not "x"`},
		{args: "-ov", wrong: "--only-visible is about the GPUs of this host: use it with --transport local, or name " +
			"GPUs with --only"},
		{args: "-ov -o 1 --transport local", wrong: "--only and --only-visible cannot be combined"},
		{args: "--json -u", wrong: "--json has everything: -u, -p, -c, -g and -o cannot be combined with it"},
		{args: "--once -g", wrong: "--once prints no processes: -u, -p, -c and -g cannot be combined with it"},
	} {
		cfg, f, n := config.Default(), pflag.NewFlagSet("", pflag.ContinueOnError), narrow{}
		addFlags(f, &cfg)
		n.add(f)
		if err := f.Parse(asNvitop(strings.Fields(test.args))); err != nil {
			t.Fatal(err)
		}
		wrong := ""
		if err := n.apply(&cfg); err != nil {
			wrong = err.Error()
		}
		if wrong != test.wrong || wrong == "" && (cfg.Processes != test.processes || cfg.Only != test.only) {
			t.Errorf("%s: %q, only %q, error %q", test.args, cfg.Processes, cfg.Only, wrong)
		}
		if wrong == "" && (processes(&cfg) == nil) != (test.processes == "") {
			t.Errorf("%s: %v", test.args, processes(&cfg))
		}
	}
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	cfg, n := config.Default(), narrow{visible: true, flags: pflag.NewFlagSet("", pflag.ContinueOnError)}
	n.add(n.flags)
	n.visible, cfg.Transport = true, config.Local
	if err := n.apply(&cfg); err == nil || err.Error() != "CUDA_VISIBLE_DEVICES names no GPU" {
		t.Errorf("nothing is visible: %v", err)
	}
}
