// smi_rows.c: the values that the fake nvidia-smi prints, and how NVML is asked for each.
#include "smi.h"

#include <stdio.h>

// NUMBER reads an unsigned number, and prints it in a form.
#define NUMBER(name, form, number, ...)                            \
	static bool name(nvmlDevice_t gpu, char *out)              \
	{                                                          \
		unsigned n = 0;                                    \
		if (__VA_ARGS__)                                   \
			return false;                              \
		snprintf(out, CELL, form, number);                 \
		return true;                                       \
	}
// PLAIN is a number with a unit.
#define PLAIN(name, unit, ...) NUMBER(name, "%u" unit, n, __VA_ARGS__)
// SWITCH is one of two words.
#define SWITCH(name, yes, no, type, ...)                           \
	static bool name(nvmlDevice_t gpu, char *out)              \
	{                                                          \
		type n = 0;                                        \
		if (__VA_ARGS__)                                   \
			return false;                              \
		snprintf(out, CELL, "%s", n ? yes : no);           \
		return true;                                       \
	}
// TEXT is a string.
#define TEXT(name, call)                                                                              \
	static bool name(nvmlDevice_t gpu, char *out) { return call(gpu, out, CELL) == NVML_SUCCESS; }

TEXT(product_name, nvmlDeviceGetName)
TEXT(uuid, nvmlDeviceGetUUID)
TEXT(serial, nvmlDeviceGetSerial)
TEXT(vbios, nvmlDeviceGetVbiosVersion)
PLAIN(minor, "", nvmlDeviceGetMinorNumber(gpu, &n))
PLAIN(place, "", nvmlDeviceGetIndex(gpu, &n))
SWITCH(display_attached, "Yes", "No", nvmlEnableState_t, nvmlDeviceGetDisplayMode(gpu, &n))
SWITCH(display_active, "Enabled", "Disabled", nvmlEnableState_t, nvmlDeviceGetDisplayActive(gpu, &n))
SWITCH(persistence, "Enabled", "Disabled", nvmlEnableState_t, nvmlDeviceGetPersistenceMode(gpu, &n))
PLAIN(gen, "", nvmlDeviceGetCurrPcieLinkGeneration(gpu, &n))
PLAIN(gen_max, "", nvmlDeviceGetMaxPcieLinkGeneration(gpu, &n))
PLAIN(width, "", nvmlDeviceGetCurrPcieLinkWidth(gpu, &n))
PLAIN(width_max, "", nvmlDeviceGetMaxPcieLinkWidth(gpu, &n))
PLAIN(lanes, "x", nvmlDeviceGetCurrPcieLinkWidth(gpu, &n))
PLAIN(lanes_max, "x", nvmlDeviceGetMaxPcieLinkWidth(gpu, &n))
PLAIN(replays, "", nvmlDeviceGetPcieReplayCounter(gpu, &n))
PLAIN(fan, " %%", nvmlDeviceGetFanSpeed(gpu, &n))
PLAIN(temperature, " C", nvmlDeviceGetTemperature(gpu, NVML_TEMPERATURE_GPU, &n))
PLAIN(slowdown, " C", nvmlDeviceGetTemperatureThreshold(gpu, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN, &n))
PLAIN(shutdown, " C", nvmlDeviceGetTemperatureThreshold(gpu, NVML_TEMPERATURE_THRESHOLD_SHUTDOWN, &n))
PLAIN(gpu_max, " C", nvmlDeviceGetTemperatureThreshold(gpu, NVML_TEMPERATURE_THRESHOLD_GPU_MAX, &n))
PLAIN(memory_max, " C", nvmlDeviceGetTemperatureThreshold(gpu, NVML_TEMPERATURE_THRESHOLD_MEM_MAX, &n))
NUMBER(power, "%.2f W", n / 1e3, nvmlDeviceGetPowerUsage(gpu, &n))
NUMBER(power_limit, "%.2f W", n / 1e3, nvmlDeviceGetEnforcedPowerLimit(gpu, &n))
NUMBER(power_default, "%.2f W", n / 1e3, nvmlDeviceGetPowerManagementDefaultLimit(gpu, &n))
NUMBER(power_max, "%.2f W", n / 1e3, nvmlDeviceGetPowerManagementLimitConstraints(gpu, &(unsigned){0}, &n))
PLAIN(sm_clock, " MHz", nvmlDeviceGetClockInfo(gpu, NVML_CLOCK_SM, &n))
PLAIN(mem_clock, " MHz", nvmlDeviceGetClockInfo(gpu, NVML_CLOCK_MEM, &n))
PLAIN(graphics_clock, " MHz", nvmlDeviceGetClockInfo(gpu, NVML_CLOCK_GRAPHICS, &n))
PLAIN(video_clock, " MHz", nvmlDeviceGetClockInfo(gpu, NVML_CLOCK_VIDEO, &n))
PLAIN(sm_clock_max, " MHz", nvmlDeviceGetMaxClockInfo(gpu, NVML_CLOCK_SM, &n))
PLAIN(mem_clock_max, " MHz", nvmlDeviceGetMaxClockInfo(gpu, NVML_CLOCK_MEM, &n))
PLAIN(graphics_clock_max, " MHz", nvmlDeviceGetMaxClockInfo(gpu, NVML_CLOCK_GRAPHICS, &n))
PLAIN(video_clock_max, " MHz", nvmlDeviceGetMaxClockInfo(gpu, NVML_CLOCK_VIDEO, &n))
PLAIN(encoder, " %%", nvmlDeviceGetEncoderUtilization(gpu, &n, &(unsigned){0}))
PLAIN(decoder, " %%", nvmlDeviceGetDecoderUtilization(gpu, &n, &(unsigned){0}))
PLAIN(jpeg, " %%", nvmlDeviceGetJpgUtilization(gpu, &n, &(unsigned){0}))
PLAIN(ofa, " %%", nvmlDeviceGetOfaUtilization(gpu, &n, &(unsigned){0}))
SWITCH(ecc_mode, "Enabled", "Disabled", nvmlEnableState_t, nvmlDeviceGetEccMode(gpu, &n, &(nvmlEnableState_t){0}))
SWITCH(retired_pending, "Yes", "No", nvmlEnableState_t, nvmlDeviceGetRetiredPagesPendingStatus(gpu, &n))
PLAIN(remapped_correctable, "", nvmlDeviceGetRemappedRows(gpu, &n, &(unsigned){0}, &(unsigned){0}, &(unsigned){0}))
PLAIN(remapped_uncorrectable, "", nvmlDeviceGetRemappedRows(gpu, &(unsigned){0}, &n, &(unsigned){0}, &(unsigned){0}))
SWITCH(remap_pending, "Yes", "No", unsigned, nvmlDeviceGetRemappedRows(gpu, &(unsigned){0}, &(unsigned){0}, &n, &(unsigned){0}))
SWITCH(remap_failed, "Yes", "No", unsigned, nvmlDeviceGetRemappedRows(gpu, &(unsigned){0}, &(unsigned){0}, &(unsigned){0}, &n))

