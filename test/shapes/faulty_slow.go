package shapes

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// onset is when a fault begins that the watch sees begin.
	onset = 20 * mins

	// atOnce is how long a large slow-down may take to be named, patient a small one or one that nobody saw begin, hung a hang.
	atOnce  = 90 * sec
	patient = 6 * mins
	hung    = 180 * sec
)

// Slow GPUs that the others wait for.
var slow = []Shape{
	{Name: "f01 clock", About: "one of 16 GPUs clocks at 0.65, the others wait a third", Nodes: 2, Build: func(r *rig) Job {
		return r.slower(only(steady(clocked(0.65)), steady(waits(0.35)), 11))
	}, Want: []Want{{kinds("lag"), 1, 3, onset, atOnce, 0}}},
	{Name: "f02 1.34x", About: "one GPU is slow at full clocks, the others wait a quarter of the time", Nodes: 2, Build: func(r *rig) Job {
		return r.slower(only(steady(train), steady(waits(0.25)), 11))
	}, Want: []Want{{kinds("lag"), 1, 3, onset, patient, 0}}},
	{Name: "f03 others wait half", About: "the same with half of the time", Nodes: 2, Build: func(r *rig) Job {
		return r.slower(only(steady(train), steady(waits(0.5)), 11))
	}, Want: []Want{{kinds("lag"), 1, 3, onset, atOnce, 0}}},
	{Name: "f03b little power", About: "one GPU draws 250 W where the others draw 650 W, utilization is equal", Build: func(r *rig) Job {
		little := train.with(func(w *Work) { w.Power, w.Memory, w.NVLink = 250, 21, 18*giga })
		full := train.with(func(w *Work) { w.Power = 650 })
		return r.faulty(full, only(steady(little), steady(full), 5))
	}, Want: []Want{{kinds("lag"), 0, 5, onset, patient, 0}}},
	{Name: "f04 memory bandwidth", About: "one GPU reads its memory at half of the pace of the others: 96% utilization, 30% memory", Build: func(r *rig) Job {
		half := train.with(func(w *Work) { w.Util, w.Memory, w.Power = 96, 30, 480 })
		return r.faulty(train, only(steady(half), steady(train.with(func(w *Work) { w.Memory = 58 })), 2))
	}, Want: []Want{{kinds("lag"), 0, 2, onset, patient, 0}}},
	{Name: "f04b memory clock", About: "the memory of one GPU clocks at half: it is busy all the time, the others wait half of it", Build: func(r *rig) Job {
		half := train.with(func(w *Work) { w.Util, w.Memory, w.Power = 99, 94, 450 })
		return r.slower(only(steady(half), steady(waits(0.45)), 2))
	}, Want: []Want{{kinds("lag"), 0, 2, onset, patient, 0}}},
	{Name: "f05 one node of 4", About: "the GPUs of one node of 4 clock at 0.6", Nodes: 4, Build: func(r *rig) Job {
		return r.slower(where(onNode(2), steady(clocked(0.6)), steady(waits(0.4))))
	}, Want: []Want{{kinds("lag"), 2, anywhere, onset, atOnce, 0}}},
	{Name: "f06 one node of 2", About: "the GPUs of one node of 2 clock at 0.6", Nodes: 2, Build: func(r *rig) Job {
		return r.slower(where(onNode(1), steady(clocked(0.6)), steady(waits(0.4))))
	}, Want: []Want{{kinds("lag"), 1, anywhere, onset, patient, 0}}},
	{Name: "f36 busy node of 2", About: "one node of 2 is slowed by its host, the GPUs of the other wait half of the time", Nodes: 2, Build: func(r *rig) Job {
		return r.slower(where(onNode(0), steady(mix(train, ready, 0.5)), steady(waits(0.5))))
	}, Want: []Want{{kinds("lag"), 0, anywhere, onset, patient, 0}}},
	{Name: "f07 loader", About: "the loader of one rank is slow: 22%, and its process has little CPU", Nodes: 2, Build: func(r *rig) Job {
		j := r.slower(only(steady(mix(ready, train, 0.22)), steady(waits(0.75)), 11))
		j.Runs = j.Runs.cpu(onset, 12, 11)
		return j
	}, Want: []Want{{kinds("lag"), 1, 3, onset, atOnce, 0}}},
	{Name: "f13 wandering", About: "the slow GPU changes every 35 s: loaders", Nodes: 2, Build: func(r *rig) Job {
		starved := mix(ready, train, 0.25)
		return r.slower(func(at time.Duration, g int) Work {
			if int(at/(35*sec))*7%16 == g {
				return starved
			}
			return train
		})
	}, Want: []Want{{kinds("lag"), anywhere, anywhere, onset, 150 * sec, 0}}},
	{Name: "f15 drift", About: "one GPU gets slower, by a tenth in 6 min, down to 0.55", Nodes: 2, Build: func(r *rig) Job {
		return r.slower(func(at time.Duration, g int) Work {
			clock := max(0.55, 1-float64(at-onset)/float64(60*mins))
			if g == 11 {
				return clocked(clock)
			}
			return waits(1 - clock)
		})
	}, Want: []Want{{kinds("lag"), 1, 3, onset + 9*mins, 12 * mins, 0}}},
	{Name: "f16 two GPUs", About: "two GPUs of 16 clock at 0.6", Nodes: 2, Build: func(r *rig) Job {
		return r.slower(only(steady(clocked(0.6)), steady(waits(0.4)), 3, 12))
	}, Want: []Want{{kinds("lag"), 0, 3, onset, atOnce, 0}, {kinds("lag"), 1, 4, onset, atOnce, 0}}},
	{Name: "f17 slow before", About: "a GPU was slow before the watch began: at 55% of the others' utilization", Nodes: 2, Build: func(r *rig) Job {
		return r.always(only(steady(mix(ready, train, 0.55)), steady(waits(0.45)), 11))
	}, Want: []Want{{kinds("lag"), 1, 3, 0, patient, 0}}},
	{Name: "f17d clock before", About: "the same: at 55% of the others' clock", Nodes: 2, Build: func(r *rig) Job {
		return r.always(only(steady(clocked(0.55)), steady(waits(0.45)), 11))
	}, Want: []Want{{kinds("lag"), 1, 3, 0, patient, 0}}},
	{Name: "f17b awaited before", About: "the same; its clock is right: 690 W against 350 W", Nodes: 2, Build: func(r *rig) Job {
		most := train.with(func(w *Work) { w.Power = 690 })
		return r.always(only(steady(most), steady(waits(0.55)), 11))
	}, Want: []Want{{kinds("lag"), 1, 3, 0, patient, 0}}},
	{Name: "f17c node slow before", About: "one of 2 nodes was slow before the watch began, at a clock of 0.6", Nodes: 2, Build: func(r *rig) Job {
		return r.always(where(onNode(1), steady(clocked(0.6)), steady(waits(0.4))))
	}, Want: []Want{{kinds("lag"), 1, anywhere, 0, patient, 0}}},
	{Name: "f19 brake", About: "the power brake halves the clock of one GPU", Nodes: 2, Build: func(r *rig) Job {
		brake := clocked(0.5).with(func(w *Work) { w.Throttle = wire.ThrottleHWSlowdown | wire.ThrottleHWPowerBrake })
		return r.slower(only(steady(brake), steady(waits(0.5)), 6))
	}, Want: []Want{{kinds("lag"), 0, 6, onset, atOnce, 0}, {kinds("power_brake"), 0, 6, onset, 15 * sec, 0}}},
	{Name: "f20 hot", About: "heat slows a GPU to 0.6", Nodes: 2, Build: func(r *rig) Job {
		hot := clocked(0.6).with(func(w *Work) { w.Throttle = wire.ThrottleHWSlowdown | wire.ThrottleHWThermal })
		return r.slower(only(steady(hot), steady(waits(0.4)), 6))
	}, Want: []Want{{kinds("lag"), 0, 6, onset, atOnce, 0}, {kinds("thermal"), 0, 6, onset, 15 * sec, 0}}},
	{Name: "f21 one of 64", About: "one GPU of 64 clocks at 0.747, the others wait a quarter of the time", Nodes: 8, Build: func(r *rig) Job {
		return r.slower(only(steady(clocked(0.747)), steady(waits(0.25)), 37))
	}, Want: []Want{{kinds("lag"), 4, 5, onset, patient, 0}}},
	{Name: "f22 without counters", About: "one GPU of 8 clocks at 0.6; the driver tells no bytes", On: mute, Build: func(r *rig) Job {
		return r.slower(only(steady(clocked(0.6)), steady(waits(0.4)), 6))
	}, Want: []Want{{kinds("lag"), 0, 6, onset, atOnce, 0}}},
	{Name: "f24 PCIe only", About: "one GPU of 4 clocks at 0.6, without NVLink", GPUs: 4, On: l40s, Build: func(r *rig) Job {
		return r.slower(only(steady(clocked(0.6)), steady(waits(0.4)), 2))
	}, Want: []Want{{kinds("lag"), 0, 2, onset, atOnce, 0}}},
	{Name: "f25 flapping", About: "one GPU is slow for 40 s of each 80", Nodes: 2, Build: func(r *rig) Job {
		bad := only(steady(clocked(0.55)), steady(waits(0.45)), 11)
		return r.slower(cycle(part{40 * sec, bad}, part{40 * sec, steady(train)}))
	}, Want: []Want{{kinds("lag"), 1, 3, onset, patient, 0}}},
	{Name: "f26 often slow", About: "one GPU is slow for 8 s of each 20", Nodes: 2, Build: func(r *rig) Job {
		bad := only(steady(mix(ready, train, 0.2)), steady(waits(0.8)), 11)
		return r.slower(cycle(part{8 * sec, bad}, part{12 * sec, steady(train)}))
	}, Want: []Want{{kinds("lag"), 1, 3, onset, patient, 0}}},
	{Name: "f27 for a while", About: "one GPU clocks at 0.7 for 8 min, then recovers", Nodes: 2, Build: func(r *rig) Job {
		bad := only(steady(clocked(0.7)), steady(waits(0.3)), 2)
		return r.slower(from(onset+8*mins, bad, steady(train)))
	}, Want: []Want{{kinds("lag"), 0, 2, onset, patient, 0}}},
	{Name: "f29 from the start", About: "one GPU of 16 clocks at 0.6 since the job began, as the watch did", Nodes: 2, Age: brandNew, Build: func(r *rig) Job {
		slow := only(steady(clocked(0.6)), steady(waits(0.4)), 11)
		return Job{Does: r.starting(100*sec, slow), Runs: r.launched("RANK", "python", 20*sec)}
	}, Want: []Want{{kinds("lag"), 1, 3, 100 * sec, patient, 0}}},
	{Name: "f30 host from the start", About: "one GPU at 22% since before the watch, its process has little CPU", Nodes: 2, Build: func(r *rig) Job {
		return Job{Does: only(steady(mix(ready, train, 0.22)), steady(waits(0.75)), 11), Runs: r.torchrun().cpu(0, 12, 11)}
	}, Want: []Want{{kinds("lag"), 1, 3, 0, patient, 0}}},
	{Name: "f30b loader from the start", About: "one GPU at 21% against 100% since before the watch, with as much CPU as others", Nodes: 2, Build: func(r *rig) Job {
		return Job{Does: only(steady(mix(ready, train, 0.21)), steady(waits(0.77)), 11), Runs: r.torchrun()}
	}, Want: []Want{{kinds("lag"), 1, 3, 0, patient, 0}}},
	{Name: "f37 2 of 128", About: "two GPUs of 128 clock at 0.6", Nodes: 16, Build: func(r *rig) Job {
		return r.slower(only(steady(clocked(0.6)), steady(waits(0.4)), 50, 99))
	}, Want: []Want{{kinds("lag"), 6, 2, onset, atOnce, 0}, {kinds("lag"), 12, 3, onset, atOnce, 0}}},
	{Name: "g01 slow node of 2, new job", About: "one of 2 nodes is slow since the job began, by its host: 65% against 100%", Nodes: 2, Age: brandNew, Build: func(r *rig) Job {
		slow := where(onNode(0), steady(mix(train, ready, 0.35)), steady(waits(0.35)))
		return Job{Does: r.starting(100*sec, slow), Runs: r.launched("RANK", "python", 20*sec)}
	}, Want: []Want{{kinds("lag"), 0, anywhere, 100 * sec, patient + 2*mins, 0}}},
	{Name: "g02 one of 2", About: "one of 2 GPUs clocks at 0.6", GPUs: 2, Build: func(r *rig) Job {
		return r.slower(only(steady(clocked(0.6)), steady(waits(0.4)), 1))
	}, Want: []Want{{kinds("lag"), 0, 1, onset, patient, 0}}},
	{Name: "g03 narrow network", About: "the InfiniBand of one node of 4 does a third: its GPUs and all others wait for it", Nodes: 4, Build: func(r *rig) Job {
		slow := waits(0.5).with(func(w *Work) { w.Net = train.Net / 2 })
		return r.slower(steady(slow))
	}}, // nobody can tell which node it is: nothing must be named wrongly
}

// slower is a training job whose GPUs do something else from onset on.
func (r *rig) slower(then Program) Job { return r.faulty(train, then) }

func (r *rig) faulty(usual Work, then Program) Job {
	return Job{Does: pauses(r.every(17*mins, 45*sec), r.checkpoint(0.5), from(onset, steady(usual), then)), Runs: r.torchrun()}
}

// always is a training job that does the same since before the watch began.
func (r *rig) always(does Program) Job {
	return Job{Does: pauses(r.every(15*mins, 40*sec), r.checkpoint(0.5), does), Runs: r.torchrun()}
}

// clocked is a training GPU whose clock is a share of the usual one: all it does takes longer.
func clocked(share float64) Work {
	return train.with(func(w *Work) {
		w.Util, w.Clock, w.Power = 99, w.Clock*share, 200+410*share*share
		w.Memory, w.NVLink, w.RX, w.TX, w.Net = w.Memory*share, w.NVLink*share, w.RX*share, w.TX*share, w.Net*share
	})
}

func onNode(n int) func(int) bool { return func(gpu int) bool { return gpu/8 == n } }

func kinds(names ...cluster.Kind) []cluster.Kind { return names }
