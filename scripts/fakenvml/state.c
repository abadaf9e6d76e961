// Temperature, power, clocks and modes.
#define _GNU_SOURCE
#include "call.h"

// put_milliwatts converts watts.
static nvmlReturn_t put_milliwatts(unsigned *to, unsigned long long watts)
{
	return put_number(to, watts == ABSENT ? ABSENT : watts * 1000);
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned *temperature)
{
	BEGIN_DEVICE(device);
	if (sensor != NVML_TEMPERATURE_GPU)
		return NVML_ERROR_INVALID_ARGUMENT;
	return put_number(temperature, gpu.now.temperature);
}

#if DRIVER >= 550
nvmlReturn_t nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_t *temperature)
{
	unsigned degrees;
	BEGIN_DEVICE(device);
	REQUIRE(temperature);
	if (temperature->version != nvmlTemperature_v1)
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	if (temperature->sensorType != NVML_TEMPERATURE_GPU)
		return NVML_ERROR_INVALID_ARGUMENT;
	nvmlReturn_t result = put_number(&degrees, gpu.now.temperature);
	if (result == NVML_SUCCESS)
		temperature->temperature = (int)degrees;
	return result;
}
#endif

nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device, nvmlTemperatureThresholds_t type, unsigned *temperature)
{
	BEGIN_DEVICE(device);
	switch (type) {
	case NVML_TEMPERATURE_THRESHOLD_SHUTDOWN: return put_number(temperature, gpu.now.temperature_shutdown);
	case NVML_TEMPERATURE_THRESHOLD_SLOWDOWN: return put_number(temperature, gpu.now.temperature_slowdown);
	case NVML_TEMPERATURE_THRESHOLD_MEM_MAX: return put_number(temperature, gpu.now.temperature_memory_max);
	case NVML_TEMPERATURE_THRESHOLD_GPU_MAX: return put_number(temperature, gpu.now.temperature_gpu_max);
	default: return NVML_ERROR_NOT_SUPPORTED;
	}
}

nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned *percent)
{
	BEGIN_DEVICE(device);
	return put_number(percent, gpu.now.fan);
}

nvmlReturn_t nvmlDeviceGetNumFans(nvmlDevice_t device, unsigned *fans)
{
	BEGIN_DEVICE(device);
	return put_number(fans, gpu.now.fan == ABSENT ? 0 : 1);
}

// Power

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *milliwatts)
{
	BEGIN_DEVICE(device);
	return put_number(milliwatts, gpu.power_mw);
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned *milliwatts)
{
	BEGIN_DEVICE(device);
	return put_milliwatts(milliwatts, gpu.now.power_limit);
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned *milliwatts)
{
	BEGIN_DEVICE(device);
	return put_milliwatts(milliwatts, gpu.now.power_limit);
}

nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t device, unsigned *milliwatts)
{
	BEGIN_DEVICE(device);
	return put_milliwatts(milliwatts, gpu.now.power_limit_default);
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t device, unsigned *lowest, unsigned *highest)
{
	BEGIN_DEVICE(device);
	REQUIRE(lowest);
	*lowest = 100000;
	return put_milliwatts(highest, gpu.now.power_limit_max);
}

nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *millijoules)
{
	BEGIN_DEVICE(device);
	return put_long(millijoules, (unsigned long long)gpu.counters.energy);
}

// Clocks

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz)
{
	BEGIN_DEVICE(device);
	switch (type) {
	case NVML_CLOCK_GRAPHICS: return put_number(mhz, gpu.now.clock_graphics);
	case NVML_CLOCK_SM: return put_number(mhz, gpu.now.clock_sm);
	case NVML_CLOCK_MEM: return put_number(mhz, gpu.now.clock_mem);
	case NVML_CLOCK_VIDEO: return put_number(mhz, gpu.now.clock_video);
	default: return NVML_ERROR_INVALID_ARGUMENT;
	}
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz)
{
	BEGIN_DEVICE(device);
	switch (type) {
	case NVML_CLOCK_GRAPHICS: return put_number(mhz, gpu.now.clock_graphics_max);
	case NVML_CLOCK_SM: return put_number(mhz, gpu.now.clock_sm_max);
	case NVML_CLOCK_MEM: return put_number(mhz, gpu.now.clock_mem_max);
	case NVML_CLOCK_VIDEO: return put_number(mhz, gpu.now.clock_video_max);
	default: return NVML_ERROR_INVALID_ARGUMENT;
	}
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long *reasons)
{
	BEGIN_DEVICE(device);
	return put_long(reasons, gpu.throttle);
}

#if DRIVER >= 535
nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long *reasons)
{
	BEGIN_DEVICE(device);
	return put_long(reasons, gpu.throttle);
}
#endif

nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t *state)
{
	unsigned value;
	BEGIN_DEVICE(device);
	REQUIRE(state);
	nvmlReturn_t result = put_number(&value, gpu.now.pstate);
	if (result == NVML_SUCCESS)
		*state = (nvmlPstates_t)value;
	return result;
}

// Modes

// Only Windows has driver models. The API has both names.
nvmlReturn_t nvmlDeviceGetDriverModel_v2(nvmlDevice_t device, nvmlDriverModel_t *current, nvmlDriverModel_t *pending)
{
	BEGIN_DEVICE(device);
	REQUIRE(current && pending);
	return NVML_ERROR_NOT_SUPPORTED;
}
#undef nvmlDeviceGetDriverModel
nvmlReturn_t nvmlDeviceGetDriverModel(nvmlDevice_t, nvmlDriverModel_t *, nvmlDriverModel_t *)
	__attribute__((alias("nvmlDeviceGetDriverModel_v2"), visibility("default")));

nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode)
{
	unsigned value;
	BEGIN_DEVICE(device);
	REQUIRE(mode);
	nvmlReturn_t result = put_number(&value, gpu.now.compute_mode);
	if (result == NVML_SUCCESS)
		*mode = (nvmlComputeMode_t)value;
	return result;
}

static nvmlReturn_t enabled(const char *function, nvmlDevice_t device, size_t at, nvmlEnableState_t *state)
{
	unsigned value;
	struct gpu gpu;
	nvmlReturn_t result = begin_device(function, device, &gpu);
	if (result != NVML_SUCCESS)
		return result;
	REQUIRE(state);
	result = put_number(&value, *(unsigned long long *)((char *)&gpu.now + at));
	if (result == NVML_SUCCESS)
		*state = (nvmlEnableState_t)value;
	return result;
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode)
{
	return enabled("nvmlDeviceGetPersistenceMode", device, offsetof(struct numbers, persistence), mode);
}

nvmlReturn_t nvmlDeviceGetDisplayMode(nvmlDevice_t device, nvmlEnableState_t *mode)
{
	return enabled("nvmlDeviceGetDisplayMode", device, offsetof(struct numbers, display_mode), mode);
}

nvmlReturn_t nvmlDeviceGetDisplayActive(nvmlDevice_t device, nvmlEnableState_t *active)
{
	return enabled("nvmlDeviceGetDisplayActive", device, offsetof(struct numbers, display_active), active);
}
