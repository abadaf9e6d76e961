// GPM, the counters of Hopper and later: two samples, and what happened between them.
#define _GNU_SOURCE
#include "call.h"
#include <stdlib.h>
#include <time.h>

#if DRIVER >= 520

struct nvmlGpmSample_st {
	bool taken;
	struct gpu gpu;
	double at_s;
	unsigned share; // slices of the instance, or 7
};

enum { ALL_SLICES = 7 };

nvmlReturn_t nvmlGpmQueryDeviceSupport(nvmlDevice_t device, nvmlGpmSupport_t *support)
{
	BEGIN_DEVICE(device);
	REQUIRE(support);
	if (support->version != NVML_GPM_SUPPORT_VERSION)
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	support->isSupportedDevice = gpu.hopper;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpmSampleAlloc(nvmlGpmSample_t *sample)
{
	BEGIN_CALL();
	REQUIRE(sample);
	sample->handle = calloc(1, sizeof *sample->handle);
	return sample->handle ? NVML_SUCCESS : NVML_ERROR_MEMORY;
}

nvmlReturn_t nvmlGpmSampleFree(nvmlGpmSample_t sample)
{
	BEGIN_CALL();
	REQUIRE(sample.handle);
	free(sample.handle);
	return NVML_SUCCESS;
}

static nvmlReturn_t take(const struct gpu *gpu, unsigned slices, nvmlGpmSample_t sample)
{
	REQUIRE(sample.handle);
	if (!gpu->hopper)
		return NVML_ERROR_NOT_SUPPORTED;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	*sample.handle = (struct nvmlGpmSample_st){true, *gpu, (double)now.tv_sec + (double)now.tv_nsec / 1e9, slices};
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpmSampleGet(nvmlDevice_t device, nvmlGpmSample_t sample)
{
	BEGIN_DEVICE(device);
	return take(&gpu, ALL_SLICES, sample);
}

// The device is the whole GPU.
nvmlReturn_t nvmlGpmMigSampleGet(nvmlDevice_t device, unsigned gi, nvmlGpmSample_t sample)
{
	BEGIN_DEVICE(device);
	for (int i = 0; i < gpu.instance_count; i++)
		if (gpu.mig && gpu.instances[i].gi == (int)gi)
			return take(&gpu, gpu.instances[i].slices, sample);
	return NVML_ERROR_INVALID_ARGUMENT;
}

// per_second is the mean rate of a counter between two samples, in MiB/s.
static double per_second(double first, double last, double seconds) { return (last - first) / seconds / (1 << 20); }

static nvmlReturn_t put_percent(double *to, unsigned long long value, unsigned slices)
{
	if (value == ABSENT)
		return NVML_ERROR_NOT_SUPPORTED;
	*to = (double)value * slices / ALL_SLICES;
	return NVML_SUCCESS;
}

static nvmlReturn_t metric(unsigned id, const struct nvmlGpmSample_st *first, const struct nvmlGpmSample_st *last, double *value)
{
	double seconds = last->at_s - first->at_s;
	const struct counters *from = &first->gpu.counters, *to = &last->gpu.counters;
	if (seconds <= 0)
		return NVML_ERROR_NO_DATA;
	switch (id) {
	case NVML_GPM_METRIC_GRAPHICS_UTIL: return put_percent(value, last->gpu.now.gpm_graphics, last->share);
	case NVML_GPM_METRIC_SM_UTIL: return put_percent(value, last->gpu.now.gpm_sm, last->share);
	case NVML_GPM_METRIC_SM_OCCUPANCY: return put_percent(value, last->gpu.now.gpm_occupancy, last->share);
	case NVML_GPM_METRIC_ANY_TENSOR_UTIL: return put_percent(value, last->gpu.now.gpm_tensor, last->share);
	case NVML_GPM_METRIC_DRAM_BW_UTIL: return put_percent(value, last->gpu.now.gpm_dram, last->share);
	case NVML_GPM_METRIC_PCIE_TX_PER_SEC: *value = per_second(from->pcie_tx, to->pcie_tx, seconds); break;
	case NVML_GPM_METRIC_PCIE_RX_PER_SEC: *value = per_second(from->pcie_rx, to->pcie_rx, seconds); break;
	case NVML_GPM_METRIC_NVLINK_TOTAL_RX_PER_SEC: *value = per_second(from->nvlink_rx, to->nvlink_rx, seconds); break;
	case NVML_GPM_METRIC_NVLINK_TOTAL_TX_PER_SEC: *value = per_second(from->nvlink_tx, to->nvlink_tx, seconds); break;
	default: return NVML_ERROR_NOT_SUPPORTED;
	}
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpmMetricsGet(nvmlGpmMetricsGet_t *get)
{
	BEGIN_CALL();
	REQUIRE(get && get->numMetrics <= NVML_GPM_METRIC_MAX);
	if (get->version != NVML_GPM_METRICS_GET_VERSION)
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	const struct nvmlGpmSample_st *first = get->sample1.handle, *last = get->sample2.handle;
	REQUIRE(first && last && first->taken && last->taken && first->gpu.index == last->gpu.index);
	for (unsigned i = 0; i < get->numMetrics; i++)
		get->metrics[i].nvmlReturn = metric(get->metrics[i].metricId, first, last, &get->metrics[i].value);
	return NVML_SUCCESS;
}

#endif
