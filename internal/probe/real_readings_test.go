//go:build linux && cgo && (amd64 || arm64)

package probe_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Each reading comes through the real go-nvml as the driver gives it.
func TestRealReadings(t *testing.T) {
	t.Parallel()
	everything, err := os.ReadFile("../../scripts/fakenvml/everything")
	if err != nil {
		t.Fatal(err)
	}
	p := run(t, "current", string(everything))
	h := p.listed()
	p.say(`{"id":1,"pace":{"interval_ms":1000}}`)
	p.report()
	r := p.report()
	defer p.leave()
	if len(h.Missing) > 0 || len(r.Faults) > 0 {
		t.Errorf("missing %v, faults %v", h.Missing, r.Faults)
	}
	// Those for the GPU, and one more if the wait for Xids begins anew. internal/probe/nvml counts the calls of the
	// readers. On a busy host the watch for Xids may begin between two reports.
	const perGPU = 22
	calls, known := r.Host.Get(metric.NVMLCalls)
	for range 3 {
		if known && calls <= perGPU+1 {
			break
		}
		calls, known = p.report().Host.Get(metric.NVMLCalls)
	}
	if !known || calls < perGPU || calls > perGPU+1 {
		t.Errorf("%v calls into the driver (known: %v), want perGPU, %d", calls, known, perGPU)
	}
	if c := h.GPUs[0]; c.Serial == "" || c.VBIOS == "" || c.Capability != "9.0" ||
		c.FabricDomain != "07070707-0707-0707-0707-070707070707" || len(c.Absent) != 0 {
		t.Errorf("card %+v", c)
	}
	got := map[string]float64{}
	for id := range metric.All(metric.GPU) {
		for _, v := range []metric.Values{h.GPUs[0].Values, r.GPUs[0].Values} {
			if x, known := v.Get(id); known {
				got[id.String()] = x
			}
		}
		if _, known := got[id.String()]; !known {
			t.Errorf("%v is absent", id)
		}
	}
	grows := func(key string, low, high float64) {
		t.Helper()
		if x := got[key]; x < low || x > high {
			t.Errorf("%s is %v, want %v to %v", key, x, low, high)
		}
		delete(got, key)
	}
	grows("energy_joules", 1e3, 1e12)
	grows("power_cap_seconds", 0.5, 60)
	grows("thermal_seconds", 0.5, 60)
	grows("hw_thermal_seconds", 0.5, 60)
	grows("pcie_tx_bytes_per_second", 95e6, 105e6)
	grows("pcie_rx_bytes_per_second", 190e6, 210e6)
	grows("nvlink_tx_bytes_per_second", 28e9, 32e9)
	grows("nvlink_rx_bytes_per_second", 38e9, 42e9)
	if diff := cmp.Diff(readings, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// listed waits for a Hello with GPUs. A probe that another test has just killed may look hung, so that this probe
// waits.
func (p *process) listed() *wire.Hello {
	p.t.Helper()
	return p.next(func(m wire.Message) bool { return m.Hello != nil && len(m.Hello.GPUs) > 0 }).Hello
}

// leave ends the probe without a signal, which could make another probe wait.
func (p *process) leave() {
	p.t.Helper()
	p.close()
	if err := p.wait(); err != nil {
		p.t.Errorf("ended with %v, %s", err, &p.stderr)
	}
}

// readings are the metrics of scripts/fakenvml/everything that do not grow.
var readings = map[string]float64{
	"memory_used_bytes": 70000 << 20, "memory_total_bytes": 81559 << 20, "bar1_used_bytes": 7 << 20,
	"bar1_total_bytes": 131072 << 20,
	"util_percent":     97, "mem_util_percent": 61, "encoder_percent": 12, "decoder_percent": 23, "jpeg_percent": 34,
	"ofa_percent":       45,
	"sm_active_percent": 81, "sm_occupancy_percent": 32, "tensor_active_percent": 43, "dram_active_percent": 54,
	"temperature_celsius": 71, "memory_temperature_celsius": 83, "slowdown_celsius": 90, "shutdown_celsius": 93,
	"max_operating_celsius": 86, "memory_max_operating_celsius": 96, "fan_percent": 33,
	"power_watts": 612, "power_limit_watts": 650, "power_limit_default_watts": 700, "power_limit_max_watts": 710,
	"performance_state": 2,
	"sm_mhz":            1100, "sm_max_mhz": 1980, "mem_mhz": 2600, "mem_max_mhz": 2619, "graphics_mhz": 1201,
	"graphics_max_mhz": 1990,
	"video_mhz":        1302, "video_max_mhz": 1545,
	"throttle_reasons":   wire.ThrottleHWThermal | wire.ThrottleSWPowerCap,
	"sync_boost_seconds": 0, "sw_thermal_seconds": 0, "power_brake_seconds": 0,
	"pcie_gen": 4, "pcie_gen_max": 5, "pcie_width": 8, "pcie_width_max": 16, "pcie_replays": 9,
	"nvlink_links": 18, "nvlink_up": 1<<18 - 1 - 1<<3, "nvlink_crc_errors": 11, "nvlink_replays": 12,
	"nvlink_recoveries": 13,
	"ecc_enabled":       1, "ecc_uncorrected_volatile": 5, "ecc_corrected_volatile": 6, "ecc_uncorrected_aggregate": 7,
	"ecc_corrected_aggregate":   8,
	"retired_pages_correctable": 1, "retired_pages_uncorrectable": 2, "retired_pages_pending": 1,
	"remapped_rows_correctable": 3, "remapped_rows_uncorrectable": 4, "remap_pending": 1, "remap_failed": 1,
	"recovery_action": 2, "persistence_mode": 1, "compute_mode": 3, "display_mode": 1, "display_active": 1, "fabric_state": 3, "fabric_status": 0,
	"fabric_health": 0x1a9, "fabric_clique": 5, "banks_without_spare_rows": 2,
	"numa_node": 1,
}

// A value that a driver or a GPU lacks is absent, with its reason, and is no fault.
func TestRealAbsence(t *testing.T) {
	t.Parallel()
	const unsupported, unknown = "Not Supported", "Function Not Found"
	for name, tt := range map[string]struct {
		library, scenario string
		absent            map[string][]string // some of the absent metrics, by reason
		there             []metric.ID
	}{
		"A100, R470": {"r470", "count 1\n",
			map[string][]string{unsupported: {"fan_percent", "hw_thermal_seconds", "sm_active_percent"},
				unknown: {"fabric_state"}},
			[]metric.ID{metric.Util, metric.MemoryUsed, metric.Throttle, metric.Energy, metric.PowerCapTime,
				metric.NUMANode},
		},
		"H100, R535": {"r535", "count 1\nhopper\n",
			map[string][]string{unsupported: {"hw_thermal_seconds", "power_brake_seconds", "retired_pages_pending"}},
			[]metric.ID{metric.ThermalTime, metric.NVLinkUp, metric.NVLinkTX, metric.PCIeTX, metric.RemapPending,
				metric.SMActive, metric.FabricState},
		},
		"H100 with MIG": {"current", "count 1\nhopper\nmig 1:0:9000\n",
			map[string][]string{unsupported: {"util_percent", "encoder_percent", "sm_active_percent"}},
			[]metric.ID{metric.MemoryUsed, metric.Power, metric.FabricState},
		},
		"GB10, with the memory of the host": {"current", unifiedScenario,
			map[string][]string{unsupported: {"memory_used_bytes", "memory_total_bytes", "bar1_used_bytes"}},
			[]metric.ID{metric.Util, metric.Power, metric.Temperature},
		},
		"no rights": {"current", "count 1\nfail nvmlDeviceGetTotalEccErrors 4\nfail nvmlDeviceGetFieldValues 4\n",
			map[string][]string{"Insufficient Permissions": {"ecc_uncorrected_volatile", "memory_temperature_celsius",
				"nvlink_crc_errors"}},
			[]metric.ID{metric.Power, metric.ECCMode},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := run(t, tt.library, tt.scenario)
			h := p.listed()
			p.say(`{"id":1,"pace":{"interval_ms":500}}`)
			p.report()
			r := p.report()
			defer p.leave()
			for why, keys := range tt.absent {
				for _, key := range keys {
					if !slices.Contains(h.GPUs[0].Absent[why], key) {
						t.Errorf("%s is not among %q: %v", key, why, h.GPUs[0].Absent)
					}
					if strings.Contains(r.GPUs[0].Values.String(), `"`+key+`"`) {
						t.Errorf("%s is absent and there: %v", key, r.GPUs[0].Values)
					}
				}
			}
			for _, id := range tt.there {
				if !r.GPUs[0].Values.Has(id) && !h.GPUs[0].Values.Has(id) {
					t.Errorf("%v is absent: %v", id, r.GPUs[0].Values)
				}
			}
			if len(r.Faults) > 0 {
				t.Errorf("faults %v", r.Faults)
			}
		})
	}
}
