package record_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/source/recording"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// recordDemo records the demo for a second or so, with its past.
func recordDemo(t *testing.T, args ...string) (path, said string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run.nvr")
	code, out, errs := apptest.Run(t, append([]string{"record", "--demo", "2x4", "--max-time", "1s", path}, args...)...)
	if code != cli.ExitOK || errs != "" {
		t.Fatalf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	return path, out
}

func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	path, said := recordDemo(t)
	if !strings.HasPrefix(said, "recorded 12m") || !strings.Contains(said, " events, ") ||
		!strings.Contains(said, path) || strings.Count(said, "\n") != 1 {
		t.Errorf("said %q", said)
	}
	code, out, errs := apptest.Run(t, "replay", "--json", path)
	var d struct {
		Jobs  []struct{ ID string }
		Nodes []struct{ Name, State string }
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != cli.ExitOK || errs != "" {
		t.Fatalf("exit code %d, stderr %q, %v\n%.500s", code, errs, err, out)
	}
	if len(d.Jobs) < 2 || len(d.Nodes) < 3 || d.Nodes[0].State != "reporting" {
		t.Errorf("%+v", d)
	}
	if again := first(apptest.Run(t, "replay", "--json", "--at", "-0s", path)); again != out {
		t.Error("the end is not the end")
	}
	if early := first(apptest.Run(t, "replay", "--json", "--at", "5m", path)); early == out ||
		!strings.HasPrefix(early, "{") {
		t.Errorf("after 5 minutes: %.300s", early)
	}
	if code, out, errs := apptest.Run(t, "replay", "--once", "--ascii", path); code != cli.ExitOK ||
		!strings.Contains(out, "llama-70b") {
		t.Errorf("exit code %d, stdout %.300q, stderr %q", code, out, errs)
	}
}

func first(_ int, out, _ string) string { return out }

func TestRecordAnonymous(t *testing.T) {
	t.Parallel()
	path, _ := recordDemo(t, "--anonymous")
	out := first(apptest.Run(t, "replay", "--json", path))
	if !strings.Contains(out, `"user": "user2"`) || strings.Contains(out, "alice") || strings.Contains(out, "gpu-n0") ||
		strings.Contains(out, "train.py") {
		t.Errorf("%.2000s", out)
	}
}

func TestRecordUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("not a recording, but long enough for a header of one"), 0o600); err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(dir, "newer")
	header := fmt.Sprintf(`{"nvnodetop_recording":%d}`, recording.Version+1)
	if err := os.WriteFile(newer, append([]byte{0x5a, 0x2a, 0x4d, 0x18, byte(len(header)), 0, 0, 0}, header...),
		0o600); err != nil {
		t.Fatal(err)
	}
	path, _ := recordDemo(t)
	for args, want := range map[string]string{
		"record":                            "record needs a FILE to write",
		"record a 3 4":                      "too many arguments (3): expected FILE and POLL, in seconds",
		"record --demo x y":                 "POLL",
		"record --demo " + there:            "exists: recordings are not overwritten",
		"record --demo " + dir + "/no/file": `/no" for the recording "file"`,
		"record --max-size 3 x":             `--max-size must be a size such as 500M or 2G, at least 1M, not "3"`,
		"record --max-time 1ms x":           "--max-time must be at least 1s, not 1ms",
		"record --files 2 x":                "--files needs --max-size or --max-time",
		"record --files 0 --max-time 1h x":  "--files must be from 1 to 10000, not 0",
		"replay":                            "replay takes one FILE: nvnodetop replay run.nvr",
		"replay --json a b":                 "replay takes one FILE: nvnodetop replay run.nvr",
		"replay --json " + dir:              "not a recording of nvnodetop",
		"replay --json " + there:            `there": not a recording of nvnodetop`,
		"replay --json " + dir + "/none":    `none": no such file or directory`,
		"replay --json " + newer:            "use a newer nvnodetop",
		"replay --json --at x " + path:      `--at: "x" is neither a time such as 15:04:05`,
		"replay --json --at 2h " + path:     "is not in the recording, which is from 20",
		"replay --json --once " + path:      "--once and --json cannot be combined",
		"replay " + path:                    "not a terminal: use --once for text or --json for JSON",
	} {
		if code, out, errs := apptest.Run(t, strings.Fields(args)...); code != cli.ExitUsage || out != "" ||
			!strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, out, errs, want)
		}
	}
}

