// The numbered fields. Which driver has which field: those of the clock reasons got other numbers with driver 580.
#define _GNU_SOURCE
#include "call.h"
#include <string.h>
#include <time.h>

enum { RENUMBERED = 580, SW_THERMAL_NS = 251, LATER_SW_THERMAL_NS = 269, REASONS = 3, ALL_LINKS = -1 };

static nvmlReturn_t put_short(nvmlFieldValue_t *field, unsigned long long value)
{
	field->valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
	return put_number(&field->value.uiVal, value);
}

static nvmlReturn_t put_wide(nvmlFieldValue_t *field, unsigned long long value)
{
	field->valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
	return put_long(&field->value.ullVal, value);
}

static nvmlReturn_t put_counter(nvmlFieldValue_t *field, double value) { return put_wide(field, (unsigned long long)value); }

#if DRIVER >= 530
static nvmlReturn_t put_watts(nvmlFieldValue_t *field, unsigned long long watts)
{
	return put_short(field, watts == ABSENT ? ABSENT : watts * 1000);
}
#endif

static nvmlReturn_t error_field(nvmlFieldValue_t *field, const struct gpu *gpu)
{
	switch (field->fieldId) {
	case NVML_FI_DEV_ECC_SBE_VOL_TOTAL: return put_wide(field, gpu->now.ecc_corrected);
	case NVML_FI_DEV_ECC_DBE_VOL_TOTAL: return put_wide(field, gpu->now.ecc);
	case NVML_FI_DEV_ECC_SBE_AGG_TOTAL: return put_wide(field, gpu->now.ecc_corrected_aggregate);
	case NVML_FI_DEV_ECC_DBE_AGG_TOTAL: return put_wide(field, gpu->now.ecc_aggregate);
	case NVML_FI_DEV_REMAPPED_COR: return put_short(field, gpu->remapped[0]);
	case NVML_FI_DEV_REMAPPED_UNC: return put_short(field, gpu->remapped[1]);
	case NVML_FI_DEV_REMAPPED_PENDING: return put_short(field, gpu->remapped[2]);
	case NVML_FI_DEV_REMAPPED_FAILURE: return put_short(field, gpu->remapped[3]);
	case NVML_FI_DEV_PCIE_REPLAY_COUNTER: return put_wide(field, gpu->now.pcie_replays);
#if DRIVER >= 550
	case NVML_FI_DEV_GET_GPU_RECOVERY_ACTION: return put_short(field, gpu->now.recovery);
#endif
	default: return NVML_ERROR_NOT_SUPPORTED;
	}
}

// nvlink_field: the counters are those of all links together, or of one of them.
static nvmlReturn_t nvlink_field(nvmlFieldValue_t *field, const struct gpu *gpu)
{
	if (gpu->now.nvlink_links == ABSENT || gpu->now.nvlink_links == 0)
		return NVML_ERROR_NOT_SUPPORTED;
	double share = field->scopeId == (unsigned)ALL_LINKS ? 1 : 1.0 / (double)gpu->now.nvlink_links;
	switch (field->fieldId) {
	case NVML_FI_DEV_NVLINK_LINK_COUNT: return put_short(field, gpu->now.nvlink_links);
	case NVML_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL: return put_wide(field, gpu->now.nvlink_crc);
	case NVML_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL: return put_wide(field, 0);
	case NVML_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL: return put_wide(field, gpu->now.nvlink_replays);
	case NVML_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL: return put_wide(field, gpu->now.nvlink_recoveries);
	case NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX:
	case NVML_FI_DEV_NVLINK_THROUGHPUT_RAW_TX: return put_counter(field, share * gpu->counters.nvlink_tx / 1024);
	case NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX:
	case NVML_FI_DEV_NVLINK_THROUGHPUT_RAW_RX: return put_counter(field, share * gpu->counters.nvlink_rx / 1024);
	default: return NVML_ERROR_NOT_SUPPORTED;
	}
}

static nvmlReturn_t state_field(nvmlFieldValue_t *field, const struct gpu *gpu)
{
	switch (field->fieldId) {
	case NVML_FI_DEV_MEMORY_TEMP: return put_short(field, gpu->now.memory_temperature);
	case NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION: return put_counter(field, gpu->counters.energy);
	case NVML_FI_DEV_PERF_POLICY_POWER: return put_counter(field, gpu->counters.power_policy);
	case NVML_FI_DEV_PERF_POLICY_THERMAL: return put_counter(field, gpu->counters.thermal_policy);
	case NVML_FI_DEV_PERF_POLICY_SYNC_BOOST: return put_counter(field, gpu->counters.sync_boost);
#if DRIVER >= 530
	case NVML_FI_DEV_POWER_AVERAGE:
	case NVML_FI_DEV_POWER_INSTANT: return put_short(field, gpu->power_mw);
	case NVML_FI_DEV_POWER_MAX_LIMIT: return put_watts(field, gpu->now.power_limit_max);
	case NVML_FI_DEV_POWER_DEFAULT_LIMIT: return put_watts(field, gpu->now.power_limit_default);
	case NVML_FI_DEV_POWER_CURRENT_LIMIT: return put_watts(field, gpu->now.power_limit);
	case NVML_FI_DEV_PCIE_COUNT_TX_BYTES: return put_counter(field, gpu->counters.pcie_tx);
	case NVML_FI_DEV_PCIE_COUNT_RX_BYTES: return put_counter(field, gpu->counters.pcie_rx);
#endif
	default: return NVML_ERROR_NOT_SUPPORTED;
	}
}

#if DRIVER >= 550
// reason_field: how long each of the reasons has held.
static nvmlReturn_t reason_field(nvmlFieldValue_t *field, const struct gpu *gpu, unsigned driver)
{
	unsigned first = driver >= RENUMBERED ? LATER_SW_THERMAL_NS : SW_THERMAL_NS;
	const double ns[REASONS] = {gpu->counters.sw_thermal, gpu->counters.hw_thermal, gpu->counters.power_brake};
	if (field->fieldId < first || field->fieldId >= first + REASONS)
		return NVML_ERROR_NOT_SUPPORTED;
	return put_counter(field, ns[field->fieldId - first]);
}
#else
static nvmlReturn_t reason_field(nvmlFieldValue_t *field, const struct gpu *gpu, unsigned driver)
{
	(void)field, (void)gpu, (void)driver;
	return NVML_ERROR_NOT_SUPPORTED;
}
#endif

static nvmlReturn_t set_field(nvmlFieldValue_t *field, const struct gpu *gpu, unsigned driver)
{
	nvmlReturn_t result = state_field(field, gpu);
	if (result == NVML_ERROR_NOT_SUPPORTED)
		result = error_field(field, gpu);
	if (result == NVML_ERROR_NOT_SUPPORTED)
		result = nvlink_field(field, gpu);
	return result == NVML_ERROR_NOT_SUPPORTED ? reason_field(field, gpu, driver) : result;
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *fields)
{
	BEGIN_DEVICE(device);
	REQUIRE(fields && count > 0);
	unsigned driver = driver_major(enter());
	leave();
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	for (int i = 0; i < count; i++) {
		memset(&fields[i].value, 0, sizeof fields[i].value);
		fields[i].timestamp = now.tv_sec * 1000000LL + now.tv_nsec / 1000;
		fields[i].latencyUsec = 1;
		fields[i].valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
		fields[i].nvmlReturn = set_field(&fields[i], &gpu, driver);
	}
	return NVML_SUCCESS;
}
