package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// Both ways to write two thresholds mean the same.
func TestJoinPairs(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                              "",
		"--gpu-util-thresh 10 75":       "--gpu-util-thresh=10,75",
		"--gpu-util-thresh 10,75 5 2":   "--gpu-util-thresh 10,75 5 2",
		"--gpu-util-thresh 10 75 5 2":   "--gpu-util-thresh=10,75 5 2",
		"--mem-util-thresh 10 80 --x":   "--mem-util-thresh=10,80 --x",
		"--mem-util-thresh=10,80 5 2":   "--mem-util-thresh=10,80 5 2",
		"5 --gpu-util-thresh -1 2":      "5 --gpu-util-thresh=-1,2",
		"--gpu-util-thresh 10":          "--gpu-util-thresh 10",
		"--gpu-util-thresh 10 --once":   "--gpu-util-thresh 10 --once",
		"-- --gpu-util-thresh 10 75":    "-- --gpu-util-thresh 10 75",
		"--nodes a --mem-util-thresh x": "--nodes a --mem-util-thresh x",
	} {
		if got := joinPairs(strings.Fields(args)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q becomes %q, want %q", args, got, want)
		}
	}
}

// Thresholds of the classic colors come from flags, files, and variables of ours and of nvitop's. A mistake in them is
// one line.
func TestThresholdFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--gpu-util-thresh 10 75": `gpu_util_thresh = [10, 75] # --gpu-util-thresh`,
		"--gpu-util-thresh=20,50": `gpu_util_thresh = [20, 50] # --gpu-util-thresh`,
		"--mem-util-thresh 10 80": `mem_util_thresh = [10, 80] # --mem-util-thresh`,
		"":                        `gpu_util_thresh = [60, 85] # default`,
		"5":                       `mem_util_thresh = [60, 85]`,
	} {
		apptest.WithSettings(t, "", "")
		code, out, errs := apptest.Run(t, append([]string{"config"}, strings.Fields(args)...)...)
		if code != cli.ExitOK || errs != "" || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("%s: exit code %d, stderr %q, want %q in\n%s", args, code, errs, want, out)
		}
	}
	for args, got := range map[string]string{
		"--gpu-util-thresh 75 10":    `"75,10"`,
		"--gpu-util-thresh 10 10":    `"10,10"`,
		"--gpu-util-thresh 0 75":     `"0,75"`,
		"--gpu-util-thresh 10 100":   `"10,100"`,
		"--gpu-util-thresh=10":       `"10"`,
		"--gpu-util-thresh=10,20,30": `"10,20,30"`,
		"--gpu-util-thresh=a,b":      `"a,b"`,
		"--gpu-util-thresh=NaN,5":    `"NaN,5"`,
		"--gpu-util-thresh=":         `""`,
	} {
		apptest.WithSettings(t, "", "")
		code, out, errs := apptest.Run(t, append([]string{"--demo", "--once"}, strings.Fields(args)...)...)
		want := "nvnodetop: --gpu-util-thresh must be two numbers, 0 < low < high < 100, such as 60,85, not " + got +
			"\n"
		if code != cli.ExitUsage || out != "" || errs != want {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, out, errs, want)
		}
	}
}

func TestAsNvitop(t *testing.T) {
	t.Parallel()
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

func TestHabits(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"available -l 1":                         "available -l 1",
		"available -i -c 2":                      "available --inherit -c 2",
		"available -i 0,1 -c 2":                  "available --inherit=0,1 -c 2",
		"available --account-as-free al bo -l 1": "available --account-as-free=al,bo -l 1",
		"available --account-as-free":            "available --account-as-free",
		"nvisel -i 3,1 -n 1":                     "nvisel --inherit=3,1 -n 1",
		"list --watch 5 --nodes a":               "list --interval=5 --nodes a",
		"list -l --nodes a":                      "list --interval --nodes a",
		"nvl -i 2":                               "nvl --interval=2",
		"-1 --interval 2":                        "--once 2",
	} {
		if got := rewriteArgs(strings.Fields(line)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", line, got, want)
		}
	}
	if got := rewriteArgs([]string{"available", "-i", ""}); !slices.Equal(got, []string{"available", "--inherit="}) {
		t.Errorf("no GPU to choose from: %q", got)
	}
	for argv, want := range map[string]string{"/usr/bin/nvl --watch": "list --watch", "/opt/nvnodetop 5": "5",
		"bin/nvisel -n 2": "nvisel -n 2",
		"nvl":             "list", "x": "", "": ""} {
		if got := strings.Join(Called(strings.Fields(argv)), " "); got != want {
			t.Errorf("%s: %q, want %q", argv, got, want)
		}
	}
}
