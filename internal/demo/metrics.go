package demo

import (
	"fmt"
	"math"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/demo/load"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// once returns the driver's constant values for every GPU of a model.
func (m *model) once() metric.Values {
	return metric.Make(map[metric.ID]float64{
		metric.MemoryTotal: float64(m.memory << 20), metric.BAR1Total: float64(128 << 30), metric.ECCMode: 1,
		metric.Slowdown: float64(m.slowdown), metric.Shutdown: float64(m.slowdown + 5),
		metric.MaxOperating:       float64(m.slowdown - 2),
		metric.MemoryMaxOperating: hottestMemory, metric.PowerLimitDefault: m.limit, metric.PowerLimitMax: m.limit,
		metric.SMClockMax: float64(m.smMax), metric.GraphicsClockMax: float64(m.smMax),
		metric.MemClockMax: float64(m.mem), metric.VideoClockMax: float64(m.videoMax),
		metric.PCIeGenMax: float64(m.pcie), metric.PCIeWidthMax: 16, metric.NVLinks: float64(m.links),
	})
}

// card returns the static part of the GPU in one slot.
func (w *world) card(h *host, gpu int) wire.Card {
	m := h.model
	values := m.once()
	values.Set(metric.NUMANode, float64(2*gpu/len(h.gpus)))
	return wire.Card{
		Index: gpu, Minor: &gpu, Name: m.name, Values: values, Absent: absent[m],
		UUID:   fmt.Sprintf("GPU-%08x-%04x-4000-8000-%012x", uint32(w.seed), h.number, gpu+1),
		PCIBus: fmt.Sprintf("00000000:%02X:00.0", 0x1b+0x11*gpu%0xe0),
		Serial: fmt.Sprintf("16534230%05d", 100*h.number+gpu), VBIOS: m.vbios, Capability: m.capability,
	}
}

// absent is absentOf of each model, which never changes.
var absent = map[*model]map[string][]string{h100: h100.absentOf(), a100: a100.absentOf()}

// absentOf lists the metrics that no GPU of the model has, by the driver's reason.
func (m *model) absentOf() map[string][]string {
	absent := []metric.ID{metric.Fan, metric.RetiredCorrectable, metric.RetiredUncorrectable, metric.RetiredPending}
	if !m.gpm {
		absent = append(absent, metric.SMActive, metric.SMOccupancy, metric.TensorActive, metric.DRAMActive,
			metric.FabricState, metric.FabricStatus)
	}
	var keys []string
	for _, id := range absent {
		keys = append(keys, id.Row().Key)
	}
	return map[string][]string{"Not Supported": keys}
}

// fill adds the metrics that follow from a sample's utilization, clocks and power.
func (w *world) fill(v *metric.Values, h *host, gpu int, now time.Duration, l load.Load) {
	m, s := h.model, &h.gpus[gpu]
	for _, engine := range []metric.ID{metric.Encoder, metric.Decoder, metric.JPEG, metric.OFA} {
		v.Set(engine, 0)
	}
	if m.gpm {
		v.Set(metric.SMActive, 92*l.Util)
		v.Set(metric.SMOccupancy, 38*l.Util)
		v.Set(metric.TensorActive, 55*l.Work*min(l.Util*1.05, 1))
		v.Set(metric.DRAMActive, 84*l.Memory)
		v.Set(metric.FabricState, 3)
		v.Set(metric.FabricStatus, 0)
	}
	v.Set(metric.BAR1Used, float64(2<<20))
	v.Set(metric.MemoryTemperature, min(math.Floor(v.Float(metric.Temperature)+6+8*l.Memory), hottestMemory))
	v.Set(metric.PerformanceState, 0)
	v.Set(metric.GraphicsClock, v.Float(metric.SMClock))
	v.Set(metric.VideoClock, math.Floor(float64(m.videoMax)*v.Float(metric.SMClock)/float64(m.smMax)))
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

// Bytes per second of a job at full work: the exchange of all GPUs over NVLink, and the data from the host.
const (
	exchanged = 95e9
	fetched   = 1.6e9
)

// hottestMemory is the maximum temperature of the memory, in degrees. A GPU that throttles keeps it.
const hottestMemory = 95

// heldUp is the share of the exchange that remains while one of the GPUs lags, since all wait for it.
const heldUp = 0.4

// brokenLink is the NVLink that is down on the GPU with that fate.
const brokenLink = 7

func (w *world) fillLinks(v *metric.Values, h *host, gpu int, now time.Duration, l load.Load) {
	m, s := h.model, &h.gpus[gpu]
	r := w.noise('x', h.number, gpu, int64(now/time.Second))
	up := uint64(1)<<m.links - 1
	if s.fate&unlinks != 0 && now >= unlinkedAt {
		up &^= 1 << brokenLink
	}
	v.Set(metric.NVLinkUp, float64(up))
	bytes := exchanged * l.Memory * (0.9 + 0.2*r)
	if s.use != nil && s.use.job == trainingID && w.lagging && during(now, lagBegins, lagEnds) {
		bytes *= heldUp
	}
	v.Set(metric.NVLinkTX, bytes)
	v.Set(metric.NVLinkRX, bytes)
	v.Set(metric.PCIeTX, fetched/4*l.Work*(0.8+0.4*r))
	v.Set(metric.PCIeRX, fetched*l.Work*(0.8+0.4*r))
	for _, none := range []metric.ID{metric.NVLinkCRC, metric.NVLinkReplays, metric.NVLinkRecoveries} {
		v.Set(none, 0)
	}
	gen := m.pcie
	if l.Work == 0 { // the link sleeps
		gen = 1
	}
	v.Set(metric.PCIeGen, float64(gen))
	v.Set(metric.PCIeWidth, 16)
	v.Set(metric.PCIeReplays, math.Floor(3*w.noise('y', h.number, gpu, 0)))
}

// fillCounters sets the driver's counters since it was loaded, when the node was booted.
func (w *world) fillCounters(v *metric.Values, h *host, gpu int, now time.Duration) {
	m, s := h.model, &h.gpus[gpu]
	up := (h.booted() + now).Seconds()
	v.Set(metric.Energy, up*m.limit*(0.7+0.1*w.noise('e', h.number, gpu, 0)))
	v.Set(metric.PowerCapTime, up*0.6)
	v.Set(metric.SyncBoostTime, 0)
	hot, braked := 0.0, 0.0
	if s.fate&overheats != 0 {
		hot = spent(now, heatBegins+(heatFull-heatBegins)*9/10, heatEnds)
	}
	if s.fate&brakes != 0 {
		braked = spent(now, brakeBegins, brakeEnds)
	}
	v.Set(metric.SWThermalTime, 0)
	v.Set(metric.HWThermalTime, hot)
	v.Set(metric.PowerBrakeTime, braked)
	for _, none := range []metric.ID{
		metric.ECCUncorrectedAggregate, metric.RemappedCorrectable, metric.RemappedUncorrectable, metric.RemapPending,
		metric.RemapFailed,
	} {
		v.Set(none, 0)
	}
	corrected := math.Floor(2.5 * w.noise('d', h.number, gpu, 0))
	v.Set(metric.ECCCorrected, corrected)
	v.Set(metric.ECCCorrectedAggregate, corrected+math.Floor(9*w.noise('D', h.number, gpu, 0)))
}

// spent returns the seconds of the story until now that are between a and b, in all its runs.
func spent(now, a, b time.Duration) float64 {
	if now < 0 {
		return 0
	}
	return (now/cycle*(b-a) + min(max(now%cycle-a, 0), b-a)).Seconds()
}

// xids returns the events of the driver since the previous report. A GPU that falls off the bus has one such event.
func (w *world) xids(h *host, now time.Duration) []wire.Xid {
	var list []wire.Xid
	for g := range h.gpus {
		if s := &h.gpus[g]; s.fate&vanishes != 0 && now >= lostAt && now-w.poll < lostAt {
			list = append(list, wire.Xid{GPU: g, Code: fellOff, MonoMS: (h.booted() + lostAt).Milliseconds()})
		}
	}
	return list
}

// fellOff is the Xid of a GPU that has fallen off the bus.
const fellOff = 79
