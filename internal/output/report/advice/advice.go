// Package advice derives numbers for a job's next batch script from its report, each with its reason. It is pure. It
// also has the words for the numbers of reports.
//
// # Evidence and margins
//
// Advice needs evidence: a job that ran for 5 minutes and ended well, or at its time limit. For a job that failed, was
// canceled or still runs, advice follows only from SLURM's own word: out of memory, out of time. Less memory, fewer
// GPUs and a shorter time are advised only when the whole run was seen, by SLURM or by a watch.
//
//	--time           a quarter more than the run, 10 minutes at least; half as much again after a timeout
//	--mem            a fifth more than the peak of the fullest node; half as much again when it ran out of it
//	--cpus-per-task  twice the mean use, at least 2 for each GPU; only below a quarter of what the job had
//	--gpus           those on which a kernel ran
package advice

import (
	"fmt"
	"math"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// The limits of advice. The limit for the shortest judged run and the one for the time limit are those of jobstats.
const (
	JudgedFrom = 5 * time.Minute

	shortRun    = 0.60 // of the time limit
	lowMemory   = 0.50 // of the memory
	fullMemory  = 0.95 // likewise
	lowCPU      = 0.25 // of the CPUs
	seenEnough  = 0.90 // of the run
	cpusPerGPU  = 2    // always left to the job
	leastSaving = 1 << 30
)

// The margins of advice.
const (
	timeMargin   = 1.25
	leastMargin  = 10 * time.Minute
	memoryMargin = 1.2
	cpuMargin    = 2.0
	guess        = 1.5 // factor for something that was too little
)

// The kinds of advice. If a Note is about the same thing, it has the same kind.
const (
	OutOfMemory = "out_of_memory"
	TimeLimit   = "time_limit"
	ShortRun    = "short_run"
	HostLow     = "low_host_memory"
	HostHigh    = "high_host_memory"
	NeverUsed   = "gpus_never_used"
	LowCPU      = "low_cpu_use"
)

// rules are the rules, most important first. Each returns nil if it has nothing to say.
var rules = []func(*evidence) *report.Advice{memoryOut, timeOut, memoryHigh, unusedGPUs, longLimit, memoryLow, idleCPUs}

// Of returns the advice that follows from a report.
func Of(r *report.Report) []report.Advice {
	e := gatherEvidence(r)
	var out []report.Advice
	for _, rule := range rules {
		if a := rule(e); a != nil {
			out = append(out, *a)
		}
	}
	return out
}

// evidence is what is known about a run.
type evidence struct {
	*report.Report
	ran, limit time.Duration // 0: not known
	noMemory   bool          // the kernel killed one of its processes because of its memory
	whole      bool          // it ended well or at its time limit, after a long enough run
	watched    bool          // nearly all of it was watched
}

func gatherEvidence(r *report.Report) *evidence {
	e := &evidence{Report: r, limit: toDuration(r.Job.Limit), noMemory: r.Job.State == "OUT_OF_MEMORY"}
	if a := r.Accounting; a != nil {
		e.ran = toDuration(a.Elapsed)
		e.noMemory = e.noMemory || a.OutOfMemory != ""
	} else if !r.Job.Start.IsZero() && !r.Job.End.IsZero() {
		e.ran = r.Job.End.Sub(r.Job.Start) - toDuration(r.Watched.Suspended)
	}
	e.whole = e.ran >= JudgedFrom && !e.noMemory && (r.Job.State == "COMPLETED" || r.Job.State == "TIMEOUT")
	seen := r.Watched.Seconds - r.Watched.Suspended
	e.watched = e.whole && seen >= seenEnough*e.ran.Seconds() && r.Total.GPUsSeen >= r.Total.GPUs
	for i := range r.Nodes {
		n := &r.Nodes[i]
		e.watched = e.watched && n.Seen >= seenEnough*seen
	}
	return e
}

func toDuration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// timeOut advises a job that reached its time limit.
func timeOut(e *evidence) *report.Advice {
	if e.Job.State != "TIMEOUT" || e.limit == 0 {
		return nil
	}
	return &report.Advice{Kind: TimeLimit, Option: "--time", Value: timeOption(time.Duration(guess * float64(e.limit))),
		Reason: fmt.Sprintf("it reached its limit of %s. How much was missing is not known: this is half as much "+
			"again. Or let it continue from a checkpoint", text.Span(e.limit))}
}

// longLimit advises a job that needed much less than its time limit.
func longLimit(e *evidence) *report.Advice {
	if !e.whole || e.Job.State != "COMPLETED" || e.limit == 0 || e.ran.Seconds() > shortRun*e.limit.Seconds() {
		return nil
	}
	need := max(time.Duration(timeMargin*float64(e.ran)), e.ran+leastMargin)
	if roundTime(need) >= e.limit {
		return nil
	}
	return &report.Advice{Kind: ShortRun, Option: "--time", Value: timeOption(need),
		Reason: fmt.Sprintf("it ran %s of %s (%.0f%%), and this leaves a quarter more. A shorter limit may start "+
			"earlier", text.Span(e.ran), text.Span(e.limit), 100*e.ran.Seconds()/e.limit.Seconds())}
}

// hostMemory returns the largest known memory use of a node, and its limit; nil: not known.
func (e *evidence) hostMemory() (peak, limit uint64) {
	if m := e.Total.HostMemory; m != nil && m.Limit != nil && e.watched {
		peak, limit = m.Peak, *m.Limit
	}
	if a := e.Accounting; a != nil && a.Memory != nil && a.Memory.Limit != nil && a.Memory.Peak > peak {
		peak, limit = a.Memory.Peak, *a.Memory.Limit
	}
	return peak, limit
}

// limitOf returns the host memory that the job had on a node; 0: not known.
func (e *evidence) limitOf() uint64 {
	if a := e.Accounting; a != nil && a.Memory != nil && a.Memory.Limit != nil {
		return *a.Memory.Limit
	}
	if m := e.Total.HostMemory; m != nil && m.Limit != nil {
		return *m.Limit
	}
	return 0
}

// memoryOut advises a job that SLURM ended because of its memory.
func memoryOut(e *evidence) *report.Advice {
	limit := e.limitOf()
	switch a := e.Accounting; {
	case !e.noMemory:
		return nil
	case a != nil && a.OutOfMemoryLimit != nil:
		limit = *a.OutOfMemoryLimit
		return &report.Advice{Kind: OutOfMemory, Option: "--mem", Value: memoryOption(guess * float64(limit)),
			Reason: fmt.Sprintf("of the srun of step %s, which needed more than its %s on a node, though the job "+
				"had more. How much more is not known: this is half as much again", a.OutOfMemory, SizeText(limit))}
	case limit == 0:
		return nil
	}
	return e.memoryAdvice(OutOfMemory, guess*float64(limit), fmt.Sprintf("it needed more than its %s on a node. How much "+
		"more is not known: this is half as much again", SizeText(limit)))
}

// memoryHigh advises a job that was near its limit. What SLURM samples may be an estimate: only what a task had to
// itself counts.
func memoryHigh(e *evidence) *report.Advice {
	peak, limit := uint64(0), e.limitOf()
	if m := e.Total.HostMemory; m != nil && m.Limit != nil {
		peak = m.Peak
	}
	if a := e.Accounting; a != nil {
		for i := range a.Steps {
			if m := a.Steps[i].Memory; m != nil {
				peak = max(peak, *m)
			}
		}
	}
	if e.noMemory || limit == 0 || float64(peak) < fullMemory*float64(limit) {
		return nil
	}
	return e.memoryAdvice(HostHigh, memoryMargin*float64(peak),
		fmt.Sprintf("it had up to %s of its %s on a node in use: at "+
			"the limit SLURM ends it. This is a fifth more", SizeText(peak), SizeText(limit)))
}

// memoryLow advises a job that had much more memory than it used.
func memoryLow(e *evidence) *report.Advice {
	peak, limit := e.hostMemory()
	need := memoryMargin * float64(peak)
	if !e.whole || peak == 0 || float64(peak) > lowMemory*float64(limit) || float64(limit)-need < leastSaving {
		return nil
	}
	return e.memoryAdvice(HostLow, need, fmt.Sprintf("no node had more than %s of its %s in use, and this leaves a fifth "+
		"more", SizeText(peak), SizeText(limit)))
}

// memoryAdvice returns advice about the memory of a node.
func (e *evidence) memoryAdvice(kind string, bytes float64, reason string) *report.Advice {
	a := &report.Advice{Kind: kind, Option: "--mem", Value: memoryOption(bytes), Reason: reason}
	acct := e.Accounting
	if acct == nil || acct.CPUs == 0 || acct.Nodes == 0 || acct.CPUs%acct.Nodes != 0 {
		return a
	}
	each := memoryOption(bytes / float64(acct.CPUs/acct.Nodes))
	if acct.PerCPU {
		a.Option, a.Value = "--mem-per-cpu", each
	} else if acct.CPUs > acct.Nodes {
		a.Reason += fmt.Sprintf(" (or --mem-per-cpu=%s)", each)
	}
	return a
}

// unusedGPUs advises a job with GPUs on which no kernel ran.
func unusedGPUs(e *evidence) *report.Advice {
	used, unused := 0, 0
	for i := range e.Nodes {
		for k := range e.Nodes[i].List {
			switch u := e.Nodes[i].List[k].Util; {
			case u == nil:
				return nil
			case u.Highest == 0:
				unused++
			default:
				used++
			}
		}
	}
	if !e.watched || unused == 0 || used == 0 || used+unused != e.Total.GPUs {
		return nil
	}
	return &report.Advice{Kind: NeverUsed, Option: "--gpus", Value: fmt.Sprint(used),
		Reason: fmt.Sprintf("no kernel ran on %d of its %d GPUs. Or let the program use all of them", unused,
			e.Total.GPUs)}
}

// idleCPUs advises a job that used few of its CPUs.
func idleCPUs(e *evidence) *report.Advice {
	a := e.Accounting
	if a == nil || a.CPU == nil || !e.whole || a.Tasks == 0 || a.CPUs%a.Tasks != 0 || a.CPU.Percent > 100*lowCPU {
		return nil
	}
	had, busy := a.CPUs/a.Tasks, a.CPU.Used/e.ran.Seconds()/float64(a.Tasks)
	want := max(int(math.Ceil(cpuMargin*busy)), 1)
	switch {
	case e.Total.GPUs > 0:
		want = max(want, ceilOf(cpusPerGPU*e.Total.GPUs, a.Tasks))
	case a.GPUs != nil:
		want = max(want, ceilOf(cpusPerGPU**a.GPUs, a.Tasks))
	}
	if want > had/2 {
		return nil
	}
	return &report.Advice{Kind: LowCPU, Option: "--cpus-per-task", Value: fmt.Sprint(want),
		Reason: fmt.Sprintf("a task kept %.1f of its %d CPUs busy on average; this is twice as many, and at least %d "+
			"for a GPU", busy, had, cpusPerGPU)}
}

func ceilOf(a, b int) int { return (a + b - 1) / b }

// roundTime rounds up to 5 minutes; from one hour on to a quarter of an hour; from 6 hours on to an hour.
func roundTime(d time.Duration) time.Duration {
	step := 5 * time.Minute
	if d > time.Hour {
		step = 15 * time.Minute
	}
	if d > 6*time.Hour {
		step = time.Hour
	}
	return (d + step - 1) / step * step
}

// timeOption returns a rounded time in the form of --time: "02:30:00", "1-12:00:00".
func timeOption(d time.Duration) string {
	minutes := int(roundTime(d) / time.Minute)
	s := fmt.Sprintf("%02d:%02d:00", minutes/60%24, minutes%60)
	if days := minutes / (24 * 60); days > 0 {
		return fmt.Sprintf("%d-%s", days, s)
	}
	return s
}

// memoryOption returns an amount of memory in the form of --mem, rounded up to 64 MiB; from 1 GiB on to 256 MiB; from 4
// GiB on to 1 GiB.
func memoryOption(bytes float64) string {
	const mib, gib = 1 << 20, 1 << 30
	part := 64.0 * mib
	switch {
	case bytes > 4*gib:
		part = gib
	case bytes > gib:
		part = 256 * mib
	}
	rounded := math.Ceil(bytes/part) * part
	if math.Mod(rounded, gib) != 0 {
		return fmt.Sprintf("%.0fM", rounded/mib)
	}
	return fmt.Sprintf("%.0fG", rounded/gib)
}
