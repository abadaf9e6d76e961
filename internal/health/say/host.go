package say

import (
	"fmt"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

func persistenceOff(w *Words, _ evidence) {
	w.Long, w.Short = "persistence mode off", "persistence off"
	w.Sentence = "Persistence mode is off: the driver unloads when no program uses a GPU."
	w.Hint = "the next program takes some seconds longer to start, and error counters restart at 0; your admins can " +
		"turn it on"
}

// diskFull says how full /tmp or the local disk is; fullness of /tmp is a warning.
func diskFull(w *Words, e evidence) {
	where, free, total := "/tmp", e.node.Host.Float(metric.TmpFree), e.node.Host.Float(metric.TmpTotal)
	if e.severity == cluster.Note {
		where, free, total = "the local disk", e.node.Host.Float(metric.DiskFree), e.node.Host.Float(metric.DiskTotal)
	}
	if !(total > 0 && free >= 0) {
		return
	}
	w.Long, w.Short = where+" nearly full", where+" full"
	w.Sentence = Sentence(fmt.Sprintf("%s has %s left", where, gibOf(free, total)))
	w.Hint = "programs that write there will fail: remove files of your own, or write elsewhere"
}

func hostMemory(w *Words, e evidence) {
	m := e.node.MemoryOf(e.job)
	if m == nil {
		return
	}
	used, limit := float64(m.Used), float64(m.Limit)
	w.Long, w.Short = "host memory "+gibOf(used, limit), fmt.Sprintf("host memory %.0f%%", 100*used/limit)
	w.Sentence = "The job uses " + gibOf(used, limit) + " host memory here"
	if full, known := m.Full(); known && full < 2*time.Hour {
		w.Long += ", full in " + formatMinutes(full)
		w.Sentence += ": full in about " + formatMinutes(full)
	}
	w.Sentence += "."
	w.Hint = "at the limit the kernel kills processes of the job: save a checkpoint, and ask for more with --mem"
}

// formatMinutes returns a time in whole minutes: "20 min".
func formatMinutes(d time.Duration) string {
	return fmt.Sprintf("%d min", max(1, int(d.Round(time.Minute)/time.Minute)))
}

func mixedNodes(w *Words, e evidence) {
	others, run := "most other nodes", "run"
	if len(e.job.Nodes) == 2 {
		others, run = "the other node", "runs"
	}
	var what []string
	if own := e.hello.Driver; signs.OtherThan(own, e.common.Driver) {
		w.Long, w.Short = "driver "+own+", others "+e.common.Driver, "other driver"
		what = append(what, fmt.Sprintf("This node runs driver %s, %s %s %s.", own, others, run, e.common.Driver))
	}
	if own := e.gpuModel(); signs.OtherThan(own, e.common.Model) {
		w.Long, w.Short = own+", others "+e.common.Model, "other GPUs"
		what = append(what, fmt.Sprintf("Its GPUs are %s, those of %s are %s.", own, others, e.common.Model))
	}
	w.Sentence = strings.Join(what, " ")
	w.Hint = "fine if you asked for it; otherwise the slowest kind sets the pace"
}

// gpuModel returns the model of the job's GPUs on the node.
func (e evidence) gpuModel() string {
	if e.node.Hello == nil {
		return ""
	}
	return e.job.Model(e.node)
}

func clockSkew(w *Words, e evidence) {
	ahead := e.common.Offset - e.node.Offset
	how := "ahead of"
	if ahead < 0 {
		how = "behind"
	}
	w.Long, w.Short = fmt.Sprintf("clock %s %s", formatTwoDigits(ahead.Abs()), strings.TrimSuffix(how, " of")),
		"clock wrong"
	others := "those of the job's other nodes"
	if len(e.job.Nodes) == 2 {
		others = "that of the job's other node"
	}
	w.Sentence = fmt.Sprintf("The clock of this node is %s %s %s.", formatTwoDigits(ahead.Abs()), how, others)
	w.Hint = "log and file timestamps will not match across nodes: report it to your admins"
}

// otherCgroup names the cgroup of the probe.
func otherCgroup(w *Words, e evidence) {
	w.Long, w.Short = "in the cgroup of another job", "other cgroup"
	w.Sentence = "The ssh session is in the cgroup of another job, which hides GPUs of the node."
	w.Hint = "pam_slurm_adopt picks the newest job"
	if id := e.hello.Job; id != "" && id != e.job.Number {
		w.Long = "in the cgroup of job " + id
		w.Sentence = fmt.Sprintf("The ssh session is in the cgroup of job %s, which hides GPUs of the node.", id)
		w.Hint = fmt.Sprintf("pam_slurm_adopt picked the other job; from this one: srun --jobid=%s --overlap -w %s "+
			"nvidia-smi", e.job.Number, e.node.Name)
	}
}

// ownerUnknown says why the owner of the GPUs is unknown.
func ownerUnknown(w *Words, e evidence) {
	w.Long, w.Short = "this job's GPUs are not known", "owner not known"
	if e.job.MayBeHidden(e.node) {
		w.Sentence = "Not all GPUs of this job are listed. The ssh session is in a job whose number is unknown (SLUID " +
			e.hello.SLUID + "), which may hide them."
		w.Hint = fmt.Sprintf("to see this job's GPUs: srun --jobid=%s --overlap -w %s nvidia-smi -L", e.job.Number,
			e.node.Name)
		return
	}
	w.Sentence = "It is not known which GPUs of the node are this job's: "
	count, counted := e.job.GPUsOn(e.node.Name)
	_, named := e.job.Minors[e.node.Name]
	switch {
	case signs.HasMIG(e.node):
		w.Sentence += "MIG is on, and SLURM does not say which instances the job has."
	case named:
		w.Sentence += "SLURM numbers the GPUs differently from the driver."
	case counted:
		w.Sentence += fmt.Sprintf("SLURM allocated %d, and nothing proves which.", count)
	default:
		w.Sentence += "SLURM does not say which."
	}
}
