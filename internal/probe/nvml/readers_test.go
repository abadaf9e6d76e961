//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"
	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Each metric of a GPU has one reader. The metrics of one reader have the same pace and the same functions.
func TestReaders(t *testing.T) {
	times := map[metric.ID]int{}
	for _, r := range (&device{}).deviceReaders() {
		first := r.IDs[0].Row()
		for _, id := range r.IDs {
			times[id]++
			if row := id.Row(); row.Pace != first.Pace || !slices.Equal(row.From, first.From) {
				t.Errorf("%v is read with %v, which has another pace or other functions", id, r.IDs[0])
			}
		}
	}
	for id := range metric.All(metric.GPU) {
		if times[id] != 1 {
			t.Errorf("%v has %d readers", id, times[id])
		}
	}
}

// fullGPU answers every call except those for fields and GPM.
func fullGPU(ret nvml.Return) *mock.Device {
	number := func(n uint32) func() (uint32, nvml.Return) { return func() (uint32, nvml.Return) { return n, ret } }
	whole := func(n int) func() (int, nvml.Return) { return func() (int, nvml.Return) { return n, ret } }
	sampled := func(n uint32) func() (uint32, uint32, nvml.Return) {
		return func() (uint32, uint32, nvml.Return) { return n, 167_000, ret }
	}
	text := func(s string) func() (string, nvml.Return) { return func() (string, nvml.Return) { return s, ret } }
	return &mock.Device{
		GetUUIDFunc:                  text("GPU-1"),
		GetNameFunc:                  text("NVIDIA A100"),
		GetSerialFunc:                text("165"),
		GetVbiosVersionFunc:          text("92.00"),
		GetCudaComputeCapabilityFunc: func() (int, int, nvml.Return) { return 8, 0, ret },
		GetMinorNumberFunc:           whole(3),
		GetPciInfoFunc: func() (nvml.PciInfo, nvml.Return) {
			return nvml.PciInfo{BusId: [32]int8{'0', '0', '0', '0', ':', '1', 'B'}}, ret
		},
		GetMigModeFunc: func() (int, int, nvml.Return) {
			return nvml.DEVICE_MIG_DISABLE, 0, ret
		},
		GetUtilizationRatesFunc: func() (nvml.Utilization, nvml.Return) {
			return nvml.Utilization{Gpu: 97, Memory: 41}, ret
		},
		GetEncoderUtilizationFunc: sampled(1),
		GetDecoderUtilizationFunc: sampled(2),
		GetJpgUtilizationFunc:     sampled(3),
		GetOfaUtilizationFunc:     sampled(4),
		GetMemoryInfo_v2Func: func() (nvml.Memory_v2, nvml.Return) {
			return nvml.Memory_v2{Total: 80, Used: 30}, ret
		},
		GetMemoryInfoFunc: func() (nvml.Memory, nvml.Return) {
			return nvml.Memory{Total: 80, Used: 31}, ret
		},
		GetBAR1MemoryInfoFunc: func() (nvml.BAR1Memory, nvml.Return) {
			return nvml.BAR1Memory{Bar1Total: 128, Bar1Used: 6}, ret
		},
		GetTemperatureFunc: func(nvml.TemperatureSensors) (uint32, nvml.Return) { return 71, ret },
		GetTemperatureThresholdFunc: func(t nvml.TemperatureThresholds) (uint32, nvml.Return) {
			return 90 + uint32(t), ret
		},
		GetFanSpeedFunc:                        number(33),
		GetPowerUsageFunc:                      number(312_500),
		GetEnforcedPowerLimitFunc:              number(400_000),
		GetPowerManagementDefaultLimitFunc:     number(410_000),
		GetPowerManagementLimitConstraintsFunc: func() (uint32, uint32, nvml.Return) { return 100_000, 420_000, ret },
		GetPerformanceStateFunc:                func() (nvml.Pstates, nvml.Return) { return nvml.PSTATE_2, ret },
		GetClockInfoFunc: func(c nvml.ClockType) (uint32, nvml.Return) {
			return 1000 + uint32(c), ret
		},
		GetMaxClockInfoFunc: func(c nvml.ClockType) (uint32, nvml.Return) {
			return 2000 + uint32(c), ret
		},
		GetCurrentClocksEventReasonsFunc: func() (uint64, nvml.Return) { return 0x48, ret },
		GetPersistenceModeFunc: func() (nvml.EnableState, nvml.Return) {
			return nvml.FEATURE_ENABLED, ret
		},
		GetComputeModeFunc: func() (nvml.ComputeMode, nvml.Return) {
			return nvml.COMPUTEMODE_EXCLUSIVE_PROCESS, ret
		},
		GetDisplayModeFunc:            func() (nvml.EnableState, nvml.Return) { return nvml.FEATURE_ENABLED, ret },
		GetDisplayActiveFunc:          func() (nvml.EnableState, nvml.Return) { return nvml.FEATURE_DISABLED, ret },
		GetCurrPcieLinkGenerationFunc: whole(4),
		GetMaxPcieLinkGenerationFunc:  whole(5),
		GetCurrPcieLinkWidthFunc:      whole(8),
		GetMaxPcieLinkWidthFunc:       whole(16),
		GetPcieReplayCounterFunc:      whole(9),
		GetNvLinkStateFunc: func(link int) (nvml.EnableState, nvml.Return) {
			return nvlinkState(link, ret)
		},
		// of an old driver
		GetGpuFabricInfoVFunc: func() nvml.GpuFabricInfoHandler { return nvml.GpuFabricInfoHandler{} },
		GetGpuFabricInfoFunc: func() (nvml.GpuFabricInfo, nvml.Return) {
			return nvml.GpuFabricInfo{State: nvml.GPU_FABRIC_STATE_COMPLETED, ClusterUuid: [16]uint8{15: 9},
				CliqueId: 4}, ret
		},
		GetMemoryAffinityFunc: func(int, nvml.AffinityScope) ([]uint, nvml.Return) { return []uint{0, 1 << 3}, ret },
		GetEccModeFunc: func() (nvml.EnableState, nvml.EnableState, nvml.Return) {
			return nvml.FEATURE_ENABLED, nvml.FEATURE_DISABLED, ret
		},
		GetTotalEccErrorsFunc: func(t nvml.MemoryErrorType, c nvml.EccCounterType) (uint64, nvml.Return) {
			return 10*uint64(t) + uint64(c), ret
		},
		GetRetiredPagesFunc: func(c nvml.PageRetirementCause) ([]uint64, nvml.Return) {
			return make([]uint64, 1+c), ret
		},
		GetRetiredPagesPendingStatusFunc: func() (nvml.EnableState, nvml.Return) { return nvml.FEATURE_ENABLED, ret },
		GetRemappedRowsFunc:              func() (int, int, bool, bool, nvml.Return) { return 5, 6, true, false, ret },
		GetRowRemapperHistogramFunc: func() (nvml.RowRemapperHistogramValues, nvml.Return) {
			return nvml.RowRemapperHistogramValues{Max: 630, High: 3, Partial: 2, Low: 4, None: 1}, ret
		},
	}
}

