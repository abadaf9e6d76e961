package metric

// stateRows has the metrics of temperature, power, clocks and modes.
var stateRows = []entry{
	{Temperature, Row{
		Core: true, Key: "temperature_celsius", Label: "temperature", Unit: Celsius, Kept: true, Sum: Highest,
		From: []string{"nvmlDeviceGetTemperature"},
		DCGM: "DCGM_FI_DEV_GPU_TEMP",
		Help: "GPU core temperature.",
	}},
	{MemoryTemperature, Row{
		Key: "memory_temperature_celsius", Label: "memory temperature", Unit: Celsius, Sum: Highest,
		From: []string{"nvmlDeviceGetFieldValues"},
		DCGM: "DCGM_FI_DEV_MEMORY_TEMP",
		Help: "Memory temperature, if there is a sensor.",
	}},
	{Slowdown, Row{
		Key: "slowdown_celsius", Label: "slowdown temperature", Unit: Celsius, Pace: Once,
		From: []string{"nvmlDeviceGetTemperatureThreshold"},
		DCGM: "DCGM_FI_DEV_SLOWDOWN_TEMP",
		Help: "Temperature at which the driver starts to throttle the GPU.",
	}},
	{Shutdown, Row{
		Key: "shutdown_celsius", Label: "shutdown temperature", Unit: Celsius, Pace: Once,
		From: []string{"nvmlDeviceGetTemperatureThreshold"},
		DCGM: "DCGM_FI_DEV_SHUTDOWN_TEMP",
		Help: "Temperature at which the GPU shuts down.",
	}},
	{MaxOperating, Row{
		Key: "max_operating_celsius", Label: "maximum operating temperature", Unit: Celsius, Pace: Once,
		From: []string{"nvmlDeviceGetTemperatureThreshold"},
		DCGM: "DCGM_FI_DEV_GPU_MAX_OP_TEMP",
		Help: "Highest temperature at which the GPU is meant to work.",
	}},
	{MemoryMaxOperating, Row{
		Key: "memory_max_operating_celsius", Label: "maximum memory temperature", Unit: Celsius, Pace: Once,
		From: []string{"nvmlDeviceGetTemperatureThreshold"},
		DCGM: "DCGM_FI_DEV_MEM_MAX_OP_TEMP",
		Help: "Highest temperature at which the memory is meant to work.",
	}},
	{Fan, Row{
		Key: "fan_percent", Label: "fan", Unit: Relative, Pace: Slow, Sum: Highest,
		From: []string{"nvmlDeviceGetFanSpeed"},
		DCGM: "DCGM_FI_DEV_FAN_SPEED",
		Help: "Fan speed as a share of the nominal maximum, which may be exceeded. Boards without fans have none.",
	}},
	{Power, Row{
		Core: true, Key: "power_watts", Label: "power", Unit: Watts, Decimals: 3, Kept: true, Sum: Add,
		From: []string{"nvmlDeviceGetPowerUsage"},
		DCGM: "DCGM_FI_DEV_POWER_USAGE",
		Help: "Power draw of the board.",
	}},
	{PowerLimit, Row{
		Key: "power_limit_watts", Label: "power limit", Unit: Watts, Decimals: 3, Pace: Slow, Sum: Add,
		Positive: true,
		From:     []string{"nvmlDeviceGetEnforcedPowerLimit"},
		DCGM:     "DCGM_FI_DEV_ENFORCED_POWER_LIMIT",
		Help:     "Enforced power limit.",
	}},
	{PowerLimitDefault, Row{
		Key: "power_limit_default_watts", Label: "default power limit", Unit: Watts, Decimals: 3, Pace: Once, Sum: Add,
		Positive: true,
		From:     []string{"nvmlDeviceGetPowerManagementDefaultLimit"},
		DCGM:     "DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF",
		Help:     "Power limit after a reboot.",
	}},
	{PowerLimitMax, Row{
		Key: "power_limit_max_watts", Label: "maximum power limit", Unit: Watts, Decimals: 3, Pace: Once, Sum: Add,
		Positive: true,
		From:     []string{"nvmlDeviceGetPowerManagementLimitConstraints"},
		DCGM:     "DCGM_FI_DEV_POWER_MGMT_LIMIT_MAX",
		Help:     "Highest power limit that can be set.",
	}},
	{Energy, Row{
		Key: "energy_joules", Label: "energy", Unit: Joules, Decimals: 3, Sum: Add,
		From:    []string{"nvmlDeviceGetFieldValues"},
		Counter: true, DCGM: "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
		Help: "Energy used since the driver was loaded.",
	}},
	{PerformanceState, Row{
		Key: "performance_state", Label: "performance state", Unit: Count, Sum: Highest,
		From: []string{"nvmlDeviceGetPerformanceState"},
		DCGM: "DCGM_FI_DEV_PSTATE",
		Help: "Performance state: 0 is the fastest, 15 the slowest.",
	}},
	{SMClock, Row{
		Key: "sm_mhz", Label: "SM clock", Unit: MHz, Kept: true, Sum: Lowest,
		From:   []string{"nvmlDeviceGetClockInfo"},
		Series: "clock_hertz", Labels: `domain="sm"`, DCGM: "DCGM_FI_DEV_SM_CLOCK",
		Help: "SM clock.",
	}},
	{SMClockMax, Row{
		Key: "sm_max_mhz", Label: "maximum SM clock", Unit: MHz, Pace: Once,
		Positive: true,
		From:     []string{"nvmlDeviceGetMaxClockInfo"},
		Series:   "clock_max_hertz", Labels: `domain="sm"`, DCGM: "DCGM_FI_DEV_MAX_SM_CLOCK",
		Help: "Maximum SM clock.",
	}},
	{MemClock, Row{
		Key: "mem_mhz", Label: "memory clock", Unit: MHz, Sum: Lowest,
		From:   []string{"nvmlDeviceGetClockInfo"},
		Series: "clock_hertz", Labels: `domain="memory"`, DCGM: "DCGM_FI_DEV_MEM_CLOCK",
		Help: "Memory clock.",
	}},
	{MemClockMax, Row{
		Key: "mem_max_mhz", Label: "maximum memory clock", Unit: MHz, Pace: Once,
		Positive: true,
		From:     []string{"nvmlDeviceGetMaxClockInfo"},
		Series:   "clock_max_hertz", Labels: `domain="memory"`, DCGM: "DCGM_FI_DEV_MAX_MEM_CLOCK",
		Help: "Maximum memory clock.",
	}},
	{GraphicsClock, Row{
		Key: "graphics_mhz", Label: "graphics clock", Unit: MHz, Sum: Lowest,
		From:   []string{"nvmlDeviceGetClockInfo"},
		Series: "clock_hertz", Labels: `domain="graphics"`,
		Help: "Graphics clock.",
	}},
	{GraphicsClockMax, Row{
		Key: "graphics_max_mhz", Label: "maximum graphics clock", Unit: MHz, Pace: Once,
		Positive: true,
		From:     []string{"nvmlDeviceGetMaxClockInfo"},
		Series:   "clock_max_hertz", Labels: `domain="graphics"`,
		Help: "Maximum graphics clock.",
	}},
	{VideoClock, Row{
		Key: "video_mhz", Label: "video clock", Unit: MHz, Sum: Lowest,
		From:   []string{"nvmlDeviceGetClockInfo"},
		Series: "clock_hertz", Labels: `domain="video"`, DCGM: "DCGM_FI_DEV_VIDEO_CLOCK",
		Help: "Clock of the video encoders and decoders.",
	}},
	{VideoClockMax, Row{
		Key: "video_max_mhz", Label: "maximum video clock", Unit: MHz, Pace: Once,
		Positive: true,
		From:     []string{"nvmlDeviceGetMaxClockInfo"},
		Series:   "clock_max_hertz", Labels: `domain="video"`, DCGM: "DCGM_FI_DEV_MAX_VIDEO_CLOCK",
		Help: "Maximum clock of the video encoders and decoders.",
	}},
	{Throttle, Row{
		Core: true, Key: "throttle_reasons", Label: "throttle reasons", Unit: Bits, Kept: true,
		From:   []string{"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"},
		Series: "clock_event_active", DCGM: "DCGM_FI_DEV_CLOCKS_EVENT_REASONS",
		Help: "Reasons for reduced clocks; the JSON document lists them by name.",
	}},
	{PowerCapTime, Row{
		Key: "power_cap_seconds", Label: "time at the power limit", Unit: Seconds, Decimals: 3, Sum: Highest,
		From:   []string{"nvmlDeviceGetFieldValues"},
		Series: "clock_event_seconds", Labels: `reason="sw_power_cap"`, Counter: true,
		DCGM: "DCGM_FI_DEV_POWER_VIOLATION",
		Help: "Time for which the power limit has reduced the clocks, since the driver was loaded.",
	}},
	{SyncBoostTime, Row{
		Key: "sync_boost_seconds", Label: "time in sync boost", Unit: Seconds, Decimals: 3, Sum: Highest,
		From:   []string{"nvmlDeviceGetFieldValues"},
		Series: "clock_event_seconds", Labels: `reason="sync_boost"`, Counter: true,
		DCGM: "DCGM_FI_DEV_SYNC_BOOST_VIOLATION",
		Help: "Time for which a slower GPU of the sync boost group has held the clocks down, since the driver was " +
			"loaded.",
	}},
	{ThermalTime, Row{
		Key: "thermal_seconds", Label: "time in thermal slowdown", Unit: Seconds, Decimals: 3, Sum: Highest,
		From:   []string{"nvmlDeviceGetFieldValues"},
		Series: "clock_event_seconds", Labels: `reason="thermal_slowdown"`, Counter: true,
		DCGM: "DCGM_FI_DEV_THERMAL_VIOLATION",
		Help: "Time for which the temperature has reduced the clocks, since the driver was loaded, of drivers that " +
			"do not tell software from hardware.",
	}},
	{SWThermalTime, Row{
		Key: "sw_thermal_seconds", Label: "time in software thermal slowdown", Unit: Seconds, Decimals: 3, Sum: Highest,
		From:   []string{"nvmlDeviceGetFieldValues"},
		Series: "clock_event_seconds", Labels: `reason="sw_thermal_slowdown"`, Counter: true,
		Help: "Time for which the driver has reduced the clocks because of the temperature, since the driver was " +
			"loaded.",
	}},
	{HWThermalTime, Row{
		Key: "hw_thermal_seconds", Label: "time in hardware thermal slowdown", Unit: Seconds, Decimals: 3, Sum: Highest,
		From:   []string{"nvmlDeviceGetFieldValues"},
		Series: "clock_event_seconds", Labels: `reason="hw_thermal_slowdown"`, Counter: true,
		Help: "Time for which the hardware has reduced the clocks because of the temperature, since the driver was " +
			"loaded.",
	}},
	{PowerBrakeTime, Row{
		Key: "power_brake_seconds", Label: "time under power brake", Unit: Seconds, Decimals: 3, Sum: Highest,
		From:   []string{"nvmlDeviceGetFieldValues"},
		Series: "clock_event_seconds", Labels: `reason="hw_power_brake_slowdown"`, Counter: true,
		Help: "Time for which the hardware power brake has reduced the clocks, since the driver was loaded.",
	}},
	{PersistenceMode, Row{
		Key: "persistence_mode", Label: "persistence mode", Unit: Count, Pace: Slow, Sum: Lowest,
		From: []string{"nvmlDeviceGetPersistenceMode"},
		DCGM: "DCGM_FI_DEV_PERSISTENCE_MODE",
		Help: "1 if the driver stays loaded without programs, else 0.",
	}},
	{ComputeMode, Row{
		Key: "compute_mode", Label: "compute mode", Unit: Count, Pace: Slow,
		From: []string{"nvmlDeviceGetComputeMode"},
		DCGM: "DCGM_FI_DEV_COMPUTE_MODE",
		Help: "0 default, 1 exclusive thread, 2 prohibited, 3 exclusive process.",
	}},
	{DisplayMode, Row{
		Key: "display_mode", Label: "display mode", Unit: Count, Pace: Slow, Sum: Highest,
		From: []string{"nvmlDeviceGetDisplayMode"},
		Help: "1 if a display is connected to the GPU, else 0.",
	}},
	{DisplayActive, Row{
		Key: "display_active", Label: "display active", Unit: Count, Pace: Slow, Sum: Highest,
		From: []string{"nvmlDeviceGetDisplayActive"},
		Help: "1 if a display server uses the GPU, even without a monitor, else 0.",
	}},
}
