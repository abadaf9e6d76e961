package completion

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/text/safe"
)

const (
	// patience is the longest that the user waits for SLURM after TAB.
	patience = 250 * time.Millisecond
	// fresh is the time during which SLURM is not asked again, even if it has not answered.
	fresh = 30 * time.Second
	// longest limits the name of a job, in bytes.
	longest = 40
)

// The words before the names in the kept listing: jobs that run, jobs that wait, and nodes.
const aJob, waiting, aNode = "job ", "waits ", "node "

// jobs completes the IDs of the user's jobs.
func jobs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ask := slurm.New(command.Run).Ask
	return append(names(aJob, ask), names(waiting, ask)...), cobra.ShellCompDirectiveNoFileComp
}

// running completes the IDs of the user's jobs that run.
func running(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return names(aJob, slurm.New(command.Run).Ask), cobra.ShellCompDirectiveNoFileComp
}

// nodes completes the last node of a list, with the nodes of the user's jobs.
func nodes(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := word[:strings.LastIndexByte(word, ',')+1]
	found := names(aNode, slurm.New(command.Run).Ask)
	for i := range found {
		found[i] = before + found[i]
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// names returns the names of one kind: those kept, or else SLURM's answer, which is kept for the next TAB. If it does
// not answer in time, the names are those that it gave before. A shell shows nothing else, so a failure is an empty
// list.
func names(kind string, ask func(context.Context) (*slurm.Answer, error)) (found []cobra.Completion) {
	listing, kept := config.Listing(fresh)
	if !kept {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if answer, _ := ask(ctx); answer != nil {
			listing = listed(answer)
		}
		_ = config.KeepListing(listing) // without it, the next TAB asks SLURM again
	}
	for line := range strings.Lines(listing) {
		if name, ours := strings.CutPrefix(strings.TrimSuffix(line, "\n"), kind); ours {
			found = append(found, name)
		}
	}
	return found
}

// listed are the jobs, each with its name behind a tab for the shell to show, and their nodes.
func listed(answer *slurm.Answer) string {
	var b strings.Builder
	hosts := map[string]bool{}
	add := func(kind, id, name string) { b.WriteString(kind + id + "\t" + safe.Line(name, longest) + "\n") }
	for i := range answer.Jobs {
		job := &answer.Jobs[i]
		add(aJob, job.ID, job.Name)
		for _, node := range job.Nodes {
			hosts[node] = true
		}
	}
	for i := range answer.Pending {
		add(waiting, answer.Pending[i].ID, answer.Pending[i].Name)
	}
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		b.WriteString(aNode + host + "\n")
	}
	return b.String()
}
