// PCIe, NVLink and its fabric.
#define _GNU_SOURCE
#include "call.h"
#include <string.h>

#define DEFINE_NUMBER(name, key)                                 \
	nvmlReturn_t name(nvmlDevice_t device, unsigned *value)  \
	{                                                        \
		BEGIN_DEVICE(device);                            \
		return put_number(value, gpu.now.key);           \
	}

DEFINE_NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, pcie_gen)
DEFINE_NUMBER(nvmlDeviceGetCurrPcieLinkWidth, pcie_width)
DEFINE_NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, pcie_gen_max)
DEFINE_NUMBER(nvmlDeviceGetMaxPcieLinkWidth, pcie_width_max)
DEFINE_NUMBER(nvmlDeviceGetPcieReplayCounter, pcie_replays)

// In kB/s. A driver measures for 20 ms.
nvmlReturn_t nvmlDeviceGetPcieThroughput(nvmlDevice_t device, nvmlPcieUtilCounter_t counter, unsigned *value)
{
	BEGIN_DEVICE(device);
	REQUIRE(value && counter < NVML_PCIE_UTIL_COUNT);
	unsigned long long rate = counter == NVML_PCIE_UTIL_TX_BYTES ? gpu.now.pcie_tx : gpu.now.pcie_rx;
	return put_number(value, rate == ABSENT ? ABSENT : rate * 1000);
}

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned link, nvmlEnableState_t *active)
{
	BEGIN_DEVICE(device);
	REQUIRE(active && link < NVML_NVLINK_MAX_LINKS);
	if (gpu.now.nvlink_links == ABSENT || link >= gpu.now.nvlink_links)
		return NVML_ERROR_NOT_SUPPORTED;
	*active = gpu.mig || gpu.links_down >> link & 1 ? NVML_FEATURE_DISABLED : NVML_FEATURE_ENABLED;
	return NVML_SUCCESS;
}

#if DRIVER >= 525
// fill_cluster makes the UUID of a domain from its number; 0: there is none, as on a node with its own fabric.
static unsigned fill_cluster(unsigned char *uuid, const struct gpu *gpu)
{
	memset(uuid, (int)gpu->now.fabric_domain, NVML_GPU_FABRIC_UUID_LEN);
	return (unsigned)gpu->now.fabric_clique;
}
#endif

#if DRIVER >= 545
// The versions have the same beginning.
nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfoV_t *info)
{
	BEGIN_DEVICE(device);
	REQUIRE(info);
	if (info->version != nvmlGpuFabricInfo_v2)
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	if (gpu.now.fabric_state == ABSENT || gpu.now.fabric_status == ABSENT)
		return NVML_ERROR_NOT_SUPPORTED;
	*info = (nvmlGpuFabricInfoV_t){
		.version = info->version,
		.status = (nvmlReturn_t)gpu.now.fabric_status,
		.state = (nvmlGpuFabricState_t)gpu.now.fabric_state,
		.healthMask = (unsigned)gpu.now.fabric_health,
	};
	info->cliqueId = fill_cluster(info->clusterUuid, &gpu);
	return NVML_SUCCESS;
}
#endif

#if DRIVER >= 525
nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t *info)
{
	BEGIN_DEVICE(device);
	REQUIRE(info);
	if (gpu.now.fabric_state == ABSENT || gpu.now.fabric_status == ABSENT)
		return NVML_ERROR_NOT_SUPPORTED;
	*info = (nvmlGpuFabricInfo_t){
		.status = (nvmlReturn_t)gpu.now.fabric_status,
		.state = (nvmlGpuFabricState_t)gpu.now.fabric_state,
	};
	info->cliqueId = fill_cluster(info->clusterUuid, &gpu);
	return NVML_SUCCESS;
}
#endif
