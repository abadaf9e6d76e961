package metric

// linkRows has the metrics of PCIe and NVLink.
var linkRows = []tableEntry{
	{PCIeGen, Row{
		Key: "pcie_gen", Label: "PCIe generation", Unit: Count, Sum: Lowest,
		Positive: true,
		From:     []string{"nvmlDeviceGetCurrPcieLinkGeneration"},
		Series:   "pcie_generation", DCGM: "DCGM_FI_DEV_PCIE_LINK_GEN",
		Help: "PCIe generation of the link now. It is lower while the GPU is idle.",
	}},
	{PCIeGenMax, Row{
		Key: "pcie_gen_max", Label: "maximum PCIe generation", Unit: Count, Pace: Once,
		Positive: true,
		From:     []string{"nvmlDeviceGetMaxPcieLinkGeneration"},
		Series:   "pcie_generation_max", DCGM: "DCGM_FI_DEV_PCIE_MAX_LINK_GEN",
		Help: "Highest PCIe generation of the link.",
	}},
	{PCIeWidth, Row{
		Key: "pcie_width", Label: "PCIe width", Unit: Count, Sum: Lowest,
		Positive: true,
		From:     []string{"nvmlDeviceGetCurrPcieLinkWidth"},
		DCGM:     "DCGM_FI_DEV_PCIE_LINK_WIDTH",
		Help:     "PCIe lanes of the link now.",
	}},
	{PCIeWidthMax, Row{
		Key: "pcie_width_max", Label: "maximum PCIe width", Unit: Count, Pace: Once,
		Positive: true,
		From:     []string{"nvmlDeviceGetMaxPcieLinkWidth"},
		DCGM:     "DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH",
		Help:     "Most PCIe lanes of the link.",
	}},
	{PCIeTX, Row{
		Key: "pcie_tx_bytes_per_second", Label: "PCIe sent", Unit: BytesPerSecond, Rate: true, Kept: true, Sum: Add,
		Core:   true,
		From:   []string{"nvmlDeviceGetFieldValues"},
		Series: "pcie_transmit_bytes_per_second", DCGM: "DCGM_FI_PROF_PCIE_TX_BYTES",
		Help: "Bytes per second that the GPU sends over PCIe.",
	}},
	{PCIeRX, Row{
		Key: "pcie_rx_bytes_per_second", Label: "PCIe received", Unit: BytesPerSecond, Rate: true, Kept: true, Sum: Add,
		Core:   true,
		From:   []string{"nvmlDeviceGetFieldValues"},
		Series: "pcie_receive_bytes_per_second", DCGM: "DCGM_FI_PROF_PCIE_RX_BYTES",
		Help: "Bytes per second that the GPU receives over PCIe.",
	}},
	{PCIeReplays, Row{
		Key: "pcie_replays", Label: "PCIe replays", Unit: Count, Sum: Add,
		From:    []string{"nvmlDeviceGetPcieReplayCounter"},
		Counter: true, DCGM: "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
		Help: "PCIe packets that were sent again, since the driver was loaded.",
	}},
	{NVLinks, Row{
		Key: "nvlink_links", Label: "NVLink links", Unit: Count, Pace: Once,
		From: []string{"nvmlDeviceGetNvLinkState"},
		Help: "NVLink links of the GPU, up or down.",
	}},
	{NVLinkUp, Row{
		Key: "nvlink_up", Label: "NVLink links up", Unit: Bits, Pace: Slow,
		From:   []string{"nvmlDeviceGetNvLinkState"},
		Series: "nvlink_links_up",
		Help:   "NVLink links that are up; the JSON document lists their numbers.",
	}},
	{NVLinkTX, Row{
		Key: "nvlink_tx_bytes_per_second", Label: "NVLink sent", Unit: BytesPerSecond, Rate: true, Kept: true, Sum: Add,
		Core:   true,
		From:   []string{"nvmlDeviceGetFieldValues"},
		Series: "nvlink_transmit_bytes_per_second", DCGM: "DCGM_FI_PROF_NVLINK_TX_BYTES",
		Help: "Bytes per second that the GPU sends over all NVLink links.",
	}},
	{NVLinkRX, Row{
		Key: "nvlink_rx_bytes_per_second", Label: "NVLink received", Unit: BytesPerSecond, Rate: true, Kept: true,
		Core:   true,
		Sum:    Add,
		From:   []string{"nvmlDeviceGetFieldValues"},
		Series: "nvlink_receive_bytes_per_second", DCGM: "DCGM_FI_PROF_NVLINK_RX_BYTES",
		Help: "Bytes per second that the GPU receives over all NVLink links.",
	}},
	{NVLinkCRC, Row{
		Key: "nvlink_crc_errors", Label: "NVLink CRC errors", Unit: Count, Pace: Slow, Sum: Add,
		From:   []string{"nvmlDeviceGetFieldValues"},
		Series: "nvlink_errors", Labels: `kind="crc"`, Counter: true,
		Help: "Damaged NVLink packets of all links, since the driver was loaded.",
	}},
	{NVLinkReplays, Row{
		Key: "nvlink_replays", Label: "NVLink replays", Unit: Count, Pace: Slow, Sum: Add,
		From:   []string{"nvmlDeviceGetFieldValues"},
		Series: "nvlink_errors", Labels: `kind="replay"`, Counter: true,
		DCGM: "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL",
		Help: "NVLink packets that were sent again, since the driver was loaded.",
	}},
	{NVLinkRecoveries, Row{
		Key: "nvlink_recoveries", Label: "NVLink recoveries", Unit: Count, Pace: Slow, Sum: Add,
		From:   []string{"nvmlDeviceGetFieldValues"},
		Series: "nvlink_errors", Labels: `kind="recovery"`, Counter: true,
		DCGM: "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL",
		Help: "Times that a link was trained again, since the driver was loaded. Each one stalls the collectives.",
	}},
	{FabricState, Row{
		Key: "fabric_state", Label: "fabric state", Unit: Count, Pace: Slow, Sum: Lowest,
		From: []string{"nvmlDeviceGetGpuFabricInfoV", "nvmlDeviceGetGpuFabricInfo"},
		Help: "Registration with the NVLink fabric: 1 not started, 2 in progress, 3 completed. Absent without a fabric.",
	}},
	{FabricStatus, Row{
		Key: "fabric_status", Label: "fabric status", Unit: Count, Pace: Slow, Sum: Highest,
		From: []string{"nvmlDeviceGetGpuFabricInfoV", "nvmlDeviceGetGpuFabricInfo"},
		Help: "Result of a completed registration: 0 is success, otherwise an NVML error.",
	}},
	{FabricHealth, Row{
		Key: "fabric_health", Label: "fabric health", Unit: Count, Pace: Slow,
		From: []string{"nvmlDeviceGetGpuFabricInfoV", "nvmlDeviceGetGpuFabricInfo"},
		DCGM: "DCGM_FI_DEV_FABRIC_HEALTH_MASK",
		Help: "Health of the NVLink fabric: the mask NVML_GPU_FABRIC_HEALTH_MASK of nvml.h. Absent if the driver " +
			"judges nothing.",
	}},
	{FabricClique, Row{
		Key: "fabric_clique", Label: "fabric clique", Unit: Count, Pace: Slow,
		From: []string{"nvmlDeviceGetGpuFabricInfoV", "nvmlDeviceGetGpuFabricInfo"},
		Help: "Clique of the NVLink fabric to which the GPU belongs: NVLink connects the GPUs of one clique.",
	}},
	{NUMANode, Row{
		Key: "numa_node", Label: "NUMA node", Unit: Count, Pace: Once,
		From: []string{"nvmlDeviceGetMemoryAffinity", "nvmlDeviceGetNumaNodeId"},
		Help: "NUMA node of the node's CPUs and memory that is nearest.",
	}},
}
