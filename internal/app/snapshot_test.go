package app

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feedtest"
)

// Each format prints the same nodes and GPUs. Text and JSON are what --once and --json print.
func TestSnapshotFormats(t *testing.T) {
	demo := []string{"--demo", "2x4", "--timeout", "30s", "--ascii"}
	print := func(args ...string) string {
		t.Helper()
		code, out, errs := program(t, append(args, demo...)...)
		if code != cli.ExitOK || errs != "" {
			t.Fatalf("%q: exit code %d, stderr %q", args, code, errs)
		}
		return out
	}
	for format, flag := range map[string]string{"text": "--once", "json": "--json"} {
		got, want := shape(print("snapshot", "--format", format)), shape(print(flag))
		if got != want {
			t.Errorf("snapshot --format %s prints\n%s\n%s prints\n%s", format, got, flag, want)
		}
	}
	if got, want := shape(print("snapshot")), shape(print("--once")); got != want {
		t.Errorf("without --format it prints\n%s", got)
	}
	gpus := strings.Count(print("--json"), `"uuid"`)
	rows, err := csv.NewReader(strings.NewReader(print("snapshot", "--format", "csv"))).ReadAll()
	if err != nil || gpus < 8 || len(rows) != 1+gpus {
		t.Errorf("%d lines of CSV for %d GPUs, %v", len(rows), gpus, err)
	}
	text := print("snapshot", "--format", "prometheus")
	if n := strings.Count(text, "\nnvnodetop_gpu_utilization_ratio{"); n != gpus {
		t.Errorf("%d of %d GPUs for Prometheus", n, gpus)
	}
	text = print("snapshot", "--format", "prometheus", "--metrics-names", "dcgm")
	if n := strings.Count(text, "\nDCGM_FI_DEV_GPU_UTIL{"); n != gpus ||
		strings.Contains(text, "nvnodetop_gpu_utilization_ratio") {
		t.Errorf("%d of %d GPUs with the names of DCGM", n, gpus)
	}
}

func TestSnapshotUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"snapshot --format yaml":                          `--format must be text, json, csv or prometheus, not "yaml"`,
		"snapshot --format=":                              `--format must be text, json, csv or prometheus, not ""`,
		"snapshot --format prometheus --metrics-names x":  `--metrics-names must be nvnodetop or dcgm, not "x"`,
		"snapshot --format csv --metrics-names dcgm":      "--metrics-names is for --format prometheus",
		"snapshot --format csv --only 0":                  "--only is for --format text",
		"snapshot --demo --nodes a":                       "--demo and --nodes cannot be combined",
		"snapshot --nodes=":                               "--nodes is empty",
		"snapshot --once":                                 "unknown flag: --once",
		"snapshot 5":                                      `unexpected argument "5"`,
		"snapshot --format prometheus --timeout tomorrow": "--timeout must be a time with a unit",
	} {
		code, out, errs := program(t, strings.Fields(args)...)
		if code != cli.ExitUsage || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q; want 2 and one line with %q", args, code, out, errs, want)
		}
	}
}

// The exit code of each format is that of --json.
func TestSnapshotWithoutJobs(t *testing.T) {
	feedtest.Squeue(t, "exit 0")
	for _, format := range []string{"text", "json", "csv", "prometheus"} {
		code, _, errs := program(t, "snapshot", "--format", format)
		if code != cli.ExitNoJobs || !strings.Contains(errs, "no running job") {
			t.Errorf("%s: exit code %d, stderr %q", format, code, errs)
		}
	}
}

// What cannot be written is an error.
func TestSnapshotToAFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, format := range []string{"text", "json", "csv", "prometheus"} {
		var errs strings.Builder
		if code := Main([]string{"snapshot", "--format", format, "--demo=1x1"}, full, full,
			&errs); code != cli.ExitFailed || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: exit code %d, stderr %q", format, code, errs.String())
		}
	}
}

// The page of the command describes its flags.
func TestSnapshotIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/commands/snapshot.md")
	if err != nil {
		t.Fatal(err)
	}
	_, help, _ := program(t, "snapshot", "--help")
	for _, flag := range regexp.MustCompile(`(?m)^ +(?:-\w, |    )(--[a-z-]+)`).FindAllStringSubmatch(help, -1) {
		if flag[1] != "--help" && flag[1] != "--version" && !strings.Contains(string(page), "`"+flag[1]) {
			t.Errorf("docs/commands/snapshot.md does not name %s", flag[1])
		}
	}
}

// shape is what stays the same between two runs of the demo: the keys of JSON, or the words of text.
func shape(out string) string {
	var doc struct {
		Jobs []struct {
			ID    string
			Nodes []string
		}
		Nodes []struct {
			Name, State string
			GPUs        []struct{ UUID string }
		}
	}
	if json.Unmarshal([]byte(out), &doc) == nil {
		text, _ := json.Marshal(doc)
		return string(text)
	}
	return strings.Join(regexp.MustCompile(`(?m)^-- .*$`).FindAllString(out, -1), "\n")
}
