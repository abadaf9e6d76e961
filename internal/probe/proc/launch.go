package proc

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// An Origin says how a process was started: in which job and step of SLURM, and as which rank of a distributed program.
// It reads the cgroups and the environment of the process. Of the environment it keeps only these few numbers: other
// variables are dropped at once, and none leaves the node. Where a cgroup does not contain the number of its job,
// LaunchJobs finds the number through the daemon of a step.
//
// A wrong rank is worse than none. All descendants of a process inherit its variables, so a variable counts only where
// the launcher sets it for each single process. The functions may be called from any goroutine.
//
// # Jobs and ranks
//
// The probe itself reads the rank of a process from its environment, once per program that a process runs. A call that
// returns the environment exists (Manager.Ask), but for the rank table it would carry the secrets of each process of
// the job to the login node, a thousand times, for three numbers. So the probe picks the numbers on the node, and drops
// the rest at once. It reads only processes of its own user; even a probe of root reads only root's processes. Job and
// step are from the cgroup, else from the same environment.
//
// From SLURM 26.05 on, the directory of a job's cgroup is named by a SLUID, which does not say the number of the job
// (CgroupJobIdPaths=yes in cgroup.conf brings the old names back). The number is in the command line of slurmstepd in
// step_*/slurm. Where /proc hides that command line (hidepid), it is in the environment of a user's process that
// slurmstepd has started. The search runs once per SLUID, and again after a minute if it found nothing. Without a
// number the job is unknown, and no rule draws conclusions from GPUs that are not listed; nvnodetop then tries a step
// (srun), which knows its job.
//
// A wrong rank is worse than none. RANK counts only with WORLD_SIZE, SLURM's variables count only in a step that srun
// has started, and the only process of a program has no rank. The processes that PyTorch Lightning starts by itself
// name their place on the node only: they have ranks if their parent, their siblings and the number of nodes allow only
// one rank each (PlaceSpawned). Processes on several GPUs that have inherited the rank of one task have no rank. Nor
// has a process whose cgroup belongs to another step than SLURM's variables: the variables came along when a step
// submitted the job.
//
// A program that sets its title, as with setproctitle, writes over the environment that the kernel shows. Then the rank
// is unknown, and NoRank says why. Nothing else that is left is certain. The parent's variables are those of a
// launcher, whose own rank is another one, if it has any. The number in the name of a task's cgroup counts in the step
// or on the node, which depends on the plugins of the site, and a program may count its ranks in another order than
// SLURM. The variables are still in the memory of the process, where its C library keeps them. But memory is read only
// on request, so the rank from there comes with the stacks (package stacks): the kernel treats such a read as that of a
// debugger, and may log it as an attempt to trace. A process that was listed before it has overwritten its environment
// keeps its rank.
//
// A PID that the driver lists and /proc does not have is said to be of another PID namespace (foreign) only if signal 0
// finds no such process, the probe is not in the first PID namespace, and the driver lists it for longer than a process
// takes to exit. A process that /proc hides (hidepid) stays in the list, with the values that the driver reports. A
// process that has exited is left out.

// Origin says how a process was started, as far as known.
type Origin struct {
	Job, Step string // of SLURM
	Rank      *wire.Rank
	NoRank    string   // why the environment tells nothing: one of wire's constants; empty: it was read
	Spawned   *Spawned // nil: not a spawned process
}

// In returns the Origin o of a process whose place, according to its cgroups, is m. The cgroups are right about job and
// step. If the environment names another step, SLURM's variables were inherited from that step, as in a job that was
// submitted from within a step.
func (o Origin) In(m JobMember) Origin {
	elsewhere := m.Job != "" && m.Job != o.Job || m.Step != "" && m.Step != o.Step
	if o.Rank != nil && o.Rank.From == slurmRank && o.Job != "" && m.Step != "" && elsewhere {
		o.Rank = nil
	}
	switch {
	case m.Job != "":
		o.Job, o.Step = m.Job, m.Step
	case m.Step != "" && o.Step != "" && elsewhere:
		o.Job, o.Step = "", ""
	}
	return o
}

// maxEnviron is how many bytes of an environment are read. A longer environment counts as unknown: the deciding
// variable may be in the rest.
const maxEnviron = 256 << 10

// OriginOf reads the environment of a process of this user.
func OriginOf(process Process) Origin {
	f, err := process.OpenEnviron()
	if errors.Is(err, fs.ErrPermission) {
		return Origin{NoRank: wire.NoRankUnreadable}
	}
	if err != nil { // it has exited
		return Origin{}
	}
	defer func() { _ = f.Close() }() // open for reading only: a failure loses nothing
	o := ReadOrigin(f)
	if o.NoRank == "" && process.TitleSpills() {
		return Origin{NoRank: wire.NoRankOverwritten}
	}
	return o
}

// ReadOrigin reads the environment of a process, as /proc/PID/environ has it.
func ReadOrigin(environ io.Reader) Origin {
	text := make([]byte, maxEnviron)
	defer clear(text) // it may hold secrets
	n, err := io.ReadFull(environ, text)
	switch {
	case err == nil:
		return Origin{NoRank: wire.NoRankTooLong}
	case !errors.Is(err, io.ErrUnexpectedEOF): // empty or unreadable
		return Origin{}
	case IsOverwritten(text[:n]): // the deciding variable may be in what is lost
		return Origin{NoRank: wire.NoRankOverwritten}
	}
	vars := pickVariables(text[:n])
	o := Origin{Rank: rankOf(vars)}
	if o.Rank == nil {
		o.Spawned = spawnedOf(vars)
	}
	if vars["SLURM_HET_SIZE"] == "" && vars["SLURM_PACK_SIZE"] == "" { // else SLURM_JOB_ID is another component's
		o.Job = numberOrEmpty(vars["SLURM_JOB_ID"])
	}
	if o.Job != "" {
		o.Step = stepOf(vars["SLURM_STEP_ID"])
	}
	return o
}

