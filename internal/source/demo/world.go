package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/source/demo/site"
)

// world holds the hosts, the jobs, and the story. Only the user's signals and cancellations change it while a Demo
// runs.
type world struct {
	over  map[string]time.Duration // times of cancellations, by SLURM's number
	begin time.Time                // the beginning of the story; its times count from here
	from  time.Duration            // time of the first reports, in the story
	seed  uint64
	poll  time.Duration
	hosts []*host
	jobs  []simJob
	under []cluster.Switch // the switches of the hosts

	lagging bool // a GPU of the training job lags now and then
	hangs   bool // the training job hangs, see hang.go
}

// host is one simulated node.
type host struct {
	name   string
	number int
	model  *site.GPUModel
	gpus   []slot
	plot   connectionFault
}

// slot is the place of one GPU: its user, and its fate.
type slot struct {
	use  *gpuProgram
	fate gpuFaults

	rank, local int // of its process

	ended   time.Duration // when a signal ended its process; 0: none did
	stopped time.Duration // when a signal stopped it; 0: none did, or it was continued

	nice int    // as the user has set it
	cpus string // "": the user has not set them
}

// simJob is a job of the user, with its times, counted from the beginning of the story.
type simJob struct {
	cluster.Job
	start, end time.Duration
}

const (
	// told is how much of the story has happened when a Demo starts, so that there is something to see at once.
	told = 95 * time.Second

	// cycle is the length of the story. After that it begins again, without the faults that happen only once.
	cycle = 15 * time.Minute
)

// isWithin reports whether now is in the part of the story from a to b, in its first round or in a later one. Neither a
// nor b is negative, so this is never true before the beginning.
func isWithin(now, a, b time.Duration) bool {
	at := now % cycle
	return at >= a && at < b
}

const (
	User       = "alice" // the user of a Demo
	me         = User
	loginHost  = "login1"
	trainingID = "48211"
	evalID     = "48377"
	heldID     = "48302"
	bobsID     = "48150"
	carolsID   = "47990"
)

// The main job has been running for a while. One task of the array runs all the time, and another comes and goes. A
// third job is suspended.
const (
	trainingFor  = 8*time.Hour + 3*time.Minute + 12*time.Second
	trainingMost = 24 * time.Hour
	evalFor      = 41*time.Minute + 50*time.Second
	evalMost     = 4 * time.Hour
	heldFor      = 3*time.Hour + 27*time.Minute + 9*time.Second
	heldMost     = 12 * time.Hour
	taskBegins   = told + 3*time.Second
	taskEnds     = 230 * time.Second
)

// pastMost is the maximum number of reports of all nodes before the start: those of a thousand nodes take two seconds
// to make, and are enough for every rule.
const pastMost = 28_000

func newWorld(nodes, gpus int, seed int64, poll, past time.Duration) *world {
	past = min(past, pastMost/time.Duration(nodes)*poll)
	w := &world{begin: time.Now().Add(-told), from: told - past, seed: uint64(seed), poll: poll,
		over: map[string]time.Duration{}}
	w.addTraining(nodes, gpus)
	mine, held, task := w.addShared(gpus)
	training, shared, late := w.hosts[:nodes], w.hosts[nodes:nodes+1], w.hosts[nodes+1:]
	w.under = site.Switches(namesOf(training))
	w.jobs = []simJob{
		{makeJob(trainingID, trainingID, "llama-70b", "gpu-long", training, trainingMost, nil), -trainingFor,
			trainingMost - trainingFor},
		{makeJob(evalID+"_3", "48380", "eval-mmlu", "gpu", shared, evalMost, mine), -evalFor, evalMost - evalFor},
		{makeJob(evalID+"_4", "48381", "eval-mmlu", "gpu", late, evalMost, task), taskBegins, taskEnds},
	}
	if len(held) > 0 {
		j := makeJob(heldID, heldID, "tokenize", "gpu", shared, heldMost, held)
		j.Suspended = true
		w.jobs = append(w.jobs, simJob{j, -heldFor, heldMost})
	}
	numberRanks(w.hosts)
	return w
}

// numberRanks numbers the processes of each program, as torchrun does.
func numberRanks(hosts []*host) {
	for _, h := range hosts {
		local := map[*gpuProgram]int{}
		for g := range h.gpus {
			if s := &h.gpus[g]; s.use != nil {
				s.rank, s.local = s.use.ranks, local[s.use]
				s.use.ranks++
				local[s.use]++
			}
		}
	}
}

// addTraining adds the nodes of the training job.
func (w *world) addTraining(nodes, gpus int) {
	train := &gpuProgram{load: site.TrainingLoad, user: me, job: trainingID, since: -trainingFor,
		command: "python -u train.py --config configs/llama-70b.yaml --data /scratch/alice/tokens", directory: "llama",
		memory: 0.87}
	digits := max(len(fmt.Sprint(nodes)), 2)
	for i := range nodes {
		h := w.addHost(fmt.Sprintf("gpu-n%0*d", digits, i+1), site.H100, gpus)
		for g := range h.gpus {
			h.gpus[g].use = train
		}
	}
	assignRoles(w.hosts)
	w.lagging = slices.ContainsFunc(w.hosts, func(h *host) bool {
		return slices.ContainsFunc(h.gpus, func(s slot) bool { return s.fate == lags })
	})
}

