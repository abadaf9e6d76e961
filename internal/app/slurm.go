package app

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
)

const (
	// completionPatience is the longest that the user waits for SLURM after TAB.
	completionPatience = 250 * time.Millisecond
	// freshAnswer is how long SLURM is not asked again, even if it has not answered.
	freshAnswer = 30 * time.Second
	// longestWord limits the name of a job, in bytes.
	longestWord = 40
)

// asker is slurm.Client's Ask.
type asker func(context.Context) (*slurm.Answer, error)

// askSlurm asks SLURM, or uses an answer that another program got.
func askSlurm() *cluster.Discovery { return knownJobs(access.Answers(""), slurm.New(command.Run).Ask) }

// completeJobs completes the IDs of the user's jobs.
func completeJobs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	d := askSlurm()
	return append(runningIn(d), pendingIn(d)...), cobra.ShellCompDirectiveNoFileComp
}

// completeRunning completes the IDs of the user's jobs that run.
func completeRunning(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return runningIn(askSlurm()), cobra.ShellCompDirectiveNoFileComp
}

// completeNodes completes the last node of a list, with the nodes of the user's jobs.
func completeNodes(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := word[:strings.LastIndexByte(word, ',')+1]
	found := nodesOfJobs(askSlurm())
	for i := range found {
		found[i] = before + found[i]
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// knownJobs returns the jobs that another program of the user has stored, or else SLURM's answer, which it stores for
// the next TAB. If SLURM does not answer in time, it returns the jobs that SLURM listed before. A shell shows nothing
// but completions, so a failure is an empty list.
func knownJobs(answers *command.KeptAnswers, ask asker) *cluster.Discovery {
	d, _ := source.KeptJobs(answers)
	if time.Since(d.Asked) < freshAnswer {
		return &d
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionPatience)
	defer cancel()
	answer, err := ask(ctx)
	d.Asked = time.Now()
	if answer != nil {
		d = cluster.Discovery{Asked: d.Asked, Answered: d.Asked, Jobs: answer.Jobs, Pending: answer.Pending,
			Ended: answer.Ended, Asking: answer.More || err != nil, Topology: answer.Topology}
	} else if time.Since(d.Answered) > usefulWords {
		d = cluster.Discovery{Asked: d.Asked}
	}
	_ = source.KeepJobs(answers, &d) // without it, the next TAB asks SLURM again
	return &d
}

// usefulWords is the age up to which an old list of jobs is better than none.
const usefulWords = time.Hour

// runningIn returns the running jobs, each with its name after a tab for the shell to show.
func runningIn(d *cluster.Discovery) (found []cobra.Completion) {
	for i := range d.Jobs {
		found = append(found, formatCompletion(d.Jobs[i].ID, d.Jobs[i].Name))
	}
	return found
}

// pendingIn returns the waiting jobs, in the same form.
func pendingIn(d *cluster.Discovery) (found []cobra.Completion) {
	for i := range d.Pending {
		found = append(found, formatCompletion(d.Pending[i].ID, d.Pending[i].Name))
	}
	return found
}

func formatCompletion(id, name string) cobra.Completion {
	return safe.Line(id, longestWord) + "\t" + safe.Line(name, longestWord)
}

// nodesOfJobs returns the nodes of the jobs.
func nodesOfJobs(d *cluster.Discovery) []cobra.Completion {
	hosts := map[string]bool{}
	for i := range d.Jobs {
		for _, node := range d.Jobs[i].Nodes {
			hosts[node] = true
		}
	}
	return slices.Sorted(maps.Keys(hosts))
}
