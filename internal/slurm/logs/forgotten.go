package logs

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// maxNamed limits for how many jobs the files are remembered.
const maxNamed = 256

// Note remembers the files of these jobs, for FindKnown, and for when the controller has forgotten them.
func (f *Finder) Note(jobs []command.ShownJob) {
	times := map[string]int{}
	for _, j := range jobs {
		times[j["JobId"]]++
	}
	for _, j := range jobs {
		l, err := filesOf(j)
		if err != nil || l.Waits != "" || times[l.Number] > 1 {
			continue
		}
		f.named = slices.DeleteFunc(f.named, func(o *cluster.LogFiles) bool { return o.Number == l.Number })
		f.named = append(f.named, l)
	}
	f.named = f.named[max(len(f.named)-maxNamed, 0):]
}

// FindKnown returns the files of a job that the controller has named before, and asks only about other jobs.
func (f *Finder) FindKnown(ctx context.Context, job string) (*cluster.LogFiles, error) {
	at := slices.IndexFunc(f.named, func(l *cluster.LogFiles) bool { return l.ID == job })
	if at < 0 {
		return f.Find(ctx, job)
	}
	return f.named[at], nil
}

// jobNotFound returns the failure when scontrol finds no such job.
func jobNotFound(job string) *reach.Failure {
	return &reach.Failure{Class: reach.ClassSlurm, Short: "no log of job " + job,
		Cause: fmt.Sprintf("SLURM does not know the job (any more); its log is where --output of its batch script "+
			"says, by default slurm-%s.out in the directory where it was submitted",
			startedID.ReplaceAllString(job, "$1"))}
}

// findForgotten finds the files of a job about which scontrol failed, usually because the controller has forgotten it.
// They come from what the controller said before, or from the accounts.
func (f *Finder) findForgotten(ctx context.Context, job string, failed *reach.Failure) (*cluster.LogFiles, error) {
	at := slices.IndexFunc(f.named, func(l *cluster.LogFiles) bool { return l.ID == job || l.Number == job })
	if at >= 0 {
		return f.named[at], nil
	}
	old, err := accountOf(ctx, f.Run, job)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !errors.Is(err, errNoAccounts):
		return nil, err
	case old != nil:
		return old.logFiles()
	}
	if array, _, is := strings.Cut(job, "_"); is {
		out, _, _ := f.Run.Within(ctx, "scontrol", "show", "job", array)
		failed = cmp.Or(noTask(job, command.ShownJobs(out)), failed)
	}
	return nil, cmp.Or(ctx.Err(), error(failed))
}

// oldFields are the fields of sacct that say where a log is. The last ones may contain newlines. Versions before 24.05
// do not know the names of the files, and those before 21.08 do not know the command line either.
var oldFields = []string{"JobID", "JobIDRaw", "User", "Start", "NodeList", "StdOut", "StdErr", "SubmitLine", "WorkDir",
	"JobName"}

var errNoAccounts = errors.New("SLURM keeps no accounts of jobs here")

// account is a job in SLURM's accounts.
type account struct {
	command.ShownJob
	command string // the command that submitted it
	guessed bool
}

// accountOf asks sacct about a job; nil: sacct does not know it, or there are no accounts.
func accountOf(ctx context.Context, run command.Runner, job string) (*account, error) {
	fields := oldFields
	for _, without := range [][]string{nil, {"StdOut", "StdErr"}, {"SubmitLine"}} {
		fields = slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return slices.Contains(without, f) })
		mark := "|" + rand.Text()[:10] + "|"
		out, stderr, err := run.Within(ctx, "sacct", "--allocations", "--noheader", "--parsable2", "--delimiter="+mark,
			"--jobs="+job, "--format="+strings.Join(fields, ","))
		switch {
		case err != nil && bytes.Contains(stderr, []byte("Invalid field requested")):
			continue
		case err != nil && (command.Missing(err) || bytes.Contains(stderr, []byte("accounting storage is disabled"))):
			return nil, errNoAccounts
		case err != nil:
			return nil, command.Failed("sacct", stderr, err)
		}
		var found *account
		for _, r := range parseFields(out, mark, fields) {
			switch a := accountFrom(r); {
			case strings.HasPrefix(a.ID(), job+"_") && !a.Is(job):
				return nil, noLogs("job " + job + " is an array: name a task of it, such as " + a.ID())
			case a.Is(job):
				found = a // the last run counts
			}
		}
		return found, nil
	}
	return nil, nil
}

