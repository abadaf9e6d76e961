// The calls about processes: three kinds of process, three generations of the structure, and their load.
#define _GNU_SOURCE
#include "call.h"
#include <string.h>
#include <time.h>

static int of_type(const struct gpu *gpu, enum process_type type, struct process *out)
{
	int n = 0, all = current_processes(gpu, out);
	for (int i = 0; i < all; i++)
		if (out[i].type == type)
			out[n++] = out[i];
	return n;
}

// begin_list starts all lists: it finds the processes and returns an error when they do not fit.
static nvmlReturn_t begin_list(const char *function, nvmlDevice_t device, enum process_type type, unsigned *count,
			       const void *infos, struct process *out)
{
	struct gpu gpu;
	nvmlReturn_t result = begin_any(function, device, &gpu);
	if (result != NVML_SUCCESS)
		return result;
	REQUIRE(count);
	unsigned room = *count;
	*count = (unsigned)of_type(&gpu, type, out);
	if (*count > room)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	REQUIRE(infos || *count == 0);
	return NVML_SUCCESS;
}

static nvmlReturn_t list_v1(const char *function, nvmlDevice_t device, enum process_type type, unsigned *count,
			    nvmlProcessInfo_v1_t *infos)
{
	struct process found[MAX_PROCESSES];
	nvmlReturn_t result = begin_list(function, device, type, count, infos, found);
	for (unsigned i = 0; result == NVML_SUCCESS && i < *count; i++)
		infos[i] = (nvmlProcessInfo_v1_t){.pid = found[i].pid, .usedGpuMemory = found[i].memory};
	return result;
}

static nvmlProcessInfo_v2_t record(const struct process *p)
{
	return (nvmlProcessInfo_v2_t){
		.pid = p->pid,
		.usedGpuMemory = p->memory,
		.gpuInstanceId = (unsigned)p->gi, // without MIG all bits are set
		.computeInstanceId = (unsigned)p->ci,
	};
}

static nvmlReturn_t list_v2(const char *function, nvmlDevice_t device, enum process_type type, unsigned *count,
			    nvmlProcessInfo_v2_t *infos)
{
	struct process found[MAX_PROCESSES];
	nvmlReturn_t result = begin_list(function, device, type, count, infos, found);
	for (unsigned i = 0; result == NVML_SUCCESS && i < *count; i++)
		infos[i] = record(&found[i]);
	return result;
}

#if DRIVER >= 510
// Version 3 has the structure of version 2. With records of 32 bytes the caller's memory is written as far as it goes; a real driver
// of that kind goes on behind it.
static nvmlReturn_t list_v3(const char *function, nvmlDevice_t device, enum process_type type, unsigned *count,
			    nvmlProcessInfo_v2_t *infos)
{
	struct process found[MAX_PROCESSES];
	nvmlReturn_t result = begin_list(function, device, type, count, infos, found);
	size_t size = process_record(), room = result == NVML_SUCCESS ? *count * sizeof *infos : 0;
	for (unsigned i = 0; i * size < room; i++) {
		struct { nvmlProcessInfo_v2_t info; unsigned long long more; } wide = {record(&found[i]), 0};
		size_t left = room - i * size;
		memcpy((char *)infos + i * size, &wide, left < size ? left : size);
	}
	return result;
}
#endif

#define DEFINE_LIST(name, type, generation, record)                                                     \
	nvmlReturn_t name(nvmlDevice_t device, unsigned *count, nvmlProcessInfo_v##record##_t *infos)   \
	{                                                                                               \
		return list_v##generation(#name, device, type, count, infos);                           \
	}

DEFINE_LIST(nvmlDeviceGetComputeRunningProcesses, COMPUTE, 1, 1)
DEFINE_LIST(nvmlDeviceGetComputeRunningProcesses_v2, COMPUTE, 2, 2)
DEFINE_LIST(nvmlDeviceGetGraphicsRunningProcesses, GRAPHICS, 1, 1)
DEFINE_LIST(nvmlDeviceGetGraphicsRunningProcesses_v2, GRAPHICS, 2, 2)
DEFINE_LIST(nvmlDeviceGetMPSComputeRunningProcesses, MPS, 1, 1)
#if DRIVER >= 460
DEFINE_LIST(nvmlDeviceGetMPSComputeRunningProcesses_v2, MPS, 2, 2)
#endif
#if DRIVER >= 510
DEFINE_LIST(nvmlDeviceGetComputeRunningProcesses_v3, COMPUTE, 3, 2)
DEFINE_LIST(nvmlDeviceGetGraphicsRunningProcesses_v3, GRAPHICS, 3, 2)
DEFINE_LIST(nvmlDeviceGetMPSComputeRunningProcesses_v3, MPS, 3, 2)
#endif

// One sample per process and second.
nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t device, nvmlProcessUtilizationSample_t *samples,
					     unsigned *count, unsigned long long last_seen_us)
{
	struct process found[MAX_PROCESSES];
	BEGIN_DEVICE(device);
	REQUIRE(count);
	if (gpu.mig)
		return NVML_ERROR_NOT_SUPPORTED;
	unsigned long long sampled_us = (unsigned long long)time(NULL) * 1000000;
	unsigned n = (unsigned)current_processes(&gpu, found);
	if (n == 0 || sampled_us <= last_seen_us)
		return NVML_ERROR_NOT_FOUND;
	unsigned room = *count;
	*count = n;
	if (!samples || room < n)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	for (unsigned i = 0; i < n; i++)
		samples[i] = (nvmlProcessUtilizationSample_t){
			.pid = found[i].pid,
			.timeStamp = sampled_us,
			.smUtil = found[i].sm,
			.memUtil = found[i].sm * 6 / 10,
		};
	return NVML_SUCCESS;
}
