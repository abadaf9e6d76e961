//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// errorReaders read memory errors and their consequences.
var errorReaders = []reader{
	numberReader(metric.ECCMode, firstOf(nvml.Device.GetEccMode)), // the second is that after the next start
	eccReader(metric.ECCUncorrected, nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC),
	eccReader(metric.ECCCorrected, nvml.MEMORY_ERROR_TYPE_CORRECTED, nvml.VOLATILE_ECC),
	eccReader(metric.ECCUncorrectedAggregate, nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.AGGREGATE_ECC),
	eccReader(metric.ECCCorrectedAggregate, nvml.MEMORY_ERROR_TYPE_CORRECTED, nvml.AGGREGATE_ECC),
	retiredReader(metric.RetiredCorrectable, nvml.PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS),
	retiredReader(metric.RetiredUncorrectable, nvml.PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR),
	numberReader(metric.RetiredPending, nvml.Device.GetRetiredPagesPendingStatus),
	{[]metric.ID{metric.RemappedCorrectable, metric.RemappedUncorrectable, metric.RemapPending, metric.RemapFailed},
		readRemapped},
	numberReader(metric.BanksWithoutSpareRows, func(d nvml.Device) (uint32, nvml.Return) {
		banks, ret := d.GetRowRemapperHistogram()
		return banks.None, ret
	}),
}

func eccReader(id metric.ID, typ nvml.MemoryErrorType, since nvml.EccCounterType) reader {
	return numberReader(id, func(d nvml.Device) (uint64, nvml.Return) { return d.GetTotalEccErrors(typ, since) })
}

func retiredReader(id metric.ID, cause nvml.PageRetirementCause) reader {
	return numberReader(id, func(d nvml.Device) (int, nvml.Return) {
		pages, ret := d.GetRetiredPages(cause)
		return len(pages), ret
	})
}

func readRemapped(d *device, to *driver.Answer) nvml.Return {
	correctable, uncorrectable, pending, failed, ret := d.nvml.GetRemappedRows()
	if ret == nvml.SUCCESS {
		to.Set(metric.RemappedCorrectable, float64(correctable))
		to.Set(metric.RemappedUncorrectable, float64(uncorrectable))
		to.Set(metric.RemapPending, flagValue(pending))
		to.Set(metric.RemapFailed, flagValue(failed))
	}
	return ret
}

func flagValue(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