// nvlinkState is the state of a GPU with links 0 to 3. Link 1 is down.
func nvlinkState(link int, ret nvml.Return) (nvml.EnableState, nvml.Return) {
	switch {
	case link > 3:
		return 0, nvml.ERROR_INVALID_ARGUMENT
	case link == 1:
		return nvml.FEATURE_DISABLED, ret
	}
	return nvml.FEATURE_ENABLED, ret
}

// readCalls reads everything but fields.
func readCalls(d *device, each func(driver.Reader, error)) *driver.Answer {
	got := &driver.Answer{}
	for _, r := range d.deviceReaders() {
		if from := r.IDs[0].Row().From[0]; from != "nvmlDeviceGetFieldValues" && from != "nvmlGpmMetricsGet" {
			each(r, r.Read(got))
		}
	}
	return got
}

func TestReadersOfAFullGPU(t *testing.T) {
	const want = `{"util_percent":97,"mem_util_percent":41,"encoder_percent":1,"decoder_percent":2,"jpeg_percent":3,"ofa_percent":4,` +
		`"memory_used_bytes":30,"memory_total_bytes":80,"bar1_used_bytes":6,"bar1_total_bytes":128,"temperature_celsius":71,"slowdown_celsius":91,` +
		`"shutdown_celsius":90,"max_operating_celsius":93,"memory_max_operating_celsius":92,"fan_percent":33,"power_watts":312.5,"power_limit_watts":400,` +
		`"power_limit_default_watts":410,"power_limit_max_watts":420,"performance_state":2,"sm_mhz":1001,"sm_max_mhz":2001,"mem_mhz":1002,` +
		`"mem_max_mhz":2002,"graphics_mhz":1000,"graphics_max_mhz":2000,"video_mhz":1003,"video_max_mhz":2003,"throttle_reasons":72,"pcie_gen":4,` +
		`"pcie_gen_max":5,"pcie_width":8,"pcie_width_max":16,"pcie_replays":9,"nvlink_links":4,"nvlink_up":13,"ecc_enabled":1,` +
		`"ecc_uncorrected_volatile":10,"ecc_corrected_volatile":0,"ecc_uncorrected_aggregate":11,"ecc_corrected_aggregate":1,` +
		`"retired_pages_correctable":1,"retired_pages_uncorrectable":2,"retired_pages_pending":1,"remapped_rows_correctable":5,` +
		`"remapped_rows_uncorrectable":6,"remap_pending":1,"remap_failed":0,"banks_without_spare_rows":1,"persistence_mode":1,"compute_mode":3,"display_mode":1,"display_active":0,"fabric_state":3,"fabric_status":0,"fabric_clique":4,"numa_node":67}`
	got := readCalls(&device{nvml: fullGPU(nvml.SUCCESS)}, func(r driver.Reader, err error) {
		if err != nil {
			t.Errorf("%v: %v", r.IDs[0], err)
		}
	})
	if diff := cmp.Diff(strings.Split(want, ","), strings.Split(got.String(), ",")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// An unsupported or failing value is absent, and the two are distinct.
func TestReadersThatFail(t *testing.T) {
	for ret, want := range map[nvml.Return]driver.ErrorKind{
		nvml.ERROR_NOT_SUPPORTED: driver.Absent, nvml.ERROR_NO_PERMISSION: driver.Denied,
		nvml.ERROR_UNKNOWN: driver.Other, nvml.ERROR_GPU_IS_LOST: driver.Lost,
	} {
		got := readCalls(&device{nvml: fullGPU(ret), gpm: &gpm{}}, func(r driver.Reader, err error) {
			if err == nil || driver.KindOf(err) != want {
				t.Errorf("%v: %v is of kind %v, want %v", r.IDs[0], err, driver.KindOf(err), want)
			}
		})
		if !got.Empty() {
			t.Errorf("%v: got %v", ret, &got.Values)
		}
	}
}

// A number that cannot be true is absent.
func TestNonsenseIsAbsent(t *testing.T) {
	gpu := fullGPU(nvml.SUCCESS)
	gpu.GetEnforcedPowerLimitFunc = func() (uint32, nvml.Return) { return 0, nvml.SUCCESS }
	gpu.GetMaxClockInfoFunc = func(nvml.ClockType) (uint32, nvml.Return) { return 0, nvml.SUCCESS }
	gpu.GetCurrPcieLinkWidthFunc = func() (int, nvml.Return) { return 0, nvml.SUCCESS }
	gpu.GetPerformanceStateFunc = func() (nvml.Pstates, nvml.Return) { return nvml.PSTATE_UNKNOWN, nvml.SUCCESS }
	gpu.GetNvLinkStateFunc = func(int) (nvml.EnableState, nvml.Return) { return 0, nvml.ERROR_INVALID_ARGUMENT }
	gpu.GetGpuFabricInfoFunc = func() (nvml.GpuFabricInfo, nvml.Return) { return nvml.GpuFabricInfo{}, nvml.SUCCESS }
	gpu.GetMemoryAffinityFunc = func(int, nvml.AffinityScope) ([]uint, nvml.Return) {
		return []uint{0, 0}, nvml.SUCCESS
	}
	absent := []metric.ID{
		metric.PowerLimit, metric.SMClockMax, metric.MemClockMax, metric.GraphicsClockMax, metric.VideoClockMax,
		metric.PCIeWidth,
		metric.PerformanceState, metric.NVLinks, metric.NVLinkUp, metric.FabricState, metric.NUMANode,
	}
	got := readCalls(&device{nvml: gpu}, func(r driver.Reader, err error) {
		if slices.Contains(absent, r.IDs[0]) != (driver.KindOf(err) == driver.Absent) {
			t.Errorf("%v: %v", r.IDs[0], err)
		}
	})
	for _, id := range absent {
		if got.Has(id) {
			t.Errorf("%v is %v", id, got.Float(id))
		}
	}
}

func TestRegistration(t *testing.T) {
	of := [16]uint8{0xfa, 0xce, 15: 7}
	const uuid = "face0000-0000-0000-0000-000000000007"
	for name, tc := range map[string]struct {
		info   nvml.GpuFabricInfo_v2
		want   string
		domain string
	}{
		"none": {nvml.GpuFabricInfo_v2{State: nvml.GPU_FABRIC_STATE_NOT_SUPPORTED}, `{}`, ""},
		"in progress": {nvml.GpuFabricInfo_v2{State: nvml.GPU_FABRIC_STATE_IN_PROGRESS, ClusterUuid: of},
			`{"fabric_state":2}`, ""},
		"failed": {nvml.GpuFabricInfo_v2{State: nvml.GPU_FABRIC_STATE_COMPLETED, Status: 9, ClusterUuid: of},
			`{"fabric_state":3,"fabric_status":9}`, ""},
		"of one node": {nvml.GpuFabricInfo_v2{State: nvml.GPU_FABRIC_STATE_COMPLETED},
			`{"fabric_state":3,"fabric_status":0,"fabric_clique":0}`, ""},
		"of several nodes": {nvml.GpuFabricInfo_v2{State: nvml.GPU_FABRIC_STATE_COMPLETED, ClusterUuid: of, CliqueId: 5,
			HealthMask: 0x1aa}, `{"fabric_state":3,"fabric_status":0,"fabric_health":426,"fabric_clique":5}`, uuid},
	} {
		var got driver.Answer
		ret := setRegistration(&tc.info, &got)
		if got.String() != tc.want || (ret == nvml.SUCCESS) != (tc.want != "{}") || fabricDomain(&tc.info) != tc.domain {
			t.Errorf("%s: got %v, %v, %q, want %s, %q", name, &got.Values, ret, fabricDomain(&tc.info), tc.want, tc.domain)
		}
	}
}

// A group without any function in the library is reported once, under the name of its newest function.
func TestMissing(t *testing.T) {
	there := []string{"nvmlDeviceGetMemoryInfo", "nvmlDeviceGetUtilizationRates"}
	times := map[string]int{}
	for _, name := range missingSymbols(&mock.ExtendedInterface{LookupSymbolFunc: func(name string) error {
		if slices.Contains(there, name) {
			return nil
		}
		return errors.New("undefined symbol")
	}}) {
		times[name]++
	}
	for name, want := range map[string]int{
		"nvmlDeviceGetClockInfo": 1, "nvmlDeviceGetCurrentClocksEventReasons": 1, "nvmlDeviceGetMemoryInfo_v2": 0,
		"nvmlDeviceGetUtilizationRates": 0,
	} {
		if times[name] != want {
			t.Errorf("%s is missing %d times, want %d", name, times[name], want)
		}
	}
}
