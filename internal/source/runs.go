package source

import (
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	known "github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/joblog/runs"
)

// keptRuns compares jobs with what was kept of earlier ones, and keeps what is known of them.
type keptRuns struct {
	path string // "": nothing is kept
	user string // only this user's jobs are kept; "": of all

	read    bool
	earlier []runs.Run

	mu     sync.Mutex        // protects the following
	models map[string]string // models of GPUs, by node
}

// leastKept is the least number of steps of a run that is kept: a short try says little about the pace.
const leastKept = 20

// noteModel notes the GPUs of a node.
func (k *keptRuns) noteModel(e cluster.Event) {
	if e.Hello == nil || len(e.Hello.GPUs) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.models == nil {
		k.models = map[string]string{}
	}
	k.models[e.Node] = e.Hello.GPUs[0].Name
}

// newRun returns what is known of a job; false: too little, or it is another user's.
func (k *keptRuns) newRun(j *cluster.Job, p *cluster.JobProgress, now time.Time) (r runs.Run, is bool) {
	if k.path == "" || k.user != "" && j.User != k.user || p.SecondsPerStep == nil || p.Step == nil {
		return r, false
	}
	k.mu.Lock()
	model := ""
	for _, node := range j.Nodes {
		if model = k.models[node]; model != "" {
			break
		}
	}
	k.mu.Unlock()
	if model == "" { // it may be any GPU
		return r, false
	}
	r = runs.Run{Job: j.ID, User: j.User, Name: j.Name, Seen: now, Form: p.Form, SecondsPerStep: *p.SecondsPerStep,
		Steps: *p.Step, Shape: runs.Shape{Nodes: len(j.Nodes), Model: model}}
	for _, node := range j.Nodes {
		count, _ := j.GPUsOn(node)
		r.Shape.GPUs += count
	}
	return r, true
}

// findEarlier returns the last run of the same program that is known; nil: there is none. A file that cannot be read is
// an empty one: nothing depends on it.
func (k *keptRuns) findEarlier(j *cluster.Job, p *cluster.JobProgress, now time.Time) *known.Earlier {
	r, is := k.newRun(j, p, now)
	if !is {
		return nil
	}
	if !k.read {
		k.read = true
		k.earlier, _ = runs.Read(k.path, now)
	}
	c := runs.Compare(k.earlier, r)
	if c == nil {
		return nil
	}
	return &known.Earlier{Job: c.Before.Job, Seen: c.Before.Seen, SecondsPerStep: c.Before.SecondsPerStep}
}

// keepRuns writes what is known of jobs. If the file cannot be written, as in a full home, later runs lack it.
func (k *keptRuns) keepRuns(all []*followedJob, now time.Time) {
	var of []runs.Run
	for _, f := range all {
		if r, is := k.newRun(&f.job, &f.told, now); is && f.steps() >= leastKept {
			of = append(of, r)
		}
	}
	if len(of) > 0 && runs.Keep(k.path, now, of...) == nil {
		k.read = false
	}
}
