package cluster

import (
	"strconv"
	"strings"
	"testing"
)

// After TAB, bash offers the IDs of the user's jobs, and asks SLURM once for several TABs.
func TestCompletion(t *testing.T) {
	id := job(t, 2)
	const tab = `cd; export GORACE=atexit_sleep_ms=0; . <($0 completion bash); rm -rf .local/state/nvnodetop/answers
tab() { COMP_WORDS=("$0" "$1" ""); COMP_LINE="$0 $1 "; COMP_POINT=${#COMP_LINE}; COMP_CWORD=2; COMP_TYPE=63
__start_nvnodetop; echo "${COMPREPLY[@]}"; }
tab logs; tab doctor; began=${EPOCHREALTIME/.}; tab report; echo $((${EPOCHREALTIME/.} - began))`
	lines := strings.Split(do(t, "on", "-u", "alice", "login", "bash", "-c", tab, program), "\n")
	if len(lines) != 4 || lines[0] != id || lines[1] != "node01 node02" || lines[2] != lines[0] {
		t.Fatalf("after TAB: %q", lines)
	}
	took, _ := strconv.Atoi(lines[3])
	t.Logf("a TAB that does not ask SLURM: %d ms", took/1000)
}
