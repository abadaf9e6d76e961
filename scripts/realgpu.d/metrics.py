"""With what each metric of docs/metrics.md is compared: a row for each key, as a test demands."""

import dataclasses
import typing

MIB = 1 << 20

# What nvidia-smi writes in place of a number.
WORDS = {"enabled": 1, "disabled": 0, "yes": 1, "no": 0, "active": 1, "not active": 0,
         "default": 0, "exclusive_thread": 1, "prohibited": 2, "exclusive_process": 3}
STATES = {"not supported": 0, "not started": 1, "in progress": 2, "completed": 3}
ACTIONS = {"none": 0, "reset": 1, "reboot": 2, "drain p2p": 3, "drain and reset": 4, "recover imex domain": 5}


@dataclasses.dataclass
class Metric:
    """A metric and its names in their tools."""

    key: str
    xml: tuple = ()  # paths below <gpu> of `nvidia-smi -q -x`; the first that is there counts
    query: tuple = ()  # fields of `nvidia-smi --query-gpu`, likewise
    dmon: str = ""  # a column of `nvidia-smi dmon -s pucmet`
    nvml: typing.Callable = None  # from pynvml and a handle
    sys: typing.Callable = None  # from the PCI bus ID
    scale: float = 1  # of a unit of nvidia-smi in ours
    step: float = 0  # of a number of nvidia-smi in ours; 0: scale
    moves: bool = False  # it may change between two readings
    slack: float = 0  # by how much a steady load lets it move, in our unit
    words: dict = dataclasses.field(default_factory=lambda: WORDS)
    part: str = "readings"  # that compares it
    reason: str = ""  # why nothing can be compared with it


def field(number):
    """Returns a function that reads a field value by NVML's number of it; the type says where it is."""

    def read(n, gpu):
        value = n.nvmlDeviceGetFieldValues(gpu, [number])[0]
        if value.nvmlReturn != 0:
            raise n.NVMLError(value.nvmlReturn)
        name = {0: "dVal", 1: "uiVal", 2: "ulVal", 3: "ullVal", 4: "sllVal"}.get(value.valueType, "ullVal")
        return getattr(value.value, name)

    return read


def scaled(read, by):
    return lambda n, gpu: read(n, gpu) * by


def threshold(name):
    return lambda n, gpu: n.nvmlDeviceGetTemperatureThreshold(gpu, getattr(n, f"NVML_TEMPERATURE_THRESHOLD_{name}"))


def clock(name):
    return lambda n, gpu: n.nvmlDeviceGetClockInfo(gpu, getattr(n, f"NVML_CLOCK_{name}"))


def max_clock(name):
    return lambda n, gpu: n.nvmlDeviceGetMaxClockInfo(gpu, getattr(n, f"NVML_CLOCK_{name}"))


def ecc(kind, scope):
    return lambda n, gpu: n.nvmlDeviceGetTotalEccErrors(gpu, getattr(n, f"NVML_MEMORY_ERROR_TYPE_{kind}"),
                                                        getattr(n, f"NVML_{scope}_ECC"))


def rows(place):
    return lambda n, gpu: int(n.nvmlDeviceGetRemappedRows(gpu)[place])


def memory(name):
    def read(n, gpu):
        try:
            return getattr(n.nvmlDeviceGetMemoryInfo(gpu, version=n.nvmlMemory_v2), name)
        except (AttributeError, TypeError):  # a pynvml before 11.510 has no version 2
            return getattr(n.nvmlDeviceGetMemoryInfo(gpu), name)

    return read


def reasons(n, gpu):
    new = getattr(n, "nvmlDeviceGetCurrentClocksEventReasons", None)
    return (new or n.nvmlDeviceGetCurrentClocksThrottleReasons)(gpu)


def links(n, gpu):
    """Returns which links are up, by the number of the link."""
    found = {}
    for link in range(getattr(n, "NVML_NVLINK_MAX_LINKS", 18)):
        try:
            found[link] = bool(n.nvmlDeviceGetNvLinkState(gpu, link))
        except n.NVMLError:
            pass
    return found


