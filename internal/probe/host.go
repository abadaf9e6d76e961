package probe

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/probe/host"
	"github.com/nvnodetop/nvnodetop/internal/probe/launch"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// minWindow is the shortest window for a CPU percentage of a process.
const minWindow = host.MinWindow

// collectHost reads the metrics of the node.
func (s *sampler) collectHost(sm *sample) {
	if err := s.host.Read(&sm.Host.Values, sm.at.Mono, sm.at.Boot); err != nil {
		sm.fault("host", err)
	}
}

// collectJobs reads the memory of the jobs: of the probe's own, and of those that the user's processes on GPUs belonged to when they were
// last listed.
func (s *sampler) collectJobs(sm *sample) {
	if sm.Listed || s.seq == 0 {
		s.jobs.Follow(jobsOf(sm.Processes, s.job))
	}
	jobs, err := s.jobs.Read(sm.at.Mono)
	if err != nil {
		sm.fault("job_memory", err)
	}
	sm.Jobs = jobs
}

// jobsOf returns a process of each of the user's jobs, as host.Jobs wants it. The probe itself is one of its own job.
func jobsOf(list []wire.Process, own string) map[string]string {
	jobs := map[string]string{}
	for i := range list {
		if p := &list[i]; p.Job != "" && p.UID != nil && *p.UID == os.Getuid() {
			jobs[p.Job] = strconv.Itoa(p.PID)
		}
	}
	if own != "" {
		jobs[own] = "self"
	}
	return jobs
}

// describeHost fills in the fields of a Hello about the node.
func describeHost(h *wire.Hello, proc string) {
	h.Version = wire.Version
	h.PID = os.Getpid()
	h.Kernel = kernel()
	h.System = runtime.GOOS + "/" + runtime.GOARCH
	if path, err := os.Executable(); err == nil {
		h.Program = path
	}
	if name, err := os.Hostname(); err == nil {
		h.Host = name
	}
	// One line per CPU, after that of the sum. Unlike sched_getaffinity(2), the probe's own cgroup does not limit it.
	if stat, err := os.ReadFile(filepath.Join(proc, "stat")); err == nil {
		h.CPUs = bytes.Count(stat, []byte("\ncpu"))
	}
	h.Job = launch.OwnJob(proc)
}
