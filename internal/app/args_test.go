package app

import (
	"slices"
	"strings"
	"testing"
)

// Both ways to write two thresholds are one.
func TestJoinPairs(t *testing.T) {
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

// Thresholds of the classic colors come from flags, files, variables of ours and of nvitop's, and what is wrong with
// them is one line.
func TestThresholdFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--gpu-util-thresh 10 75": `gpu_util_thresh = [10, 75] # --gpu-util-thresh`,
		"--gpu-util-thresh=20,50": `gpu_util_thresh = [20, 50] # --gpu-util-thresh`,
		"--mem-util-thresh 10 80": `mem_util_thresh = [10, 80] # --mem-util-thresh`,
		"":                        `gpu_util_thresh = [60, 85] # default`,
		"5":                       `# mem_util_thresh is not set`,
	} {
		settings(t, "", "")
		code, out, errs := program(t, append([]string{"config"}, strings.Fields(args)...)...)
		if code != exitOK || errs != "" || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
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
		settings(t, "", "")
		code, out, errs := program(t, append([]string{"--demo", "--once"}, strings.Fields(args)...)...)
		want := "nvnodetop: --gpu-util-thresh must be two numbers, 0 < low < high < 100, such as 60,85, not " + got +
			"\n"
		if code != exitUsage || out != "" || errs != want {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, out, errs, want)
		}
	}
}
