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
	numberReader(metric.Encoder, firstOf(nvml.Device.GetEncoderUtilization)), // the second is the period of the mean
	numberReader(metric.Decoder, firstOf(nvml.Device.GetDecoderUtilization)),
	numberReader(metric.JPEG, firstOf(nvml.Device.GetJpgUtilization)),
	numberReader(metric.OFA, firstOf(nvml.Device.GetOfaUtilization)),
	numberReader(metric.MemoryUsed, firstOf(readMemory)),
	numberReader(metric.MemoryTotal, secondOf(readMemory)),
	numberReader(metric.BAR1Used, firstOf(readBAR1)),
	numberReader(metric.BAR1Total, secondOf(readBAR1)),
}

func readUtilization(d *device, to *driver.Answer) nvml.Return {
	u, ret := d.nvml.GetUtilizationRates()
	if ret == nvml.SUCCESS {
		to.Set(metric.Util, float64(u.Gpu))
		to.Set(metric.MemUtil, float64(u.Memory))
	}
	return ret
}

// readMemory reads the memory that processes use. Only the second version of the call excludes the memory that the
// driver reserves; a driver that has this version may still refuse it for a GPU.
func readMemory(d nvml.Device) (used, total uint64, ret nvml.Return) {
	m, ret := d.GetMemoryInfo_v2()
	if ret != nvml.ERROR_NOT_SUPPORTED && ret != nvml.ERROR_FUNCTION_NOT_FOUND {
		return m.Used, m.Total, ret
	}
	old, ret := d.GetMemoryInfo()
	return old.Used, old.Total, ret
}

func readBAR1(d nvml.Device) (used, total uint64, ret nvml.Return) {
	m, ret := d.GetBAR1MemoryInfo()
	return m.Bar1Used, m.Bar1Total, ret
}
