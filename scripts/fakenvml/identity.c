// What identifies a GPU and never changes.
#define _GNU_SOURCE
#include "call.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bus_id(int index, nvmlPciInfo_t *pci)
{
	memset(pci, 0, sizeof *pci);
	pci->bus = (unsigned)(0x07 + index * 0x10);
	pci->pciDeviceId = 0x20B210DE;
	pci->pciSubSystemId = 0x146310DE;
	snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, NVML_DEVICE_PCI_BUS_ID_LEGACY_FMT,
		 NVML_DEVICE_PCI_BUS_ID_FMT_ARGS(pci));
	snprintf(pci->busId, sizeof pci->busId, NVML_DEVICE_PCI_BUS_ID_FMT, NVML_DEVICE_PCI_BUS_ID_FMT_ARGS(pci));
}

static bool has_uuid(const struct gpu *gpu, const char *uuid) { return !strcmp(gpu->uuid, uuid); }

static bool has_bus_id(const struct gpu *gpu, const char *id)
{
	nvmlPciInfo_t pci;
	bus_id(gpu->index, &pci);
	return !strcasecmp(pci.busId, id) || !strcasecmp(pci.busIdLegacy, id);
}

// by_text finds the GPU that matches. It does not find a lost GPU, which cannot be asked for its identity.
static nvmlReturn_t by_text(const char *function, bool (*matches)(const struct gpu *, const char *), const char *text,
			    nvmlDevice_t *device)
{
	struct gpu gpu;
	REQUIRE(text && device);
	nvmlReturn_t result = begin_call(function);
	if (result != NVML_SUCCESS)
		return result;
	for (int i = 0; i < MAX_GPUS; i++)
		if (begin_device("", handle_of(i), &gpu) == NVML_SUCCESS && matches(&gpu, text)) {
			*device = handle_of(i);
			return NVML_SUCCESS;
		}
	return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
	return by_text(__func__, has_uuid, uuid, device);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device)
{
	return by_text(__func__, has_bus_id, id, device);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice_t *device)
{
	return by_text(__func__, has_bus_id, id, device);
}

// Identity

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length)
{
	BEGIN_ANY(device);
	return put_text(name, length, gpu.model);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned length)
{
	BEGIN_ANY(device);
	return put_text(uuid, length, gpu.uuid);
}

nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char *serial, unsigned length)
{
	char text[32];
	BEGIN_DEVICE(device);
	snprintf(text, sizeof text, "132%07lu", strtoul(gpu.uuid + 4, NULL, 16) % 10000000);
	return put_text(serial, length, text);
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *minor)
{
	BEGIN_DEVICE(device);
	REQUIRE(minor);
	*minor = (unsigned)gpu.index;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index)
{
	BEGIN_DEVICE(device);
	REQUIRE(index);
	*index = place_of(enter(), gpu.index);
	leave();
	return NVML_SUCCESS;
}

static nvmlReturn_t pci_info(const char *function, nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	struct gpu gpu;
	nvmlReturn_t result = begin_device(function, device, &gpu);
	if (result != NVML_SUCCESS)
		return result;
	REQUIRE(pci);
	bus_id(gpu.index, pci);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) { return pci_info(__func__, device, pci); }
nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t *pci) { return pci_info(__func__, device, pci); }
nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci) { return pci_info(__func__, device, pci); }

nvmlReturn_t nvmlDeviceGetVbiosVersion(nvmlDevice_t device, char *version, unsigned length)
{
	BEGIN_DEVICE(device);
	return put_text(version, length, gpu.hopper ? "96.00.74.00.01" : "92.00.45.00.03");
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
	BEGIN_DEVICE(device);
	REQUIRE(major && minor);
	*major = gpu.hopper ? 9 : 8;
	*minor = 0;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryAffinity(nvmlDevice_t device, unsigned words, unsigned long *nodes, nvmlAffinityScope_t scope)
{
	BEGIN_DEVICE(device);
	REQUIRE(nodes && words > 0 && scope == NVML_AFFINITY_SCOPE_NODE);
	unsigned node;
	nvmlReturn_t ret = put_number(&node, gpu.now.numa_node);
	if (ret != NVML_SUCCESS)
		return ret;
	const unsigned bits = 8 * sizeof *nodes;
	for (unsigned i = 0; i < words; i++)
		nodes[i] = node / bits == i ? 1UL << node % bits : 0;
	return NVML_SUCCESS;
}

// Only where GPUs are NUMA nodes.
#if DRIVER >= 545
nvmlReturn_t nvmlDeviceGetNumaNodeId(nvmlDevice_t device, unsigned *node)
{
	BEGIN_DEVICE(device);
	(void)node;
	return NVML_ERROR_NOT_SUPPORTED;
}
#endif
