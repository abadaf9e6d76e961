// The measurements and the configuration of a GPU. The library of an old driver lacks the newer functions.
#define _GNU_SOURCE
#include "call.h"
#include <string.h>
#include <time.h>

enum { SHUTDOWN_C = 92, SLOWDOWN_C = 89, GPU_MAX_C = 85, MEM_MAX_C = 95 };

static nvmlReturn_t put_number(unsigned *to, unsigned value)
{
	REQUIRE(to);
	*to = value;
	return NVML_SUCCESS;
}

static nvmlReturn_t put_long(unsigned long long *to, unsigned long long value)
{
	REQUIRE(to);
	*to = value;
	return NVML_SUCCESS;
}

// Load and memory

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilization)
{
	BEGIN_DEVICE(device);
	REQUIRE(utilization);
	if (gpu.mig) // the parent GPU has none while it is divided
		return NVML_ERROR_NOT_SUPPORTED;
	utilization->gpu = gpu.util;
	utilization->memory = gpu.util_memory;
	return NVML_SUCCESS;
}

// Version 1 counts the reserved memory as used.
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
	BEGIN_DEVICE(device);
	REQUIRE(memory);
	memory->total = gpu.memory_total;
	memory->used = gpu.memory_used + gpu.memory_reserved;
	memory->free = memory->total > memory->used ? memory->total - memory->used : 0;
	return NVML_SUCCESS;
}

#ifndef OLD_DRIVER
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
	BEGIN_DEVICE(device);
	REQUIRE(memory);
	if (memory->version != nvmlMemory_v2)
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	unsigned long long taken = gpu.memory_used + gpu.memory_reserved;
	memory->total = gpu.memory_total;
	memory->reserved = gpu.memory_reserved;
	memory->used = gpu.memory_used;
	memory->free = gpu.memory_total > taken ? gpu.memory_total - taken : 0;
	return NVML_SUCCESS;
}
#endif

// Temperature, power, energy

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned *temperature)
{
	BEGIN_DEVICE(device);
	if (sensor != NVML_TEMPERATURE_GPU)
		return NVML_ERROR_INVALID_ARGUMENT;
	return put_number(temperature, gpu.temperature);
}

#ifndef OLD_DRIVER
nvmlReturn_t nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_t *temperature)
{
	BEGIN_DEVICE(device);
	REQUIRE(temperature);
	if (temperature->version != nvmlTemperature_v1)
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	if (temperature->sensorType != NVML_TEMPERATURE_GPU)
		return NVML_ERROR_INVALID_ARGUMENT;
	temperature->temperature = (int)gpu.temperature;
	return NVML_SUCCESS;
}
#endif

nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device, nvmlTemperatureThresholds_t type, unsigned *temperature)
{
	BEGIN_DEVICE(device);
	switch (type) {
	case NVML_TEMPERATURE_THRESHOLD_SHUTDOWN: return put_number(temperature, SHUTDOWN_C);
	case NVML_TEMPERATURE_THRESHOLD_SLOWDOWN: return put_number(temperature, SLOWDOWN_C);
	case NVML_TEMPERATURE_THRESHOLD_MEM_MAX: return put_number(temperature, MEM_MAX_C);
	case NVML_TEMPERATURE_THRESHOLD_GPU_MAX: return put_number(temperature, GPU_MAX_C);
	default: return NVML_ERROR_NOT_SUPPORTED;
	}
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *milliwatts)
{
	BEGIN_DEVICE(device);
	return put_number(milliwatts, gpu.power_mw);
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned *milliwatts)
{
	BEGIN_DEVICE(device);
	return put_number(milliwatts, gpu.power_limit_mw);
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned *milliwatts)
{
	BEGIN_DEVICE(device);
	return put_number(milliwatts, gpu.power_limit_mw);
}

nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *millijoules)
{
	BEGIN_DEVICE(device);
	return put_long(millijoules, gpu.energy_mj);
}

nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned *percent)
{
	BEGIN_DEVICE(device);
	(void)percent;
	return NVML_ERROR_NOT_SUPPORTED; // SXM modules have no fan
}

