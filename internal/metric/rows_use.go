package metric

// useRows has the metrics of use and memory.
var useRows = map[ID]Row{
	Util: {
		Key: "util_percent", Label: "utilization", Unit: Percent, Kept: true, Sum: Mean,
		From: []string{"nvmlDeviceGetUtilizationRates"},
		Help: "Percentage of time during which a kernel was running.",
	},
	MemUtil: {
		Key: "mem_util_percent", Label: "memory utilization", Unit: Percent, Kept: true, Sum: Mean,
		From: []string{"nvmlDeviceGetUtilizationRates"},
		Help: "Percentage of time during which GPU memory was read or written.",
	},
	Encoder: {
		Key: "encoder_percent", Label: "encoder", Unit: Percent, Sum: Mean,
		From: []string{"nvmlDeviceGetEncoderUtilization"},
		Help: "Utilization of the video encoders.",
	},
	Decoder: {
		Key: "decoder_percent", Label: "decoder", Unit: Percent, Sum: Mean,
		From: []string{"nvmlDeviceGetDecoderUtilization"},
		Help: "Utilization of the video decoders.",
	},
	JPEG: {
		Key: "jpeg_percent", Label: "JPEG decoder", Unit: Percent, Sum: Mean,
		From: []string{"nvmlDeviceGetJpgUtilization"},
		Help: "Utilization of the JPEG decoders.",
	},
	OFA: {
		Key: "ofa_percent", Label: "optical flow", Unit: Percent, Sum: Mean,
		From: []string{"nvmlDeviceGetOfaUtilization"},
		Help: "Utilization of the optical flow accelerator.",
	},
	SMActive: {
		Key: "sm_active_percent", Label: "SM activity", Unit: Percent, Sum: Mean,
		From: []string{"nvmlGpmMetricsGet"},
		Help: "Percentage of SMs with at least one resident warp, averaged over time. From GPM, on Hopper and later.",
	},
	SMOccupancy: {
		Key: "sm_occupancy_percent", Label: "SM occupancy", Unit: Percent, Sum: Mean,
		From: []string{"nvmlGpmMetricsGet"},
		Help: "Resident warps in percent of the maximum. From GPM, on Hopper and later.",
	},
	TensorActive: {
		Key: "tensor_active_percent", Label: "tensor activity", Unit: Percent, Sum: Mean,
		From: []string{"nvmlGpmMetricsGet"},
		Help: "Percentage of time during which a tensor core was active. From GPM, on Hopper and later.",
	},
	DRAMActive: {
		Key: "dram_active_percent", Label: "memory bandwidth", Unit: Percent, Sum: Mean,
		From: []string{"nvmlGpmMetricsGet"},
		Help: "Used memory bandwidth in percent of the maximum. From GPM, on Hopper and later.",
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
	BAR1Used: {
		Key: "bar1_used_bytes", Label: "BAR1 memory", Unit: Bytes, Pace: Slow, Sum: Add,
		From: []string{"nvmlDeviceGetBAR1MemoryInfo"},
		Help: "Memory mapped through the PCIe window BAR1.",
	},
	BAR1Total: {
		Key: "bar1_total_bytes", Label: "BAR1 size", Unit: Bytes, Pace: Once, Sum: Add,
		From: []string{"nvmlDeviceGetBAR1MemoryInfo"},
		Help: "Size of the PCIe window BAR1.",
	},
}