// parseFields reads records with a mark between their fields. The first field of a record has no newlines.
func parseFields(out []byte, mark string, names []string) (records []map[string]string) {
	parts := strings.Split(strings.TrimSuffix(string(out), "\n"), mark)
	first := parts[0]
	for parts = parts[1:]; len(parts) >= len(names)-1; parts = parts[len(names)-1:] {
		r := map[string]string{names[0]: first}
		for i, name := range names[1:] {
			r[name] = parts[i]
		}
		last := names[len(names)-1]
		if cut := strings.LastIndexByte(r[last], '\n'); cut >= 0 && len(parts) >= len(names) {
			r[last], first = r[last][:cut], r[last][cut+1:]
		}
		records = append(records, r)
	}
	return records
}

// accountFrom returns a record in the form in which scontrol would show it.
func accountFrom(r map[string]string) *account {
	a := &account{command: r["SubmitLine"], ShownJob: command.ShownJob{
		"JobId": r["JobIDRaw"], "UserId": r["User"] + "(", "StartTime": r["Start"], "WorkDir": r["WorkDir"],
		"JobName": r["JobName"], "StdOut": r["StdOut"], "StdErr": r["StdErr"],
	}}
	if job, task, is := strings.Cut(r["JobID"], "_"); is {
		a.ShownJob["ArrayJobId"], a.ShownJob["ArrayTaskId"] = job, task
	} else if job, at, is := strings.Cut(r["JobID"], "+"); is {
		a.ShownJob["HetJobId"], a.ShownJob["HetJobOffset"] = job, at
	}
	hosts, err := notation.ExpandHosts(r["NodeList"])
	if err == nil && len(hosts) > 0 && notation.CheckHosts(hosts) == nil {
		a.ShownJob["BatchHost"] = hosts[0]
	}
	if a.ShownJob["StdOut"] == "" {
		a.guessFiles()
	}
	return a
}

// guessFiles names the likely files of a job.
func (a *account) guessFiles() {
	program, args, _ := strings.Cut(a.command, " ")
	if program = program[strings.LastIndexByte(program, '/')+1:]; program != "sbatch" && program != "" {
		return // it has no batch script
	}
	a.guessed = true
	a.ShownJob["StdOut"] = "slurm-%j.out"
	if a.ShownJob["ArrayTaskId"] != "" {
		a.ShownJob["StdOut"] = "slurm-%A_%a.out"
	}
	out, err := outputFiles(strings.Fields(args))
	if out != "" {
		a.ShownJob["StdOut"] = out
	}
	a.ShownJob["StdErr"] = err
}

func (a *account) logFiles() (*cluster.LogFiles, error) {
	l, err := filesOf(a.ShownJob)
	if err == nil {
		l.Ended, l.Guessed = true, a.guessed
	}
	return l, err
}

const (
	// withValue lists the one-letter options of sbatch that have a value.
	withValue = "aAbBcCdDeFGiJLmMnNopqStwx"
	// flags lists the long options of sbatch whose value, if any, is not a separate word.
	flags = " contiguous exclusive get-user-env hold ignore-pbs kill-on-bad-exit nice no-kill no-requeue overcommit " +
		"oversubscribe parsable propagate quiet reboot requeue resv-ports spread-job stepmgr test-only use-min-nodes " +
		"verbose wait "
)

// outputFiles returns the files that the arguments of sbatch name, up to the script.
func outputFiles(args []string) (out, err string) {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && args[0] != "--wrap" {
		name, value, whole := splitOption(args[0])
		if args = args[1:]; !whole && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		switch name {
		case "o", "output":
			out = value
		case "e", "error":
			err = value
		}
	}
	return out, err
}

// splitOption splits a word of a command line. whole says that the next word is not its value.
func splitOption(word string) (name, value string, whole bool) {
	if long, is := strings.CutPrefix(word, "--"); is {
		name, value, whole = strings.Cut(long, "=")
		return name, value, whole || strings.Contains(flags, " "+name+" ")
	}
	name, value = word[1:2], word[2:]
	return name, value, value != "" || !strings.Contains(withValue, name)
}
