package slurm

import (
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/logs"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
)

// jobEnd is the end of a job.
type jobEnd struct {
	state      cluster.EndState
	exit       *cluster.Exit
	start, end time.Time
}

// parseAccounts reads sacct's lines, such as "48211|CANCELLED by 20001|0:15|2026-11-20T18:22:36|2026-11-20T19:22:36".
// Jobs that have not ended are left out.
func parseAccounts(out []byte) map[string]jobEnd {
	ends := map[string]jobEnd{}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) == 5 {
			noteEnd(ends, f[0], f[1], f[2], f[3], f[4])
		}
	}
	return ends
}

// noteEnd adds the end of a job, if it has ended.
func noteEnd(ends map[string]jobEnd, number, said, exit, start, over string) {
	word, _, _ := strings.Cut(said, " ")
	e := jobEnd{state: cluster.EndState(word), exit: parseExit(exit), start: parseTime(start), end: parseTime(over)}
	if logs.IsEndState(e.state, e.end, time.Now()) {
		ends[number] = e
	}
}

// parseExit reads an exit status and a signal, such as "3:0". "0:125" marks a job that ran out of memory: then neither
// is known.
func parseExit(s string) *cluster.Exit {
	code, signal, _ := strings.Cut(s, ":")
	status, err1 := strconv.ParseUint(code, 10, 16)
	by, err2 := strconv.ParseUint(signal, 10, 16)
	if err1 != nil || err2 != nil || by == sacct.MarkOutOfMemory {
		return nil
	}
	return &cluster.Exit{Code: int(status), Signal: int(by)}
}

// parseEnded reads the output of `scontrol show job`. A number that occurs twice is left out, as in parseShowJob.
func parseEnded(out []byte) map[string]jobEnd {
	ends, seen := map[string]jobEnd{}, map[string]bool{}
	for _, j := range command.ShownJobs(out) {
		number := j["JobId"]
		if seen[number] {
			delete(ends, number)
			continue
		}
		seen[number] = true
		noteEnd(ends, number, j["JobState"], j["ExitCode"], j["StartTime"], j["EndTime"])
	}
	return ends
}

// parseSteps returns the step of each job that ran out of memory, from lines of sacct such as
// "48211.0|OUT_OF_MEMORY|0:125". A step of srun says more than the script that started it.
func parseSteps(out []byte) map[string]string {
	steps := map[string]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "|")
		job, step, is := strings.Cut(f[0], ".")
		if !is || len(f) != 3 || cluster.EndState(f[1]) != cluster.JobOutOfMemory {
			continue
		}
		if known := steps[job]; known == "" || known == "batch" || known == "extern" {
			steps[job] = step
		}
	}
	return steps
}
