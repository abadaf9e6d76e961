package metric

// ID names a number: a row of the table.
type ID uint8

// The numbers of a GPU.
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

// The numbers of a node.
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
		Help: "Share of time with a kernel resident.",
	},
	MemUtil: {
		Key: "mem_util_percent", Label: "memory bandwidth", Unit: Percent, Sum: Mean,
		From: []string{"nvmlDeviceGetUtilizationRates"},
		Help: "Share of time with the memory bus in use.",
	},
	MemoryUsed: {
		Key: "memory_used_bytes", Label: "memory", Unit: Bytes, Kept: true, Sum: Add,
		From: []string{"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo"},
		Help: "Memory in use; the older call counts what the driver reserves as well.",
	},
	MemoryTotal: {
		Key: "memory_total_bytes", Label: "memory size", Unit: Bytes, Pace: Once, Sum: Add,
		From: []string{"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo"},
		Help: "Memory that there is.",
	},
	Temperature: {
		Key: "temperature_celsius", Label: "temperature", Unit: Celsius, Kept: true, Sum: Highest,
		From: []string{"nvmlDeviceGetTemperature"},
		Help: "Temperature of the die.",
	},
	MemoryTemperature: {
		Key: "memory_temperature_celsius", Label: "memory temperature", Unit: Celsius, Sum: Highest,
		From: []string{"nvmlDeviceGetFieldValues"},
		Help: "Temperature of the memory, where there is a sensor.",
	},
	Slowdown: {
		Key: "slowdown_celsius", Label: "slowdown temperature", Unit: Celsius, Pace: Once,
		From: []string{"nvmlDeviceGetTemperatureThreshold"},
		Help: "Temperature from which on the driver slows the GPU.",
	},
	Power: {
		Key: "power_watts", Label: "power", Unit: Watts, Decimals: 3, Kept: true, Sum: Add,
		From: []string{"nvmlDeviceGetPowerUsage"},
		Help: "Power that the whole board draws.",
	},
	PowerLimit: {
		Key: "power_limit_watts", Label: "power limit", Unit: Watts, Decimals: 3, Pace: Slow, Sum: Add,
		From: []string{"nvmlDeviceGetEnforcedPowerLimit"},
		Help: "The power limit that holds: the least of all that were set.",
	},
	SMClock: {
		Key: "sm_mhz", Label: "SM clock", Unit: MHz, Sum: Lowest,
		From: []string{"nvmlDeviceGetClockInfo"},
		Help: "Clock of the streaming multiprocessors.",
	},
	SMClockMax: {
		Key: "sm_max_mhz", Label: "highest SM clock", Unit: MHz, Pace: Once,
		From: []string{"nvmlDeviceGetMaxClockInfo"},
		Help: "Highest clock of the streaming multiprocessors.",
	},
	MemClock: {
		Key: "mem_mhz", Label: "memory clock", Unit: MHz, Sum: Lowest,
		From: []string{"nvmlDeviceGetClockInfo"},
		Help: "Clock of the memory.",
	},
	Throttle: {
		Key: "throttle_reasons", Label: "throttle reasons", Unit: Bits,
		From: []string{"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"},
		Help: "What holds the clocks down now; in the JSON document by NVML's names.",
	},
	ECCUncorrected: {
		Key: "ecc_uncorrected_volatile", Label: "ECC", Unit: Count, Sum: Add,
		From: []string{"nvmlDeviceGetTotalEccErrors"},
		Help: "Uncorrected memory errors since the driver was loaded.",
	},

	CPU: {
		Key: "cpu_percent", Label: "CPU", Unit: Percent, Decimals: 2, Scope: Host, Sum: Mean,
		From: []string{"/proc/stat"},
		Help: "Busy share of all CPUs since the last report; absent in the first.",
	},
	Load: {
		Key: "load1", Label: "load", Unit: Count, Decimals: 2, Scope: Host, Sum: Add,
		From: []string{"/proc/loadavg"},
		Help: "Load average of one minute.",
	},
	HostMemoryUsed: {
		Key: "memory_used_bytes", Label: "memory", Unit: Bytes, Scope: Host, Sum: Add,
		From: []string{"/proc/meminfo"},
		Help: "Total minus available.",
	},
	HostMemoryTotal: {
		Key: "memory_total_bytes", Label: "memory size", Unit: Bytes, Scope: Host, Sum: Add,
		From: []string{"/proc/meminfo"},
		Help: "Memory that there is.",
	},
	Uptime: {
		Key: "uptime_seconds", Label: "uptime", Unit: Seconds, Scope: Host, Sum: Lowest,
		From: []string{"CLOCK_BOOTTIME"},
		Help: "Time since boot.",
	},
}
