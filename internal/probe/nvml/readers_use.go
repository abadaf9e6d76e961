//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// useReaders read use and memory.
var useReaders = []reader{
	{[]metric.ID{metric.Util, metric.MemUtil}, utilization},
	one(metric.Encoder, func(d *device) (uint32, nvml.Return) { return sampled(d.nvml.GetEncoderUtilization()) }),
	one(metric.Decoder, func(d *device) (uint32, nvml.Return) { return sampled(d.nvml.GetDecoderUtilization()) }),
	one(metric.JPEG, func(d *device) (uint32, nvml.Return) { return sampled(d.nvml.GetJpgUtilization()) }),
	one(metric.OFA, func(d *device) (uint32, nvml.Return) { return sampled(d.nvml.GetOfaUtilization()) }),
	one(metric.MemoryUsed, func(d *device) (uint64, nvml.Return) { used, _, ret := d.memory(); return used, ret }),
	one(metric.MemoryTotal, func(d *device) (uint64, nvml.Return) {
		_, total, ret := d.memory()
		return total,
			ret
	}),
	one(metric.BAR1Used, func(d *device) (uint64, nvml.Return) {
		m,
			ret := d.nvml.GetBAR1MemoryInfo()
		return m.Bar1Used, ret
	}),
	one(metric.BAR1Total, func(d *device) (uint64, nvml.Return) {
		m,
			ret := d.nvml.GetBAR1MemoryInfo()
		return m.Bar1Total, ret
	}),
}

func utilization(d *device, to *driver.Answer) nvml.Return {
	u, ret := d.nvml.GetUtilizationRates()
	if ret == nvml.SUCCESS {
		to.Set(metric.Util, float64(u.Gpu))
		to.Set(metric.MemUtil, float64(u.Memory))
	}
	return ret
}

// sampled drops the period over which the driver has averaged.
func sampled(percent, _ uint32, ret nvml.Return) (uint32, nvml.Return) { return percent, ret }

// memory reads the memory that processes use. Only the second version of the call excludes the memory that the driver
// reserves; a driver that has this version may still refuse it for a GPU.
func (d *device) memory() (used, total uint64, ret nvml.Return) {
	m, ret := d.nvml.GetMemoryInfo_v2()
	if ret != nvml.ERROR_NOT_SUPPORTED && ret != nvml.ERROR_FUNCTION_NOT_FOUND {
		return m.Used, m.Total, ret
	}
	old, ret := d.nvml.GetMemoryInfo()
	return old.Used, old.Total, ret
}