func namesOf(hosts []*host) (names []string) {
	for _, h := range hosts {
		names = append(names, h.name)
	}
	return names
}

// assignRoles gives the nodes of the training job their faults: several on one node in a small cluster, spread out in a
// large one.
func assignRoles(hosts []*host) {
	n := len(hosts)
	hot, lagging := hosts[0], hosts[min(1, n-1)]
	hot.assignFate(5, overheats)
	lagging.assignFate(3, lags)
	if n >= 3 {
		hosts[2].assignFate(2, vanishes)
		hosts[2].assignFate(6, brakes)
	}
	lagging.assignFate(6, corrupts)
	hot.assignFate(1, unlinks)
	switch { // a lag cannot be seen on a silent node
	case n > 2:
		hosts[max(n/2, 2)].plot = silent
	case n == 2:
		hot.plot = silent
	}
	if n >= 4 {
		hosts[n-1].plot = refuses
	}
	if n >= 8 {
		hosts[n/4].plot = drops
	}
}

// assignFate gives a fate to the GPU with a number, or to a GPU before it. Each GPU has at most one fate; if all have
// one, nothing happens.
func (h *host) assignFate(gpu int, f gpuFaults) {
	for i := range h.gpus {
		at := (min(gpu, len(h.gpus)-1) - i + len(h.gpus)) % len(h.gpus)
		if s := &h.gpus[at]; s.fate == 0 {
			s.fate = f
			return
		}
	}
}

// addShared adds a node that three people share, and the node of the task that comes and goes. It returns the GPUs of
// the two tasks, and of the suspended job, if there are enough GPUs.
func (w *world) addShared(gpus int) (mine, held, task []int) {
	bob := &gpuProgram{load: site.FinetuningLoad, user: "bob", job: bobsID,
		since:   -(19*time.Hour + 4*time.Minute + 31*time.Second),
		command: "python finetune.py", memory: 0.55}
	carol := &gpuProgram{load: site.SimulatingLoad, user: "carol", job: carolsID,
		since:   -(31*time.Hour + 12*time.Minute + 8*time.Second),
		command: "/opt/gromacs/bin/gmx_mpi mdrun -deffnm md_0_1 -nb gpu", memory: 0.46}
	eval := &gpuProgram{load: site.EvaluatingLoad, user: me, job: "48380", since: -evalFor,
		command: "python eval.py --suite mmlu --tp 2", directory: "eval", memory: 0.6}
	late := &gpuProgram{load: site.EvaluatingLoad, user: me, job: "48381", since: taskBegins, until: taskEnds,
		command: "python eval.py --suite gsm8k --tp 2", directory: "eval", memory: 0.5}
	stopped := &gpuProgram{load: site.StandingLoad, user: me, job: heldID, since: -heldFor,
		command:   "python tokenize.py --shards 512",
		directory: "tokens", memory: 0.3}
	users := []*gpuProgram{bob, bob, eval, eval, carol, carol, stopped, stopped}
	if gpus <= 2 { // too small to share
		users = []*gpuProgram{eval, eval}
	}
	h := w.addHost("gpu-s11", site.A100, gpus)
	mine, held = h.assignGPUs(users, eval), h.assignGPUs(users, stopped)
	for _, g := range held {
		h.gpus[g].stopped = 1
	}
	visited := w.addHost("gpu-s12", site.A100, gpus)
	visited.plot = visits
	return mine, held, visited.assignGPUs([]*gpuProgram{late, late, carol}, late)
}

func (w *world) addHost(name string, m *site.GPUModel, gpus int) *host {
	h := &host{name: name, number: len(w.hosts), model: m, gpus: make([]slot, gpus)}
	w.hosts = append(w.hosts, h)
	return h
}

// assignGPUs gives the first GPUs to the users, as far as there are GPUs, and returns those of one user.
func (h *host) assignGPUs(users []*gpuProgram, of *gpuProgram) (own []int) {
	for g := range min(len(h.gpus), len(users)) {
		h.gpus[g].use = users[g]
		if users[g] == of {
			own = append(own, g)
		}
	}
	return own
}

// makeJob returns a job on hosts; with minors nil it has all their GPUs.
func makeJob(id, number, name, partition string, hosts []*host, limit time.Duration, minors []int) cluster.Job {
	j := cluster.Job{ID: id, Number: number, Name: name, User: me, Partition: partition, Limit: limit,
		Nodes: namesOf(hosts), Minors: map[string][]int{}}
	for _, h := range hosts {
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

// fixedNoise returns a number in [0,1) for a place and a moment, always the same.
func (w *world) fixedNoise(what, node, gpu int, moment int64) float64 {
	var pcg rand.PCG
	pcg.Seed(w.seed, uint64(what)<<56^uint64(node)<<40^uint64(gpu)<<32^uint64(uint32(moment)))
	pcg.Uint64() // similar seeds have similar first states
	return float64(pcg.Uint64()>>11) / (1 << 53)
}
