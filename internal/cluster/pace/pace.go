// Package pace measures how fast the GPUs of a job work: on average over the last half minute, compared with the job's
// other GPUs of the same model, and compared with their usual values. Package health judges the result.
//
// # What works together
//
// Equal utilization proves nothing, and neither does one launcher. GPUs of a job are compared in a Group: the GPUs of
// one model on one node, or on all nodes once the nodes are seen to work together. A Group has one Evidence, or None:
//
//   - NVLink, PCIe, Network: two thirds of the Group's GPUs exchange data while they work. Over NVLink 16 MiB/s are
//     enough, since it connects only GPUs; a GPU that spins in a collective polls at about 100 kB/s. Over PCIe and
//     networks each direction needs 64 MiB/s, and neither may have three times as much as the other, since programs
//     that work alone also load images, offload data and write checkpoints. The traffic of a node counts if no other
//     job uses the node.
//   - Pauses: three in a row begin and end within 12 s on all GPUs but one in ten. A pause of only some GPUs restarts
//     the count.
//   - Waits, Falls: only where the driver reports no traffic (a vGPU, an old driver). Nearly all GPUs begin to spin at
//     the same time, or all do a sixth less when one gets slower. Where traffic is known and absent, equal programs may
//     show the same behavior independently.
//
// Exchanged data counts with a time constant of 10 minutes of work. So the evidence survives a hang and a long pause,
// without any work, but not the next program of the job. In a group with traffic, a GPU is called slow only if data was
// exchanged in its last 45 s of work: by the GPU itself, or by its node if the evidence is Network. A GPU that stands
// still while the others go on as usual proves that the others do not need it: for half an hour the Group does not work
// together, whatever its traffic.
//
// Across nodes the evidence is the network, NVLink of the only GPU of each node, or common pauses. An exchange of data
// makes GPUs neighbors, not peers: where they exchange it at two levels for a minute, as with prefill and decode, the
// job has two roles, and for half an hour each node is compared for itself. GPUs not known to work together are
// never compared: silence is better than a guess.
//
// # A job against its own past
//
// Each step of a program moves the same data. So a group whose memory reads and traffic have all fallen alike for some
// minutes, with as much memory in use and at less power, makes fewer steps (Slower); other work moves its data in
// another proportion. A standstill that was much longer than any before is a Stall. A GPU that lags for a part of each
// minute has Bouts with a Rhythm.
//
// Everything here belongs to the Store of package cluster, which calls it under its lock. Nothing reads the clock:
// samples and comparisons carry their times, so the same input always gives the same result.
package pace

