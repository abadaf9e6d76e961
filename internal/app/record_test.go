package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/recording"
)

// recordDemo records the demo for a second or so, with its past.
func recordDemo(t *testing.T, args ...string) (path, said string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run.nvr")
	code, out, errs := program(t, append([]string{"record", "--demo", "2x4", "--max-time", "1s", path}, args...)...)
	if code != exitOK || errs != "" {
		t.Fatalf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	return path, out
}

func TestRecordAndReplay(t *testing.T) {
	path, said := recordDemo(t)
	if !strings.HasPrefix(said, "recorded 12m") || !strings.Contains(said, " events, ") ||
		!strings.Contains(said, path) || strings.Count(said, "\n") != 1 {
		t.Errorf("said %q", said)
	}
	code, out, errs := program(t, "replay", "--json", path)
	var d struct {
		Jobs  []struct{ ID string }
		Nodes []struct{ Name, State string }
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitOK || errs != "" {
		t.Fatalf("exit code %d, stderr %q, %v\n%.500s", code, errs, err, out)
	}
	if len(d.Jobs) < 2 || len(d.Nodes) < 3 || d.Nodes[0].State != "reporting" {
		t.Errorf("%+v", d)
	}
	if again := first(program(t, "replay", "--json", "--at", "-0s", path)); again != out {
		t.Error("the end is not the end")
	}
	if early := first(program(t, "replay", "--json", "--at", "5m", path)); early == out ||
		!strings.HasPrefix(early, "{") {
		t.Errorf("after 5 minutes: %.300s", early)
	}
	if code, out, errs := program(t, "replay", "--once", "--ascii", path); code != exitOK ||
		!strings.Contains(out, "llama-70b") {
		t.Errorf("exit code %d, stdout %.300q, stderr %q", code, out, errs)
	}
}

func first(_ int, out, _ string) string { return out }

// With --files a recording goes on in other files, and the oldest are removed.
func TestRecordFiles(t *testing.T) {
	dir := t.TempDir()
	w := recording.NewWriter(recording.Header{Poll: time.Second})
	r := &recorder{path: filepath.Join(dir, "x"), limit: limits{time: time.Minute}, keep: 2, w: w}
	path, _ := recordDemo(t)
	file, from, err := openRecording(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := r.begin(from.Began()); err != nil {
		t.Fatal(err)
	}
	if err := from.Run(t.Context(), func(e cluster.Event) { r.take(e) }); err != nil {
		t.Fatal(err)
	}
	if err := r.end(); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != 2 || len(r.files) != 2 || r.files[1] != left[1] || r.count < 10 {
		t.Fatalf("files %q, %q of %d", left, r.files, r.count)
	}
	if !strings.Contains(r.summary(), "2 files, the last of them ") {
		t.Error(r.summary())
	}
	for _, path := range left {
		if code, out, errs := program(t, "replay", "--once", path); code != exitOK || errs != "" {
			t.Errorf("%s: exit code %d, stderr %q\n%.500s", path, code, errs, out)
		}
	}
}

// A full disk ends the recording with one line, and what is there can be replayed.
func TestRecordFullDisk(t *testing.T) {
	path, _ := recordDemo(t)
	file, from, err := openRecording(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	full := filepath.Join(t.TempDir(), "full.nvr")
	r := &recorder{path: full, w: recording.NewWriter(recording.Header{Poll: 3 * time.Second})}
	if err := r.begin(from.Began()); err != nil {
		t.Fatal(err)
	}
	n := 0
	_ = from.Run(t.Context(), func(e cluster.Event) {
		if n++; n == 400 {
			r.file.Close() // no write succeeds any more
		}
		r.take(e)
	})
	if err := r.end(); err == nil || !strings.HasPrefix(err.Error(), "the recording ends at ") ||
		r.take(cluster.Event{}) {
		t.Errorf("error %v", err)
	}
	if code, out, errs := program(t, "replay", "--json", full); code != exitOK ||
		!strings.Contains(errs, "full.nvr\" is cut: it ends at 20") || !json.Valid([]byte(out)) {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}

func TestRecordAnonymous(t *testing.T) {
	path, _ := recordDemo(t, "--anonymous")
	out := first(program(t, "replay", "--json", path))
	if !strings.Contains(out, `"user": "user2"`) || strings.Contains(out, "alice") || strings.Contains(out, "gpu-n0") ||
		strings.Contains(out, "train.py") {
		t.Errorf("%.2000s", out)
	}
}

func TestRecordUsage(t *testing.T) {
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
		"record --demo " + dir + "/no/file": "no such file or directory",
		"record --max-size 3 x":             `--max-size must be a size such as 500M or 2G, at least 1M, not "3"`,
		"record --max-time 1ms x":           "--max-time must be at least 1s, not 1ms",
		"record --files 2 x":                "--files needs --max-size or --max-time",
		"record --files 0 --max-time 1h x":  "--files must be from 1 to 10000, not 0",
		"replay":                            "replay needs one FILE to read",
		"replay --json a b":                 "replay needs one FILE to read",
		"replay --json " + dir:              "not a recording of nvnodetop",
		"replay --json " + there:            `there": not a recording of nvnodetop`,
		"replay --json " + dir + "/none":    `none": no such file or directory`,
		"replay --json " + newer:            "use a newer nvnodetop",
		"replay --json --at x " + path:      `--at: "x" is neither a time such as 15:04:05`,
		"replay --json --at 2h " + path:     "is not in the recording, which is from 20",
		"replay --json --once " + path:      "--once and --json cannot be combined",
		"replay " + path:                    "not a terminal: use --once for text or --json for JSON",
	} {
		if code, out, errs := program(t, strings.Fields(args)...); code != exitUsage || out != "" ||
			!strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, out, errs, want)
		}
	}
}

func TestMomentOf(t *testing.T) {
	began := time.Date(2026, 11, 20, 23, 50, 7, 500, time.UTC)
	r := &recording.Reader{Frames: []recording.Frame{{At: began}}, End: began.Add(30 * time.Minute)}
	for at, want := range map[string]time.Time{
		"23:55":               began.Add(4*time.Minute + 53*time.Second - 500),
		"23:55:01":            began.Add(4*time.Minute + 54*time.Second - 500),
		"00:10":               began.Add(19*time.Minute + 53*time.Second - 500),
		"23:50:07":            began,
		"10m":                 began.Add(10 * time.Minute),
		"-10m":                began.Add(20 * time.Minute),
		"2026-11-21T00:10":    began.Add(19*time.Minute + 53*time.Second - 500),
		"2026-11-21 00:10:00": began.Add(19*time.Minute + 53*time.Second - 500),
	} {
		if got, err := momentOf(r, at); err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, %v; want %v", at, got, err, want)
		}
	}
	for _, at := range []string{"12:00", "-2h", "31m", "2026-11-20T20:00", "", "soon"} {
		if got, err := momentOf(r, at); err == nil {
			t.Errorf("%q: %v", at, got)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"1M": 1 << 20, "500m": 500 << 20, "2G": 2 << 30, "1.5GiB": 3 << 29,
		"1TB": 1 << 40, "2000000": 2_000_000} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "M", "-1M", "1000", "1K", "x", "1Q", "NaN", "1e99", "M1"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}

// twoJobs makes squeue print two running jobs on a host that does not exist.
const twoJobs = `for a in "$@"; do case $a in --format=*) f=${a#--format=};; esac; done
for i in 7 9; do
	echo "$f" | sed "s/%i/$i/; s/%A/$i/; s/%t/R/; s/%j/train/; s/%N/host.invalid/; s/%D/1/; s/%S/2026-11-20T18:22:36/"
done`

// In a batch script the job is its own, unless something else is asked for.
func TestRecordInAJob(t *testing.T) {
	fakeSqueue(t, twoJobs)
	for _, test := range []struct {
		args, inJob string
		jobs        string // that are recorded
		wrong       string
	}{
		{"", "", "7 9", ""}, {"", "7", "7", ""}, {"--job 9", "7", "9", ""}, {"--nodes host.invalid", "7", "", ""},
		{"--job 8", "7", "", `no job "8" of user`}, {"", "8", "", "has ended (SLURM_JOB_ID names it)\n"},
	} {
		t.Setenv(batchJob, test.inJob)
		path := filepath.Join(t.TempDir(), "run.nvr")
		code, out, errs := program(t, append(strings.Fields("record --max-time 1s "+test.args), path)...)
		_, absent := os.Stat(path)
		if test.wrong != "" {
			if code != exitNoJobs || !strings.Contains(errs, test.wrong) || out != "" || absent == nil {
				t.Errorf("%+v: exit code %d, stdout %q, stderr %q, %v", test, code, out, errs, absent)
			}
			continue
		}
		if code != exitOK || absent != nil {
			t.Fatalf("%+v: exit code %d, stdout %q, stderr %q", test, code, out, errs)
		}
		var d struct{ Jobs []struct{ ID string } }
		if err := json.Unmarshal([]byte(first(program(t, "replay", "--json", path))), &d); err != nil {
			t.Fatal(err)
		}
		var jobs []string
		for _, j := range d.Jobs {
			jobs = append(jobs, j.ID)
		}
		if got := strings.Join(jobs, " "); got != test.jobs {
			t.Errorf("%+v: recorded the jobs %q", test, got)
		}
	}
}
