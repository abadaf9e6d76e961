// MIG: the mode, the instances of a GPU and what they are.
#define _GNU_SOURCE
#include "call.h"

enum { SMS_PER_SLICE = 14 };

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
	return put_number(count, gpu.mig ? MAX_INSTANCES : 0);
}

nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index, nvmlDevice_t *instance)
{
	BEGIN_DEVICE(device);
	REQUIRE(instance && index < MAX_INSTANCES);
	if (!gpu.mig)
		return NVML_ERROR_NOT_SUPPORTED;
	if (index >= (unsigned)gpu.instance_count)
		return NVML_ERROR_NOT_FOUND;
	enter();
	*instance = instance_handle(gpu.index, &gpu.instances[index]);
	leave();
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned *yes)
{
	BEGIN_ANY(device);
	return put_number(yes, gpu.is_instance);
}

nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t instance, nvmlDevice_t *device)
{
	BEGIN_ANY(instance);
	REQUIRE(device && gpu.is_instance);
	enter();
	*device = handle_of(gpu.index);
	leave();
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned *id)
{
	BEGIN_ANY(device);
	return put_number(id, gpu.is_instance ? (unsigned long long)gpu.instance.gi : ABSENT);
}

nvmlReturn_t nvmlDeviceGetComputeInstanceId(nvmlDevice_t device, unsigned *id)
{
	BEGIN_ANY(device);
	return put_number(id, gpu.is_instance ? (unsigned long long)gpu.instance.ci : ABSENT);
}

static nvmlReturn_t attributes_of(const char *function, nvmlDevice_t device, nvmlDeviceAttributes_t *attributes)
{
	struct gpu gpu;
	nvmlReturn_t result = begin_any(function, device, &gpu);
	if (result != NVML_SUCCESS)
		return result;
	REQUIRE(attributes);
	if (!gpu.is_instance)
		return NVML_ERROR_NOT_SUPPORTED;
	*attributes = (nvmlDeviceAttributes_t){
		.multiprocessorCount = gpu.instance.slices * SMS_PER_SLICE,
		.sharedCopyEngineCount = gpu.instance.slices,
		.gpuInstanceSliceCount = gpu.instance.slices,
		.computeInstanceSliceCount = gpu.instance.slices,
		.memorySizeMB = gpu.instance.memory,
	};
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetAttributes(nvmlDevice_t device, nvmlDeviceAttributes_t *attributes)
{
	return attributes_of(__func__, device, attributes);
}

nvmlReturn_t nvmlDeviceGetAttributes_v2(nvmlDevice_t device, nvmlDeviceAttributes_t *attributes)
{
	return attributes_of(__func__, device, attributes);
}
