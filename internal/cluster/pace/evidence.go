package pace

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Evidence is the kind of proof that the GPUs of a group work together.
type Evidence uint8

// Kinds of evidence, the strongest first.
const (
	None    Evidence = iota
	NVLink           // they exchange data over NVLink while they work
	PCIe             // likewise over PCIe, as much in one direction as in the other
	Network          // likewise the nodes, over InfiniBand or another network
	NCCL             // NCCL says so: they launch operations of one communicator
	Pauses           // their pauses begin and end together
	Waits            // they began to wait at the same time, and the driver reports no traffic
	Falls            // all do less while one of them is slow, and the driver reports no traffic
)

var evidences = [...]string{
	None: "", NVLink: "nvlink", PCIe: "pcie", Network: "network", NCCL: "nccl", Pauses: "pauses", Waits: "waits",
	Falls: "falls",
}

// String is the name of the evidence. It is stable: programs may match on it.
func (e Evidence) String() string { return evidences[e] }

const (
	// LeastLink is the least NVLink traffic, in bytes per second, that shows an exchange of data: a GPU that waits in a
	// collective polls at about 100 kB/s. leastBoth is the least traffic in each direction over PCIe or a network,
	// where programs also fetch and write their own data. If one direction has more than lopsided times the other, it
	// is no exchange.
	LeastLink = 16 << 20
	leastBoth = 64 << 20
	lopsided  = 3

	// A GPU talks if it exchanged data for exchanged seconds of its last minutes of work, and for this share of them. A
	// program that exchanges gradients twice a minute does so in every tenth sample. A program that copies its model to
	// a GPU does so only once.
	exchanged = 10
	talkative = 0.04

	// counts is the time constant, in seconds of work, of the record of a GPU's exchanges. Time in which the GPU rests
	// or waits does not count, so the record of a job that hangs stays.
	counts = 600

	// quietFor is how many seconds of work without traffic show that a GPU no longer works with others. It is longer
	// than the time between two exchanges of gradients.
	quietFor = 45

	// meet is the longest time between the first and the last GPU of a job to begin or end a common pause. enough is
	// how many such pauses show that the GPUs belong together, if no pause of only some of them is in between.
	meet   = 12 * time.Second
	enough = 3

	// Stalls of at least shortest are pauses.
	shortest = 6 * time.Second

	// A GPU that was idle for alone, while the others continued at their pace, shows that they do not need it. This
	// holds for apart.
	alone   = 30 * time.Second
	apart   = 30 * time.Minute
	goingOn = 0.9 // share of the usual power and memory traffic

	// keeps is how long a common fall counts as evidence that GPUs work together.
	keeps = 10 * time.Minute
)

// Traffic is the data that a node sends and receives over its networks, in bytes per second; NaN: unknown.
type Traffic struct{ TX, RX float32 }

// TrafficOf returns the traffic of a host: over InfiniBand, or over its other networks if they carry more or only their
// traffic is known.
func TrafficOf(v *metric.Values) Traffic {
	ib := Traffic{float32(v.Float(metric.InfiniBandTX)), float32(v.Float(metric.InfiniBandRX))}
	net := Traffic{float32(v.Float(metric.NetTX)), float32(v.Float(metric.NetRX))}
	if sum := ib.TX + ib.RX; sum != sum || sum < net.TX+net.RX {
		return net
	}
	return ib
}

// isExchange reports whether much data goes in both directions.
func (t Traffic) isExchange() bool {
	return t.TX >= leastBoth && t.RX >= leastBoth && t.TX <= lopsided*t.RX && t.RX <= lopsided*t.TX
}

// mostlySends reports whether the host sends much and receives little, as when it writes to a file system.
func (t Traffic) mostlySends() bool { return t.TX >= leastBoth/2 && !(t.TX <= lopsided*t.RX) }

// Writes reports whether the GPU's node writes much over its networks.
func (g *GPU) Writes() bool { return g.host.mostlySends() }

