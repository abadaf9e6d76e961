//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// useReaders read use and memory.
var useReaders = []reader{
	{[]metric.ID{metric.Util, metric.MemUtil}, readUtilization},
	numberReader(metric.Encoder, func(d *device) (uint32,
		nvml.Return) {
		return withoutPeriod(d.nvml.GetEncoderUtilization())
	}),
	numberReader(metric.Decoder, func(d *device) (uint32,
		nvml.Return) {
		return withoutPeriod(d.nvml.GetDecoderUtilization())
	}),
	numberReader(metric.JPEG, func(d *device) (uint32, nvml.Return) { return withoutPeriod(d.nvml.GetJpgUtilization()) }),
	numberReader(metric.OFA, func(d *device) (uint32, nvml.Return) { return withoutPeriod(d.nvml.GetOfaUtilization()) }),
	numberReader(metric.MemoryUsed, func(d *device) (uint64, nvml.Return) {
		used, _, ret := d.readMemory()
		return used,
			ret
	}),
	numberReader(metric.MemoryTotal, func(d *device) (uint64, nvml.Return) {
		_, total, ret := d.readMemory()
		return total,
			ret
	}),
	numberReader(metric.BAR1Used, func(d *device) (uint64, nvml.Return) {
		m,
			ret := d.nvml.GetBAR1MemoryInfo()
		return m.Bar1Used, ret
	}),
	numberReader(metric.BAR1Total, func(d *device) (uint64, nvml.Return) {
		m,
			ret := d.nvml.GetBAR1MemoryInfo()
		return m.Bar1Total, ret
	}),
}

func readUtilization(d *device, to *driver.Answer) nvml.Return {
	u, ret := d.nvml.GetUtilizationRates()
	if ret == nvml.SUCCESS {
		to.Set(metric.Util, float64(u.Gpu))
		to.Set(metric.MemUtil, float64(u.Memory))
	}
	return ret
}

// withoutPeriod drops the period over which the driver has averaged.
func withoutPeriod(percent, _ uint32, ret nvml.Return) (uint32, nvml.Return) { return percent, ret }

// readMemory reads the memory that processes use. Only the second version of the call excludes the memory that the
// driver reserves; a driver that has this version may still refuse it for a GPU.
func (d *device) readMemory() (used, total uint64, ret nvml.Return) {
	m, ret := d.nvml.GetMemoryInfo_v2()
	if ret != nvml.ERROR_NOT_SUPPORTED && ret != nvml.ERROR_FUNCTION_NOT_FOUND {
		return m.Used, m.Total, ret
	}
	old, ret := d.nvml.GetMemoryInfo()
	return old.Used, old.Total, ret
}
