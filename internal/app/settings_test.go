package app

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// A mistake in a file of settings ends the program before it does anything.
func TestMistakeInTheSettings(t *testing.T) {
	_, users := apptest.WithSettings(t, "", "[thresholds]\nclock_skew_seconds = 0\n")
	for _, args := range []string{"--demo --once", "config", "config --check"} {
		code, out, errs := apptest.Run(t, strings.Fields(args)...)
		want := "nvnodetop: " + users + ":2: thresholds.clock_skew_seconds must be a number from 0.1 to 86400, not 0\n"
		if code != cli.ExitUsage || out != "" || errs != want {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q; want %q", args, code, out, errs, want)
		}
	}
}

// An unknown key of another version costs one line, and no run: versions share these files. Only config --check fails.
func TestUnknownKeyInTheSettings(t *testing.T) {
	const said = `:1: unknown key "newkey" (nvnodetop config lists all keys): ignored`
	for _, test := range []struct{ system, user string }{{"newkey = 1\npoll.min_interval = 7", ""},
		{"poll.min_interval = 7", "newkey = 1"}} {
		systems, users := apptest.WithSettings(t, test.system, test.user)
		in := systems
		if test.user != "" {
			in = users
		}
		line := "nvnodetop: " + in + said + "\n"
		code, out, errs := apptest.Run(t, "--demo=1x1", "--json", "--timeout", "30s")
		if code != cli.ExitOK || !strings.Contains(errs, line) || !strings.Contains(out, `"poll_seconds": 7,`) {
			t.Errorf("%+v: exit code %d, stderr %q", test, code, errs)
		}
		if code, out, errs := apptest.Run(t, "config"); code != cli.ExitOK || errs != "" ||
			!strings.Contains(out, "# "+in+said+"\n") {
			t.Errorf("config: exit code %d, stderr %q\n%.500s", code, errs, out)
		}
		if code, out, errs := apptest.Run(t, "config", "--check"); code != cli.ExitUsage || out != "" || errs != line {
			t.Errorf("config --check: exit code %d, stdout %q, stderr %q", code, out, errs)
		}
	}
	systems, users := apptest.WithSettings(t, "serve = 'local'", "")
	if code, out, errs := apptest.Run(t, "config", "--check"); code != cli.ExitOK || errs != "" || out != systems+
		": no mistake\n"+users+": no mistake\n" {
		t.Errorf("config --check: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}

func TestConfigSaysWhereASettingIsFrom(t *testing.T) {
	systems, users := apptest.WithSettings(t, "poll.min_interval = 2\nview = 'node'\n", "theme = 'dark'\n")
	t.Setenv("NVNODETOP_TIMEOUT", "20")
	code, out, errs := apptest.Run(t, "config", "0.5", "--colors=classic")
	if code != cli.ExitOK || errs != "" {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
	lines := map[string]bool{}
	for l := range strings.Lines(out) {
		lines[strings.Join(strings.Fields(l), " ")] = true
	}
	for _, want := range []string{
		`view = "node" # ` + systems + ":2", `theme = "dark" # ` + users + ":1", `timeout = "20s" # NVNODETOP_TIMEOUT`,
		`colors = "classic" # --colors`,
		`interval = "2s" # ` + systems + ":1", `interval = "1s" # default`,
		`# poll.interval = "500ms" (POLL) becomes "2s": the limit is poll.min_interval (` + systems + ":1)",
	} {
		if !lines[want] {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

// Words in nvitop's variables that mean nothing here are in the log, and disturb nobody.
func TestNvitopsWordsAreLogged(t *testing.T) {
	apptest.WithSettings(t, "", "")
	t.Setenv("NVITOP_MONITOR_MODE", "colorful,rainbow")
	path := filepath.Join(t.TempDir(), "log")
	code, _, errs := apptest.Run(t, "--demo=1x1", "--once", "--log", path)
	log, _ := os.ReadFile(path)
	if code != cli.ExitOK || errs != "" || strings.Count(string(log), "msg=ignored") != 1 ||
		!strings.Contains(string(log), `rainbow`) ||
		!strings.Contains(string(log), `key=colors value="\"classic\"" from=NVITOP_MONITOR_MODE`) {
		t.Errorf("exit code %d, stderr %q, log\n%s", code, errs, log)
	}
}

// The limits of the system's file hold in a run, and the user is told once.
func TestTheSystemsLimitsHold(t *testing.T) {
	apptest.WithSettings(t, "poll.min_interval = 7\n", "")
	code, out, errs := apptest.Run(t, "--demo=1x1", "--json", "--timeout", "30s", "2")
	if code != cli.ExitOK || strings.Count(errs, `nvnodetop: poll.interval = "2s" (POLL) becomes "7s"`) != 1 ||
		!strings.Contains(out, `"poll_seconds": 7,`) {
		t.Errorf("exit code %d, stderr %q, stdout %.2000s", code, errs, out)
	}
}

// A recipe reads from config --build whether the program has install.
func TestConfigBuild(t *testing.T) {
	code, out, errs := apptest.Run(t, "config", "--build")
	probe := "probe    " + runtime.GOOS + "/" + runtime.GOARCH + ", "
	if !install.ReadsGPUs {
		probe = "probe    none: "
	}
	if code != cli.ExitOK || errs != "" || !strings.HasPrefix(out, "version  "+wire.BuildVersion()+"\n") ||
		!strings.Contains(out, probe) {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	if code, _, errs = apptest.Run(t, "config", "--build", "--check"); code != cli.ExitUsage {
		t.Errorf("with --check: exit code %d, stderr %q", code, errs)
	}
}
