package pace

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Lanes is what a GPU sends to others and to the host while it works: averages in bytes per second.
type Lanes struct {
	NVLink float32       // both directions together
	TX, RX float32       // over PCIe
	Past   float32       // the usual traffic over NVLink while it carries something
	Busy   time.Duration // how long it carried something
	Quiet  time.Time     // since when it carries nothing; zero: it does carry something
}

// wideLink is the least traffic, in bytes per second, that GPUs exchange over a link in use. even is the largest ratio
// of the two directions of an exchange between GPUs: offloading and loading are more lopsided.
const (
	wideLink = 1 << 30
	even     = 1.5
	busyLink = 3 * time.Minute

	// Kernels wait for an exchange if they run all the time, draw less than this share of the power limit, and read
	// memory for less than this percentage of the time.
	exchangePower, exchangeMemory = 0.75, 50
)

// addSample adds a sample of a GPU at work.
func (l *Lanes) addSample(at time.Time, passed time.Duration, weight float32, v *metric.Values) {
	tx, has := v.Get(metric.NVLinkTX)
	if !has {
		return
	}
	nvlink := float32(tx + v.Float(metric.NVLinkRX))
	l.NVLink += weight * (nvlink - l.NVLink)
	l.TX += weight * (float32(v.Float(metric.PCIeTX)) - l.TX)
	l.RX += weight * (float32(v.Float(metric.PCIeRX)) - l.RX)
	if !(nvlink >= LeastLink) {
		if l.Quiet.IsZero() {
			l.Quiet = at
		}
		return
	}
	l.Quiet, l.Busy = time.Time{}, l.Busy+passed
	l.Past += weightOf(passed, rises) * (nvlink - l.Past)
}

// Wide reports whether NVLink carries much.
func (l *Lanes) Wide() bool { return l.NVLink >= wideLink }

// Used reports whether NVLink carried much data for some minutes.
func (l *Lanes) Used() bool { return l.Past >= wideLink && l.Busy >= busyLink }

// Instead reports whether PCIe carries as much in both directions while NVLink carries nothing.
func (l *Lanes) Instead() bool {
	return !l.Quiet.IsZero() && l.TX >= wideLink && l.RX >= wideLink && l.TX <= even*l.RX && l.RX <= even*l.TX
}

// KernelsWait reports whether kernels run all the time but do little: they wait for an exchange.
func (g *GPU) KernelsWait() bool {
	return g.Mean[Util] >= FullFrom && g.Mean[Power] < exchangePower*g.Limit && g.Mean[Memory] < exchangeMemory
}