// LONG is a number of 64 bits.
#define LONG(name, form, number, ...)                              \
	static bool name(nvmlDevice_t gpu, char *out)              \
	{                                                          \
		unsigned long long n = 0;                          \
		if (__VA_ARGS__)                                   \
			return false;                              \
		snprintf(out, CELL, form, number);                 \
		return true;                                       \
	}
LONG(reasons, "0x%016llx", n, nvmlDeviceGetCurrentClocksEventReasons(gpu, &n))
LONG(ecc_uncorrected, "%llu", n, nvmlDeviceGetTotalEccErrors(gpu, NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC, &n))
LONG(ecc_corrected, "%llu", n, nvmlDeviceGetTotalEccErrors(gpu, NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_VOLATILE_ECC, &n))
LONG(ecc_uncorrected_all, "%llu", n, nvmlDeviceGetTotalEccErrors(gpu, NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_AGGREGATE_ECC, &n))
LONG(ecc_corrected_all, "%llu", n, nvmlDeviceGetTotalEccErrors(gpu, NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_AGGREGATE_ECC, &n))

// PART is a member of a structure.
#define PART(name, form, type, number, ...)                        \
	static bool name(nvmlDevice_t gpu, char *out)              \
	{                                                          \
		type s = {0};                                      \
		if (__VA_ARGS__)                                   \
			return false;                              \
		snprintf(out, CELL, form, number);                 \
		return true;                                       \
	}
PART(bus, "%s", nvmlPciInfo_t, s.busId, nvmlDeviceGetPciInfo_v3(gpu, &s))
PART(util, "%u %%", nvmlUtilization_t, s.gpu, nvmlDeviceGetUtilizationRates(gpu, &s))
PART(mem_util, "%u %%", nvmlUtilization_t, s.memory, nvmlDeviceGetUtilizationRates(gpu, &s))
PART(banks_without_spares, "%u bank(s)", nvmlRowRemapperHistogramValues_t, s.none, nvmlDeviceGetRowRemapperHistogram(gpu, &s))
PART(bar1_total, "%llu MiB", nvmlBAR1Memory_t, s.bar1Total >> 20, nvmlDeviceGetBAR1MemoryInfo(gpu, &s))
PART(bar1_used, "%llu MiB", nvmlBAR1Memory_t, s.bar1Used >> 20, nvmlDeviceGetBAR1MemoryInfo(gpu, &s))

