package ui

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// jobsFixture has jobs in all states: two that run, a suspended one, three that wait, and six that have ended or are
// ending.
func jobsFixture() *cluster.Snapshot {
	s := fixture()
	s.Nodes["gpu-n02"].Processes[3].User = "bob"
	s.Jobs[0].Partition, s.Jobs[1].Partition = "gpu-long", "gpu"
	held := cluster.JobView{Job: cluster.Job{
		ID: "48302", Number: "48302", Name: "tokenize", User: "alice", Partition: "gpu", Start: ago(3 * time.Hour),
		Limit: 12 * time.Hour, Suspended: true,
		Nodes: []string{"gpu-s11"}, Minors: map[string][]int{"gpu-s11": {6, 7}},
	}, Reporting: 1, GPUs: 2, GPUsSeen: 2}
	s.Jobs = append(s.Jobs, held)
	s.Discovery.Pending = append(noJobsFixture().Discovery.Pending, cluster.PendingJob{ID: "48391", Name: "boots",
		Partition: "gpu", Nodes: 2, GPUs: ptr(16), Reason: "nodes are booting", Booting: true})
	over := func(id string, state cluster.EndState, exit *cluster.Exit, age time.Duration) {
		e := cluster.EndedJob{ID: id, Number: id, Name: "eval-mmlu", Partition: "gpu", Nodes: 1, GPUs: ptr(2),
			State: state, Exit: exit, Start: ago(time.Hour)}
		if age > 0 {
			e.End, e.Missed = ago(age), ago(age)
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

// tasksFixture is an array of so many tasks, with a GPU each, eight on a node.
func tasksFixture(tasks int) *cluster.Snapshot {
	s := &cluster.Snapshot{At: fixtureNow, Poll: 3 * time.Second, Discovery: fixture().Discovery,
		Nodes: map[string]*cluster.Node{}}
	r := rand.New(rand.NewPCG(3, 1))
	like := fixtureNode(r, "like", 8)
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
			ElapsedSec: ptr(int64(3600 + i)), GPUMemory: ptr(uint64(1) << 34),
		})
		job := cluster.JobView{Job: cluster.Job{
			ID: fmt.Sprintf("51000_%d", i), Number: number, Name: "sweep", User: "alice", Partition: "gpu",
			Start: ago(time.Hour), End: fixtureNow.Add(time.Duration(i) * time.Minute),
			Nodes: []string{name}, Minors: map[string][]int{name: {i % 8}},
		}, Reporting: 1, GPUs: 1, GPUsSeen: 1}
		if i%97 == 0 {
			job.Findings = []cluster.Finding{{Kind: cluster.KindThermal, Severity: cluster.Warning,
				Since: ago(time.Minute), Node: name, GPU: i % 8, Job: job.ID}}
		}
		s.Jobs = append(s.Jobs, job)
	}
	return keyed(s)
}