// pickVariables returns the wanted variables. As with getenv, the first variable of a name counts.
func pickVariables(environ []byte) map[string]string {
	vars := map[string]string{}
	for variable := range bytes.SplitSeq(environ, []byte{0}) {
		name, value, _ := bytes.Cut(variable, []byte("="))
		if _, seen := vars[string(name)]; wantedVariables[string(name)] && !seen && len(value) <= maxValue {
			vars[string(name)] = string(value)
		}
	}
	return vars
}

// maxValue is the length of the longest valid value.
const maxValue = 256

// wantedVariables are the variables that are read.
var wantedVariables = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range []string{"SLURM_HET_SIZE", "SLURM_PACK_SIZE", "SLURM_JOB_ID", "SLURM_NNODES", "NODE_RANK",
		slurmStep, slurmTasks, pmixNamespace} {
		names[name] = true
	}
	for _, l := range launchers {
		for _, name := range append([]string{l.rank, l.local, l.world}, l.program...) {
			names[name] = true
		}
	}
	delete(names, "")
	return names
}()

const (
	slurmRank     = "SLURM_PROCID"
	slurmStep     = "SLURM_STEP_ID"
	slurmTasks    = "SLURM_STEP_NUM_TASKS"
	pmixNamespace = "PMIX_NAMESPACE"
	localRank     = "LOCAL_RANK"
	mainAddress   = "MASTER_ADDR"
	mainPort      = "MASTER_PORT"
)

// launcher sets variables in each process that it starts.
type launcher struct {
	rank, local, world string
	means              func(vars map[string]string) bool // nil: always
	// variables with the same values in all ranks of a program, and in no other program
	program []string
}

// launchers are the known launchers, the most trusted first: the variables of a launcher of single processes take
// precedence over those that it inherited itself.
var launchers = []launcher{
	// torchrun, deepspeed, accelerate. RANK without WORLD_SIZE may be anything, such as the rank of a matrix.
	{"RANK", localRank, "WORLD_SIZE", nil, []string{mainAddress, mainPort, "TORCHELASTIC_RUN_ID"}},
	{"HOROVOD_RANK", "HOROVOD_LOCAL_RANK", "HOROVOD_SIZE", nil,
		[]string{"HOROVOD_GLOO_RENDEZVOUS_ADDR", "HOROVOD_GLOO_RENDEZVOUS_PORT"}},
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE", nil,
		[]string{pmixNamespace, "OMPI_MCA_ess_base_jobid"}},
	// SLURM's own PMIx sets PMIX_RANK in each step, even where it means nothing; SLURM_PROCID is more reliable.
	{"PMIX_RANK", "", "", func(vars map[string]string) bool {
		return !strings.HasPrefix(vars[pmixNamespace],
			"slurm.")
	}, []string{pmixNamespace}},
	{"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE", nil, []string{slurmStep}},
	{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE", nil, []string{slurmStep}},
	{slurmRank, "SLURM_LOCALID", "SLURM_NTASKS", inStep, []string{slurmStep}},
}

// inStep reports whether srun started the process. In the script of a job and in an interactive shell SLURM_PROCID is
// 0, and all of their descendants inherit it.
func inStep(vars map[string]string) bool { return numberOrEmpty(stepOf(vars[slurmStep])) != "" }

// rankOf returns the rank in the variables. The only process of a program has no rank.
func rankOf(vars map[string]string) *wire.Rank {
	if tasks := vars[slurmTasks]; tasks != "" { // SLURM_NTASKS may belong to the job
		vars["SLURM_NTASKS"] = tasks
	}
	for _, l := range launchers {
		rank, ok := parseUnsigned(vars[l.rank])
		if !ok || l.means != nil && !l.means(vars) {
			continue
		}
		r := &wire.Rank{Rank: rank, From: l.rank, Program: programOf(vars, l.program)}
		if l.world != "" {
			world, told := parseUnsigned(vars[l.world])
			if !told || world <= rank {
				continue
			}
			if world == 1 {
				return nil
			}
			r.World = &world
		}
		if local, told := parseUnsigned(vars[l.local]); told && local <= rank {
			r.Local = &local
		}
		return r
	}
	return nil
}

// parseUnsigned parses a number without a sign.
func parseUnsigned(s string) (n int, ok bool) {
	v, err := strconv.ParseUint(s, 10, 31)
	return int(v), err == nil
}

// numberOrEmpty returns a text if it is a number, and otherwise "".
func numberOrEmpty(s string) string {
	if _, ok := parseUnsigned(s); !ok {
		return ""
	}
	return s
}

// stepOf returns the name of the step with an ID from SLURM_STEP_ID: the steps without a number have the highest IDs.
func stepOf(id string) string {
	switch id {
	case "4294967290":
		return "interactive"
	case "4294967291":
		return "batch"
	case "4294967292":
		return "extern"
	}
	return numberOrEmpty(id)
}