// trafficSeconds counts the seconds in which a GPU has exchanged data while it worked; the last minutes count most.
type trafficSeconds struct {
	work   float32
	by     [Network + 1]float32
	silent [Network + 1]float32 // seconds of work since the last exchange, by kind
}

// addSample counts a sample with work.
func (t *trafficSeconds) addSample(passed time.Duration, v *metric.Values, host Traffic) {
	seconds := float32(passed.Seconds())
	keep := max(1-seconds/counts, 0)
	t.work = keep*t.work + seconds
	for e := NVLink; e <= Network; e++ {
		t.by[e], t.silent[e] = keep*t.by[e], t.silent[e]+seconds
	}
	for e, does := range [...]bool{
		NVLink:  v.Float(metric.NVLinkTX) >= LeastLink || v.Float(metric.NVLinkRX) >= LeastLink,
		PCIe:    (Traffic{float32(v.Float(metric.PCIeTX)), float32(v.Float(metric.PCIeRX))}).isExchange(),
		Network: host.isExchange(),
	} {
		if does {
			t.by[e], t.silent[e] = t.by[e]+seconds, 0
		}
	}
}

// exchangesOver reports whether the GPU exchanges data over this path.
func (t *trafficSeconds) exchangesOver(e Evidence) bool {
	return t.by[e] >= exchanged && t.by[e] >= talkative*t.work
}

// exchangeInNode returns how the GPU exchanges data with others of its node, if it does.
func (t *trafficSeconds) exchangeInNode() Evidence {
	switch {
	case t.exchangesOver(NVLink):
		return NVLink
	case t.exchangesOver(PCIe):
		return PCIe
	}
	return None
}

// Talks reports whether the GPU takes part in the evidence of its group, and still does: after training, the same job
// may run programs that do not need each other. Traffic of a node proves nothing about one of its GPUs if other GPUs
// show theirs over NVLink or PCIe.
func (g *Group) Talks(gpu *GPU) bool {
	still := func(e Evidence) bool { return gpu.talks.exchangesOver(e) && gpu.talks.silent[e] <= quietFor }
	return g.Evidence > Network || still(NVLink) || still(PCIe) || g.Evidence == Network && !gpu.Shared &&
		still(Network)
}

// reach records how far the GPUs of a job are known to work together, while they are examined node by node.
type reach struct {
	nodes, talk int  // nodes of the job, and how many exchange data with others
	nets        int  // how many do so over the network
	node        int  // the current one
	gpus        int  // GPUs of the current node
	nvlink, net bool // its only GPU sends over NVLink; it exchanges data over the network
}

func (r *reach) addGPU(g *GPU) {
	if r.gpus == 0 || g.Node != r.node {
		r.finishNode()
		*r = reach{nodes: r.nodes + 1, talk: r.talk, nets: r.nets, node: g.Node}
	}
	r.gpus++
	r.nvlink = r.nvlink || g.talks.exchangesOver(NVLink)
	r.net = r.net || !g.Shared && g.talks.exchangesOver(Network)
}

// finishNode counts the current node.
func (r *reach) finishNode() {
	if r.gpus > 0 && (r.net || r.nvlink && r.gpus == 1) {
		r.talk++
	}
	if r.gpus > 0 && r.net {
		r.nets++
	}
	r.gpus = 0
}

// nodesExchange reports whether nearly all nodes exchange data with others.
func (r *reach) nodesExchange() bool {
	r.finishNode()
	return r.nodes > 1 && 10*r.talk >= 9*r.nodes && r.talk > 1
}

// rhythm counts pauses that begin and end together.
type rhythm struct {
	paused bool      // state when all were last in the same state
	left   time.Time // since when only some are halted; zero: all are in one state
	ragged bool      // the change took, or takes, too long to be a common one
	began  time.Time // when the pause began, if it began together; zero: it did not
	latest time.Time // time of the last such pause
	count  int       // number of such pauses that also ended together, since some GPUs last paused alone
}

