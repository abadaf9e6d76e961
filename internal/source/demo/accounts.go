package demo

import (
	"context"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
)

// Accounts returns what the simulated accounting has counted for a job that has ended.
func (d *Demo) Accounts(ctx context.Context, job string) ([]sacct.Job, error) {
	got := d.sendOrder(ctx, demoRequest{job: job, counts: true})
	return got.counted, got.err
}

// accountedJobs returns what the accounting has counted for a job that runs or has ended; "": for all jobs.
func (d *simDiscoverer) accountedJobs(job string, now time.Duration) (jobs []sacct.Job) {
	all := d.endedJobs(now)
	for _, j := range d.runningJobs(now) {
		all = append(all, cluster.EndedJob{ID: j.ID, Number: j.Number, Name: j.Name, Partition: j.Partition,
			Nodes: len(j.Nodes), State: running, Start: j.Start})
	}
	for i := range all {
		if e := &all[i]; job == "" || e.ID == job {
			list, gpus := d.world.allocatedNodes(e)
			jobs = append(jobs, makeAccount(e, list, gpus, d.world.begin.Add(now)))
		}
	}
	return jobs
}

// running is SLURM's state of a job that has not ended.
const running cluster.EndState = "RUNNING"

// What the demo's jobs request, per GPU.
const (
	cpusPerGPU   = 16
	memoryPerGPU = 128 << 30
)

// allocatedNodes returns the nodes that a job had, as SLURM lists them, and the number of its GPUs.
func (w *world) allocatedNodes(e *cluster.EndedJob) (list string, gpus int) {
	for i := range w.jobs {
		if j := &w.jobs[i]; j.Number == e.Number {
			for _, minors := range j.Minors {
				gpus += len(minors)
			}
			return strings.Join(j.Nodes, ","), gpus
		}
	}
	return "gpu-s11", *e.GPUs
}

// makeAccount makes the account of a job, so far if it runs: its program used half of its CPUs, two fifths of its
// memory, and its GPUs most of the time.
func makeAccount(e *cluster.EndedJob, list string, gpus int, now time.Time) sacct.Job {
	until := e.End
	if until.IsZero() {
		until = now
	}
	j := sacct.Job{ID: e.ID, Number: e.Number, Name: e.Name, User: me, Account: "ml", QOS: "normal",
		Partition: e.Partition, State: string(e.State), Submit: e.Start.Add(-7 * time.Minute), Start: e.Start, End: e.End,
		Elapsed: until.Sub(e.Start), Limit: 4 * time.Hour, Nodes: e.Nodes, NodeList: list,
		CPUs: cpusPerGPU * gpus, GPUs: gpus, CountsGPUs: true, Model: "h100"}
	if e.Exit != nil {
		j.Code, j.Signal = e.Exit.Code, e.Exit.Signal
	}
	j.Memory.Bytes = uint64(memoryPerGPU * gpus / max(e.Nodes, 1))
	node, _, _ := strings.Cut(list, ",")
	util, memory := 82*float64(gpus), uint64(61<<30)
	if j.State == string(cluster.JobFailed) { // it waited for its files
		util, memory = 47*float64(gpus), 38<<30
	}
	program := sacct.Step{Name: "0", Program: "python", State: j.State, Start: j.Start, End: j.End, Elapsed: j.Elapsed,
		Code: j.Code, Signal: j.Signal, Nodes: e.Nodes, Tasks: gpus, CPUs: j.CPUs, GPUs: gpus,
		CPUTime: time.Duration(j.CPUs) * j.Elapsed / 2, MaxRSS: memoryPerGPU * 2 / 5, MaxRSSNode: node,
		TotalRSS: uint64(memoryPerGPU * 2 / 5 * gpus), GPUUtilMost: &util, MaxGPUMemory: &memory}
	script := sacct.Step{Name: "batch", Program: "batch", State: j.State, Start: j.Start, End: j.End,
		Elapsed: j.Elapsed, Code: j.Code, Signal: j.Signal, Nodes: 1, Tasks: 1, CPUs: j.CPUs,
		CPUTime: 3 * time.Second, MaxRSS: 14 << 20, MaxRSSNode: node, GPUUtilMost: new(float64)}
	j.Steps = []sacct.Step{script, program}
	return j
}
