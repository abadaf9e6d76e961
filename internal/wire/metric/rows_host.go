package metric

// hostRows has the metrics of a node.
var hostRows = []tableEntry{
	{CPU, Row{
		Core: true, Key: "cpu_percent", Label: "CPU", Unit: Percent, Decimals: 2, Scope: Host, Kept: true, Sum: Mean,
		From:   []string{"/proc/stat"},
		Series: "cpu_utilization_ratio",
		Help:   "CPU utilization since the last report, all CPUs together; absent in the first report.",
	}},
	{CPUUserTime, Row{
		Key: "cpu_user_seconds", Label: "CPU time of programs", Unit: Seconds, Decimals: 2, Pace: Slow, Scope: Host,
		Sum:    Add,
		From:   []string{"/proc/stat"},
		Series: "cpu_seconds", Labels: `mode="user"`, Counter: true,
		Help: "Time of all CPUs in programs since boot, with nice.",
	}},
	{CPUSystemTime, Row{
		Key: "cpu_system_seconds", Label: "CPU time of the kernel", Unit: Seconds, Decimals: 2, Pace: Slow, Scope: Host,
		Sum:    Add,
		From:   []string{"/proc/stat"},
		Series: "cpu_seconds", Labels: `mode="system"`, Counter: true,
		Help: "Time of all CPUs in the kernel since boot, with interrupts.",
	}},
	{CPUIdleTime, Row{
		Key: "cpu_idle_seconds", Label: "idle CPU time", Unit: Seconds, Decimals: 2, Pace: Slow, Scope: Host, Sum: Add,
		From:   []string{"/proc/stat"},
		Series: "cpu_seconds", Labels: `mode="idle"`, Counter: true,
		Help: "Idle time of all CPUs since boot, without cpu_iowait_seconds.",
	}},
	{CPUIOWaitTime, Row{
		Key: "cpu_iowait_seconds", Label: "CPU time waiting for disks", Unit: Seconds, Decimals: 2, Pace: Slow,
		Scope: Host, Sum: Add,
		From:   []string{"/proc/stat"},
		Series: "cpu_seconds", Labels: `mode="iowait"`, Counter: true,
		Help: "Time since boot for which CPUs were idle while a process waited for a disk.",
	}},
	{Load, Row{
		Key: "load1", Label: "load", Unit: Count, Decimals: 2, Scope: Host, Kept: true, Sum: Add,
		From: []string{"/proc/loadavg"},
		Help: "1-minute load average.",
	}},
	{Load5, Row{
		Key: "load5", Label: "load of 5 minutes", Unit: Count, Decimals: 2, Scope: Host, Sum: Add,
		From: []string{"/proc/loadavg"},
		Help: "5-minute load average.",
	}},
	{Load15, Row{
		Key: "load15", Label: "load of 15 minutes", Unit: Count, Decimals: 2, Scope: Host, Sum: Add,
		From: []string{"/proc/loadavg"},
		Help: "15-minute load average.",
	}},
	{HostMemoryUsed, Row{
		Core: true, Key: "memory_used_bytes", Label: "memory", Unit: Bytes, Scope: Host, Kept: true, Sum: Add,
		From: []string{"/proc/meminfo"},
		Help: "Used memory: total minus available, as the kernel estimates it (MemAvailable).",
	}},
	{HostMemoryTotal, Row{
		Core: true, Key: "memory_total_bytes", Label: "memory size", Unit: Bytes, Scope: Host, Sum: Add,
		From: []string{"/proc/meminfo"},
		Help: "Total memory.",
	}},
	{HostMemoryBuffers, Row{
		Key: "memory_buffers_bytes", Label: "buffers", Unit: Bytes, Pace: Slow, Scope: Host, Sum: Add,
		From: []string{"/proc/meminfo"},
		Help: "Memory with blocks of devices: Buffers.",
	}},
	{HostMemoryCached, Row{
		Key: "memory_cached_bytes", Label: "page cache", Unit: Bytes, Pace: Slow, Scope: Host, Sum: Add,
		From: []string{"/proc/meminfo"},
		Help: "Memory with the contents of files, and shared memory: Cached.",
	}},
	{HostMemoryShared, Row{
		Key: "memory_shared_bytes", Label: "shared memory", Unit: Bytes, Pace: Slow, Scope: Host, Sum: Add,
		From: []string{"/proc/meminfo"},
		Help: "Memory of tmpfs and shared memory, as in /dev/shm: Shmem. The kernel cannot drop it.",
	}},
	{HostMemorySlab, Row{
		Key: "memory_slab_bytes", Label: "slab", Unit: Bytes, Pace: Slow, Scope: Host, Sum: Add,
		From: []string{"/proc/meminfo"},
		Help: "Memory of the kernel's own objects: Slab.",
	}},
	{SwapUsed, Row{
		Key: "swap_used_bytes", Label: "swap", Unit: Bytes, Scope: Host, Kept: true, Sum: Add,
		From: []string{"/proc/meminfo"},
		Help: "Used swap space.",
	}},
	{SwapTotal, Row{
		Key: "swap_total_bytes", Label: "swap size", Unit: Bytes, Scope: Host, Sum: Add,
		From: []string{"/proc/meminfo"},
		Help: "Total swap space; 0 without swap.",
	}},
	{NetTX, Row{
		Key: "net_tx_bytes_per_second", Label: "network sent", Unit: BytesPerSecond, Scope: Host, Rate: true, Sum: Add,
		From:   []string{"/sys/class/net"},
		Series: "network_transmit_bytes_per_second",
		Help:   "Bytes per second sent over the physical network interfaces.",
	}},
	{NetRX, Row{
		Key: "net_rx_bytes_per_second", Label: "network received", Unit: BytesPerSecond, Scope: Host, Rate: true,
		Sum:    Add,
		From:   []string{"/sys/class/net"},
		Series: "network_receive_bytes_per_second",
		Help:   "Bytes per second received over the physical network interfaces.",
	}},
	{NetTXPackets, Row{
		Key: "net_tx_packets_per_second", Label: "packets sent", Unit: Count, Scope: Host, Rate: true, Sum: Add,
		From:   []string{"/sys/class/net"},
		Series: "network_transmit_packets_per_second",
		Help:   "Packets per second sent over the physical network interfaces.",
	}},
	{NetRXPackets, Row{
		Key: "net_rx_packets_per_second", Label: "packets received", Unit: Count, Scope: Host, Rate: true, Sum: Add,
		From:   []string{"/sys/class/net"},
		Series: "network_receive_packets_per_second",
		Help:   "Packets per second received over the physical network interfaces.",
	}},
	{InfiniBandTX, Row{
		Key: "infiniband_tx_bytes_per_second", Label: "InfiniBand sent", Unit: BytesPerSecond, Scope: Host, Rate: true,
		Core:   true,
		Sum:    Add,
		From:   []string{"/sys/class/infiniband"},
		Series: "infiniband_transmit_bytes_per_second",
		Help:   "Bytes per second sent over all InfiniBand ports.",
	}},
	{InfiniBandRX, Row{
		Key: "infiniband_rx_bytes_per_second", Label: "InfiniBand received", Unit: BytesPerSecond, Scope: Host,
		Core: true,
		Rate: true, Sum: Add,
		From:   []string{"/sys/class/infiniband"},
		Series: "infiniband_receive_bytes_per_second",
		Help:   "Bytes per second received over all InfiniBand ports.",
	}},
	{DiskFree, Row{
		Key: "disk_free_bytes", Label: "free disk", Unit: Bytes, Scope: Host, Sum: Add,
		From: []string{"statfs(2) of /"},
		Help: "Free space of the local disk that holds /, for users.",
	}},
	{DiskTotal, Row{
		Key: "disk_total_bytes", Label: "disk size", Unit: Bytes, Scope: Host, Sum: Add,
		From: []string{"statfs(2) of /"},
		Help: "Size of the file system that holds /.",
	}},
	{TmpFree, Row{
		Key: "tmp_free_bytes", Label: "free /tmp", Unit: Bytes, Scope: Host, Sum: Add,
		From: []string{"statfs(2) of /tmp"},
		Help: "Free space of /tmp, for users.",
	}},
	{TmpTotal, Row{
		Key: "tmp_total_bytes", Label: "/tmp size", Unit: Bytes, Scope: Host, Sum: Add,
		From: []string{"statfs(2) of /tmp"},
		Help: "Size of the file system that holds /tmp.",
	}},
	{ShmFree, Row{
		Key: "shm_free_bytes", Label: "free /dev/shm", Unit: Bytes, Scope: Host, Sum: Add,
		From: []string{"statfs(2) of /dev/shm"},
		Help: "Free space of /dev/shm, the shared memory of programs.",
	}},
	{ShmTotal, Row{
		Key: "shm_total_bytes", Label: "/dev/shm size", Unit: Bytes, Scope: Host, Sum: Add,
		From: []string{"statfs(2) of /dev/shm"},
		Help: "Size of the file system that holds /dev/shm.",
	}},
	{DiskRead, Row{
		Key: "disk_read_bytes_per_second", Label: "disks read", Unit: BytesPerSecond, Scope: Host, Rate: true, Sum: Add,
		From: []string{"/sys/block"},
		Help: "Bytes per second read from the local disks; network file systems are not among them.",
	}},
	{DiskWrite, Row{
		Key: "disk_write_bytes_per_second", Label: "disks written", Unit: BytesPerSecond, Scope: Host, Rate: true,
		Sum:  Add,
		From: []string{"/sys/block"},
		Help: "Bytes per second written to the local disks; network file systems are not among them.",
	}},
	{Uptime, Row{
		Key: "uptime_seconds", Label: "uptime", Unit: Seconds, Scope: Host, Sum: Lowest,
		From: []string{"CLOCK_BOOTTIME"},
		Help: "Time since boot.",
	}},
	{NVMLCalls, Row{
		Key: "nvml_calls", Label: "NVML calls", Unit: Count, Scope: Host, Sum: Add,
		From: []string{"NVML"},
		Help: "Calls into the NVIDIA driver that the probe made since its last report, for all GPUs together; absent " +
			"without NVML.",
	}},
}
