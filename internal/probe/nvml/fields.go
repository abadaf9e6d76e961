//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// field is a metric that NVML provides as numbered fields.
type field struct {
	id      metric.ID
	sources []fieldSource // the first source that the GPU supports is read
}

// fieldSource is where a metric comes from: the sum of some fields.
type fieldSource struct {
	fields []uint32
	scale  float64 // factor from the fields' unit to the metric's
	scope  uint32  // first scope of each field
	scopes uint32  // number of scopes from there on
	since  int     // the first major driver version that has the fields
}

func fieldSources(fields ...uint32) []fieldSource {
	return []fieldSource{{fields: fields, scale: 1, scopes: 1}}
}

func scaledSource(scale float64, fields ...uint32) fieldSource {
	return fieldSource{fields: fields, scale: scale, scopes: 1}
}

// allLinks is the sum of a field over the NVLink links, computed by NVML.
func allLinks(scale float64, field uint32) fieldSource {
	return fieldSource{fields: []uint32{field}, scale: scale, scope: math.MaxUint32, scopes: 1}
}

// eachLink is the sum of a field over the NVLink links, for fields that NVML provides only per link.
func eachLink(field uint32) fieldSource {
	return fieldSource{fields: []uint32{field}, scale: 1, scopes: nvml.NVLINK_MAX_LINKS}
}

const (
	nanoseconds = 1e-9
	millijoules = 1e-3
	kibibytes   = 1 << 10
)

// NVML's header has given several numbers to these fields. In the header of CUDA 12.9 and 13.0 (drivers 575 and 580)
// they are 251 to 253, numbers that belonged to power smoothing before and do so again later. In the headers of CUDA
// 13.1 to 13.3 (from driver 590 on) they are 269 to 271, which belonged to power smoothing in between. It is unknown
// which release of driver 580 changed the numbers. So these fields are read only from driver 590 on: with an older
// driver the metrics are absent rather than wrong.
const (
	swThermalTime  = 269 // NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN
	hwThermalTime  = 270 // NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN
	powerBrakeTime = 271 // NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN

	reasonTimesSince = 590
)

func reasonTime(field uint32) fieldSource {
	return fieldSource{fields: []uint32{field}, scale: nanoseconds, scopes: 1, since: reasonTimesSince}
}

// fastFields are read in each report, with one call.
var fastFields = []field{
	{metric.MemoryTemperature, fieldSources(nvml.FI_DEV_MEMORY_TEMP)},
	{metric.Energy, []fieldSource{scaledSource(millijoules, nvml.FI_DEV_TOTAL_ENERGY_CONSUMPTION)}},
	{metric.PowerCapTime, []fieldSource{scaledSource(nanoseconds, nvml.FI_DEV_PERF_POLICY_POWER)}},
	{metric.SyncBoostTime, []fieldSource{scaledSource(nanoseconds, nvml.FI_DEV_PERF_POLICY_SYNC_BOOST)}},
	{metric.ThermalTime, []fieldSource{scaledSource(nanoseconds, nvml.FI_DEV_PERF_POLICY_THERMAL)}},
	{metric.SWThermalTime, []fieldSource{reasonTime(swThermalTime)}},
	{metric.HWThermalTime, []fieldSource{reasonTime(hwThermalTime)}},
	{metric.PowerBrakeTime, []fieldSource{reasonTime(powerBrakeTime)}},
	{metric.PCIeTX, fieldSources(nvml.FI_DEV_PCIE_COUNT_TX_BYTES)},
	{metric.PCIeRX, fieldSources(nvml.FI_DEV_PCIE_COUNT_RX_BYTES)},
	{metric.NVLinkTX, []fieldSource{allLinks(kibibytes, nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_TX),
		allLinks(1, nvml.FI_DEV_NVLINK_COUNT_XMIT_BYTES)}},
	{metric.NVLinkRX, []fieldSource{allLinks(kibibytes, nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_RX),
		allLinks(1, nvml.FI_DEV_NVLINK_COUNT_RCV_BYTES)}},
	{metric.RecoveryAction, fieldSources(nvml.FI_DEV_GET_GPU_RECOVERY_ACTION)},
}

// slowFields are read once every metric.SlowSeconds, with one call. For some GPUs NVML provides totals of the NVLink
// errors; for others, the links are added up. NVLink 5 has fields of its own.
var slowFields = []field{
	{metric.NVLinkCRC, []fieldSource{
		scaledSource(1, nvml.FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL, nvml.FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL),
		eachLink(nvml.FI_DEV_NVLINK_ERROR_DL_CRC), eachLink(nvml.FI_DEV_NVLINK_COUNT_RCV_ERRORS),
	}},
	{metric.NVLinkReplays, []fieldSource{scaledSource(1, nvml.FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL),
		eachLink(nvml.FI_DEV_NVLINK_ERROR_DL_REPLAY)}},
	{metric.NVLinkRecoveries, []fieldSource{
		scaledSource(1, nvml.FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL),
		eachLink(nvml.FI_DEV_NVLINK_ERROR_DL_RECOVERY), eachLink(nvml.FI_DEV_NVLINK_COUNT_LINK_RECOVERY_EVENTS),
	}},
}