def link_bits(n, gpu):
    found = links(n, gpu)
    return sum(1 << link for link, up in found.items() if up) if found else None


def link_count(n, gpu):
    return len(links(n, gpu)) or None


def numa_node(bus):
    with open(f"/sys/bus/pci/devices/{bus[-12:].lower()}/numa_node") as f:
        node = int(f.read())
    return None if node < 0 else node  # -1: the firmware does not say


POWER = "gpu_power_readings/", "power_readings/"  # since driver 530, and before
COUNTERS = "clocks_event_reasons_counters/clocks_event_reasons_counters_"
LINK = "pci/pci_gpu_link_info/"
ACTIVITY = "activity"

GPU = [
    Metric("util_percent", ("utilization/gpu_util",), ("utilization.gpu",), "sm",
           lambda n, g: n.nvmlDeviceGetUtilizationRates(g).gpu, moves=True, slack=5),
    Metric("mem_util_percent", ("utilization/memory_util",), ("utilization.memory",), "mem",
           lambda n, g: n.nvmlDeviceGetUtilizationRates(g).memory, moves=True, slack=5),
    Metric("encoder_percent", ("utilization/encoder_util",), ("utilization.encoder",), "enc",
           lambda n, g: n.nvmlDeviceGetEncoderUtilization(g)[0], moves=True, slack=5),
    Metric("decoder_percent", ("utilization/decoder_util",), ("utilization.decoder",), "dec",
           lambda n, g: n.nvmlDeviceGetDecoderUtilization(g)[0], moves=True, slack=5),
    Metric("jpeg_percent", ("utilization/jpeg_util",), ("utilization.jpeg",), "jpg",
           lambda n, g: n.nvmlDeviceGetJpgUtilization(g)[0], moves=True, slack=5),
    Metric("ofa_percent", ("utilization/ofa_util",), ("utilization.ofa",), "ofa",
           lambda n, g: n.nvmlDeviceGetOfaUtilization(g)[0], moves=True, slack=5),
    Metric("sm_active_percent", part=ACTIVITY),
    Metric("sm_occupancy_percent", part=ACTIVITY),
    Metric("tensor_active_percent", part=ACTIVITY),
    Metric("dram_active_percent", part=ACTIVITY),
    Metric("memory_used_bytes", ("fb_memory_usage/used",), ("memory.used",), "fb", memory("used"), scale=MIB,
           moves=True),
    Metric("memory_total_bytes", ("fb_memory_usage/total",), ("memory.total",), nvml=memory("total"), scale=MIB),
    Metric("bar1_used_bytes", ("bar1_memory_usage/used",), (), "bar1",
           lambda n, g: n.nvmlDeviceGetBAR1MemoryInfo(g).bar1Used, scale=MIB, moves=True),
    Metric("bar1_total_bytes", ("bar1_memory_usage/total",),
           nvml=lambda n, g: n.nvmlDeviceGetBAR1MemoryInfo(g).bar1Total, scale=MIB),
    Metric("temperature_celsius", ("temperature/gpu_temp",), ("temperature.gpu",), "gtemp",
           lambda n, g: n.nvmlDeviceGetTemperature(g, n.NVML_TEMPERATURE_GPU), moves=True, slack=1),
    Metric("memory_temperature_celsius", ("temperature/memory_temp",), ("temperature.memory",), "mtemp", field(82),
           moves=True, slack=1),
    Metric("slowdown_celsius", ("temperature/gpu_temp_slow_threshold",), nvml=threshold("SLOWDOWN")),
    Metric("shutdown_celsius", ("temperature/gpu_temp_max_threshold",), nvml=threshold("SHUTDOWN")),
    Metric("max_operating_celsius", ("temperature/gpu_temp_max_gpu_threshold",), nvml=threshold("GPU_MAX")),
    Metric("memory_max_operating_celsius", ("temperature/gpu_temp_max_mem_threshold",), nvml=threshold("MEM_MAX")),
    Metric("fan_percent", ("fan_speed",), ("fan.speed",), nvml=lambda n, g: n.nvmlDeviceGetFanSpeed(g),
           moves=True, slack=5),
    Metric("power_watts", tuple(p + d for d in ("average_power_draw", "power_draw") for p in POWER), ("power.draw",),
           "pwr", scaled(lambda n, g: n.nvmlDeviceGetPowerUsage(g), 1e-3), step=0.01, moves=True, slack=20),
    Metric("power_limit_watts", (POWER[0] + "current_power_limit", POWER[1] + "enforced_power_limit"),
           ("enforced.power.limit",), nvml=scaled(lambda n, g: n.nvmlDeviceGetEnforcedPowerLimit(g), 1e-3), step=0.01),
    Metric("power_limit_default_watts", tuple(p + "default_power_limit" for p in POWER), ("power.default_limit",),
           nvml=scaled(lambda n, g: n.nvmlDeviceGetPowerManagementDefaultLimit(g), 1e-3), step=0.01),
    Metric("power_limit_max_watts", tuple(p + "max_power_limit" for p in POWER), ("power.max_limit",),
           nvml=scaled(lambda n, g: n.nvmlDeviceGetPowerManagementLimitConstraints(g)[1], 1e-3), step=0.01),
    Metric("energy_joules", nvml=scaled(lambda n, g: n.nvmlDeviceGetTotalEnergyConsumption(g), 1e-3), moves=True),
    Metric("performance_state", ("performance_state",), ("pstate",),
           nvml=lambda n, g: n.nvmlDeviceGetPerformanceState(g), moves=True),
    Metric("sm_mhz", ("clocks/sm_clock",), ("clocks.sm",), nvml=clock("SM"), moves=True, slack=45),
    Metric("sm_max_mhz", ("max_clocks/sm_clock",), ("clocks.max.sm",), nvml=max_clock("SM")),
    Metric("mem_mhz", ("clocks/mem_clock",), ("clocks.mem",), "mclk", clock("MEM"), moves=True, slack=45),
    Metric("mem_max_mhz", ("max_clocks/mem_clock",), ("clocks.max.mem",), nvml=max_clock("MEM")),
    Metric("graphics_mhz", ("clocks/graphics_clock",), ("clocks.gr",), "pclk", clock("GRAPHICS"), moves=True, slack=45),
    Metric("graphics_max_mhz", ("max_clocks/graphics_clock",), ("clocks.max.gr",), nvml=max_clock("GRAPHICS")),
    Metric("video_mhz", ("clocks/video_clock",), ("clocks.video",), nvml=clock("VIDEO"), moves=True, slack=45),
    Metric("video_max_mhz", ("max_clocks/video_clock",), nvml=max_clock("VIDEO")),
    Metric("throttle_reasons", query=("clocks_event_reasons.active", "clocks_throttle_reasons.active"),
           nvml=reasons, moves=True),
    Metric("power_cap_seconds", (COUNTERS + "sw_power_cap",), nvml=scaled(field(74), 1e-9), scale=1e-6, moves=True),
    Metric("sync_boost_seconds", (COUNTERS + "sync_boost",), nvml=scaled(field(76), 1e-9), scale=1e-6, moves=True),
    Metric("thermal_seconds", nvml=scaled(field(75), 1e-9), moves=True),
    Metric("sw_thermal_seconds", (COUNTERS + "sw_therm_slowdown",), scale=1e-6, moves=True),
    Metric("hw_thermal_seconds", (COUNTERS + "hw_therm_slowdown",), scale=1e-6, moves=True),
    Metric("power_brake_seconds", (COUNTERS + "hw_power_brake",), scale=1e-6, moves=True),
    Metric("pcie_gen", (LINK + "pcie_gen/current_link_gen",), ("pcie.link.gen.current",),
           nvml=lambda n, g: n.nvmlDeviceGetCurrPcieLinkGeneration(g), moves=True),
    Metric("pcie_gen_max", (LINK + "pcie_gen/max_link_gen",), ("pcie.link.gen.max",),
           nvml=lambda n, g: n.nvmlDeviceGetMaxPcieLinkGeneration(g)),
    Metric("pcie_width", (LINK + "link_widths/current_link_width",), ("pcie.link.width.current",),
           nvml=lambda n, g: n.nvmlDeviceGetCurrPcieLinkWidth(g), moves=True),
    Metric("pcie_width_max", (LINK + "link_widths/max_link_width",), ("pcie.link.width.max",),
           nvml=lambda n, g: n.nvmlDeviceGetMaxPcieLinkWidth(g)),
    Metric("pcie_tx_bytes_per_second", part=ACTIVITY),
    Metric("pcie_rx_bytes_per_second", part=ACTIVITY),
    Metric("pcie_replays", ("pci/replay_counter",), (), "pci",
           lambda n, g: n.nvmlDeviceGetPcieReplayCounter(g), moves=True),
    Metric("nvlink_links", nvml=link_count),
    Metric("nvlink_up", nvml=link_bits),
    Metric("nvlink_tx_bytes_per_second", part=ACTIVITY),
    Metric("nvlink_rx_bytes_per_second", part=ACTIVITY),
    Metric("nvlink_crc_errors", nvml=lambda n, g: field(38)(n, g) + field(45)(n, g), moves=True),
    Metric("nvlink_replays", nvml=field(52), moves=True),
    Metric("nvlink_recoveries", nvml=field(59), moves=True),
    Metric("ecc_enabled", ("ecc_mode/current_ecc",), ("ecc.mode.current",),
           nvml=lambda n, g: n.nvmlDeviceGetEccMode(g)[0]),
    Metric("ecc_uncorrected_volatile", query=("ecc.errors.uncorrected.volatile.total",), dmon="dbecc",
           nvml=ecc("UNCORRECTED", "VOLATILE"), moves=True),
    Metric("ecc_corrected_volatile", query=("ecc.errors.corrected.volatile.total",), dmon="sbecc",
           nvml=ecc("CORRECTED", "VOLATILE"), moves=True),
    Metric("ecc_uncorrected_aggregate", query=("ecc.errors.uncorrected.aggregate.total",),
           nvml=ecc("UNCORRECTED", "AGGREGATE"), moves=True),
    Metric("ecc_corrected_aggregate", query=("ecc.errors.corrected.aggregate.total",),
           nvml=ecc("CORRECTED", "AGGREGATE"), moves=True),
    Metric("retired_pages_correctable", ("retired_pages/multiple_single_bit_retirement/retired_count",),
           ("retired_pages.single_bit_ecc.count",)),
    Metric("retired_pages_uncorrectable", ("retired_pages/double_bit_retirement/retired_count",),
           ("retired_pages.double_bit.count",)),
    Metric("retired_pages_pending", ("retired_pages/pending_retirement",), ("retired_pages.pending",),
           nvml=lambda n, g: n.nvmlDeviceGetRetiredPagesPendingStatus(g)),
    Metric("remapped_rows_correctable", ("remapped_rows/remapped_row_corr",), ("remapped_rows.correctable",),
           nvml=rows(0)),
    Metric("remapped_rows_uncorrectable", ("remapped_rows/remapped_row_unc",), ("remapped_rows.uncorrectable",),
           nvml=rows(1)),
    Metric("remap_pending", ("remapped_rows/remapped_row_pending",), ("remapped_rows.pending",), nvml=rows(2)),
    Metric("remap_failed", ("remapped_rows/remapped_row_failure",), ("remapped_rows.failure",), nvml=rows(3)),
    Metric("banks_without_spare_rows", ("remapped_rows/row_remapper_histogram/row_remapper_histogram_none",),
           ("remapped_rows.histogram.none",)),
    Metric("recovery_action", ("gpu_recovery_action",), ("gpu_recovery_action",), nvml=field(230), words=ACTIONS),
    Metric("persistence_mode", ("persistence_mode",), ("persistence_mode",),
           nvml=lambda n, g: n.nvmlDeviceGetPersistenceMode(g)),
    Metric("compute_mode", ("compute_mode",), ("compute_mode",), nvml=lambda n, g: n.nvmlDeviceGetComputeMode(g)),
    Metric("display_mode", ("display_mode", "display_attached"), ("display_mode", "display_attached"),
           nvml=lambda n, g: n.nvmlDeviceGetDisplayMode(g)),
    Metric("display_active", ("display_active",), ("display_active",),
           nvml=lambda n, g: n.nvmlDeviceGetDisplayActive(g)),
    Metric("fabric_state", ("fabric/state",), ("fabric.state",), words=STATES),
    Metric("fabric_status", ("fabric/status",), ("fabric.status",), words={"success": 0}),
    Metric("fabric_health", reason="nvidia-smi has words for its bits"),
    Metric("fabric_clique", ("fabric/cliqueId",), ("fabric.cliqueId",)),
    Metric("numa_node", sys=numa_node),
]

