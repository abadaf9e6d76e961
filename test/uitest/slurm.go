package uitest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// JobsFixture has jobs in all states: two that run, a suspended one, three that wait, and six that have ended or are
// ending.
func JobsFixture() *cluster.Snapshot {
	s := Fixture()
	s.Nodes["gpu-n02"].Processes[3].User = "bob"
	s.Jobs[0].Partition, s.Jobs[1].Partition = "gpu-long", "gpu"
	held := cluster.JobView{Job: cluster.Job{
		ID: "48302", Number: "48302", Name: "tokenize", User: "alice", Partition: "gpu", Start: Ago(3 * time.Hour),
		Limit: 12 * time.Hour, Suspended: true,
		Nodes: []string{"gpu-s11"}, Minors: map[string][]int{"gpu-s11": {6, 7}},
	}, Reporting: 1, GPUs: 2, GPUsSeen: 2}
	s.Jobs = append(s.Jobs, held)
	s.Discovery.Pending = append(NoJobsFixture().Discovery.Pending, cluster.PendingJob{ID: "48391", Name: "boots",
		Partition: "gpu", Nodes: 2, GPUs: new(16), Reason: "nodes are booting", Booting: true})
	over := func(id string, state cluster.EndState, exit *cluster.Exit, age time.Duration) {
		e := cluster.EndedJob{ID: id, Number: id, Name: "eval-mmlu", Partition: "gpu", Nodes: 1, GPUs: new(2),
			State: state, Exit: exit, Start: Ago(time.Hour)}
		if age > 0 {
			e.End, e.Missed = Ago(age), Ago(age)
		}
		s.Discovery.Ended = append(s.Discovery.Ended, e)
	}
	over("48377_9", cluster.JobCompleting, nil, 0)
	over("48377_2", cluster.JobFailed, &cluster.Exit{Code: 3}, 4*time.Minute)
	over("48377_8", cluster.JobFailed, &cluster.Exit{Signal: 9}, 5*time.Minute)
	over("48377_7", cluster.JobOutOfMemory, &cluster.Exit{Signal: 125}, 6*time.Minute)
	over("48377_1", cluster.JobCompleted, &cluster.Exit{}, 31*time.Minute)
	over("48100", "", nil, 40*time.Minute)
	return s
}

// TasksFixture is an array of so many tasks, with a GPU each, eight on a node.
func TasksFixture(tasks int) *cluster.Snapshot {
	s := &cluster.Snapshot{At: Now, Poll: 3 * time.Second, Discovery: Fixture().Discovery,
		Nodes: map[string]*cluster.Node{}}
	r := rand.New(rand.NewPCG(3, 1))
	like := NodeOf(r, "like", 8)
	for i := range tasks {
		name := fmt.Sprintf("gpu-n%04d", i/8+1)
		n := s.Nodes[name]
		if n == nil {
			n = &cluster.Node{}
			*n = *like
			n.Name, n.Processes, n.Listed = name, nil, true
			s.Nodes[name] = n
		}
		number := fmt.Sprint(70000 + i)
		n.Processes = append(n.Processes, wire.Process{
			PID: 1000 + i, GPU: i % 8, Identity: wire.Identity{User: "alice", Command: "python sweep.py", Job: number},
			ElapsedSec: new(int64(3600 + i)), GPUMemory: new(uint64(1) << 34),
		})
		job := cluster.JobView{Job: cluster.Job{
			ID: fmt.Sprintf("51000_%d", i), Number: number, Name: "sweep", User: "alice", Partition: "gpu",
			Start: Ago(time.Hour), End: Now.Add(time.Duration(i) * time.Minute),
			Nodes: []string{name}, Minors: map[string][]int{name: {i % 8}},
		}, Reporting: 1, GPUs: 1, GPUsSeen: 1}
		if i%97 == 0 {
			job.Findings = []cluster.Finding{{Kind: cluster.KindThermal, Severity: cluster.Warning,
				Since: Ago(time.Minute), Node: name, GPU: i % 8, Job: job.ID}}
		}
		s.Jobs = append(s.Jobs, job)
	}
	return Keyed(s)
}

// NoJobsFixture is the screen of somebody who waits.
func NoJobsFixture() *cluster.Snapshot {
	s := Fixture()
	s.Jobs, s.Nodes = nil, nil
	s.Discovery.Pending = []cluster.PendingJob{
		{ID: "48390", Name: "llama-70b-cont", Partition: "gpu-long", Nodes: 4, GPUs: new(32), Reason: "Priority",
			Start: Now.Add(3*time.Hour + 10*time.Minute)},
		{ID: "48402", Name: "eval-mmlu", Partition: "gpu", Nodes: 1, Reason: "Resources"},
		{ID: "48500_[1-400%12]", Name: "a-very-long-job-name-for-a-sweep", Partition: "gpu-preemptible", Nodes: 16,
			GPUs: new(128), Reason: "QOSMaxGRESPerUser"},
	}
	return s
}

// ByHandFixture is a cluster whose hosts were named, without SLURM.
func ByHandFixture() *cluster.Snapshot {
	s := Fixture()
	s.Jobs = s.Jobs[:1]
	s.Jobs[0].Job = cluster.Job{Nodes: s.Jobs[0].Nodes}
	s.Discovery = cluster.Discovery{}
	return s
}

// AwayFixture is a cluster whose controller has stopped to answer.
func AwayFixture() *cluster.Snapshot {
	s := Fixture()
	s.Discovery.Asked, s.Discovery.Answered = Ago(2*time.Second), Ago(3*time.Minute)
	s.Discovery.Failure = &reach.Failure{Class: reach.ClassSlurmTimeout, Short: "squeue failed",
		Cause: "Unable to contact slurm controller (connect failure)",
		Words: "slurm_load_jobs error: Unable to contact slurm controller (connect failure)"}
	return s
}

// SlurmFailedFixture is a first question that failed.
func SlurmFailedFixture() *cluster.Snapshot {
	s := AwayFixture()
	s.Jobs, s.Nodes, s.Discovery.Answered = nil, nil, time.Time{}
	s.Discovery.Failure.Meaning = "The daemon that knows the jobs does not answer; running jobs are not touched by " +
		"that."
	s.Discovery.Failure.Hints = []string{"scontrol ping says which controller is down."}
	return s
}
