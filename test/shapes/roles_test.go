package shapes

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// The works of serving: prefill computes, decode reads memory; both send to the GPUs of their kind.
var (
	prefill = Work{Util: 97, Memory: 32, Power: 640, Clock: 1600, NVLink: 20 * giga, TX: 2e7, RX: 2e7,
		Net: 3 * giga, Used: 66}
	lull     = Work{Util: 4, Memory: 1, Power: 125, Clock: 1980, NVLink: 200 * mega, Net: 400 * mega, Used: 66}
	decoding = decode.with(func(w *Work) { w.Util, w.Net = 70, 2*giga })
	teacher  = Work{Util: 62, Memory: 40, Power: 410, Clock: 1900, NVLink: 3 * giga, Net: giga, Used: 50}
)

// split is a job with two roles: the first GPUs do one thing, the rest another.
func split(first int, one, rest Program) Program { return only(one, rest, gpus(0, first)...) }

// Healthy jobs with more than one role, which exchange data.
var roles = []Shape{
	{Name: "r01 wide experts", Nodes: 4, Runs: programs("VLLM::Worker"),
		About: "2 nodes prefill, in bursts, and 2 decode, each with all-to-all traffic over the network",
		Does:  split(16, pauses(bursts(3*mins, 2*mins), lull, prefill), wobbling(1, 30*sec, 0.1, decoding))},
	{Name: "r02 training and generation", Nodes: 4, Runs: srun("python"),
		About: "2 nodes generate with vLLM for 150 s while 2 that train spin; then these train for 100 s",
		Does: split(16, cycle(part{150 * sec, spin}, part{100 * sec, train}),
			cycle(part{150 * sec, decoding.busy(96)}, part{100 * sec, lull}))},
	{Name: "r03 asynchronous rollouts", Nodes: 4,
		About: "one node learns at 95%, 3 generate at 70%, and fetch the weights once in 2 min",
		Does: split(8, train, cycle(part{110 * sec, wobbling(3, 20*sec, 0.25, decoding)},
			part{10 * sec, ready.with(func(w *Work) { w.Net, w.NVLink = 12*giga, 20*giga })}))},
	{Name: "r04 stages over nodes", Nodes: 4,
		About: "a pipeline over 4 nodes: stages with 100, 90, 80 and 62% of the work, the rest spins",
		Does: saves(25*mins, 50*sec, inAll(func(_ time.Duration, g int) cost {
			return cost{[]float64{1, 0.9, 0.8, 0.62}[g/8], more}
		}))},
	{Name: "r05 text encoder", Nodes: 2, About: "a diffusion model: 4 GPUs encode text at 30%, 12 train",
		Does: split(4, wobbling(5, 20*sec, 0.1, mix(ready, train, 0.3)), train)},
	{Name: "r06 embeddings", About: "2 GPUs hold embeddings: 300 W, much memory traffic; 6 compute at 600 W",
		Does: split(2, Work{Util: 99, Memory: 85, Power: 310, Clock: 1980, NVLink: 60 * giga, Used: 78},
			train.with(func(w *Work) { w.Memory = 25 })), Runs: torchrun},
	{Name: "r07 teacher and student", About: "4 GPUs infer at 62% and 410 W, 4 learn from them at 98%",
		Does: split(4, wobbling(7, 20*sec, 0.1, teacher), train)},
	{Name: "r08 teacher node", Nodes: 2, About: "the same with a node for each",
		Does: split(8, wobbling(8, 20*sec, 0.1, teacher), train)},
	{Name: "r09 reward node", Nodes: 3,
		About: "2 nodes generate for 3 min and train for 2; the third scores for 40 s in between",
		Does: cycle(part{3 * mins, split(16, decoding.busy(97), lull)}, part{40 * sec, split(16, lull, prefill)},
			part{2 * mins, split(16, train, lull)})},
	{Name: "r10 critic", Nodes: 2, About: "the node of the critic has 60% of the actor's work in each step, and spins",
		Does: saves(20*mins, 40*sec, inAll(func(_ time.Duration, g int) cost {
			return cost{1 - 0.4*float64(g/8), more}
		}))},
	{Name: "r11 parameter node", Nodes: 4, About: "one node holds parameters and hardly computes, 3 train",
		Does: split(8, Work{Util: 6, Memory: 8, Power: 160, Clock: 1980, NVLink: 20 * giga, Net: 20 * giga, Used: 40},
			train)},
	{Name: "r12 one way", Nodes: 2, Runs: programs("sglang::scheduler"),
		About: "one node prefills at full power, the other decodes at 70%",
		Does: split(8, prefill.with(func(w *Work) { w.Net = 0.9 * giga }),
			wobbling(12, 30*sec, 0.15, decoding.with(func(w *Work) { w.Net = 1.1 * giga })))},
	{Name: "r13 simulation beside learning", Nodes: 2,
		About: "one node simulates at 55%, sends states to the other, which learns at 96%",
		Does:  split(8, wobbling(13, 15*sec, 0.2, acting.busy(55).with(func(w *Work) { w.Net = 2 * giga })), train)},
	{Name: "r14 draft node", Nodes: 2, About: "4 GPUs draft at 40% and 200 W, 12 verify at 98%",
		Does: split(4, wobbling(14, 20*sec, 0.1, drafting.with(func(w *Work) { w.Net = giga })),
			decode.busy(98).with(func(w *Work) { w.Net = giga }))},
	{Name: "r15 output servers", Nodes: 2, Runs: mpirun("icon"),
		About: "a climate model: the last GPU of each node writes output, at 20%",
		Does: where(func(_ time.Duration, g int) bool { return g%8 == 7 },
			wobbling(15, 15*sec, 0.3, Work{Util: 25, Memory: 6, Power: 190, Clock: 1980, NVLink: giga, Net: giga,
				Disk: 400 * mega, Used: 10}), train.light(450))},
	{Name: "r17 lighter node", Nodes: 2, About: "a node trains, the other is busy for 40% of the time",
		Does: split(8, train, Work{Util: 40, Memory: 24, Power: 310, Clock: 1900, NVLink: 16 * giga, Used: 60})},
	{Name: "r16 two replicas", Runs: programs("VLLM::Worker"), About: "2 servers of 4 GPUs each, with unlike load",
		Does: groups(4, pauses(bursts(5*mins, 20*sec), lull, decode), pauses(bursts(40*sec, 2*mins), lull, decode))},
}