// twoJobs makes squeue print two running jobs on a host that does not exist.
const twoJobs = `for a in "$@"; do case $a in --format=*) f=${a#--format=};; esac; done
for i in 7 9; do
	echo "$f" | sed "s/%i/$i/; s/%A/$i/; s/%t/R/; s/%j/train/; s/%N/host.invalid/; s/%D/1/; s/%S/2026-11-20T18:22:36/"
done`

// In a batch script the job is its own, unless the user asks for another.
func TestRecordInAJob(t *testing.T) {
	feedtest.Squeue(t, twoJobs)
	here, err := os.Hostname() // it reports, so the time is soon seen to be up
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args, inJob string
		jobs        string // that are recorded
		wrong       string
	}{
		{"", "", "7 9", ""}, {"", "7", "7", ""}, {"--job 9", "7", "9", ""}, {"--nodes " + here, "7", "", ""},
		{"--job 8", "7", "", `no job "8" of user`}, {"", "8", "", "has ended (SLURM_JOB_ID names it)\n"},
	} {
		t.Run(test.args+" in "+test.inJob, func(t *testing.T) {
			t.Parallel() // each is a process: it has an environment of its own
			path := filepath.Join(t.TempDir(), "run.nvr")
			code, out, errs := apptest.Process(t, []string{feed.BatchJob + "=" + test.inJob},
				append(strings.Fields("record --max-time 1s "+test.args), path, "0.25")...)
			_, absent := os.Stat(path)
			if test.wrong != "" {
				if code != cli.ExitNoJobs || !strings.Contains(errs, test.wrong) || out != "" || absent == nil {
					t.Errorf("exit code %d, stdout %q, stderr %q, %v", code, out, errs, absent)
				}
				return
			}
			if code != cli.ExitOK || absent != nil {
				t.Fatalf("exit code %d, stdout %q, stderr %q", code, out, errs)
			}
			var d struct{ Jobs []struct{ ID string } }
			if err := json.Unmarshal([]byte(first(apptest.Run(t, "replay", "--json", path))), &d); err != nil {
				t.Fatal(err)
			}
			var jobs []string
			for _, j := range d.Jobs {
				jobs = append(jobs, j.ID)
			}
			if got := strings.Join(jobs, " "); got != test.jobs {
				t.Errorf("recorded the jobs %q", got)
			}
		})
	}
}

// smallDisk is a file system of 64 KiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can mount")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// A full disk ends the recording with one line, and the written part can be shown.
func TestRecordOnAFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(smallDisk(t), "run.nvr")
	code, out, errs := apptest.Run(t, "record", "--demo", "16x8", "--max-time", "1h", path)
	if code != cli.ExitFailed || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "no space left on device") ||
		!strings.HasPrefix(errs, "nvnodetop: the recording ends at ") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	code, out, errs = apptest.Run(t, "replay", "--once", "--ascii", path)
	if !strings.Contains(out, "llama-70b") || !strings.Contains(errs, "is cut: it ends at ") || code == cli.ExitUsage {
		t.Errorf("exit code %d, %.300q, %q", code, out, errs)
	}
}

// A file of an earlier run ends a recording to several files before it begins, and not hours later.
func TestRecordFilesAreFree(t *testing.T) {
	t.Parallel()
	for _, left := range []string{"x.2", "x.24", "x.25"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, left), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		x := filepath.Join(dir, "x")
		code, _, errs := apptest.Run(t, "record", "--demo", "1x1", "--max-time", "1s", "--files", "1", x)
		if _, err := os.Stat(x); code != cli.ExitUsage ||
			!strings.Contains(errs, left+`" exists: recordings are not overwritten`) || err == nil {
			t.Errorf("beside %s: exit code %d, %q, %v", left, code, errs, err)
		}
	}
}

// A recording that the system's file switches off is refused to Ctrl-K, too.
func TestNothingIsRecordedOnCall(t *testing.T) {
	t.Chdir(t.TempDir())
	cfg := config.Default()
	cfg.Record, cfg.RecordFrom = false, "/etc/x:3"
	o := record.NewBackground(&cfg, func() string { return "7" })
	if said := o.Switch(); said != "recordings are switched off: record = false (/etc/x:3)" || o.Status() != "" {
		t.Errorf("said %q, status %q", said, o.Status())
	}
	if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}