// noteHalted notes how many GPUs have halted. Among many GPUs, one may differ.
func (r *rhythm) noteHalted(at time.Time, halted, of int) {
	odd := of / 10
	if of >= several {
		odd = max(odd, 1)
	}
	if halted > odd && halted < of-odd {
		if r.left.IsZero() {
			r.left = at
		}
		if at.Sub(r.left) > meet {
			r.ragged, r.count = true, 0
		}
		return
	}
	switch paused := halted > odd; {
	case paused && !r.paused:
		if r.began = (time.Time{}); !r.ragged {
			r.began, r.latest = at, at
		}
	case !paused && r.paused && !r.ragged && !r.began.IsZero() && at.Sub(r.began) >= shortest:
		r.count++
	}
	r.paused, r.left, r.ragged = halted > odd, time.Time{}, false
}

// findCoupling looks for evidence that the GPUs of a group work together, unless that is already known, and for
// evidence against it.
func (g *Group) findCoupling(at time.Time, passed time.Duration, known bool) {
	var by [Network + 1]int
	for _, gpu := range g.GPUs {
		if e := gpu.talks.exchangeInNode(); e != None {
			by[e]++
		}
		if g.Node == Everywhere && gpu.talks.exchangesOver(Network) && !gpu.Shared {
			by[Network]++
		}
	}
	g.halts.noteHalted(at, g.halted, len(g.GPUs))
	if usual := g.Usual[Power]; usual == usual { // the GPUs have worked
		g.spins.noteHalted(at, g.Spinning, len(g.GPUs))
	}
	g.Evidence = None
	n := len(g.GPUs)
	switch most := func(n, of int) bool { return n > 1 && 3*n >= 2*of }; {
	case n < 2:
	case most(by[NVLink], n):
		g.Evidence = NVLink
	case most(by[PCIe], n):
		g.Evidence = PCIe
	case most(by[Network], n):
		g.Evidence = Network
	case known:
		g.Evidence = NCCL
	case g.halts.count >= enough && (n >= several || g.streak >= proves):
		g.Evidence = Pauses
	case !g.spins.latest.IsZero() && g.Median[Link] != g.Median[Link]:
		g.Evidence = Waits
	case g.mostDoLess() || at.Sub(g.fell) <= keeps && !g.fell.IsZero():
		g.Evidence = Falls
	}
	g.once = g.once && g.Evidence != None
	g.noteStandstill(at, passed)
}

// mostDoLess reports whether nearly all GPUs do less than usual while one or two differ from the others. It matters
// only for GPUs whose traffic is unknown: known traffic shows directly whether GPUs work together.
func (g *Group) mostDoLess() bool {
	if len(g.GPUs) < several || g.Median[Link] == g.Median[Link] || !g.InStep {
		return false
	}
	odd, less := 0, 0
	for _, gpu := range g.GPUs {
		switch power := shareOfMedian(gpu.Mean[Power], g.Usual[Power]*gpu.Usual[Power]); {
		case gpu.Share[Util] < troubled*gpu.Usual[Util] || gpu.Share[Clock] < troubled*gpu.Usual[Clock]:
			odd++
		case power < troubled && shareOfMedian(gpu.Mean[Memory], g.Usual[Memory]*gpu.Usual[Memory]) < troubled:
			less++
		}
	}
	if odd == 0 || odd > max(1, len(g.GPUs)/several) || odd+less < len(g.GPUs) {
		return false
	}
	g.fell = g.at
	return true
}

// noteStandstill notes a GPU that stands still while the others continue as usual.
func (g *Group) noteStandstill(at time.Time, passed time.Duration) {
	if !g.Works || g.Spinning > 0 || g.Moving == len(g.GPUs) ||
		!(shareOfMedian(g.Median[Power], g.Usual[Power]) >= goingOn) ||
		shareOfMedian(g.Median[Memory], g.Usual[Memory]) < goingOn {
		g.without = 0
		return
	}
	for _, gpu := range g.GPUs {
		if idle := at.Sub(gpu.Worked); !gpu.Worked.IsZero() && idle >= alone && idle <= apart && gpu.compared > 0 {
			if g.without += passed; g.without >= meet+passed { // time before it was first seen does not count
				g.Parted = at
			}
			return
		}
	}
	g.without = 0
}
