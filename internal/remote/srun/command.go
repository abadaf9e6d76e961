package srun

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// fold is the length to which probes fold their lines: slurmstepd sends at most 1,024 bytes at a time, and srun adds a
// newline after each piece.
const fold = 1000

// Marks begin lines that a task prints before and after its script.
const (
	taskMark = "#nvnodetop-task/1 " // followed by the name of the node
	exitMark = "#nvnodetop-exit/1 " // followed by the status of the script
)

// wrapScript returns a script that prints its node, runs script, and prints how script ended, on both outputs. srun
// itself reports nothing about a task that ends with status 0, and only summarizes tasks that fail. The shell around
// script waits beside the probe: that takes about 1 MB of memory on each node.
func wrapScript(script string) string {
	return "export " + wire.NameVariable + "=$SLURMD_NODENAME " + wire.FoldVariable + "=" + strconv.Itoa(fold) + "; " +
		"echo \"" + taskMark + "$SLURMD_NODENAME\"; ( " + script + " ); s=$?; echo \"" + exitMark +
		"$s\" >&2; echo \"" + exitMark + "$s\"; exit 0"
}

// srunArguments returns srun's arguments for a step on nodes of a job.
//
// The step shares the job's CPUs (--overlap) and memory (--mem=0). It outlives tasks that fail (--kill-on-bad-exit) or
// end (--wait), and nodes that die (--no-kill). The limits and the directory of the login node mean nothing on the
// nodes; of its environment the step gets only what the scripts need.
func srunArguments(job Job, nodes []string, options []string, script string) []string {
	n := strconv.Itoa(len(nodes))
	return slices.Concat([]string{"--overlap"}, job.srunOptions(), []string{
		"--nodes=" + n, "--ntasks=" + n, "--ntasks-per-node=1", "--nodelist=" + strings.Join(nodes, ","),
		"--job-name=nvnodetop", "--mem=0", "--mpi=none", "--label", "--input=all", "--kill-on-bad-exit=0", "--wait=0",
		"--no-kill",
		"--propagate=NONE", "--chdir=/", "--export=HOME,USER,LOGNAME,PATH",
	}, options, []string{"/bin/sh", "-c", wrapScript(script)})
}

// srunOptions returns srun's options for a job. srun accepts a heterogeneous job only by the number of its first
// component.
func (j *Job) srunOptions() []string {
	if j.Leader == "" {
		return []string{"--jobid=" + j.ID}
	}
	return []string{"--jobid=" + j.Leader, "--het-group=" + j.Group}
}

// kept are SLURM's variables that select the cluster and the way to reach it. All other SLURM variables are options of
// the job in which we may run, or of the user's own steps. SLURM_JWT is not kept: srun refuses to start with a token,
// which slurmd does not accept.
var kept = []string{"SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_CLUSTERS", "SLURM_SACK_SOCKET", "SLURM_SACK_KEY",
	"SLURM_SACK_JWKS"}

// optionPrefixes begin the names of variables that srun obeys, such as SRUN_OUTPUT, which redirects a step, and the
// options of SPANK plugins, which put it into a container.
var optionPrefixes = []string{"SLURM", "SBATCH_", "SALLOC_", "SRUN_", "_SLURM_SPANK_OPTION_"}

// srunEnviron returns environ without the options of another job.
func srunEnviron(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		isOption := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		return slices.ContainsFunc(optionPrefixes, isOption) && !slices.Contains(kept, name)
	})
}
