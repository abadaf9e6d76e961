package screen_test

import (
	"encoding/csv"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// Each format prints the same nodes and GPUs. Text and JSON equal the output of --once and --json, to the byte: each
// run has a clock of its own, and the demo tells the same story by each clock.
func TestSnapshotFormats(t *testing.T) {
	print := func(args ...string) (out string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			code, text, errs := apptest.Run(t, append(args, "--demo", "2x4", "--timeout", "30s", "--ascii")...)
			if code != cli.ExitOK || errs != "" {
				t.Fatalf("%q: exit code %d, stderr %q", args, code, errs)
			}
			out = text
		})
		return out
	}
	text, doc := print("--once"), print("--json")
	for want, args := range map[string][]string{text: {"snapshot"}, doc: {"snapshot", "--format", "json"}} {
		if got := print(args...); got != want {
			t.Errorf("%q prints\n%s\nwant\n%s", args, got, want)
		}
	}
	if got := print("snapshot", "--format", "text"); got != text {
		t.Errorf("with --format text it prints\n%s", got)
	}
	gpus := strings.Count(doc, `"uuid"`)
	rows, err := csv.NewReader(strings.NewReader(print("snapshot", "--format", "csv"))).ReadAll()
	if err != nil || gpus < 8 || len(rows) != 1+gpus {
		t.Errorf("%d lines of CSV for %d GPUs, %v", len(rows), gpus, err)
	}
	metrics := print("snapshot", "--format", "prometheus")
	if n := strings.Count(metrics, "\nnvnodetop_gpu_utilization_ratio{"); n != gpus {
		t.Errorf("%d of %d GPUs for Prometheus", n, gpus)
	}
	metrics = print("snapshot", "--format", "prometheus", "--metrics-names", "dcgm")
	if n := strings.Count(metrics, "\nDCGM_FI_DEV_GPU_UTIL{"); n != gpus ||
		strings.Contains(metrics, "nvnodetop_gpu_utilization_ratio") {
		t.Errorf("%d of %d GPUs with the names of DCGM", n, gpus)
	}
}

// No document for programs has digits that come only from arithmetic, such as 0.32689999999999997. nvgpu's form,
// of list --json, has nvgpu's own.
func TestNumbersAreShort(t *testing.T) {
	long := regexp.MustCompile(`[: ,]-?\d+\.\d{9,}[,\n].*`)
	for _, args := range [][]string{{"snapshot", "--format", "json"}, {"snapshot", "--format", "csv"},
		{"snapshot", "--format", "prometheus", "--processes"},
		{"snapshot", "--format", "prometheus", "--metrics-names", "dcgm"},
		{"list", "--json=gpustat"}, {"stacks", "--json", "48211"}} {
		var text, errs string
		synctest.Test(t, func(t *testing.T) { _, text, errs = apptest.Run(t, append(args, "--demo", "8x8")...) })
		if found := long.FindAllString(text, -1); len(text) < 1000 || len(found) > 0 {
			t.Errorf("%q: %d bytes, %q; stderr %q", args, len(text), found[:min(3, len(found))], errs)
		}
	}
}

func TestSnapshotUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"snapshot --format yaml":                          `--format must be text, json, csv or prometheus, not "yaml"`,
		"snapshot --format=":                              `--format must be text, json, csv or prometheus, not ""`,
		"snapshot --format prometheus --metrics-names x":  `--metrics-names must be nvnodetop or dcgm, not "x"`,
		"snapshot --format csv --metrics-names dcgm":      "--metrics-names is for --format prometheus",
		"snapshot --format csv --metrics core":            "--metrics is for --format prometheus",
		"snapshot --format prometheus --metrics most":     `--metrics must be all or core, not "most"`,
		"snapshot --format csv --only 0":                  "--only is for --format text",
		"snapshot --demo --nodes a":                       "--demo and --nodes cannot be combined",
		"snapshot --nodes=":                               "--nodes is empty",
		"snapshot --once":                                 "unknown flag: --once",
		"snapshot 5":                                      `unexpected argument "5"`,
		"snapshot --format prometheus --timeout tomorrow": "--timeout must be a time with a unit",
	} {
		code, out, errs := apptest.Run(t, strings.Fields(args)...)
		if code != cli.ExitUsage || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q; want 2 and one line with %q", args, code, out, errs, want)
		}
	}
}

// The exit code of each format is that of --json.
func TestSnapshotWithoutJobs(t *testing.T) {
	feedtest.Squeue(t, "exit 0")
	for _, format := range []string{"text", "json", "csv", "prometheus"} {
		code, _, errs := apptest.Run(t, "snapshot", "--format", format)
		if code != cli.ExitNoJobs || !strings.Contains(errs, "no running job") {
			t.Errorf("%s: exit code %d, stderr %q", format, code, errs)
		}
	}
}

// An output that cannot be written is an error.
func TestSnapshotToAFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, format := range []string{"text", "json", "csv", "prometheus"} {
		code, errs := apptest.RunTo(t.Context(), t, full, "snapshot", "--format", format, "--demo=1x1")
		if code != cli.ExitFailed || !strings.Contains(errs, "no space left") {
			t.Errorf("%s: exit code %d, stderr %q", format, code, errs)
		}
	}
}

// The page of the command describes its flags.
func TestSnapshotIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/commands/snapshot.md")
	if err != nil {
		t.Fatal(err)
	}
	_, help, _ := apptest.Run(t, "snapshot", "--help")
	for _, flag := range regexp.MustCompile(`(?m)^ +(?:-\w, |    )(--[a-z-]+)`).FindAllStringSubmatch(help, -1) {
		if flag[1] != "--help" && flag[1] != "--version" && !strings.Contains(string(page), "`"+flag[1]) {
			t.Errorf("docs/commands/snapshot.md does not name %s", flag[1])
		}
	}
}
