package demo

import (
	"fmt"
	"math"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/source/demo/site"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// makeCard returns the static part of the GPU in one slot.
func (w *world) makeCard(h *host, gpu int) wire.Card {
	m := h.model
	values := m.Once()
	values.Set(metric.NUMANode, float64(2*gpu/len(h.gpus)))
	return wire.Card{
		Index: gpu, Minor: &gpu, Name: m.Name, Values: values, Absent: m.Absent(),
		UUID:   fmt.Sprintf("GPU-%08x-%04x-4000-8000-%012x", uint32(w.seed), h.number, gpu+1),
		PCIBus: fmt.Sprintf("00000000:%02X:00.0", 0x1b+0x11*gpu%0xe0),
		Serial: fmt.Sprintf("16534230%05d", 100*h.number+gpu), VBIOS: m.VBIOS, Capability: m.Capability,
	}
}

// fillMetrics adds the metrics that follow from a sample's utilization, clocks and power.
func (w *world) fillMetrics(v *metric.Values, h *host, gpu int, now time.Duration, l site.Load) {
	m, s := h.model, &h.gpus[gpu]
	for _, engine := range []metric.ID{metric.Encoder, metric.Decoder, metric.JPEG, metric.OFA} {
		v.Set(engine, 0)
	}
	if m.GPM {
		v.Set(metric.SMActive, 92*l.Util)
		v.Set(metric.SMOccupancy, 38*l.Util)
		v.Set(metric.TensorActive, 55*l.Work*min(l.Util*1.05, 1))
		v.Set(metric.DRAMActive, 84*l.Memory)
		v.Set(metric.FabricState, 3)
		v.Set(metric.FabricStatus, 0)
		v.Set(metric.FabricClique, 0)
	}
	v.Set(metric.BAR1Used, float64(2<<20))
	v.Set(metric.MemoryTemperature, min(math.Floor(v.Float(metric.Temperature)+6+8*l.Memory), site.HottestMemory))
	v.Set(metric.PerformanceState, 0)
	v.Set(metric.GraphicsClock, v.Float(metric.SMClock))
	v.Set(metric.VideoClock, math.Floor(float64(m.VideoMax)*v.Float(metric.SMClock)/float64(m.SMMax)))
	v.Set(metric.PersistenceMode, 1)
	v.Set(metric.ComputeMode, 0)
	v.Set(metric.DisplayMode, 0)
	v.Set(metric.DisplayActive, 0)
	w.fillLinks(v, h, gpu, now, l)
	w.fillCounters(v, h, gpu, now)
	v.Set(metric.RecoveryAction, 0)
	if s.fate&corrupts != 0 {
		v.Set(metric.ECCUncorrectedAggregate, 2)
	}
}

// Bytes per second of a job at full work: the exchange of all GPUs over NVLink, and the data that comes from the host.
const (
	exchanged = 95e9
	fetched   = 1.6e9
)

// heldUp is the share of the exchange that remains while one of the GPUs lags, since all wait for it.
const heldUp = 0.4

// brokenLink is the NVLink that is down on the GPU with that fate.
const brokenLink = 7

func (w *world) fillLinks(v *metric.Values, h *host, gpu int, now time.Duration, l site.Load) {
	m, s := h.model, &h.gpus[gpu]
	r := w.fixedNoise('x', h.number, gpu, int64(now/time.Second))
	up := uint64(1)<<m.Links - 1
	if s.fate&unlinks != 0 && now >= unlinkedAt {
		up &^= 1 << brokenLink
	}
	v.Set(metric.NVLinkUp, float64(up))
	bytes := exchanged * l.Memory * (0.9 + 0.2*r)
	if s.use != nil && s.use.job == trainingID && w.lagging && isWithin(now, lagBegins, lagEnds) {
		bytes *= heldUp
	}
	v.Set(metric.NVLinkTX, bytes)
	v.Set(metric.NVLinkRX, bytes)
	v.Set(metric.PCIeTX, fetched/4*l.Work*(0.8+0.4*r))
	v.Set(metric.PCIeRX, fetched*l.Work*(0.8+0.4*r))
	for _, none := range []metric.ID{metric.NVLinkCRC, metric.NVLinkReplays, metric.NVLinkRecoveries} {
		v.Set(none, 0)
	}
	gen := m.PCIe
	if l.Work == 0 { // the link is asleep
		gen = 1
	}
	v.Set(metric.PCIeGen, float64(gen))
	v.Set(metric.PCIeWidth, 16)
	v.Set(metric.PCIeReplays, math.Floor(3*w.fixedNoise('y', h.number, gpu, 0)))
}

// fillCounters sets the driver's counters, which began when it was loaded: when the node booted.
func (w *world) fillCounters(v *metric.Values, h *host, gpu int, now time.Duration) {
	m, s := h.model, &h.gpus[gpu]
	up := (h.uptimeAtStart() + now).Seconds()
	v.Set(metric.Energy, up*m.Limit*(0.7+0.1*w.fixedNoise('e', h.number, gpu, 0)))
	v.Set(metric.PowerCapTime, up*0.6)
	v.Set(metric.SyncBoostTime, 0)
	hot, braked := 0.0, 0.0
	if s.fate&overheats != 0 {
		hot = storySeconds(now, heatBegins+(heatFull-heatBegins)*9/10, heatEnds)
	}
	if s.fate&brakes != 0 {
		braked = storySeconds(now, brakeBegins, brakeEnds)
	}
	v.Set(metric.SWThermalTime, 0)
	v.Set(metric.HWThermalTime, hot)
	v.Set(metric.PowerBrakeTime, braked)
	for _, none := range []metric.ID{
		metric.ECCUncorrectedAggregate, metric.RemappedCorrectable, metric.RemappedUncorrectable, metric.RemapPending,
		metric.RemapFailed, metric.BanksWithoutSpareRows,
	} {
		v.Set(none, 0)
	}
	corrected := math.Floor(2.5 * w.fixedNoise('d', h.number, gpu, 0))
	v.Set(metric.ECCCorrected, corrected)
	v.Set(metric.ECCCorrectedAggregate, corrected+math.Floor(9*w.fixedNoise('D', h.number, gpu, 0)))
}

// storySeconds returns how many seconds between a and b of the story have passed until now, over all its rounds.
func storySeconds(now, a, b time.Duration) float64 {
	if now < 0 {
		return 0
	}
	return (now/cycle*(b-a) + min(max(now%cycle-a, 0), b-a)).Seconds()
}

// newXids returns the events of the driver since the previous report. A GPU that falls off the bus has one such event.
func (w *world) newXids(h *host, now time.Duration) []wire.Xid {
	var list []wire.Xid
	for g := range h.gpus {
		if s := &h.gpus[g]; s.fate&vanishes != 0 && now >= lostAt && now-w.poll < lostAt {
			list = append(list, wire.Xid{GPU: g, Code: fellOff, MonoMS: (h.uptimeAtStart() + lostAt).Milliseconds()})
		}
	}
	return list
}

// fellOff is the Xid of a GPU that has fallen off the bus.
const fellOff = 79
