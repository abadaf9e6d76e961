package cluster

import (
	"strings"
	"testing"
)

// Settings come from the environment and a file of the user's, and the log has what happened.
func TestSettingsAndLog(t *testing.T) {
	job(t, 2)
	const home = "/tmp/nvnodetop-settings"
	t.Cleanup(func() { do(t, "on", "-u", "alice", "login", "rm", "-rf", home) })
	do(t, "on", "-u", "alice", "login", "sh", "-c", "rm -rf "+home+"; mkdir -p "+home+"/nvnodetop && printf 'transport = \"ssh\"\\nlog = \""+home+"/log\"\\n' >"+home+"/nvnodetop/config.toml")
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
	for _, want := range []string{`msg="session begins" node=node01 door=ssh`, `msg="session begins" node=node02 door=ssh`, `msg=slurm command="squeue `, "msg=end"} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is missing in the log:\n%s", want, log)
		}
	}
}
