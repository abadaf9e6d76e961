package cluster

import (
	"fmt"
	"strings"
	"testing"
)

// everything is a scenario with a different value for each metric, and its values in the document.
var everything = []struct {
	lines string
	want  map[string]float64
}{
	{"util 91;util_memory 43;util_encoder 12;util_decoder 13;util_jpeg 14;util_ofa 15", map[string]float64{
		"util_percent": 91, "mem_util_percent": 43, "encoder_percent": 12, "decoder_percent": 13, "jpeg_percent": 14,
		"ofa_percent": 15,
	}},
	{"memory_total 81559;memory_used 40000;bar1_total 131072;bar1_used 77", map[string]float64{
		"memory_used_bytes": 40000 << 20, "memory_total_bytes": 81559 << 20, "bar1_used_bytes": 77 << 20,
		"bar1_total_bytes": 131072 << 20,
	}},
	{"temperature 61;memory_temperature 72;temperature_slowdown 88;temperature_shutdown 93;temperature_gpu_max " +
		"86;temperature_memory_max 96;fan 41", map[string]float64{
		"temperature_celsius": 61, "memory_temperature_celsius": 72, "slowdown_celsius": 88, "shutdown_celsius": 93,
		"max_operating_celsius":        86,
		"memory_max_operating_celsius": 96, "fan_percent": 41,
	}},
	{"power 333;power_limit 600;power_limit_default 650;power_limit_max 700;pstate 2;persistence 1;compute_mode 3;" +
		"display_mode 1;display_active 1",
		map[string]float64{
			"power_watts": 333, "power_limit_watts": 600, "power_limit_default_watts": 650,
			"power_limit_max_watts": 700,
			"performance_state":     2,
			"persistence_mode":      1, "compute_mode": 3, "display_mode": 1, "display_active": 1,
		}},
	{"clock_sm 1501;clock_mem 2602;clock_graphics 1503;clock_video 1404;clock_sm_max 1981;clock_mem_max " +
		"2619;clock_graphics_max 1982;clock_video_max 1555", map[string]float64{
		"sm_mhz": 1501, "mem_mhz": 2602, "graphics_mhz": 1503, "video_mhz": 1404, "sm_max_mhz": 1981,
		"mem_max_mhz": 2619, "graphics_max_mhz": 1982,
		"video_max_mhz": 1555,
	}},
	{"pcie_gen 5;pcie_gen_max 5;pcie_width 16;pcie_width_max 16;pcie_replays 3;numa_node 1", map[string]float64{
		"pcie_gen": 5, "pcie_gen_max": 5, "pcie_width": 16, "pcie_width_max": 16, "pcie_replays": 3, "numa_node": 1,
	}},
	{"nvlink_links 18;nvlink_crc 4;nvlink_replays 5;nvlink_recoveries 6;fabric_state 3;fabric_status 0;" +
		"fabric_domain 7;fabric_clique 5;fabric_health 426",
		map[string]float64{
			"nvlink_links": 18, "nvlink_crc_errors": 4, "nvlink_replays": 5, "nvlink_recoveries": 6, "fabric_state": 3,
			"fabric_status": 0, "fabric_clique": 5, "fabric_health": 426,
		}},
	{"ecc_mode 1;ecc 0;ecc_corrected 8;ecc_aggregate 9;ecc_corrected_aggregate 10;remap 1 2 0 0;" +
		"banks_without_spares 0;recovery 0",
		map[string]float64{
			"ecc_enabled": 1, "ecc_uncorrected_volatile": 0, "ecc_corrected_volatile": 8,
			"ecc_uncorrected_aggregate": 9,
			"ecc_corrected_aggregate":   10,
			"remapped_rows_correctable": 1, "remapped_rows_uncorrectable": 2, "remap_pending": 0, "remap_failed": 0,
			"recovery_action": 0, "banks_without_spare_rows": 0,
		}},
}

