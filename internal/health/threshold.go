package health

import (
	"strings"
	"time"
)

// Threshold is a number that rules compare with. The user can set it. Each has a row in the table of thresholds.
type Threshold uint8

// Thresholds of this program, in the order of docs/health.md.
const (
	noThreshold Threshold = iota
	SoftThermalSeconds
	PCIeLoadPercent
	PCIeReplays
	NVLinkErrors
	NVLinkCRC
	RetiredPages
	MemoryFullPercent
	MemoryFullMinutes
	HostMemoryPercent
	HostMemoryMinutes
	DiskFreePercent
	DiskFreeGiB
	ClockSkewSeconds
	LagRatio
	LagSeconds
	IdleMinutes
	IdleKillMinutes
	HangSeconds
	thresholds
)

// ThresholdRow describes a threshold.
type ThresholdRow struct {
	Key       string // its name in the file of settings, with the unit
	Value     float64
	Low, High float64 // the range of values that make sense
	Help      string  // one sentence
}

// Row returns the description of the threshold.
func (t Threshold) Row() ThresholdRow { return thresholdRows[t] }

var thresholdRows = [thresholds]ThresholdRow{
	SoftThermalSeconds: {"soft_thermal_seconds", 30, 0, 3600,
		"How long the memory may be too hot, or the driver lower the clocks because of the temperature."},
	PCIeLoadPercent: {"pcie_load_percent", 50, 1, 100,
		"The utilization from which the PCIe link should be at its full width and generation."},
	PCIeReplays: {"pcie_replays_per_lane_minute", 0.48, 0.01, 1e6,
		"PCIe replays per minute and lane at generation 3; each later generation may have twice as many."},
	NVLinkErrors: {"nvlink_errors_per_minute", 1, 0.01, 1e6, "NVLink replays and recoveries per minute."},
	NVLinkCRC: {"nvlink_crc_per_second", 100, 1, 1e9,
		"NVLink CRC errors per second from which they are critical."},
	RetiredPages:      {"retired_pages", 63, 1, 1e6, "Retired memory pages of a GPU."},
	MemoryFullPercent: {"gpu_memory_full_percent", 98, 1, 100, "GPU memory in use."},
	MemoryFullMinutes: {"gpu_memory_full_minutes", 10, 0, 30,
		"How soon the memory of a GPU will be full at the pace of the last half hour."},
	HostMemoryPercent: {"host_memory_percent", 95, 1, 100, "Host memory of the job in use, in percent of its limit."},
	HostMemoryMinutes: {"host_memory_minutes", 20, 0, 1440,
		"How soon the host memory of the job will be full at the present pace."},
	DiskFreePercent: {"disk_free_percent", 1, 0, 100,
		"Free space of the local disk or /tmp, in percent of its size."},
	DiskFreeGiB: {"disk_free_gib", 1, 0, 1e6,
		"Free space of the local disk or /tmp, in GiB, if it is larger than ten times that."},
	ClockSkewSeconds: {"clock_skew_seconds", 5, 0.1, 86400,
		"How far the clock of a node may be from those of the job's other nodes."},
	LagRatio: {"lag_ratio", 0.7, 0.1, 0.95,
		"The share of the job's median, and of what is usual for the GPU, below which it lags."},
	LagSeconds: {"lag_seconds", 60, 10, 3600, "How long a GPU lags before it is reported."},
	IdleMinutes: {"idle_minutes", 5, 1, 1440,
		"How long a GPU is idle before it is reported. After six times as long it is a warning."},
	IdleKillMinutes: {"idle_kill_minutes", 0, 0, 10080,
		"After how long your site ends idle jobs, for the countdown. 0: it does not."},
	HangSeconds: {"hang_seconds", 120, 30, 3600,
		"How long the GPUs of a job wait for each other before it is reported."},
}

// Thresholds holds a value for each Threshold.
type Thresholds [thresholds]float64

// Defaults returns the values that hold if the user sets none.
func Defaults() Thresholds {
	var t Thresholds
	for i, row := range thresholdRows {
		t[i] = row.Value
	}
	return t
}

// Named returns the threshold with that key.
func Named(key string) (Threshold, bool) {
	for t := noThreshold + 1; t < thresholds; t++ {
		if thresholdRows[t].Key == key {
			return t, true
		}
	}
	return noThreshold, false
}

// Names returns the keys of all thresholds.
func Names() []string {
	var keys []string
	for _, row := range thresholdRows[noThreshold+1:] {
		keys = append(keys, row.Key)
	}
	return keys
}

// durationOf returns a threshold that is a time. The end of its key is the unit.
func (t *Thresholds) durationOf(of Threshold) time.Duration {
	if strings.HasSuffix(thresholdRows[of].Key, "_minutes") {
		return time.Duration(t[of] * float64(time.Minute))
	}
	return time.Duration(t[of] * float64(time.Second))
}
