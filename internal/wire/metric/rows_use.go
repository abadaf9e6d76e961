package metric

// useRows has the metrics of use and memory.
var useRows = []tableEntry{
	{Util, Row{
		Core: true, Key: "util_percent", Label: "utilization", Unit: Percent, Kept: true, Sum: Mean,
		From:   []string{"nvmlDeviceGetUtilizationRates"},
		Series: "utilization_ratio", DCGM: "DCGM_FI_DEV_GPU_UTIL",
		Help: "Share of the time during which a kernel was running.",
	}},
	{MemUtil, Row{
		Key: "mem_util_percent", Label: "memory read/write time", Unit: Percent, Kept: true, Sum: Mean,
		From:   []string{"nvmlDeviceGetUtilizationRates"},
		Series: "memory_utilization_ratio", DCGM: "DCGM_FI_DEV_MEM_COPY_UTIL",
		Help: "Share of the time during which GPU memory was read or written.",
	}},
	{Encoder, Row{
		Key: "encoder_percent", Label: "encoder", Unit: Percent, Sum: Mean,
		From:   []string{"nvmlDeviceGetEncoderUtilization"},
		Series: "encoder_utilization_ratio", DCGM: "DCGM_FI_DEV_ENC_UTIL",
		Help: "Utilization of the video encoders.",
	}},
	{Decoder, Row{
		Key: "decoder_percent", Label: "decoder", Unit: Percent, Sum: Mean,
		From:   []string{"nvmlDeviceGetDecoderUtilization"},
		Series: "decoder_utilization_ratio", DCGM: "DCGM_FI_DEV_DEC_UTIL",
		Help: "Utilization of the video decoders.",
	}},
	{JPEG, Row{
		Key: "jpeg_percent", Label: "JPEG decoder", Unit: Percent, Sum: Mean,
		From:   []string{"nvmlDeviceGetJpgUtilization"},
		Series: "jpeg_utilization_ratio",
		Help:   "Utilization of the JPEG decoders.",
	}},
	{OFA, Row{
		Key: "ofa_percent", Label: "optical flow", Unit: Percent, Sum: Mean,
		From:   []string{"nvmlDeviceGetOfaUtilization"},
		Series: "ofa_utilization_ratio",
		Help:   "Utilization of the optical flow accelerator.",
	}},
	{SMActive, Row{
		Key: "sm_active_percent", Label: "SM activity", Unit: Percent, Decimals: 1, Sum: Mean,
		From: []string{"nvmlGpmMetricsGet"},
		DCGM: "DCGM_FI_PROF_SM_ACTIVE",
		Help: "Share of the SMs with at least one resident warp, averaged over time. From GPM, on Hopper and later.",
	}},
	{SMOccupancy, Row{
		Key: "sm_occupancy_percent", Label: "SM occupancy", Unit: Percent, Decimals: 1, Sum: Mean,
		From: []string{"nvmlGpmMetricsGet"},
		DCGM: "DCGM_FI_PROF_SM_OCCUPANCY",
		Help: "Resident warps as a share of the maximum. From GPM, on Hopper and later.",
	}},
	{TensorActive, Row{
		Key: "tensor_active_percent", Label: "tensor activity", Unit: Percent, Decimals: 1, Sum: Mean,
		From: []string{"nvmlGpmMetricsGet"},
		DCGM: "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
		Help: "Share of the time during which a tensor core was active. From GPM, on Hopper and later.",
	}},
	{DRAMActive, Row{
		Key: "dram_active_percent", Label: "memory bandwidth", Unit: Percent, Decimals: 1, Sum: Mean,
		From: []string{"nvmlGpmMetricsGet"},
		DCGM: "DCGM_FI_PROF_DRAM_ACTIVE",
		Help: "Used memory bandwidth as a share of the maximum. From GPM, on Hopper and later.",
	}},
	{MemoryUsed, Row{
		Core: true, Key: "memory_used_bytes", Label: "memory", Unit: Bytes, Kept: true, Sum: Add,
		Of:   MemoryTotal,
		From: []string{"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo"},
		DCGM: "DCGM_FI_DEV_FB_USED",
		Help: "Used memory. The older call also counts memory reserved by the driver.",
	}},
	{MemoryTotal, Row{
		Core: true, Key: "memory_total_bytes", Label: "memory size", Unit: Bytes, Pace: Once, Sum: Add,
		Positive: true,
		From:     []string{"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo"},
		DCGM:     "DCGM_FI_DEV_FB_TOTAL",
		Help:     "Total memory.",
	}},
	{BAR1Used, Row{
		Key: "bar1_used_bytes", Label: "BAR1 memory", Unit: Bytes, Pace: Slow, Sum: Add,
		Of:   BAR1Total,
		From: []string{"nvmlDeviceGetBAR1MemoryInfo"},
		DCGM: "DCGM_FI_DEV_BAR1_USED",
		Help: "Memory mapped through the PCIe window BAR1.",
	}},
	{BAR1Total, Row{
		Key: "bar1_total_bytes", Label: "BAR1 size", Unit: Bytes, Pace: Once, Sum: Add,
		Positive: true,
		From:     []string{"nvmlDeviceGetBAR1MemoryInfo"},
		DCGM:     "DCGM_FI_DEV_BAR1_TOTAL",
		Help:     "Size of the PCIe window BAR1.",
	}},
}