// Clocks

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz)
{
	BEGIN_DEVICE(device);
	return put_number(mhz, type == NVML_CLOCK_MEM ? gpu.clock_mem : gpu.clock_sm);
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz)
{
	BEGIN_DEVICE(device);
	return put_number(mhz, type == NVML_CLOCK_MEM ? 1593 : 1410);
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long *reasons)
{
	BEGIN_DEVICE(device);
	return put_long(reasons, gpu.throttle);
}

#ifndef OLD_DRIVER
nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long *reasons)
{
	BEGIN_DEVICE(device);
	return put_long(reasons, gpu.throttle);
}
#endif

nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t *state)
{
	BEGIN_DEVICE(device);
	REQUIRE(state);
	*state = gpu.util > 0 ? NVML_PSTATE_0 : NVML_PSTATE_8;
	return NVML_SUCCESS;
}

// Errors

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type, nvmlEccCounterType_t counter,
					 unsigned long long *errors)
{
	BEGIN_DEVICE(device);
	(void)counter; // the aggregate counters repeat the volatile ones
	return put_long(errors, type == NVML_MEMORY_ERROR_TYPE_UNCORRECTED ? gpu.ecc : gpu.ecc_corrected);
}

// Modes

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t *current, nvmlEnableState_t *pending)
{
	BEGIN_DEVICE(device);
	REQUIRE(current && pending);
	*current = *pending = NVML_FEATURE_ENABLED;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode)
{
	BEGIN_DEVICE(device);
	REQUIRE(mode);
	*mode = NVML_FEATURE_ENABLED;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode)
{
	BEGIN_DEVICE(device);
	REQUIRE(mode);
	*mode = NVML_COMPUTEMODE_DEFAULT;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *current, unsigned *pending)
{
	BEGIN_DEVICE(device);
	REQUIRE(current && pending);
	*current = *pending = gpu.mig ? NVML_DEVICE_MIG_ENABLE : NVML_DEVICE_MIG_DISABLE;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned *count)
{
	BEGIN_DEVICE(device);
	return put_number(count, gpu.mig ? 7 : 0);
}

// MIG is on or off; there are no instances.
nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index, nvmlDevice_t *instance)
{
	BEGIN_DEVICE(device);
	(void)index;
	(void)instance;
	return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned *is_instance)
{
	BEGIN_DEVICE(device);
	return put_number(is_instance, 0);
}

// Fields

static void set_field(nvmlFieldValue_t *field, const struct gpu *gpu)
{
	field->nvmlReturn = NVML_SUCCESS;
	field->valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
	switch (field->fieldId) {
	case NVML_FI_DEV_ECC_SBE_VOL_TOTAL:
		field->valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
		field->value.ullVal = gpu->ecc_corrected;
		break;
	case NVML_FI_DEV_ECC_DBE_VOL_TOTAL:
		field->valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
		field->value.ullVal = gpu->ecc;
		break;
	case NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION:
		field->valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
		field->value.ullVal = gpu->energy_mj;
		break;
	case NVML_FI_DEV_MEMORY_TEMP:
		field->value.uiVal = gpu->memory_temperature;
		break;
	case NVML_FI_DEV_POWER_AVERAGE:
	case NVML_FI_DEV_POWER_INSTANT:
		field->value.uiVal = gpu->power_mw;
		break;
	case NVML_FI_DEV_POWER_CURRENT_LIMIT:
	case NVML_FI_DEV_POWER_DEFAULT_LIMIT:
		field->value.uiVal = gpu->power_limit_mw;
		break;
	default:
		field->nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
	}
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *fields)
{
	BEGIN_DEVICE(device);
	REQUIRE(fields && count > 0);
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	for (int i = 0; i < count; i++) {
		memset(&fields[i].value, 0, sizeof fields[i].value);
		fields[i].timestamp = now.tv_sec * 1000000LL + now.tv_nsec / 1000;
		fields[i].latencyUsec = 1;
		set_field(&fields[i], &gpu);
	}
	return NVML_SUCCESS;
}
