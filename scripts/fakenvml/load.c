// Load and memory.
#define _GNU_SOURCE
#include "call.h"

enum { SAMPLED_US = 167000 };

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilization)
{
	BEGIN_DEVICE(device);
	REQUIRE(utilization);
	if (gpu.mig) // the parent GPU has none while it is divided
		return NVML_ERROR_NOT_SUPPORTED;
	nvmlReturn_t result = put_number(&utilization->gpu, gpu.now.util);
	return result == NVML_SUCCESS ? put_number(&utilization->memory, gpu.now.util_memory) : result;
}

static nvmlReturn_t engine(const char *function, nvmlDevice_t device, size_t at, unsigned *percent, unsigned *period_us)
{
	struct gpu gpu;
	nvmlReturn_t result = begin_device(function, device, &gpu);
	if (result != NVML_SUCCESS)
		return result;
	REQUIRE(period_us);
	*period_us = SAMPLED_US;
	return gpu.mig ? NVML_ERROR_NOT_SUPPORTED : put_number(percent, *(unsigned long long *)((char *)&gpu.now + at));
}

#define DEFINE_ENGINE(name, key)                                                                  \
	nvmlReturn_t name(nvmlDevice_t device, unsigned *percent, unsigned *period_us)            \
	{                                                                                         \
		return engine(#name, device, offsetof(struct numbers, key), percent, period_us);  \
	}

DEFINE_ENGINE(nvmlDeviceGetEncoderUtilization, util_encoder)
DEFINE_ENGINE(nvmlDeviceGetDecoderUtilization, util_decoder)
#if DRIVER >= 530
DEFINE_ENGINE(nvmlDeviceGetJpgUtilization, util_jpeg)
DEFINE_ENGINE(nvmlDeviceGetOfaUtilization, util_ofa)
#endif

// memory_sizes gives the sizes in bytes, or an error if the device has no such memory of its own.
static nvmlReturn_t memory_sizes(const struct gpu *gpu, unsigned long long *total, unsigned long long *used)
{
	if (gpu->now.memory_total == ABSENT || gpu->now.memory_used == ABSENT)
		return NVML_ERROR_NOT_SUPPORTED;
	*total = gpu->now.memory_total << 20;
	*used = gpu->now.memory_used << 20;
	return NVML_SUCCESS;
}

// Version 1 counts the reserved memory as used.
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
	BEGIN_ANY(device);
	REQUIRE(memory);
	nvmlReturn_t result = memory_sizes(&gpu, &memory->total, &memory->used);
	if (result != NVML_SUCCESS)
		return result;
	memory->used += gpu.memory_reserved << 20;
	memory->free = memory->total > memory->used ? memory->total - memory->used : 0;
	return NVML_SUCCESS;
}

#if DRIVER >= 510
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
	BEGIN_ANY(device);
	REQUIRE(memory);
	if (memory->version != nvmlMemory_v2)
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	nvmlReturn_t result = memory_sizes(&gpu, &memory->total, &memory->used);
	if (result != NVML_SUCCESS)
		return result;
	memory->reserved = gpu.memory_reserved << 20;
	unsigned long long taken = memory->used + memory->reserved;
	memory->free = memory->total > taken ? memory->total - taken : 0;
	return NVML_SUCCESS;
}
#endif

nvmlReturn_t nvmlDeviceGetBAR1MemoryInfo(nvmlDevice_t device, nvmlBAR1Memory_t *memory)
{
	BEGIN_DEVICE(device);
	REQUIRE(memory);
	if (gpu.now.bar1_total == ABSENT || gpu.now.bar1_used == ABSENT)
		return NVML_ERROR_NOT_SUPPORTED;
	memory->bar1Total = gpu.now.bar1_total << 20;
	memory->bar1Used = gpu.now.bar1_used << 20;
	memory->bar1Free = memory->bar1Total - memory->bar1Used;
	return NVML_SUCCESS;
}
