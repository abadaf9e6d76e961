package demo

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// world is all that does not change while a Demo runs: the hosts, the jobs, and who does what when.
type world struct {
	begin time.Time // what the story's times count from
	seed  uint64
	poll  time.Duration
	hosts []*host
	jobs  []simJob
}

// host is one simulated node.
type host struct {
	name   string
	number int
	model  *model
	gpus   []slot
	plot   plot
}

// slot is the place of one GPU: who uses it, and what befalls it.
type slot struct {
	use  *use
	fate fate
}

// simJob is a job of the person who looks, while it runs: from start to end, counted from the start of the Demo.
type simJob struct {
	cluster.Job
	start, end time.Duration
}

// cycle is how long the story is. It begins anew then, except for what happens once.
const cycle = 5 * time.Minute

// during reports whether now is within the part of the story from a to b, in its first run or in a later one.
// Neither a nor b is negative, so it never is before the start.
func during(now, a, b time.Duration) bool {
	at := now % cycle
	return at >= a && at < b
}

const (
	me         = "alice"
	loginHost  = "login1"
	trainingID = "48211"
	evalID     = "48377"
	bobsID     = "48150"
	carolsID   = "47990"
)

// The main job has run for a while, and the tasks of the array come and go.
const (
	trainingFor  = 8*time.Hour + 3*time.Minute + 12*time.Second
	trainingMost = 24 * time.Hour
	evalFor      = 41*time.Minute + 50*time.Second
	evalMost     = 4 * time.Hour
	taskBegins   = 40 * time.Second
	taskEnds     = 230 * time.Second
)

func newWorld(nodes, gpus int, seed int64, poll time.Duration) *world {
	w := &world{begin: time.Now(), seed: uint64(seed), poll: poll}
	train := &use{load: training, user: me, job: trainingID, since: -trainingFor, command: "python -u train.py --config configs/llama-70b.yaml --data /scratch/alice/tokens", memory: 0.87}
	digits := len(fmt.Sprint(nodes))
	for i := range nodes {
		h := &host{name: fmt.Sprintf("gpu-n%0*d", max(digits, 2), i+1), number: i, model: h100, gpus: make([]slot, gpus)}
		for g := range h.gpus {
			h.gpus[g].use = train
		}
		w.hosts = append(w.hosts, h)
	}
	cast(w.hosts)
	mine, task := w.addShared(nodes, gpus)
	w.jobs = []simJob{
		{job(trainingID, trainingID, "llama-70b", "gpu-long", w.hosts[:nodes], trainingMost, nil), -trainingFor, trainingMost - trainingFor},
		{job(evalID+"_3", "48380", "eval-mmlu", "gpu", w.hosts[nodes:], evalMost, mine), -evalFor, evalMost - evalFor},
	}
	if task != nil {
		w.jobs = append(w.jobs, simJob{job(evalID+"_4", "48381", "eval-mmlu", "gpu", w.hosts[nodes:], evalMost, task), taskBegins, taskEnds})
	}
	return w
}

// cast gives the nodes of the training job their parts. A small cluster has them all on few nodes; a large one spreads them.
func cast(hosts []*host) {
	n := len(hosts)
	last := func(h *host) int { return len(h.gpus) - 1 }
	hot, lagging, quiet := hosts[0], hosts[min(1, n-1)], hosts[min(1, n-1)]
	if n > 4 {
		quiet = hosts[n/2]
	}
	hot.gpus[min(5, last(hot))].fate = overheats
	lagging.gpus[min(3, last(lagging))].fate |= lags
	lagging.gpus[min(6, last(lagging))].fate |= corrupts
	quiet.plot = silent
	if n >= 3 {
		slow := hosts[n-2]
		if n == 3 {
			slow = hosts[2]
		}
		slow.plot = connectsSlowly
		slow.gpus[min(6, last(slow))].fate |= brakes
	}
	if n >= 4 {
		hosts[n-1].plot = refuses
	}
	if n >= 8 {
		hosts[n/4].plot = drops
	}
}

// addShared adds the node that three people share, and returns the GPUs of the two array tasks there. The
// second one has none where there are few.
func (w *world) addShared(number, gpus int) (mine, task []int) {
	h := &host{name: "gpu-s11", number: number, model: a100, gpus: make([]slot, gpus)}
	bob := &use{load: finetuning, user: "bob", job: bobsID, since: -(19*time.Hour + 4*time.Minute + 31*time.Second), command: "python finetune.py", memory: 0.55}
	carol := &use{load: simulating, user: "carol", job: carolsID, since: -(31*time.Hour + 12*time.Minute + 8*time.Second), command: "/opt/gromacs/bin/gmx_mpi mdrun -deffnm md_0_1 -nb gpu", memory: 0.46}
	eval := &use{load: evaluating, user: me, job: "48380", since: -evalFor, command: "python eval.py --suite mmlu --tp 2", memory: 0.6}
	late := &use{load: evaluating, user: me, job: "48381", since: taskBegins, until: taskEnds, command: "python eval.py --suite gsm8k --tp 1", memory: 0.5}
	users := []*use{bob, bob, eval, eval, carol, carol, late}
	if gpus <= 2 { // too small to share
		users = []*use{eval, eval}
	}
	for g := range min(gpus, len(users)) {
		h.gpus[g].use = users[g]
		switch users[g] {
		case eval:
			mine = append(mine, g)
		case late:
			task = append(task, g)
		}
	}
	w.hosts = append(w.hosts, h)
	return mine, task
}

// job is a job on hosts; with minors nil it has all their GPUs.
func job(id, number, name, partition string, hosts []*host, limit time.Duration, minors []int) cluster.Job {
	j := cluster.Job{ID: id, Number: number, Name: name, User: me, Partition: partition, Limit: limit, Minors: map[string][]int{}}
	for _, h := range hosts {
		j.Nodes = append(j.Nodes, h.name)
		own := minors
		if own == nil {
			for g := range h.gpus {
				own = append(own, g)
			}
		}
		j.Minors[h.name] = own
	}
	return j
}

// noise is a number in [0,1) for a place and a moment, always the same one.
func (w *world) noise(what, node, gpu int, moment int64) float64 {
	var pcg rand.PCG
	pcg.Seed(w.seed, uint64(what)<<56^uint64(node)<<40^uint64(gpu)<<32^uint64(uint32(moment)))
	pcg.Uint64() // near seeds have near first states
	return float64(pcg.Uint64()>>11) / (1 << 53)
}