# The facts of a GPU that are no metrics: the name in our JSON, and theirs.
FACTS = [
    ("uuid", "uuid", "uuid"),
    ("name", "product_name", "name"),
    ("pci_bus", "pci/pci_bus_id", "pci.bus_id"),
    ("serial", "serial", "serial"),
    ("vbios", "vbios_version", "vbios_version"),
    ("cuda_capability", "", "compute_cap"),
    ("index", "minor_number", ""),
    ("mig", "mig_mode/current_mig", "mig.mode.current"),
]

PRIVATE = ("uuid", "serial")

# What -q -x has of the rows above, in another form or elsewhere in the table.
SHOWN = ("clocks_event_reasons/", "clocks_throttle_reasons/", "pci/pci_bus", "pci/pci_domain", "pci/pci_device",
         "pci/tx_util", "pci/rx_util", "processes/", "ecc_errors/volatile/", "ecc_errors/aggregate/", "mig_devices",
         "supported_clocks/", "gpu_power_readings/power_state", "power_readings/power_state")

RATE = "the kernel's counters change all the time: the cluster's tests compare it with a known load"
RATES = ("cpu_percent", "net_tx_bytes_per_second", "net_rx_bytes_per_second", "net_tx_packets_per_second",
         "net_rx_packets_per_second", "infiniband_tx_bytes_per_second", "infiniband_rx_bytes_per_second",
         "disk_read_bytes_per_second", "disk_write_bytes_per_second")
