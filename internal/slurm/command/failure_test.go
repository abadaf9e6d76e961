package command

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"
)

// A host without SLURM's configuration says so in other words with each version. A controller that is away and a broken
// configuration are SLURM.
func TestNoSlurm(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, test := range []struct {
		said string
		err  error
		want bool
	}{
		{"", fmt.Errorf("squeue: %w", exec.ErrNotFound), true},
		{"", failed, false},
		{"", nil, false},
		{"squeue: error: plugin uses no configuration source", nil, false}, // it has answered
		{`squeue: error: resolve_ctls_from_dns_srv: res_nsearch error: Unknown host
squeue: error: fetch_config: DNS SRV lookup failed
squeue: error: _establish_config_source: failed to fetch config
squeue: fatal: Could not establish a configuration source`, failed, true},
		{`squeue: error: s_p_parse_file: cannot stat file /nonexistent/my.cfg: No such file or directory, retrying in 1sec up to 60sec
squeue: error: ClusterName needs to be specified
squeue: fatal: Unable to process configuration file`, failed, true},
		{`squeue: error: s_p_parse_file: unable to status file "/etc/slurm-llnl/slurm.conf": No such file or directory, ` +
			"retrying in 1sec up to 60sec", ErrLate, true},
		{"scontrol: error: Configuration file /etc/slurm/slurm.conf does not exist", failed, true},
		{"sinfo: fatal: slurm.conf not found", failed, true},
		{`squeue: error: _fetch_child: failed to fetch remote configs: Unable to contact slurm controller (connect failure)
squeue: error: _establish_config_source: failed to fetch config
squeue: fatal: Could not establish a configuration source`, failed, false},
		{`squeue: error: s_p_parse_file: cannot stat file /etc/slurm/slurm.conf: Permission denied, retrying in 1sec
squeue: fatal: Unable to process configuration file`, failed, false},
		{`squeue: error: Parsing error at unrecognized key: Foo
squeue: fatal: Unable to process configuration file`, failed, false},
		{"slurm_load_jobs error: Unable to contact slurm controller (connect failure)", failed, false},
		{`squeue: error: Munge encode failed: Failed to access "/run/munge/munge.socket.2": No such file or directory`, failed,
			false},
	} {
		if got := NoSlurm([]byte(test.said), test.err); got != test.want {
			t.Errorf("%q, %v: no SLURM %v, want %v", test.said, test.err, got, test.want)
		}
	}
}
