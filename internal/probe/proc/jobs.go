package proc

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// JobMember is the place of a process in SLURM, according to its cgroups.
type JobMember struct {
	Job   string // number of the job; empty: no job, or its number is unknown and SLUID names it
	SLUID string // of the job, if its number is unknown
	Step  string
}

// LaunchJobs maps cgroups to jobs. A directory named by a SLUID does not contain the number of its job. The number is
// in the command line of the daemon of one of its steps. Where /proc hides other users' processes, the number is in the
// environment of a user's process that the daemon has started; variables inherited further down may belong to another
// job. Results are kept.
type LaunchJobs struct {
	proc string
	now  func() time.Time

	mu     sync.Mutex // protects the following
	sluids map[string]*jobSearch
}

// jobSearch is a search for the job of a SLUID.
type jobSearch struct {
	began time.Time
	done  chan struct{} // closed at the end of the search
	job   string        // the result; empty if unknown
}

const (
	// launchPatience is how long a caller waits for a search. A search reads processes, and one of them may hang.
	launchPatience = 100 * time.Millisecond
	// askAgain is how long after a search without a result the next one begins.
	askAgain = time.Minute
	// maxKnown limits the jobs that are kept; maxLooked limits the processes that one search reads.
	maxKnown, maxLooked = 256, 64
)

// NewLaunchJobs returns the Jobs of the procfs at proc.
func NewLaunchJobs(proc string) *LaunchJobs {
	return &LaunchJobs{proc: proc, now: time.Now, sluids: map[string]*jobSearch{}}
}

// Own returns the place of this process.
func (j *LaunchJobs) Own() JobMember {
	return j.In(Process(filepath.Join(j.proc, "self")).Cgroups())
}

// In returns the place of a process in these cgroups: the first job, and its step. In version 1, only one of the
// hierarchies may have the step.
func (j *LaunchJobs) In(groups []string) (m JobMember) {
	var dirs []string
	for _, group := range groups {
		p := membershipOf(group)
		if p.dir == "" || len(dirs) > 0 && (p.job != m.Job || p.sluid != m.SLUID) {
			continue
		}
		m.Job, m.SLUID, dirs = p.job, p.sluid, append(dirs, p.dir)
		if m.Step == "" {
			m.Step = p.step
		}
	}
	if m.SLUID == "" {
		return m
	}
	if m.Job = j.jobNumber(m.SLUID, dirs); m.Job != "" {
		m.SLUID = ""
	}
	return m
}

// Is reports whether a directory with this name is the cgroup of the job, as far as known.
func (j *LaunchJobs) Is(dir, job string) bool {
	number, sluid := jobNamed(dir)
	if sluid == "" {
		return number == job
	}
	j.mu.Lock()
	f := j.sluids[sluid]
	j.mu.Unlock()
	return f != nil && f.hasEnded() && f.job == job && job != ""
}

// jobNumber returns the number of the job whose cgroups are dirs; empty if it is unknown.
func (j *LaunchJobs) jobNumber(sluid string, dirs []string) string {
	f := j.searchFor(sluid, dirs)
	late := time.NewTimer(f.began.Add(launchPatience).Sub(j.now()))
	defer late.Stop()
	select {
	case <-f.done:
	case <-late.C:
	}
	if !f.hasEnded() {
		return ""
	}
	return f.job
}

// searchFor returns the search for the job of a SLUID. It begins a new search if there was none, or if the last one
// found nothing and is old.
func (j *LaunchJobs) searchFor(sluid string, dirs []string) *jobSearch {
	j.mu.Lock()
	defer j.mu.Unlock()
	f := j.sluids[sluid]
	if f != nil && (!f.hasEnded() || f.job != "" || j.now().Sub(f.began) < askAgain) {
		return f
	}
	if len(j.sluids) >= maxKnown {
		clear(j.sluids)
	}
	f = &jobSearch{began: j.now(), done: make(chan struct{})}
	j.sluids[sluid] = f
	go func() {
		f.job = j.findJob(dirs)
		close(f.done)
	}()
	return f
}

func (f *jobSearch) hasEnded() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// findJob looks in the steps of cgroups for their job. It may never return.
func (j *LaunchJobs) findJob(groups []string) string {
	for _, dir := range j.mountedDirs(groups) {
		daemons := j.listProcesses(filepath.Join(dir, "step_*", "slurm"))
		for _, pid := range daemons {
			if job := j.jobFromTitle(pid); job != "" {
				return job
			}
		}
		for _, pid := range j.listProcesses(filepath.Join(dir, "step_*", "user", "task_*")) {
			if job := j.jobFromEnviron(pid, daemons); job != "" {
				return job
			}
		}
	}
	return ""
}

// mountedDirs returns the directories of cgroups in the file system. Only version 2 names them by SLUIDs.
func (j *LaunchJobs) mountedDirs(groups []string) (dirs []string) {
	mounts, err := Mounts(j.proc, "self")
	if err != nil {
		return nil
	}
	for _, m := range mounts {
		for _, group := range groups {
			if dir, shown := dirOfCgroup(m.Point, m.Root, group); shown && m.Type == "cgroup2" {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// listProcesses returns the PIDs of the processes of cgroups. A process in another PID namespace has PID 0.
func (j *LaunchJobs) listProcesses(groups string) (pids []int) {
	files, _ := filepath.Glob(filepath.Join(groups, "cgroup.procs")) // the pattern is good
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for word := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil && pid > 0 && len(pids) < maxLooked {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// jobFromTitle returns the job in the command line of the daemon of a step: "slurmstepd: [48211.extern]".
func (j *LaunchJobs) jobFromTitle(pid int) string {
	line, err := os.ReadFile(filepath.Join(j.proc, strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return ""
	}
	title, found := strings.CutPrefix(string(line), "slurmstepd: [")
	end := strings.IndexAny(title, ".]")
	if !found || end < 0 || !isNumber(title[:end]) {
		return ""
	}
	return title[:end]
}

// jobFromEnviron returns the job in the environment of a process of this user that one of the daemons has started.
func (j *LaunchJobs) jobFromEnviron(pid int, daemons []int) string {
	process := Of(j.proc, pid)
	if stat, err := process.Stat(); err != nil || !slices.Contains(daemons, stat.Parent) {
		return ""
	}
	if status, err := process.Status(); err != nil || status.UIDs[0] != os.Getuid() {
		return ""
	}
	return OriginOf(process).Job
}
