package feed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// A feature that the system's file switches off is refused in one line that names the file, whatever the user's own
// file says, and leaves nothing behind.
func TestTheSystemSwitchesOff(t *testing.T) {
	feedtest.Squeue(t, "exit 1")
	t.Setenv(feed.BatchJob, "")
	file := filepath.Join(t.TempDir(), "run.nvr")
	for _, test := range []struct{ system, args, want string }{
		{"serve = 'off'", "serve --demo --listen unix:/nowhere/socket",
			`serve is switched off: serve = "off" (SYSTEM:1)`},
		{"serve = 'local'", "serve --demo --listen :0 --tls-cert x --tls-key y",
			`--listen ":0" is not allowed: serve = "local" (SYSTEM:1): use 127.0.0.1:PORT or unix:PATH`},
		{"record = false", "record --demo --max-time 1s " + file,
			"recordings are switched off: record = false (SYSTEM:1)"},
		{"record = false", "serve --demo --listen unix:/nowhere/socket --record " + file,
			"recordings are switched off: record = false (SYSTEM:1)"},
		{"record = false", "track --job 7 --timeout 1s --record " + file,
			"recordings are switched off: record = false (SYSTEM:1)"},
	} {
		system, _ := apptest.WithSettings(t, test.system, "")
		code, out, errs := apptest.Run(t, strings.Fields(test.args)...)
		if want := "nvnodetop: " + strings.ReplaceAll(test.want, "SYSTEM", system) + "\n"; code != cli.ExitUsage ||
			out != "" || errs != want {
			t.Errorf("%s with %s: exit code %d, stdout %q, stderr %q, want %q", test.args, test.system, code, out, errs,
				want)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s with %s made %s", test.args, test.system, file)
		}
	}
}

// A command is not lost because its job must not be recorded.
func TestACommandRunsWithoutItsRecording(t *testing.T) {
	feedtest.Squeue(t, "exit 1")
	system, _ := apptest.WithSettings(t, "record = false", "")
	file := filepath.Join(t.TempDir(), "run.nvr")
	code, _, errs := apptest.Run(t, "track", "--job", "7", "--record", file, "--", "sh", "-c", "exit 4")
	if want := "nvnodetop: recordings are switched off: record = false (" + system +
		":1): the command runs without --record\n"; code != 4 || !strings.HasPrefix(errs, want) {
		t.Errorf("exit code %d, stderr %q, want %q", code, errs, want)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it was recorded")
	}
}

// More nodes than the system's file allows: the first are watched, and the others say why not. Outputs without a place
// for it say it on stderr.
func TestTheSystemLimitsTheNodes(t *testing.T) {
	system, _ := apptest.WithSettings(t, "max_nodes = 1", "max_nodes = 7")
	const nodes = "a.invalid,b.invalid,c.invalid"
	why := "max_nodes = 1 (" + system + ":1)"
	line := "nvnodetop: not all nodes are watched: " + why + "\n"
	t.Run("json", func(t *testing.T) {
		t.Parallel()
		code, out, errs := apptest.Run(t, "--json", "--nodes", nodes, "--timeout", "2s")
		if code != cli.ExitFailed || strings.Count(out, `"class": "not_watched"`) != 2+2 ||
			strings.Count(out, `"not watched: `+why+`"`) != 2 {
			t.Errorf("exit code %d, stderr %q, stdout %s", code, errs, out)
		}
		if strings.Count(errs, line) != 1 || !strings.Contains(errs, "c.invalid (not watched)") {
			t.Errorf("stderr %q", errs)
		}
	})
	t.Run("record", func(t *testing.T) {
		t.Parallel()
		here, err := os.Hostname() // it reports, so the time is soon seen to be up
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "run.nvr")
		if code, _, errs := apptest.Run(t, "record", "--max-time", "1s", "--nodes", here+","+nodes, path,
			"0.25"); code != cli.ExitOK || strings.Count(errs, line) != 1 {
			t.Errorf("exit code %d, stderr %q", code, errs)
		}
	})
}

// The program that would be one too many is refused in one line that names the file and the others, before it makes or
// opens anything. A demo does not count, and a command that is tracked runs.
func TestTheSystemLimitsThePrograms(t *testing.T) {
	feedtest.Squeue(t, "exit 1")
	t.Setenv(feed.BatchJob, "")
	system, _ := apptest.WithSettings(t, "max_programs = 1", "max_programs = 5")
	dir, before := t.TempDir(), remote.SlotDirs
	t.Cleanup(func() { remote.SlotDirs = before })
	remote.SlotDirs = []string{filepath.Join(dir, "slots")}
	if err := os.Mkdir(remote.SlotDirs[0], 0o700); err != nil {
		t.Fatal(err)
	}
	other, err := os.Create(filepath.Join(remote.SlotDirs[0], "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.WriteString("811"); err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(other.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	becomes := "nvnodetop: max_programs = 5 (USER:1) becomes 1: the limit is max_programs (" + system + ":1)\n"
	why := "1 of your programs run on this host already (PID 811): max_programs = 1 (" + system + ":1)\n"
	file := filepath.Join(dir, "file")
	for _, args := range []string{"--json", "--json --nodes a.invalid", "snapshot", "record --max-time 1s " + file,
		"scalars --csv " + file, "serve --listen unix:" + file, "doctor", "check", "track --job 7 -o " + file, "list", "available",
		"stacks 7", "logs 7", "report 7", "watch"} {
		code, out, errs := apptest.Run(t, strings.Fields(args)...)
		if _, rest, _ := strings.Cut(errs, "\n"); code != cli.ExitUsage || out != "" || rest != "nvnodetop: "+why ||
			!strings.Contains(errs, becomes[strings.Index(becomes, ") becomes"):]) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", args, code, out, errs)
		}
		if _, err := os.Stat(file); err == nil {
			t.Fatalf("%s: has made the file", args)
		}
	}
	if code, _, errs := apptest.Run(t, "--demo=1x1", "--json"); code != cli.ExitOK || strings.Contains(errs, "PID") {
		t.Errorf("a demo: exit code %d, stderr %q", code, errs)
	}
	code, _, errs := apptest.Run(t, "track", "--job", "7", "-o", file, "--", "sh", "-c", "exit 4")
	if code != 4 || !strings.Contains(errs, `there is no report of job "7": `+why) {
		t.Errorf("a tracked command: exit code %d, stderr %q", code, errs)
	}
}
