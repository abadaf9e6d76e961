package metric

// stateRows has the metrics of temperature, power, clocks and modes.
var stateRows = map[ID]Row{
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
	Shutdown: {
		Key: "shutdown_celsius", Label: "shutdown temperature", Unit: Celsius, Pace: Once,
		From: []string{"nvmlDeviceGetTemperatureThreshold"},
		Help: "Temperature at which the GPU shuts down.",
	},
	MaxOperating: {
		Key: "max_operating_celsius", Label: "maximum operating temperature", Unit: Celsius, Pace: Once,
		From: []string{"nvmlDeviceGetTemperatureThreshold"},
		Help: "Highest temperature at which the GPU is meant to work.",
	},
	MemoryMaxOperating: {
		Key: "memory_max_operating_celsius", Label: "maximum memory temperature", Unit: Celsius, Pace: Once,
		From: []string{"nvmlDeviceGetTemperatureThreshold"},
		Help: "Highest temperature at which the memory is meant to work.",
	},
	Fan: {
		Key: "fan_percent", Label: "fan", Unit: Relative, Pace: Slow, Sum: Highest,
		From: []string{"nvmlDeviceGetFanSpeed"},
		Help: "Fan speed in percent of the nominal maximum, which may be exceeded. Boards without fans have none.",
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
	PowerLimitDefault: {
		Key: "power_limit_default_watts", Label: "default power limit", Unit: Watts, Decimals: 3, Pace: Once, Sum: Add,
		From: []string{"nvmlDeviceGetPowerManagementDefaultLimit"},
		Help: "Power limit after a reboot.",
	},
	PowerLimitMax: {
		Key: "power_limit_max_watts", Label: "maximum power limit", Unit: Watts, Decimals: 3, Pace: Once, Sum: Add,
		From: []string{"nvmlDeviceGetPowerManagementLimitConstraints"},
		Help: "Highest power limit that can be set.",
	},
	Energy: {
		Key: "energy_joules", Label: "energy", Unit: Joules, Decimals: 3, Sum: Add,
		From: []string{"nvmlDeviceGetFieldValues"},
		Help: "Energy used since the driver was loaded.",
	},
	PerformanceState: {
		Key: "performance_state", Label: "performance state", Unit: Count, Sum: Highest,
		From: []string{"nvmlDeviceGetPerformanceState"},
		Help: "Performance state: 0 is the fastest, 15 the slowest.",
	},
	SMClock: {
		Key: "sm_mhz", Label: "SM clock", Unit: MHz, Kept: true, Sum: Lowest,
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
	MemClockMax: {
		Key: "mem_max_mhz", Label: "maximum memory clock", Unit: MHz, Pace: Once,
		From: []string{"nvmlDeviceGetMaxClockInfo"},
		Help: "Maximum memory clock.",
	},
	GraphicsClock: {
		Key: "graphics_mhz", Label: "graphics clock", Unit: MHz, Sum: Lowest,
		From: []string{"nvmlDeviceGetClockInfo"},
		Help: "Graphics clock.",
	},
	GraphicsClockMax: {
		Key: "graphics_max_mhz", Label: "maximum graphics clock", Unit: MHz, Pace: Once,
		From: []string{"nvmlDeviceGetMaxClockInfo"},
		Help: "Maximum graphics clock.",
	},
	VideoClock: {
		Key: "video_mhz", Label: "video clock", Unit: MHz, Sum: Lowest,
		From: []string{"nvmlDeviceGetClockInfo"},
		Help: "Clock of the video encoders and decoders.",
	},
	VideoClockMax: {
		Key: "video_max_mhz", Label: "maximum video clock", Unit: MHz, Pace: Once,
		From: []string{"nvmlDeviceGetMaxClockInfo"},
		Help: "Maximum clock of the video encoders and decoders.",
	},
	Throttle: {
		Key: "throttle_reasons", Label: "throttle reasons", Unit: Bits, Kept: true,
		From: []string{"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"},
		Help: "Reasons for reduced clocks; the JSON document lists them by name.",
	},
	PowerCapTime: {
		Key: "power_cap_seconds", Label: "time at the power limit", Unit: Seconds, Decimals: 3, Sum: Highest,
		From: []string{"nvmlDeviceGetFieldValues"},
		Help: "Time for which the power limit has reduced the clocks, since the driver was loaded.",
	},
	SyncBoostTime: {
		Key: "sync_boost_seconds", Label: "time in sync boost", Unit: Seconds, Decimals: 3, Sum: Highest,
		From: []string{"nvmlDeviceGetFieldValues"},
		Help: "Time for which a slower GPU of the sync boost group has held the clocks down, since the driver was loaded.",
	},
	ThermalTime: {
		Key: "thermal_seconds", Label: "time in thermal slowdown", Unit: Seconds, Decimals: 3, Sum: Highest,
		From: []string{"nvmlDeviceGetFieldValues"},
		Help: "Time for which the temperature has reduced the clocks, since the driver was loaded, of drivers that do not tell software from hardware.",
	},
	SWThermalTime: {
		Key: "sw_thermal_seconds", Label: "time in software thermal slowdown", Unit: Seconds, Decimals: 3, Sum: Highest,
		From: []string{"nvmlDeviceGetFieldValues"},
		Help: "Time for which the driver has reduced the clocks because of the temperature, since the driver was loaded.",
	},
	HWThermalTime: {
		Key: "hw_thermal_seconds", Label: "time in hardware thermal slowdown", Unit: Seconds, Decimals: 3, Sum: Highest,
		From: []string{"nvmlDeviceGetFieldValues"},
		Help: "Time for which the hardware has reduced the clocks because of the temperature, since the driver was loaded.",
	},
	PowerBrakeTime: {
		Key: "power_brake_seconds", Label: "time under power brake", Unit: Seconds, Decimals: 3, Sum: Highest,
		From: []string{"nvmlDeviceGetFieldValues"},
		Help: "Time for which the hardware power brake has reduced the clocks, since the driver was loaded.",
	},
	PersistenceMode: {
		Key: "persistence_mode", Label: "persistence mode", Unit: Count, Pace: Slow, Sum: Lowest,
		From: []string{"nvmlDeviceGetPersistenceMode"},
		Help: "1 if the driver stays loaded without programs, else 0.",
	},
	ComputeMode: {
		Key: "compute_mode", Label: "compute mode", Unit: Count, Pace: Slow,
		From: []string{"nvmlDeviceGetComputeMode"},
		Help: "0 default, 1 exclusive thread, 2 prohibited, 3 exclusive process.",
	},
}
