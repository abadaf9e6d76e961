// Error messages, system queries and device handles.
#define _GNU_SOURCE
#include "call.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *nvmlErrorString(nvmlReturn_t result)
{
	static const char *const texts[] = {
		[NVML_SUCCESS] = "Success",
		[NVML_ERROR_UNINITIALIZED] = "Uninitialized",
		[NVML_ERROR_INVALID_ARGUMENT] = "Invalid Argument",
		[NVML_ERROR_NOT_SUPPORTED] = "Not Supported",
		[NVML_ERROR_NO_PERMISSION] = "Insufficient Permissions",
		[NVML_ERROR_ALREADY_INITIALIZED] = "Already Initialized",
		[NVML_ERROR_NOT_FOUND] = "Not Found",
		[NVML_ERROR_INSUFFICIENT_SIZE] = "Insufficient Size",
		[NVML_ERROR_INSUFFICIENT_POWER] = "Insufficient External Power",
		[NVML_ERROR_DRIVER_NOT_LOADED] = "Driver Not Loaded",
		[NVML_ERROR_TIMEOUT] = "Timeout",
		[NVML_ERROR_IRQ_ISSUE] = "Interrupt Request Issue",
		[NVML_ERROR_LIBRARY_NOT_FOUND] = "NVML Shared Library Not Found",
		[NVML_ERROR_FUNCTION_NOT_FOUND] = "Function Not Found",
		[NVML_ERROR_CORRUPTED_INFOROM] = "Corrupted infoROM",
		[NVML_ERROR_GPU_IS_LOST] = "GPU is lost",
		[NVML_ERROR_RESET_REQUIRED] = "GPU requires reset",
		[NVML_ERROR_OPERATING_SYSTEM] = "GPU access blocked by the operating system",
		[NVML_ERROR_LIB_RM_VERSION_MISMATCH] = "Driver/library version mismatch",
		[NVML_ERROR_IN_USE] = "In use by another client",
		[NVML_ERROR_MEMORY] = "Insufficient Memory",
		[NVML_ERROR_NO_DATA] = "No data",
	};
	if (result < sizeof texts / sizeof *texts)
		return texts[result];
	return "Unknown Error";
}

// System

// system_text copies one text of the scenario with the lock held.
static nvmlReturn_t system_text(size_t offset, char *to, unsigned length)
{
	nvmlReturn_t result = put_text(to, length, (const char *)enter() + offset);
	leave();
	return result;
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length)
{
	BEGIN_CALL();
	return system_text(offsetof(struct scenario, driver), version, length);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned length)
{
	char driver[NAME_SIZE], text[NAME_SIZE + 4];
	BEGIN_CALL();
	system_text(offsetof(struct scenario, driver), driver, sizeof driver);
	snprintf(text, sizeof text, "12.%s", driver);
	return put_text(version, length, text);
}

static nvmlReturn_t cuda_version(int *version)
{
	char text[NAME_SIZE];
	int major = 0, minor = 0;
	REQUIRE(version);
	system_text(offsetof(struct scenario, cuda), text, sizeof text);
	sscanf(text, "%d.%d", &major, &minor);
	*version = major * 1000 + minor * 10;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version)
{
	BEGIN_CALL();
	return cuda_version(version);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version)
{
	BEGIN_CALL();
	return cuda_version(version);
}

nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char *name, unsigned length)
{
	char path[64], text[256] = "";
	BEGIN_CALL();
	snprintf(path, sizeof path, "/proc/%u/cmdline", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return NVML_ERROR_NOT_FOUND;
	size_t size = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[size] = '\0';
	return put_text(name, length, text);
}

// Handles

static nvmlReturn_t device_count(unsigned *count)
{
	REQUIRE(count);
	const struct scenario *s = enter();
	*count = place_of(s, s->count);
	leave();
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count)
{
	BEGIN_CALL();
	return device_count(count);
}

nvmlReturn_t nvmlDeviceGetCount(unsigned *count)
{
	BEGIN_CALL();
	return device_count(count);
}

// by_index: a lost GPU gives no handle either.
static nvmlReturn_t by_index(const char *function, unsigned place, nvmlDevice_t *device)
{
	struct gpu gpu;
	REQUIRE(device);
	const struct scenario *s = enter();
	int index = gpu_at(s, place);
	nvmlDevice_t found = {0};
	if (index >= 0) {
		renew_handle(s, index);
		found = handle_of(index);
	}
	leave();
	if (index < 0)
		return NVML_ERROR_INVALID_ARGUMENT;
	nvmlReturn_t result = begin_device(function, found, &gpu);
	if (result == NVML_SUCCESS)
		*device = found;
	return result;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device)
{
	return by_index(__func__, index, device);
}

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *device)
{
	return by_index(__func__, index, device);
}