// Faults in one role of such jobs.
var roleFaults = []Shape{
	{Name: "q01 slow decoder", Nodes: 4, Runs: programs("VLLM::Worker"),
		About: "one of 16 GPUs that decode clocks at 0.55, and the other 15 wait for it",
		Does: split(16, pauses(bursts(3*mins, 2*mins), lull, prefill), from(onset, decoding.busy(98),
			trainsIn(decoding.busy(98), these(1.8, clock, 20)))), Want: []Want{slowed(2, 4, patient)}},
	{Name: "q02 slow learner", Nodes: 4, About: "3 nodes generate; one of 8 GPUs that learn clocks at 0.6",
		Does: split(8, from(onset, train, inStep(train, 8, these(1.66, clock, 3))),
			wobbling(3, 20*sec, 0.25, decoding)), Want: []Want{slowed(0, 3, patient)}},
	{Name: "q03 slow stage", Nodes: 4, About: "in stages of 100, 90, 80 and 62% of the work one GPU clocks at 0.55",
		Does: saves(25*mins, 50*sec, inAll(func(at time.Duration, g int) cost {
			if at >= onset && g == 18 {
				return cost{1.5, clock}
			}
			return cost{[]float64{1, 0.9, 0.8, 0.62}[g/8], more}
		})), Want: []Want{slowed(2, 2, patient)}},
	{Name: "q04 slow teacher", About: "one of 4 teachers clocks at 0.4; the students wait",
		Does: from(onset, split(4, teacher, train), split(4, only(teacher.busy(99).with(func(w *Work) {
			w.Clock, w.Power, w.NVLink = 760, 300, 2*giga
		}), mix(teacher, spin, 0.4), 1), waits(0.4))), Want: []Want{slowed(0, 1, 12*mins)}},
}

// The two roles of a job are told, with the number of their GPUs. Jobs in step and programs that work alone have none.
func TestRolesAreTold(t *testing.T) {
	want := map[string]string{
		"r01 wide experts": "[[16 16]]", "r03 asynchronous rollouts": "[[8 24]]", "n94 six learners": "[[6 2]]",
		"r17 lighter node": "[[8 8]]", "q02 slow learner": "[[8 24]]", "u03 experts, busy": "[]",
		"n07 LoRA sweep": "[]", "n70 common stalls": "[]",
	}
	for _, s := range append(More(), All()...) {
		if want[s.Name] == "" {
			continue
		}
		told := map[string]bool{}
		Play(s, *seed, func(snap *cluster.Snapshot) {
			var gpus []int
			for _, r := range snap.Jobs[0].Roles {
				gpus = append(gpus, r.GPUs)
			}
			if gpus != nil {
				told[fmt.Sprint(gpus)] = true
			}
		})
		if got := fmt.Sprint(slices.Sorted(maps.Keys(told))); got != want[s.Name] {
			t.Errorf("%s: %s, want %s", s.Name, got, want[s.Name])
		}
		delete(want, s.Name)
	}
	if len(want) > 0 {
		t.Errorf("not played: %v", want)
	}
}

// A node whose GPUs have more to do than those of the other is no fault, also where the nodes are compared only later:
// what is usual within a node is not what is usual among all.
func TestMoreWorkIsNoFault(t *testing.T) {
	for _, s := range More() {
		if s.Name != "r10 critic" {
			continue
		}
		for _, hidden := range []bool{false, true} {
			for _, seed := range []uint64{601, 602} {
				as := s.at(3*time.Second, hidden)
				v := Judge(as, Play(as, seed))
				judged(t, &v)
			}
		}
	}
}