READ = ("cpu_user_seconds", "cpu_system_seconds", "cpu_idle_seconds", "cpu_iowait_seconds", "load1", "load5", "load15",
        "memory_used_bytes", "memory_total_bytes", "memory_buffers_bytes", "memory_cached_bytes", "memory_shared_bytes",
        "memory_slab_bytes", "swap_used_bytes", "swap_total_bytes", "disk_free_bytes", "disk_total_bytes",
        "tmp_free_bytes", "tmp_total_bytes", "shm_free_bytes", "shm_total_bytes", "uptime_seconds", "nvml_calls")
# The metrics of the node, with the reason why nothing is compared. The part cost counts nvml_calls.
HOST = {**dict.fromkeys(RATES, RATE), **dict.fromkeys(READ, "")}


def describe():
    """Yields a line for each metric, gpu or node: its key, and what is compared with it."""
    for m in GPU:
        names = [*(f"-q -x {p}" for p in m.xml), *(f"--query-gpu {q}" for q in m.query)]
        names += [f"dmon {m.dmon}"] if m.dmon else []
        names += ["pynvml"] if m.nvml else []
        names += ["/sys"] if m.sys else []
        names += [f"part {m.part}"] if m.part != "readings" else []
        yield f"gpu {m.key}: {', '.join(names) or 'nothing: ' + m.reason}"
    for key, reason in HOST.items():
        other = "part cost" if key == "nvml_calls" else "/proc, statfs"
        yield f"node {key}: {'nothing: ' + reason if reason else other}"