static nvmlReturn_t memory(nvmlDevice_t gpu, nvmlMemory_v2_t *s)
{
	s->version = nvmlMemory_v2;
	return nvmlDeviceGetMemoryInfo_v2(gpu, s);
}
PART(memory_total, "%llu MiB", nvmlMemory_v2_t, s.total >> 20, memory(gpu, &s))
PART(memory_used, "%llu MiB", nvmlMemory_v2_t, s.used >> 20, memory(gpu, &s))

static nvmlReturn_t fabric(nvmlDevice_t gpu, nvmlGpuFabricInfoV_t *s)
{
	s->version = nvmlGpuFabricInfo_v2;
	return nvmlDeviceGetGpuFabricInfoV(gpu, s);
}
static const char *state_names[] = {"N/A", "Not Started", "In Progress", "Completed"};
PART(fabric_state, "%s", nvmlGpuFabricInfoV_t, state_names[s.state & 3], fabric(gpu, &s))
PART(fabric_clique, "%u", nvmlGpuFabricInfoV_t, s.cliqueId, fabric(gpu, &s))
PART(fabric_status, "%s", nvmlGpuFabricInfoV_t, s.status ? "Failure" : "Success", fabric(gpu, &s))

static nvmlReturn_t value(nvmlDevice_t gpu, unsigned field, nvmlFieldValue_t *s)
{
	s->fieldId = field;
	nvmlReturn_t failed = nvmlDeviceGetFieldValues(gpu, 1, s);
	return failed ? failed : s->nvmlReturn;
}
PART(memory_temperature, "%u C", nvmlFieldValue_t, s.value.uiVal, value(gpu, NVML_FI_DEV_MEMORY_TEMP, &s))
PART(power_cap, "%llu us", nvmlFieldValue_t, s.value.ullVal / 1000, value(gpu, NVML_FI_DEV_PERF_POLICY_POWER, &s))
PART(sync_boost, "%llu us", nvmlFieldValue_t, s.value.ullVal / 1000, value(gpu, NVML_FI_DEV_PERF_POLICY_SYNC_BOOST, &s))
static const char *action_names[] = {"None", "Reset", "Reboot", "Drain P2P", "Drain and Reset"};
PART(recovery, "%s", nvmlFieldValue_t, s.value.uiVal < 5 ? action_names[s.value.uiVal] : "Unknown",
     value(gpu, NVML_FI_DEV_GET_GPU_RECOVERY_ACTION, &s))
PART(state, "P%u", nvmlPstates_t, s, nvmlDeviceGetPerformanceState(gpu, &s))
static const char *mode_names[] = {"Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process"};
PART(compute_mode, "%s", nvmlComputeMode_t, mode_names[s & 3], nvmlDeviceGetComputeMode(gpu, &s))

static bool capability(nvmlDevice_t gpu, char *out)
{
	int major, minor_;
	if (nvmlDeviceGetCudaComputeCapability(gpu, &major, &minor_))
		return false;
	snprintf(out, CELL, "%d.%d", major, minor_);
	return true;
}

static bool driver(nvmlDevice_t gpu, char *out)
{
	(void)gpu;
	return nvmlSystemGetDriverVersion(out, CELL) == NVML_SUCCESS;
}

static bool gpus(nvmlDevice_t gpu, char *out)
{
	unsigned n = 0;
	(void)gpu;
	nvmlDeviceGetCount_v2(&n);
	snprintf(out, CELL, "%u", n);
	return true;
}

static bool mig(nvmlDevice_t gpu, char *out)
{
	unsigned now, later;
	if (nvmlDeviceGetMigMode(gpu, &now, &later))
		return false;
	snprintf(out, CELL, "%s", now ? "Enabled" : "Disabled");
	return true;
}

static bool retired(nvmlDevice_t gpu, nvmlPageRetirementCause_t cause, char *out)
{
	unsigned n = 0;
	nvmlReturn_t got = nvmlDeviceGetRetiredPages(gpu, cause, &n, NULL);
	if (got && got != NVML_ERROR_INSUFFICIENT_SIZE)
		return false;
	snprintf(out, CELL, "%u", n);
	return true;
}
static bool retired_single(nvmlDevice_t gpu, char *out)
{
	return retired(gpu, NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS, out);
}
static bool retired_double(nvmlDevice_t gpu, char *out)
{
	return retired(gpu, NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR, out);
}

