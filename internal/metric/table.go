package metric

// ID identifies a metric: it is a row of the table.
type ID uint8

// Metrics of a GPU.
const (
	Util ID = iota
	MemUtil
	MemoryUsed
	MemoryTotal
	Temperature
	MemoryTemperature
	Slowdown
	Power
	PowerLimit
	SMClock
	SMClockMax
	MemClock
	Throttle
	ECCUncorrected
	gpus
)

// Metrics of a node.
const (
	CPU ID = gpus + iota
	Load
	HostMemoryUsed
	HostMemoryTotal
	Uptime
	count
)

var table = [count]Row{
	Util: {
		Key: "util_percent", Label: "utilization", Unit: Percent, Kept: true, Sum: Mean,
		From: []string{"nvmlDeviceGetUtilizationRates"},
		Help: "Percentage of time during which a kernel was running.",
	},
	MemUtil: {
		Key: "mem_util_percent", Label: "memory utilization", Unit: Percent, Sum: Mean,
		From: []string{"nvmlDeviceGetUtilizationRates"},
		Help: "Percentage of time during which GPU memory was read or written.",
	},
	MemoryUsed: {
		Key: "memory_used_bytes", Label: "memory", Unit: Bytes, Kept: true, Sum: Add,
		From: []string{"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo"},
		Help: "Used memory. The older call also counts memory reserved by the driver.",
	},
	MemoryTotal: {
		Key: "memory_total_bytes", Label: "memory size", Unit: Bytes, Pace: Once, Sum: Add,
		From: []string{"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo"},
		Help: "Total memory.",
	},
	Temperature: {
		Key: "temperature_celsius", Label: "temperature", Unit: Celsius, Kept: true, Sum: Highest,
		From: []string{"nvmlDeviceGetTemperature"},
		Help: "GPU core temperature.",
	},
	MemoryTemperature: {
		Key: "memory_temperature_celsius", Label: "memory temperature", Unit: Celsius, Sum: Highest,
		From: []string{"nvmlDeviceGetFieldValues"},
		Help: "Memory temperature, if there is a sensor.",
	},
	Slowdown: {
		Key: "slowdown_celsius", Label: "slowdown temperature", Unit: Celsius, Pace: Once,
		From: []string{"nvmlDeviceGetTemperatureThreshold"},
		Help: "Temperature at which the driver starts to throttle the GPU.",
	},
	Power: {
		Key: "power_watts", Label: "power", Unit: Watts, Decimals: 3, Kept: true, Sum: Add,
		From: []string{"nvmlDeviceGetPowerUsage"},
		Help: "Power draw of the board.",
	},
	PowerLimit: {
		Key: "power_limit_watts", Label: "power limit", Unit: Watts, Decimals: 3, Pace: Slow, Sum: Add,
		From: []string{"nvmlDeviceGetEnforcedPowerLimit"},
		Help: "Enforced power limit.",
	},
	SMClock: {
		Key: "sm_mhz", Label: "SM clock", Unit: MHz, Sum: Lowest,
		From: []string{"nvmlDeviceGetClockInfo"},
		Help: "SM clock.",
	},
	SMClockMax: {
		Key: "sm_max_mhz", Label: "maximum SM clock", Unit: MHz, Pace: Once,
		From: []string{"nvmlDeviceGetMaxClockInfo"},
		Help: "Maximum SM clock.",
	},
	MemClock: {
		Key: "mem_mhz", Label: "memory clock", Unit: MHz, Sum: Lowest,
		From: []string{"nvmlDeviceGetClockInfo"},
		Help: "Memory clock.",
	},
	Throttle: {
		Key: "throttle_reasons", Label: "throttle reasons", Unit: Bits,
		From: []string{"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"},
		Help: "Reasons for reduced clocks; the JSON document lists them by name.",
	},
	ECCUncorrected: {
		Key: "ecc_uncorrected_volatile", Label: "ECC", Unit: Count, Sum: Add,
		From: []string{"nvmlDeviceGetTotalEccErrors"},
		Help: "Uncorrectable ECC errors since the driver was loaded.",
	},

	CPU: {
		Key: "cpu_percent", Label: "CPU", Unit: Percent, Decimals: 2, Scope: Host, Sum: Mean,
		From: []string{"/proc/stat"},
		Help: "CPU utilization since the last report, all CPUs together; absent in the first report.",
	},
	Load: {
		Key: "load1", Label: "load", Unit: Count, Decimals: 2, Scope: Host, Sum: Add,
		From: []string{"/proc/loadavg"},
		Help: "1-minute load average.",
	},
	HostMemoryUsed: {
		Key: "memory_used_bytes", Label: "memory", Unit: Bytes, Scope: Host, Sum: Add,
		From: []string{"/proc/meminfo"},
		Help: "Used memory: total minus available.",
	},
	HostMemoryTotal: {
		Key: "memory_total_bytes", Label: "memory size", Unit: Bytes, Scope: Host, Sum: Add,
		From: []string{"/proc/meminfo"},
		Help: "Total memory.",
	},
	Uptime: {
		Key: "uptime_seconds", Label: "uptime", Unit: Seconds, Scope: Host, Sum: Lowest,
		From: []string{"CLOCK_BOOTTIME"},
		Help: "Time since boot.",
	},
}
