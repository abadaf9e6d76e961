package cluster

import (
	"strings"
	"testing"
)

// Settings come from the environment and a file of the user's, and the log has the events.
func TestSettingsAndLog(t *testing.T) {
	job(t, 2)
	const home = "/tmp/nvnodetop-settings"
	t.Cleanup(func() { do(t, "on", "-u", "alice", "login", "rm", "-rf", home) })
	do(t, "on", "-u", "alice", "login", "sh", "-c", "rm -rf "+home+"; mkdir -p "+home+
		"/nvnodetop && printf 'transport = \"ssh\"\\nlog = \""+home+"/log\"\\n' >"+home+"/nvnodetop/config.toml")
	env := []string{"env", "XDG_CONFIG_HOME=" + home, "NVNODETOP_POLL_INTERVAL=1", program}
	r := runsProgram(t, env, "config")
	for _, want := range []string{"# " + home + "/nvnodetop/config.toml:1\n", "# NVNODETOP_POLL_INTERVAL\n"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("%q is missing in\n%s%s", want, r.stdout, r.stderr)
		}
	}
	if r := runsProgram(t, env, "--json"); r.code != 0 {
		t.Errorf("exit code %d, stderr %q", r.code, r.stderr)
	}
	log := do(t, "on", "-u", "alice", "login", "cat", home+"/log")
	for _, want := range []string{`msg="session begins" node=node01 door=ssh`,
		`msg="session begins" node=node02 door=ssh`, `msg=slurm command="squeue `, "msg=end"} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is missing in the log:\n%s", want, log)
		}
	}
}

// The user changes a setting on the screen. Without w the change ends with nvnodetop; with w the next start has it, and
// the rest of the file stays.
func TestSettingsPage(t *testing.T) {
	job(t, 2)
	const (
		home   = "/tmp/nvnodetop-settings-page"
		file   = home + "/nvnodetop/config.toml"
		before = "# mine\nview = 'auto'  # of two nodes: the overview\n\n[columns]\n# narrow\noverview = ['node', " +
			"'util']\n"
		after = "# mine\nview = \"node\"  # of two nodes: the overview\n\n[columns]\n# narrow\noverview = ['node', " +
			"'util']\n"
	)
	t.Cleanup(func() { do(t, "on", "-u", "alice", "login", "rm", "-rf", home) })
	do(t, "on", "-u", "alice", "login", "sh", "-c",
		`rm -rf "$1"; mkdir -p "$1/nvnodetop" && printf %s "$2" >"$1/nvnodetop/config.toml"`, "sh", home, before)
	contains := func(want string) {
		t.Helper()
		if got := do(t, "on", "-u", "alice", "login", "cat", file); got != strings.TrimSpace(want) {
			t.Errorf("the file is\n%s\nwant\n%s", got, want)
		}
	}
	start := func() *watcher {
		return watchProgram(t, 120, 40, "env", "XDG_CONFIG_HOME="+home, program, "1", "1")
	}
	for _, writes := range []bool{false, true} {
		w := start()
		w.sees(reporting(2, 2), "utilization %")
		w.types("\x1bOQ") // F2
		w.sees("Settings", "Start page auto", "changes take effect at once")
		w.types("jj\x1b[C") // to the next value
		w.sees("Start page node", "1 change for this run only")
		contains(before)
		if writes {
			w.types("\x13") // Ctrl-S
			w.sees("written to " + file)
			contains(after)
		}
		w.quits()
		if !writes {
			contains(before)
		}
	}
	w := start()
	w.sees(reporting(2, 2), "node [1/2]")
	w.types("\x1bOQ")
	w.sees("Start page node", "changes take effect at once")
	w.quits()
}