const struct smi_row smi_rows[] = {
	{NULL, "driver_version", driver},
	{NULL, "count", gpus},
	{"product_name", "name", product_name},
	{NULL, "index", place},
	{NULL, "compute_cap", capability},
	{"display_attached", "display_attached", display_attached},
	{"display_active", "display_active", display_active},
	{"persistence_mode", "persistence_mode", persistence},
	{"mig_mode/current_mig", "mig.mode.current", mig},
	{"serial", "serial", serial},
	{"uuid", "uuid", uuid},
	{"minor_number", NULL, minor},
	{"vbios_version", "vbios_version", vbios},
	{"gpu_recovery_action", "gpu_recovery_action", recovery},
	{"pci/pci_bus_id", "pci.bus_id", bus},
	{"pci/pci_gpu_link_info/pcie_gen/max_link_gen", "pcie.link.gen.max", gen_max},
	{"pci/pci_gpu_link_info/pcie_gen/current_link_gen", "pcie.link.gen.current", gen},
	{"pci/pci_gpu_link_info/link_widths/max_link_width", NULL, lanes_max},
	{"pci/pci_gpu_link_info/link_widths/current_link_width", NULL, lanes},
	{NULL, "pcie.link.width.max", width_max},
	{NULL, "pcie.link.width.current", width},
	{"pci/replay_counter", NULL, replays},
	{"fan_speed", "fan.speed", fan},
	{"performance_state", "pstate", state},
	{NULL, "clocks_event_reasons.active", reasons},
	{"clocks_event_reasons_counters/clocks_event_reasons_counters_sw_power_cap", NULL, power_cap},
	{"clocks_event_reasons_counters/clocks_event_reasons_counters_sync_boost", NULL, sync_boost},
	{"fb_memory_usage/total", "memory.total", memory_total},
	{"fb_memory_usage/used", "memory.used", memory_used},
	{"bar1_memory_usage/total", NULL, bar1_total},
	{"bar1_memory_usage/used", NULL, bar1_used},
	{"compute_mode", "compute_mode", compute_mode},
	{"utilization/gpu_util", "utilization.gpu", util},
	{"utilization/memory_util", "utilization.memory", mem_util},
	{"utilization/encoder_util", "utilization.encoder", encoder},
	{"utilization/decoder_util", "utilization.decoder", decoder},
	{"utilization/jpeg_util", "utilization.jpeg", jpeg},
	{"utilization/ofa_util", "utilization.ofa", ofa},
	{"ecc_mode/current_ecc", "ecc.mode.current", ecc_mode},
	{NULL, "ecc.errors.corrected.volatile.total", ecc_corrected},
	{NULL, "ecc.errors.uncorrected.volatile.total", ecc_uncorrected},
	{NULL, "ecc.errors.corrected.aggregate.total", ecc_corrected_all},
	{NULL, "ecc.errors.uncorrected.aggregate.total", ecc_uncorrected_all},
	{"retired_pages/multiple_single_bit_retirement/retired_count", "retired_pages.single_bit_ecc.count", retired_single},
	{"retired_pages/double_bit_retirement/retired_count", "retired_pages.double_bit.count", retired_double},
	{"retired_pages/pending_retirement", "retired_pages.pending", retired_pending},
	{"remapped_rows/remapped_row_corr", "remapped_rows.correctable", remapped_correctable},
	{"remapped_rows/remapped_row_unc", "remapped_rows.uncorrectable", remapped_uncorrectable},
	{"remapped_rows/remapped_row_pending", "remapped_rows.pending", remap_pending},
	{"remapped_rows/remapped_row_failure", "remapped_rows.failure", remap_failed},
	{"remapped_rows/row_remapper_histogram/row_remapper_histogram_none", "remapped_rows.histogram.none", banks_without_spares},
	{"temperature/gpu_temp", "temperature.gpu", temperature},
	{"temperature/gpu_temp_max_threshold", NULL, shutdown},
	{"temperature/gpu_temp_slow_threshold", NULL, slowdown},
	{"temperature/gpu_temp_max_gpu_threshold", NULL, gpu_max},
	{"temperature/memory_temp", "temperature.memory", memory_temperature},
	{"temperature/gpu_temp_max_mem_threshold", NULL, memory_max},
	{"gpu_power_readings/average_power_draw", "power.draw", power},
	{"gpu_power_readings/current_power_limit", "enforced.power.limit", power_limit},
	{"gpu_power_readings/default_power_limit", "power.default_limit", power_default},
	{"gpu_power_readings/max_power_limit", "power.max_limit", power_max},
	{"clocks/graphics_clock", "clocks.gr", graphics_clock},
	{"clocks/sm_clock", "clocks.sm", sm_clock},
	{"clocks/mem_clock", "clocks.mem", mem_clock},
	{"clocks/video_clock", "clocks.video", video_clock},
	{"max_clocks/graphics_clock", "clocks.max.gr", graphics_clock_max},
	{"max_clocks/sm_clock", "clocks.max.sm", sm_clock_max},
	{"max_clocks/mem_clock", "clocks.max.mem", mem_clock_max},
	{"max_clocks/video_clock", NULL, video_clock_max},
	{"fabric/state", "fabric.state", fabric_state},
	{"fabric/status", "fabric.status", fabric_status},
	{"fabric/cliqueId", "fabric.cliqueId", fabric_clique},
	{0},
};
