package cluster

import (
	"fmt"
	"strings"
	"testing"
)

// startup makes alice's shell run commands when she logs in to a node, before all else, until the test ends. All hosts
// have the same home.
func startup(t *testing.T, node, commands string) {
	t.Helper()
	const bashrc = "/home/alice/.bashrc"
	do(t, "on", "-u", "alice", "login", "sh", "-ec", `
		[ -e `+bashrc+`.before ] || cp `+bashrc+` `+bashrc+`.before
		{ printf 'if [ $(hostname) = %s ]; then\n%s\nfi\n' "$1" "$2"; cat `+bashrc+`.before; } >`+bashrc,
		"sh", node, commands)
	t.Cleanup(func() {
		do(t, "on", "-u", "alice", "login", "sh", "-c", "[ ! -e "+bashrc+".before ] || mv "+bashrc+".before "+bashrc)
	})
}

// TestStartupFiles: what a startup file of the shell does to a session is not a bug of nvnodetop, and both clients of
// ssh say the same about it.
func TestStartupFiles(t *testing.T) {
	const noCommand = "denied: login accepted, but no command runs"
	for commands, want := range map[string]string{
		"set -e; false":                noCommand,
		"exit":                         noCommand,
		"exit 5":                       noCommand,
		"PATH=":                        "reporting",
		"echo module loaded":           "reporting",
		"exec fish":                    "probe_late: login accepted, ",
		"read x":                       "probe_late: login accepted, ",
		"sleep 100":                    "probe_late: login accepted, ",
		"head -c 3000000 /dev/zero":    "garbage: unexpected output ",
		"ulimit -v 600000":             "limit: this session may use only 585 MiB of virtual memory (ulimit -v): nvnodetop needs ",
		"ulimit -u 3":                  "limit: a limit has ended the probe: ",
		"rm -rf ~/.cache; ulimit -f 1": "limit: this session may write only files of 1 KiB (ulimit -f): nvnodetop needs ",
	} {
		t.Run(commands, func(t *testing.T) {
			timeout := "40s"
			if strings.HasPrefix(want, "probe_late") {
				timeout = "5s"
			}
			startup(t, "node02", commands)
			for _, transport := range []string{"ssh", "openssh"} {
				n := runs(t, "--json", "--nodes", "node02", "--transport", transport, "--timeout", timeout).json(t).Nodes[0]
				got := n.State
				if n.State != "reporting" {
					got = fmt.Sprintf("%s: %s", n.Failure.Class, n.Failure.Summary)
				}
				if !strings.HasPrefix(got, want) {
					t.Errorf("%s: %s, want %s", transport, got, want)
				}
			}
		})
	}
}

// TestALimitOfTheLoginIsNotTheEnd: a step does not read the startup files of the shell, so SLURM takes us in.
func TestALimitOfTheLoginIsNotTheEnd(t *testing.T) {
	job(t, 2)
	startup(t, "node02", "ulimit -v 600000")
	for _, n := range runs(t, "--json").json(t).Nodes {
		if want := map[string]string{"node01": "ssh", "node02": "srun"}[n.Name]; n.State != "reporting" ||
			n.Transport != want {
			t.Errorf("%s is %s through %q, %+v", n.Name, n.State, n.Transport, n.Failure)
		}
	}
}

// TestTheShellOfTheLoginHost: as long as it has not begun our command, SLURM is not to blame.
func TestTheShellOfTheLoginHost(t *testing.T) {
	const begun = "squeue --me --all --states=all: the shell of node02 has not begun our command"
	for commands, want := range map[string]string{
		"sleep 30":                      begun + " within 10s: its startup files hang or print",
		"exec sleep 30 <&- >&- 2>&-":    begun + " within 10s: its startup files hang or print",
		"exec cat /dev/zero":            begun + ": its startup files print without end",
		"exit 3":                        "squeue --me --all --states=all: the shell of node02 does not run our command: ",
		"echo Welcome; echo A tip >&2;": "no running job",
	} {
		startup(t, "node02", commands)
		if r := runs(t, "--json", "--login", "node02"); r.code != 3 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit code %d, stderr %q, want %q", commands, r.code, r.stderr, want)
		}
	}
	startup(t, "node02", ":")
	fault(t, "ctldstop")
	if r := runs(t, "--json", "--login", "node02"); !strings.Contains(r.stderr, "slurmctld not responding") {
		t.Errorf("SLURM hangs: exit code %d, stderr %q", r.code, r.stderr)
	}
}