// Each metric goes from the library to the document.
func TestReadings(t *testing.T) {
	lines := "hopper"
	for _, part := range everything {
		lines += ";" + part.lines
	}
	fault(t, "nvml", "node01", lines)
	r := runs(t, "--json", "--nodes", "node01")
	if r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	validate(t, r.stdout)
	for _, gpu := range r.json(t).Nodes[0].GPUs {
		for _, part := range everything {
			for key, want := range part.want {
				if gpu[key] != want {
					t.Errorf("GPU %v: %s is %v, want %v", gpu["index"], key, gpu[key], want)
				}
			}
		}
		if up := fmt.Sprint(gpu["nvlink_up"]); !strings.HasSuffix(up, " 16 17]") {
			t.Errorf("the links that are up are %s", up)
		}
	}
}

// Values that change with time, and bad ones, go from the library to the page of the GPU.
func TestGPUPage(t *testing.T) {
	fault(t, "nvml", "node01", "hopper;pcie_rx 2000;nvlink_tx 100;nvlink_rx 90;gpu 0 nvlink_down 3,7;gpu 0 remap 1 0 "+
		"0 1")
	job(t, 2)
	w := watch(t)
	w.sees("8 of 8 GPUs", "GPU0 row remapping failed")
	w.types("4")
	w.sees("GPU0", "UUID GPU-", "PCIe gen5 x16 of gen5 x16 rx 2.0 GB/s", "NVLink 16/18 up rx 90 GB/s tx 100 GB/s",
		"SM ", "tensor", "Xid none seen")
	do(t, "fault", "nvml", "node01", "hopper;gpu 0 throttle hw_thermal;gpu 0 nvlink_down 3,7;gpu 0 remap 1 0 0 1;xid "+
		"0 79")
	w.sees("Xid 79: the GPU has fallen off the bus")
	w.types("!")
	w.sees("Thermal throttling", "NVLink down, 16/18 up: links 3 and 7 are down.", "GPU0 Xid 79")
	w.quits()
}

// Drivers of every age, cards without some metrics, and instances.
func TestOtherCards(t *testing.T) {
	for _, test := range []struct {
		name, variant, lines string
		there, absent        []string
	}{
		{"R470", "r470", "driver 470.199.02", []string{"util_percent", "memory_used_bytes", "throttle_reasons",
			"remap_failed"}, []string{"jpeg_percent", "ofa_percent", "fabric_state", "sm_active_percent"}},
		{"R535", "r535", "driver 535.54.03", []string{"util_percent", "memory_used_bytes", "energy_joules"},
			[]string{"sm_active_percent"}},
		{"without memory", "current", "unsupported nvmlDeviceGetMemoryInfo*;unsupported nvmlDeviceGetFanSpeed",
			[]string{"util_percent"}, []string{"memory_used_bytes", "memory_total_bytes", "fan_percent"}},
		{"MIG", "current", "gpu 0 mig 1:0:9728:1 2:0:19968:2", []string{"memory_used_bytes", "power_watts"},
			[]string{"util_percent"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.variant != "current" {
				fault(t, "olddriver", "node02", test.variant)
			}
			fault(t, "nvml", "node02", "throttle idle;"+test.lines)
			r := runs(t, "--json", "--nodes", "node02")
			validate(t, r.stdout)
			gpus := r.json(t).Nodes[0].GPUs
			reasons := fmt.Sprint(gpus[0]["absent"])
			for _, key := range test.there {
				if gpus[0][key] == nil {
					t.Errorf("%s is missing", key)
				}
			}
			for _, key := range test.absent {
				if gpus[0][key] != nil || !strings.Contains(reasons, key) {
					t.Errorf("%s is %v; the reasons are %s", key, gpus[0][key], reasons)
				}
			}
			if test.name == "MIG" && (len(gpus) != 6 || gpus[2]["memory_total_bytes"] != float64(19968<<20) ||
				gpus[2]["mig_instance"] == nil) {
				t.Errorf("the GPUs are %v", gpus)
			}
		})
	}
}
