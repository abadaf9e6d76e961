package host

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

const (
	// jobsEvery is how often the memory of jobs is read: reading memory.stat makes the kernel add up the counters of
	// all CPUs.
	jobsEvery = metric.SlowSeconds / 6 * time.Second
	// maxJobs limits how many jobs are read.
	maxJobs = 64
)

// Jobs reads the host memory of SLURM jobs from their cgroups.
type Jobs struct {
	proc   string
	of     *proc.LaunchJobs
	call   *asyncCall[map[string]string, []wire.JobMemory]
	last   []wire.JobMemory
	asked  time.Duration
	follow map[string]string // one process of each job, by its name in /proc

	groups map[string]*jobCgroup // by job; belongs to the running call
}

// NewJobs returns a Jobs that reads the procfs at proc. of maps cgroups to jobs.
func NewJobs(proc string, of *proc.LaunchJobs) *Jobs {
	j := &Jobs{proc: proc, of: of, asked: -jobsEvery}
	j.call = newAside("cgroups", j.readJobs)
	return j
}

// FollowUsers follows the probe's own job and the jobs of the user's processes.
func (j *Jobs) FollowUsers(list []wire.Process) { j.Follow(jobsOf(list, j.of.Own().Job)) }

// jobsOf returns one process for each of the user's jobs, as Follow expects. For the probe's own job, it is the probe
// itself.
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

// Follow sets the jobs: for each job the name in /proc of one of its processes, a PID or "self". Once a job is
// followed, it no longer needs the process. New jobs are read at once.
func (j *Jobs) Follow(processes map[string]string) {
	for job := range processes {
		if _, known := j.follow[job]; !known {
			j.asked = -jobsEvery
		}
	}
	j.follow = processes
}

// Read returns the memory of the jobs; the memory of a job that cannot be read is absent. Callers must not change it.
func (j *Jobs) Read(at time.Duration) ([]wire.JobMemory, error) {
	if !j.call.running && at-j.asked >= jobsEvery && len(j.follow)+len(j.last) > 0 {
		j.asked = at
		j.call.startCall(at, j.follow)
	}
	if now, ok := j.call.take(at); ok {
		j.last = now
	}
	if err := j.call.hangError(at); err != nil {
		return nil, err
	}
	return j.last, nil
}

func (j *Jobs) readJobs(follow map[string]string) (list []wire.JobMemory) {
	groups := make(map[string]*jobCgroup, len(follow))
	for job, process := range follow {
		g := j.groups[job]
		if g == nil {
			g = j.findGroup(process, job)
		}
		if g == nil || len(list) == maxJobs {
			continue
		}
		if m, ok := g.readJobMemory(); ok {
			m.Job = job
			list = append(list, m)
			groups[job] = g
		}
	}
	j.groups = groups
	sort.Slice(list, func(i, k int) bool { return list[i].Job < list[k].Job })
	return list
}

// jobCgroup is the cgroup of a job.
type jobCgroup struct {
	files
	job  string   // the directory of the job's cgroup
	path []string // the cgroups from that of its process up to job, each of which may have a limit
}

// files are the names of the files of a cgroup.
type files struct{ used, inactive, limit string }

var (
	v1 = files{"memory.usage_in_bytes", "total_inactive_file", "memory.limit_in_bytes"}
	v2 = files{"memory.current", "inactive_file", "memory.max"}
)

// unlimited is more than any real limit. A version 1 cgroup without a limit reports almost 2^63.
const unlimited = 1 << 60

// findGroup finds the cgroup of a job from one of its processes. It returns nil if the job has none, or if it is not
// mounted here.
func (j *Jobs) findGroup(process, job string) *jobCgroup {
	text, err := os.ReadFile(filepath.Join(j.proc, process, "cgroup"))
	if err != nil {
		return nil
	}
	mounts, err := proc.Mounts(j.proc, "self")
	if err != nil {
		return nil
	}
	for _, line := range strings.Split(string(text), "\n") {
		parts := strings.SplitN(line, ":", 3) // hierarchy:controllers:path
		if len(parts) < 3 {
			continue
		}
		version := v1
		switch controllers := strings.Split(parts[1], ","); {
		case parts[0] == "0":
			version = v2
		case !slices.Contains(controllers, "memory"):
			continue
		}
		if g := version.locateGroup(mounts, parts[2], func(dir string) bool { return j.of.Is(dir, job) }); g != nil {
			return g
		}
	}
	return nil
}

// locateGroup finds the directory of the job in the path of a process, and the mount point of its hierarchy.
func (v files) locateGroup(mounts []proc.Mount, path string, isJob func(dir string) bool) *jobCgroup {
	for _, m := range mounts {
		memory := slices.Contains(m.Options, "memory")
		if m.Type != "cgroup2" && (m.Type != "cgroup" || !memory) || (m.Type == "cgroup2") != (v == v2) {
			continue
		}
		inside, ok := strings.CutPrefix(path, strings.TrimSuffix(m.Root, "/"))
		if !ok || !filepath.IsLocal(strings.TrimPrefix(inside, "/")) {
			continue
		}
		g := &jobCgroup{files: v}
		for dir := inside; len(dir) > 1; dir = filepath.Dir(dir) {
			g.path = append(g.path, filepath.Join(m.Point, dir))
			if isJob(filepath.Base(dir)) {
				g.job = g.path[len(g.path)-1]
				if _, err := os.Stat(filepath.Join(g.job, v.used)); err == nil {
					return g
				}
			}
		}
	}
	return nil
}

// readJobMemory reads the memory of the job; ok is false if that is not possible.
func (g *jobCgroup) readJobMemory() (m wire.JobMemory, ok bool) {
	used, ok := readNumber(filepath.Join(g.job, g.used))
	if !ok {
		return m, false
	}
	cache, ok := readEntry(g.job+"/memory.stat", g.inactive)
	if !ok {
		return m, false
	}
	m.Used = used - min(cache, used)
	if g.files == v2 { // in version 1 CPU time has a hierarchy of its own
		m.CPU, _ = readEntry(g.job+"/cpu.stat", "usage_usec")
		m.Waited, _ = readEntry(g.job+"/cpu.pressure", "some")
	}
	limit := uint64(math.MaxUint64)
	for _, dir := range g.path {
		if n, ok := readNumber(filepath.Join(dir, g.limit)); ok { // "max" means no limit
			limit = min(limit, n)
		}
	}
	if limit < unlimited {
		m.Limit = limit
	}
	return m, true
}

// readEntry returns the last number of the line with a name; 0 if there is none, false if the file cannot be read.
func readEntry(file, name string) (n uint64, ok bool) {
	text, err := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, name+" "); found {
			n, _ = strconv.ParseUint(strings.TrimSpace(rest[strings.LastIndexByte(rest, '=')+1:]), 10, 64)
		}
	}
	return n, err == nil
}

// readNumber reads a file that holds one number.
func readNumber(name string) (uint64, bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
