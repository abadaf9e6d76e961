package shapes

import (
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// onset is the beginning of a fault that begins during the watch.
	onset = 20 * mins

	// atOnce is the time in which a large slow-down must be named, patient is that of a small one or of one that began
	// before the watch, hung that of a hang.
	atOnce  = 90 * sec
	patient = 6 * mins
	hung    = 180 * sec
)

// Slow GPUs that the others wait for.
var slow = []Shape{
	{Name: "f01 clock", Nodes: 2, About: "one of 16 GPUs clocks at 0.65, the others wait a third",
		Does: slower(only(clocked(0.65), waits(0.35), 11)), Want: []Want{slowed(1, 3, atOnce)}},
	{Name: "f02 1.34x", Nodes: 2, About: "one GPU is slow at full clocks, the others wait a quarter of the time",
		Does: slower(only(train, waits(0.25), 11)), Want: []Want{slowed(1, 3, patient)}},
	{Name: "f03 others wait half", Nodes: 2, About: "the same with half of the time",
		Does: slower(only(train, waits(0.5), 11)), Want: []Want{slowed(1, 3, atOnce)}},
	{Name: "f03b little power", About: "one GPU draws 250 W where the others draw 650 W, utilization is equal",
		Does: faulty(train.drawing(650),
			only(train.with(func(w *Work) { w.Power, w.Memory, w.NVLink = 250, 21, 18*giga }), train.drawing(650), 5)),
		Want: []Want{slowed(0, 5, patient)}},
	{Name: "f04 memory bandwidth",
		About: "one GPU reads its memory at half of the pace of the others: 96% utilization, 30% memory",
		Does: slower(only(train.with(func(w *Work) { w.Util, w.Memory, w.Power = 96, 30, 480 }),
			train.with(func(w *Work) { w.Memory = 58 }), 2)), Want: []Want{slowed(0, 2, patient)}},
	{Name: "f04b memory clock",
		About: "the memory of one GPU clocks at half: it is busy all the time, the others wait half of it",
		Does:  slower(only(train.with(func(w *Work) { w.Util, w.Memory, w.Power = 99, 94, 450 }), waits(0.45), 2)),
		Want:  []Want{slowed(0, 2, patient)}},
	{Name: "f05 one node of 4", Nodes: 4, About: "the GPUs of one node of 4 clock at 0.6",
		Does: slower(only(clocked(0.6), waits(0.4), node(2)...)), Want: []Want{slowed(2, anywhere, atOnce)}},
	{Name: "f06 one node of 2", Nodes: 2, About: "the GPUs of one node of 2 clock at 0.6",
		Does: slower(only(clocked(0.6), waits(0.4), node(1)...)), Want: []Want{slowed(1, anywhere, patient)}},
	{Name: "f36 busy node of 2", Nodes: 2,
		About: "one node of 2 is slowed by its host, the GPUs of the other wait half of the time",
		Does:  slower(only(mix(train, ready, 0.5), waits(0.5), node(0)...)),
		Want:  []Want{slowed(0, anywhere, patient)}},
	{Name: "f07 loader", Nodes: 2, About: "the loader of one rank is slow: 22%, and its process has little CPU",
		Does: slower(only(mix(ready, train, 0.22), waits(0.75), 11)), Runs: torchrun.cpu(onset, 12, 11),
		Want: []Want{slowed(1, 3, atOnce)}},
	{Name: "f07b bound loader", Nodes: 2, About: "the same; the process and its loader are bound to one CPU",
		Does: slower(only(mix(ready, train, 0.22), waits(0.75), 11)), Want: []Want{slowed(1, 3, atOnce)},
		Runs: bound.but(onset, func(p *Process) { p.CPU, p.CPUs = 100, "48" }, 11)},
	{Name: "f07c slow storage", Nodes: 2, About: "the same; the process reads 2 MB/s, the others 300",
		Does: slower(only(mix(ready, train, 0.22), waits(0.75), 11)), Want: []Want{slowed(1, 3, atOnce)},
		Runs: bound.with(func(p *Process, at time.Duration, gpu int) {
			if p.Read = 300 * mega; gpu == 11 && at >= onset {
				p.Read = 2 * mega
			}
		})},
	{Name: "f07d bound node", Nodes: 2, About: "the ranks of one node of 2 are bound to one CPU each, and slow",
		Does: slower(only(mix(ready, train, 0.4), waits(0.6), node(1)...)),
		Want: []Want{slowed(1, anywhere, patient)},
		Runs: bound.but(onset, func(p *Process) { p.CPUs = fmt.Sprint(p.Local) }, node(1)...)},
	{Name: "f07e the same host", Nodes: 2, About: "one rank is slow, with the CPUs and the files of all others",
		Does: slower(only(mix(ready, train, 0.22), waits(0.75), 11)), Want: []Want{slowed(1, 3, atOnce)}, Runs: bound},
	{Name: "f01b clock, bound", Nodes: 2,
		About: "one of 16 GPUs clocks at 0.65; its process is bound, and reads little",
		Does:  slower(only(clocked(0.65), waits(0.35), 11)), Want: []Want{slowed(1, 3, atOnce)},
		Runs: bound.but(0, func(p *Process) { p.CPUs, p.Read = "48", 0 }, 11)},
	{Name: "f13 wandering", Nodes: 2,
		About: "a loader of one rank is slow, of another one every 35 s; the others wait for it",
		Does: slower(where(func(at time.Duration, gpu int) bool { return int(at/(35*sec))*7%16 == gpu },
			mix(ready, train, 0.25), waits(0.7))), Want: []Want{slowed(anywhere, anywhere, 150*sec)}},
	{Name: "f15 drift", Nodes: 2, About: "one GPU gets slower, by a tenth in 6 min, down to 0.55",
		Does: slower(does(func(at time.Duration, gpu int) Work {
			clock := max(0.55, 1-float64(at-onset)/float64(60*mins))
			if gpu == 11 {
				return clocked(clock)
			}
			return waits(1 - clock)
		})), Want: []Want{slowed(1, 3, 12*mins).later(9 * mins)}},
	{Name: "f16 two GPUs", Nodes: 2, About: "two GPUs of 16 clock at 0.6",
		Does: slower(only(clocked(0.6), waits(0.4), 3, 12)), Want: []Want{slowed(0, 3, atOnce), slowed(1, 4, atOnce)}},
	{Name: "f17 slow before", Nodes: 2,
		About: "a GPU was slow before the watch began: at 55% of the others' utilization",
		Does:  always(only(mix(ready, train, 0.55), waits(0.45), 11)), Want: []Want{slowed(1, 3, patient).before()}},
	{Name: "f17d clock before", Nodes: 2, About: "the same: at 55% of the others' clock",
		Does: always(only(clocked(0.55), waits(0.45), 11)), Want: []Want{slowed(1, 3, patient).before()}},
	{Name: "f17b awaited before", Nodes: 2, About: "the same; its clock is right: 690 W against 350 W",
		Does: always(only(train.drawing(690), waits(0.55), 11)), Want: []Want{slowed(1, 3, patient).before()}},
	{Name: "f17c node slow before", Nodes: 2,
		About: "one of 2 nodes was slow before the watch began, at a clock of 0.6",
		Does:  always(only(clocked(0.6), waits(0.4), node(1)...)), Want: []Want{slowed(1, anywhere, patient).before()}},
	{Name: "f19 brake", Nodes: 2, About: "the power brake halves the clock of one GPU",
		Does: slower(only(clocked(0.5).throttled(wire.ThrottleHWPowerBrake), waits(0.5), 6)),
		Want: []Want{slowed(0, 6, atOnce), says(kinds("power_brake"), 0, 6, onset, 15*sec)}},
	{Name: "f20 hot", Nodes: 2, About: "heat slows a GPU to 0.6",
		Does: slower(only(clocked(0.6).throttled(wire.ThrottleHWThermal), waits(0.4), 6)),
		Want: []Want{slowed(0, 6, atOnce), says(kinds("thermal"), 0, 6, onset, 15*sec)}},
	{Name: "f21 one of 64", Nodes: 8, About: "one GPU of 64 clocks at 0.747, the others wait a quarter of the time",
		Does: slower(only(clocked(0.747), waits(0.25), 37)), Want: []Want{slowed(4, 5, patient)}},
	{Name: "f22 without counters", On: mute, About: "one GPU of 8 clocks at 0.6; the driver tells no bytes",
		Does: slower(only(clocked(0.6), waits(0.4), 6)), Want: []Want{slowed(0, 6, atOnce)}},
	{Name: "f24 PCIe only", GPUs: 4, On: l40s, About: "one GPU of 4 clocks at 0.6, without NVLink",
		Does: slower(only(clocked(0.6), waits(0.4), 2)), Want: []Want{slowed(0, 2, atOnce)}},
	{Name: "f25 flapping", Nodes: 2, About: "one GPU is slow for 40 s of each 80",
		Does: slower(cycle(part{40 * sec, only(clocked(0.55), waits(0.45), 11)}, part{40 * sec, train})),
		Want: []Want{slowed(1, 3, patient)}},
	{Name: "f26 often slow", Nodes: 2, About: "one GPU is slow for 8 s of each 20",
		Does: slower(cycle(part{8 * sec, only(mix(ready, train, 0.2), waits(0.8), 11)}, part{12 * sec, train})),
		Want: []Want{slowed(1, 3, patient)}},
	{Name: "f27 for a while", Nodes: 2, About: "one GPU clocks at 0.7 for 8 min, then recovers",
		Does: slower(from(onset+8*mins, only(clocked(0.7), waits(0.3), 2), train)),
		Want: []Want{slowed(0, 2, patient).until(onset + 8*mins)}},
	{Name: "f29 from the start", Nodes: 2, Age: brandNew,
		About: "one GPU of 16 clocks at 0.6 since the job began, as the watch did",
		Does:  starting(100*sec, only(clocked(0.6), waits(0.4), 11)), Runs: launched("RANK", "python", 20*sec),
		Want: []Want{slowed(1, 3, patient).before().later(100 * sec)}},
	{Name: "f30 host from the start", Nodes: 2, Runs: torchrun.cpu(0, 12, 11),
		About: "one GPU at 22% since before the watch, its process has little CPU",
		Does:  only(mix(ready, train, 0.22), waits(0.75), 11), Want: []Want{slowed(1, 3, patient).before()}},
	{Name: "f30b loader from the start", Nodes: 2,
		About: "one GPU at 21% against 100% since before the watch, with as much CPU as others",
		Does:  only(mix(ready, train, 0.21), waits(0.77), 11), Want: []Want{slowed(1, 3, patient).before()}},
	{Name: "f37 2 of 128", Nodes: 16, About: "two GPUs of 128 clock at 0.6",
		Does: slower(only(clocked(0.6), waits(0.4), 50, 99)),
		Want: []Want{slowed(6, 2, atOnce), slowed(12, 3, atOnce)}},
	{Name: "g01 slow node of 2, new job", Nodes: 2, Age: brandNew, Runs: launched("RANK", "python", 20*sec),
		About: "one of 2 nodes is slow since the job began, by its host: 65% against 100%",
		Does:  starting(100*sec, only(mix(train, ready, 0.35), waits(0.35), node(0)...)),
		Want:  []Want{slowed(0, anywhere, patient+3*mins).before().later(100 * sec)}},
}

// slowed wants the finding that this GPU is slow since onset.
func slowed(node, gpu int, within time.Duration) Want {
	return says(kinds("lag"), node, gpu, onset, within)
}

// slower is a training job whose GPUs do something else from onset on, faulty is another job.
func slower(then Program) Program { return faulty(train, then) }

func faulty(usual, then Program) Program { return saves(17*mins, 45*sec, from(onset, usual, then)) }

// always is a training job that did the same before the watch began.
func always(does Program) Program { return saves(15*mins, 40*sec, does) }

// clocked is a training GPU whose clock is a share of the usual one: all its work takes longer.
func clocked(share float64) Work {
	return train.with(func(w *Work) {
		w.Util, w.Clock, w.Power = 99, w.Clock*share, 200+410*share*share
		w.Memory, w.NVLink, w.RX, w.TX, w.Net = w.Memory*share, w.NVLink*share, w.RX*share, w.TX*share, w.Net*share
	})
}

func kinds(names ...cluster.Kind) []cluster.Kind { return names }
