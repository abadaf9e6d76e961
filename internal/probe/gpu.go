package probe

import "github.com/nvnodetop/nvnodetop/internal/wire"

// gauge reads one thing of a GPU.
type gauge struct {
	name string // in Fault.Collector
	read func(Device, *wire.GPU) error
}

// gauges are what is read of every GPU in every report.
var gauges = []gauge{
	{"utilization", func(d Device, g *wire.GPU) error {
		util, mem, err := d.Utilization()
		return set(err, func() { g.UtilPercent, g.MemUtilPercent = &util, &mem })
	}},
	{"memory", func(d Device, g *wire.GPU) error {
		used, total, err := d.Memory()
		return set(err, func() { g.MemoryUsed, g.MemoryTotal = &used, &total })
	}},
	{"temperature", func(d Device, g *wire.GPU) error { return put(&g.TempC, d.Temperature) }},
	{"power", func(d Device, g *wire.GPU) error { return put(&g.PowerW, d.Power) }},
	{"power limit", func(d Device, g *wire.GPU) error { return put(&g.PowerLimitW, d.PowerLimit) }},
	{"SM clock", func(d Device, g *wire.GPU) error { return put(&g.SMMHz, d.SMClock) }},
	{"memory clock", func(d Device, g *wire.GPU) error { return put(&g.MemMHz, d.MemoryClock) }},
	{"throttle reasons", func(d Device, g *wire.GPU) error { return put(&g.Throttle, d.Throttle) }},
	{"ECC", func(d Device, g *wire.GPU) error { return put(&g.ECCUncorrected, d.ECCUncorrected) }},
}

func set(err error, assign func()) error {
	if err == nil {
		assign()
	}
	return err
}

func put[T any](to **T, read func() (T, error)) error {
	v, err := read()
	return set(err, func() { *to = &v })
}

// collectGPUs reads every gauge of every GPU. The driver is gone when all GPUs that had a handle say so.
func (s *sampler) collectGPUs(sm *sample) {
	var handles, gone int
	var last error
	for _, slot := range s.cards.slots {
		g, err := readGPU(slot, sm)
		if slot.Device != nil {
			handles++
		}
		if err != nil {
			gone++
			last = err
		}
		sm.GPUs = append(sm.GPUs, g)
	}
	switch gone {
	case 0:
	case handles:
		sm.gone = last.Error()
	default:
		sm.fault("gpu", last)
	}
}

// readGPU returns an error only when the driver itself is gone.
func readGPU(slot Slot, sm *sample) (wire.GPU, error) {
	g := wire.GPU{Index: slot.Index, Lost: slot.Lost}
	if slot.Device == nil {
		return g, nil
	}
	for _, gauge := range gauges {
		err := gauge.read(slot.Device, &g)
		if err == nil {
			continue
		}
		switch kindOf(err) {
		case Absent:
		case Lost:
			return wire.GPU{Index: slot.Index, Lost: err.Error()}, nil
		case Gone:
			return g, err
		default:
			sm.fault(gauge.name, err)
		}
	}
	return g, nil
}
