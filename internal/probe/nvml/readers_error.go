//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// errorReaders read memory errors and their consequences.
var errorReaders = []reader{
	one(metric.ECCMode, func(d *device) (nvml.EnableState, nvml.Return) {
		current, _, ret := d.nvml.GetEccMode()
		return current, ret
	}),
	ecc(metric.ECCUncorrected, nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC),
	ecc(metric.ECCCorrected, nvml.MEMORY_ERROR_TYPE_CORRECTED, nvml.VOLATILE_ECC),
	ecc(metric.ECCUncorrectedAggregate, nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.AGGREGATE_ECC),
	ecc(metric.ECCCorrectedAggregate, nvml.MEMORY_ERROR_TYPE_CORRECTED, nvml.AGGREGATE_ECC),
	retired(metric.RetiredCorrectable, nvml.PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS),
	retired(metric.RetiredUncorrectable, nvml.PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR),
	one(metric.RetiredPending, func(d *device) (nvml.EnableState,
		nvml.Return) {
		return d.nvml.GetRetiredPagesPendingStatus()
	}),
	{[]metric.ID{metric.RemappedCorrectable, metric.RemappedUncorrectable, metric.RemapPending, metric.RemapFailed},
		remapped},
	one(metric.BanksWithoutSpareRows, func(d *device) (uint32, nvml.Return) {
		banks, ret := d.nvml.GetRowRemapperHistogram()
		return banks.None, ret
	}),
}

func ecc(id metric.ID, typ nvml.MemoryErrorType, since nvml.EccCounterType) reader {
	return one(id, func(d *device) (uint64, nvml.Return) { return d.nvml.GetTotalEccErrors(typ, since) })
}

func retired(id metric.ID, cause nvml.PageRetirementCause) reader {
	return one(id, func(d *device) (int, nvml.Return) {
		pages, ret := d.nvml.GetRetiredPages(cause)
		return len(pages), ret
	})
}

func remapped(d *device, to *driver.Answer) nvml.Return {
	correctable, uncorrectable, pending, failed, ret := d.nvml.GetRemappedRows()
	if ret == nvml.SUCCESS {
		to.Set(metric.RemappedCorrectable, float64(correctable))
		to.Set(metric.RemappedUncorrectable, float64(uncorrectable))
		to.Set(metric.RemapPending, flag(pending))
		to.Set(metric.RemapFailed, flag(failed))
	}
	return ret
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
