package cluster

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// However a job ends, its watch says how and why, and ends with the exit code of that: a job that fails at once, one
// that a rank kills, a task of an array, one that waited and failed between two questions, one that was canceled before
// it began, and one that can never start. A job that had ended before is told as well.
func TestEnds(t *testing.T) {
	fault(t, "ctldaccounts")
	submit := func(args ...string) string {
		id := do(t, slices.Concat([]string{"on", "-u", "alice", "login", "sbatch", "--parsable", "-D", "/home/alice"},
			args)...)
		t.Cleanup(func() { cancelJob(t, id) })
		return id
	}
	typo := submit("-J", "typo", "-o", "ends-%j.log", "--wrap", "pyton train.py")
	for _, tc := range []struct {
		how  string
		id   string
		code int
		says string
		then func(id string)
	}{
		{how: "a rank dies", id: submit("-J", "rank", "-N", "2", "-n", "2", "-o", "ends-%j.log", "--wrap",
			`srun -K -l sh -c '[ $SLURM_PROCID = 0 ] || { sleep 5; kill -SEGV $$; }; echo step 1; sleep 60'`),
			code: 1, says: ": failed after "},
		{how: "a task", id: submit("-J", "array", "-a", "1-2", "-o", "ends-%A_%a.log", "--wrap",
			`sleep 3; [ $SLURM_ARRAY_TASK_ID = 1 ] || { echo "ValueError: task 2"; exit 3; }`), code: 1,
			says: "s: ValueError: task 2"},
		{how: "later", id: submit("-J", "later", "--begin=now+10", "-o", "ends-%j.log", "--wrap", "exit 4"), code: 1,
			says: "failed"},
		{how: "in vain", id: submit("-J", "vain", "-d", "afterok:"+typo, "-o", "/dev/null", "--wrap", "true"), code: 1,
			says: "can never start: DependencyNeverSatisfied"},
		{how: "canceled", id: submit("-J", "held", "-H", "-o", "/dev/null", "--wrap", "true"), code: 1,
			says: "held: canceled", then: func(id string) { time.AfterFunc(3*time.Second, func() { cancelJob(t, id) }) }},
		{how: "completed before", id: submit("-J", "quick", "-o", "/dev/null", "--wrap", "true"),
			says: "quick: completed"},
		{how: "failed at once", id: typo, code: 1, says: "pyton: not found"},
	} {
		t.Run(tc.how, func(t *testing.T) {
			if tc.then != nil {
				tc.then(tc.id)
			}
			r := runs(t, "watch", tc.id)
			if r.code != tc.code || !strings.Contains(r.stdout, tc.says) || strings.Contains(r.stdout, "has not ended") {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", r.code, tc.code, tc.says, r.stdout, r.stderr)
			}
			if tc.how == "a rank dies" && !strings.Contains(r.stdout, ": task 1 on node0") {
				t.Errorf("the task that failed first is not named:\n%s", r.stdout)
			}
		})
	}
}
