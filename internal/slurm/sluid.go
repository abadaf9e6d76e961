package slurm

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// sluid matches a SLUID, a job ID that is unique across clusters, which SLURM's commands accept since 25.11: "s" and 13
// digits in Crockford's base 32, such as "s4Y5M8CR7ZYE00".
var sluid = regexp.MustCompile(`^[sS][0-9A-TV-Za-tv-z]{13}$`)

// IsSLUID reports whether a text has the form of a SLUID. Job IDs and job numbers never do.
func IsSLUID(text string) bool { return sluid.MatchString(text) }

// sameDigits replaces letters that stand for digits.
var sameDigits = strings.NewReplacer("O", "0", "I", "1", "L", "1")

func isSameSLUID(a, b string) bool {
	return a != "" && sameDigits.Replace(strings.ToUpper(a)) == sameDigits.Replace(strings.ToUpper(b))
}

// FindSLUID returns the ID of a job, as squeue prints it, and its number, from its SLUID. It asks the controller, or
// the accounts if the controller has forgotten the job. The error is a *reach.Failure, or ctx's.
func FindSLUID(ctx context.Context, run command.Runner, sluid string) (id, number string, err error) {
	out, stderr, err := run.Within(ctx, "scontrol", "-d", "show", "job", sluid)
	if ctx.Err() != nil {
		return "", "", context.Cause(ctx)
	}
	if err != nil {
		f := command.Failed("scontrol", stderr, err)
		if f.Class != reach.ClassSlurm || f.Meaning != "" || command.Missing(err) {
			return "", "", f
		}
	}
	for _, j := range command.ShownJobs(out) { // a version without SLUIDs may show other jobs
		if isSameSLUID(j["SLUID"], sluid) {
			return jobOrArray(j), j["JobId"], nil
		}
	}
	out, _, err = run.Within(ctx, "sacct", "--allocations", "--noheader", "--parsable2", "--jobs="+sluid,
		"--format=JobID,JobIDRaw,SLUID")
	if ctx.Err() != nil {
		return "", "", context.Cause(ctx)
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Split(strings.TrimSpace(line), "|"); err == nil && len(f) == 3 && isSameSLUID(f[2], sluid) {
			array, _, _ := strings.Cut(f[0], "_[")
			return array, f[1], nil
		}
	}
	return "", "", &reach.Failure{Class: reach.ClassSlurm, Short: "no such job",
		Cause: fmt.Sprintf("SLURM does not know the SLUID %q (it has SLUIDs since 25.11; squeue --me lists your jobs)",
			sluid)}
}

// jobOrArray returns the ID of the job; for the waiting tasks of an array, the ID of the array.
func jobOrArray(j command.ShownJob) string {
	if j.WaitsForTasks() {
		return j["ArrayJobId"]
	}
	return j.ID()
}
