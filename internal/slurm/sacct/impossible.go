package sacct

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// SLURM's accounts have markers for unknown numbers, such as 4294967294, and now and then impossible numbers, such as a
// GPU utilization of 808334905 percent. They are left out, and named in Job.Impossible.

// Limits of what is possible.
const (
	maxCPUs      = 1 << 28 // also of nodes, tasks and seconds
	maxGPUMemory = 1 << 40 // of a GPU, in bytes
	someGPUs     = 1024    // for a step whose GPUs are not known
	clockError   = 2 * time.Second
	cpuExcess    = 1.05 // of the CPU time that the CPUs can provide
)

// readCount reads a number of things. An impossible number counts as 0, and is recorded.
func (r *record) readCount(what, text string) int {
	v, err := strconv.ParseUint(text, 10, 64)
	if n := parseCount(text); err != nil || n > 0 && n <= maxCPUs || v == 0 {
		return int(n)
	}
	r.Impossible = append(r.Impossible, text+" "+what)
	return 0
}

// leaveOutImpossible leaves out numbers that the job's CPUs and GPUs cannot have reached.
func (j *Job) leaveOutImpossible() {
	if left := excessCPUTime(j.CPUTime, j.CPUs, j.Elapsed); left != "" {
		j.CPUTime = 0
		j.Impossible = append(j.Impossible, left)
	}
	for i := range j.Steps {
		s := &j.Steps[i]
		note := func(words string) { j.Impossible = append(j.Impossible, words+" of step "+s.Name) }
		// a step may use all CPUs of the job if nothing binds it to its own
		if left := excessCPUTime(s.CPUTime, max(s.CPUs, j.CPUs), s.Elapsed); left != "" {
			s.CPUTime = 0
			note(left)
		}
		gpus := cmp.Or(s.GPUs, j.GPUs, someGPUs)
		if u := s.GPUUtilMost; u != nil && *u > float64(100*gpus*max(s.Tasks, 1)) {
			s.GPUUtilMost = nil
			note(fmt.Sprintf("%.0f %% GPU utilization", *u))
		}
		if m := s.MaxGPUMemory; m != nil && *m > uint64(gpus)*maxGPUMemory {
			s.MaxGPUMemory = nil
			note(fmt.Sprintf("%d GiB of GPU memory", *m>>30))
		}
		if j.isMIG {
			s.forgetInstances()
		}
	}
}

// excessCPUTime names a CPU time that is more than the CPUs can provide in the elapsed time; "": it is not more.
func excessCPUTime(used time.Duration, cpus int, elapsed time.Duration) string {
	if cpus == 0 || elapsed == 0 || float64(used) <= float64(cpus)*cpuExcess*float64(elapsed+clockError) {
		return ""
	}
	return fmt.Sprintf("%v of CPU time in %v on %d CPUs", used.Round(time.Second), elapsed, cpus)
}

// forgetInstances leaves out the zeros of a step on MIG instances: SLURM does not see their work or their memory.
func (s *Step) forgetInstances() {
	if s.GPUUtilMost != nil && *s.GPUUtilMost == 0 {
		s.GPUUtilMost = nil
	}
	if s.MaxGPUMemory != nil && *s.MaxGPUMemory == 0 {
		s.MaxGPUMemory = nil
	}
}