import (
	"hash/fnv"
	"math"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Measure is a measured property of a GPU.
type Measure uint8

// Measures.
const (
	Util   Measure = iota // percent
	Power                 // W
	Clock                 // MHz
	Memory                // percent of the time, or of the bandwidth
	Link                  // bytes per second over PCIe and NVLink
	Measures

	// Shares is the number of measures for which a GPU has a share of the others' value.
	Shares = Memory + 1
)

// Numbers holds one number per Measure. NaN means unknown.
type Numbers [Measures]float32

var unknown = float32(math.NaN())

var (
	nothing  = Numbers{unknown, unknown, unknown, unknown, unknown}
	noShares = [Shares]float32{unknown, unknown, unknown, unknown}
)

// GPU has what is known about the work of one GPU for one job.
type GPU struct {
	Number int    // as in cluster.GPU
	Node   int    // which node of the job; set for each comparison, as is Shared
	Shared bool   // others use the node too, so its traffic is not only the job's
	Model  uint64 // equal for GPUs of the same model
	Out    bool   // it is lost, or hangs
	Job    string // the job that it works for; with another job everything else starts anew

	Mean  Numbers         // average of about the last half minute
	Share [Shares]float32 // Mean as a share of the others' value in its Group, at the last comparison
	Usual [Shares]float32 // the usual Share while the job works; unknown until it has worked for a while
	Used  float32         // memory in use, in bytes; NaN: unknown
	Limit float32         // power limit, in W; NaN: unknown
	Full  Own             // what the GPU does when it is fully utilized
	Lanes Lanes           // what it sends over its links

	At       time.Time // time of the last sample
	Seen     time.Time // when the current watch of its utilization, without gaps, began
	Worked   time.Time // time of the last sample with work; zero: none
	Moved    time.Time // time of the last comparison in which it did more than wait for others; zero: none
	LagBegan time.Time // when it last began to lag
	LagLast  time.Time // when it last lagged
	LagMuch  time.Time // when it last lagged much
	LagUtil  float32   // its mean utilization at that time
	LagTold  time.Time // when it was last reported to lag, not just as a note
	Bouts    *Bouts    // the times in which it lagged; nil: none
	compared float32   // seconds of work that Usual is based on
	now      Numbers   // of the last sample
	host     Traffic   // traffic of its node, likewise
	talks    trafficSeconds
	group    int // position in Job.Groups, as of the last comparison; negative: it is in none
	role     uint8
	sure     time.Duration // how long it was seen in its role, minus the time in the other one
}

// Own is what is usual for one GPU, whatever the others do.
type Own struct {
	Clock float32       // MHz; 0: unknown
	For   time.Duration // how long it was measured
}

// addSample adds a sample of a fully utilized GPU. A clock that falls a lot is not usual, so it does not count.
func (o *Own) addSample(passed time.Duration, clock float32) {
	switch {
	case !(clock > 0):
		return
	case o.Clock == 0:
		o.Clock = clock
	case clock >= troubled*o.Clock:
		o.Clock += weightOf(passed, falls) * (clock - o.Clock)
	}
	o.For += passed
}

// New returns a GPU of this model that has no samples.
func New(model string) *GPU {
	h := fnv.New64a()
	h.Write([]byte(model))
	return &GPU{Model: h.Sum64(), Mean: nothing, now: nothing, Share: noShares, Usual: noShares, Used: unknown,
		Limit: unknown}
}

// Begin forgets everything about earlier jobs.
func (g *GPU) Begin(job string) {
	if g.Job == job {
		return
	}
	*g = GPU{
		Number: g.Number, Node: g.Node, Shared: g.Shared, Model: g.Model, Out: g.Out, Job: job, Mean: g.Mean,
		now: g.now, host: g.host,
		Share: noShares, Usual: noShares, Used: g.Used, Limit: g.Limit, At: g.At, Seen: g.At,
	}
	if g.isWorking() {
		g.Worked = g.At
	}
}

const (
	// smooth is the time constant of Mean: the last 30 s have nearly all of the weight.
	smooth = 10 * time.Second

	// Lapse is the time without samples after which Mean starts anew: GPUs with fewer samples are not compared.
	Lapse = time.Minute

	// IdleMost is the highest utilization of an idle GPU, in percent.
	IdleMost = 1

	// idleBytes is the most traffic of an idle GPU, in bytes per second. The watch itself causes some.
	idleBytes = 1 << 20
)

// Add adds a sample, and the traffic of the node at that time. Samples that are not newer than the last one are
// ignored.
func (g *GPU) Add(at time.Time, v *metric.Values, host Traffic) {
	passed := at.Sub(g.At)
	if passed <= 0 && !g.At.IsZero() {
		return
	}
	weight := float32(1)
	if !g.At.IsZero() && passed < Lapse {
		weight = weightOf(passed, smooth)
	}
	now := numbersOf(v)
	for m := range g.Mean {
		if old := g.Mean[m]; old == old && now[m] == now[m] {
			g.Mean[m] = old + weight*(now[m]-old)
		} else {
			g.Mean[m] = now[m]
		}
	}
	g.Used, g.Limit, g.At, g.now = float32(v.Float(metric.MemoryUsed)), float32(v.Float(metric.PowerLimit)), at, now
	g.host = host
	if passed < Lapse && showsWork(now) && !isQuiet(&now, g.Limit) {
		g.talks.addSample(passed, v, host)
	}
	if u := now[Util]; g.Seen.IsZero() || passed >= Lapse || u != u {
		g.Seen = at
	}
	if showsWork(now) {
		g.Worked = at
	}
	if now[Util] >= BusyFrom {
		g.Lanes.addSample(at, min(passed, Lapse), weight, v)
	}
	if now[Util] >= FullFrom && passed < Lapse {
		g.Full.addSample(passed, now[Clock])
	}
}

// Reads is the memory traffic of the last sample, in percent.
func (g *GPU) Reads() float32 { return g.now[Memory] }

// IsBehind reports whether the GPU's last sample is below a share of its group's utilization or clock.
func (g *GPU) IsBehind(of *Group, share float32) bool {
	return g.now[Util] < share*of.Median[Util] || g.now[Clock] < share*of.Median[Clock]
}

// Idle returns the time since which the GPU is seen to do nothing. Unwatched time does not count.
func (g *GPU) Idle() time.Time {
	if g.Worked.After(g.Seen) {
		return g.Worked
	}
	return g.Seen
}

// Rest notes that the GPU cannot work at this moment, because its job is suspended.
func (g *GPU) Rest(at time.Time) { g.Seen = at }

// weightOf is the weight of the elapsed time in an average with a time constant.
func weightOf(passed, constant time.Duration) float32 {
	return float32(-math.Expm1(-passed.Seconds() / constant.Seconds()))
}

// numbersOf returns the numbers of a sample.
func numbersOf(v *metric.Values) Numbers {
	now := Numbers{
		Util: float32(v.Float(metric.Util)), Memory: float32(v.Float(metric.MemUtil)),
		Clock: float32(v.Float(metric.SMClock)), Power: float32(v.Float(metric.Power)),
	}
	if !v.Has(metric.MemUtil) {
		now[Memory] = float32(v.Float(metric.DRAMActive))
	}
	bytes, known := 0.0, false
	for _, id := range []metric.ID{metric.PCIeTX, metric.PCIeRX, metric.NVLinkTX, metric.NVLinkRX} {
		if b, has := v.Get(id); has {
			bytes, known = bytes+b, true
		}
	}
	if now[Link] = float32(bytes); !known {
		now[Link] = unknown
	}
	return now
}

// showsWork reports whether a GPU with these numbers does anything.
func showsWork(n Numbers) bool { return n[Util] > IdleMost || n[Memory] > 0 || n[Link] > idleBytes }

func (g *GPU) isWorking() bool { return showsWork(g.Mean) }

// Now is the value of the last sample.
func (g *GPU) Now(m Measure) float32 { return g.now[m] }

// Quiet reports whether the GPU took little power and moved nothing in its last sample.
func (g *GPU) Quiet() bool { return isQuiet(&g.now, g.Limit) }

// Stands reports whether the GPU did nothing in its last sample.
func (g *GPU) Stands() bool { return !showsWork(g.now) }
