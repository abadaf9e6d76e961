// Memory errors.
#define _GNU_SOURCE
#include "call.h"

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t *current, nvmlEnableState_t *pending)
{
	unsigned value;
	BEGIN_DEVICE(device);
	REQUIRE(current && pending);
	nvmlReturn_t result = put_number(&value, gpu.now.ecc_mode);
	if (result == NVML_SUCCESS)
		*current = *pending = (nvmlEnableState_t)value;
	return result;
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type, nvmlEccCounterType_t counter,
					 unsigned long long *errors)
{
	BEGIN_DEVICE(device);
	if (gpu.now.ecc_mode != 1)
		return NVML_ERROR_NOT_SUPPORTED;
	if (counter == NVML_VOLATILE_ECC)
		return put_long(errors, type == NVML_MEMORY_ERROR_TYPE_UNCORRECTED ? gpu.now.ecc : gpu.now.ecc_corrected);
	return put_long(errors, type == NVML_MEMORY_ERROR_TYPE_UNCORRECTED ? gpu.now.ecc_aggregate : gpu.now.ecc_corrected_aggregate);
}

// retired_pages: Ampere and later remap rows instead, so only a scenario makes pages retire.
static nvmlReturn_t retired_pages(const char *function, nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned *count,
				  unsigned long long *addresses, unsigned long long *times)
{
	struct gpu gpu;
	nvmlReturn_t result = begin_device(function, device, &gpu);
	if (result != NVML_SUCCESS)
		return result;
	if (!gpu.retired_given)
		return NVML_ERROR_NOT_SUPPORTED;
	REQUIRE(count && cause < NVML_PAGE_RETIREMENT_CAUSE_COUNT);
	unsigned room = *count;
	*count = gpu.retired[cause];
	if (*count > room)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	for (unsigned i = 0; i < *count; i++) {
		if (addresses)
			addresses[i] = 0x1000ULL * (i + 1);
		if (times)
			times[i] = 1700000000000000ULL;
	}
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetRetiredPages(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned *count, unsigned long long *addresses)
{
	return retired_pages(__func__, device, cause, count, addresses, NULL);
}

nvmlReturn_t nvmlDeviceGetRetiredPages_v2(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned *count,
					  unsigned long long *addresses, unsigned long long *times)
{
	return retired_pages(__func__, device, cause, count, addresses, times);
}

nvmlReturn_t nvmlDeviceGetRetiredPagesPendingStatus(nvmlDevice_t device, nvmlEnableState_t *pending)
{
	BEGIN_DEVICE(device);
	REQUIRE(pending);
	if (!gpu.retired_given)
		return NVML_ERROR_NOT_SUPPORTED;
	*pending = gpu.retired[2] ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failed)
{
	BEGIN_DEVICE(device);
	REQUIRE(corrected && uncorrected && pending && failed);
	*corrected = gpu.remapped[0];
	*uncorrected = gpu.remapped[1];
	*pending = gpu.remapped[2];
	*failed = gpu.remapped[3];
	return NVML_SUCCESS;
}

// BANKS is the number of memory banks of an 80 GB GPU.
enum { BANKS = 640 };

nvmlReturn_t nvmlDeviceGetRowRemapperHistogram(nvmlDevice_t device, nvmlRowRemapperHistogramValues_t *values)
{
	unsigned none;
	BEGIN_DEVICE(device);
	REQUIRE(values);
	nvmlReturn_t result = put_number(&none, gpu.now.banks_without_spares);
	if (result == NVML_SUCCESS)
		*values = (nvmlRowRemapperHistogramValues_t){.max = BANKS - none, .none = none};
	return result;
}
