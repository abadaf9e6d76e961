//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"fmt"
	"math/bits"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// linkReaders read PCIe, NVLink and the fabric. GetPcieThroughput is not among them: it blocks for 20 ms.
var linkReaders = []reader{
	numberReader(metric.PCIeGen, nvml.Device.GetCurrPcieLinkGeneration),
	numberReader(metric.PCIeGenMax, nvml.Device.GetMaxPcieLinkGeneration),
	numberReader(metric.PCIeWidth, nvml.Device.GetCurrPcieLinkWidth),
	numberReader(metric.PCIeWidthMax, nvml.Device.GetMaxPcieLinkWidth),
	numberReader(metric.PCIeReplays, nvml.Device.GetPcieReplayCounter),
	numberReader(metric.NVLinks, firstOf(countLinks)),
	numberReader(metric.NVLinkUp, secondOf(countLinks)),
	{[]metric.ID{metric.FabricState, metric.FabricStatus, metric.FabricHealth, metric.FabricClique}, readFabric},
	numberReader(metric.NUMANode, numaNode),
}

// countLinks returns the number of NVLink links, and a mask with a bit for each link that is up. Without links, it
// returns NVML's result for the first.
func countLinks(d nvml.Device) (count int, up uint64, ret nvml.Return) {
	for link := range nvml.NVLINK_MAX_LINKS {
		state, ret := d.GetNvLinkState(link)
		switch {
		case ret == nvml.ERROR_NOT_SUPPORTED || ret == nvml.ERROR_INVALID_ARGUMENT: // the GPU has no such link
			continue
		case ret != nvml.SUCCESS:
			return 0, 0, ret
		case state == nvml.FEATURE_ENABLED:
			up |= 1 << link
		}
		count++
	}
	if count == 0 {
		return 0, 0, nvml.ERROR_NOT_SUPPORTED
	}
	return count, up, nvml.SUCCESS
}

// readFabric reads the state of the GPU's registration with its fabric.
func readFabric(d *device, to *driver.Answer) nvml.Return {
	info, ret := d.fabricInfo()
	if ret != nvml.SUCCESS {
		return ret
	}
	return setRegistration(&info, to)
}

// fabricInfo asks with the new call, and otherwise with the old one.
func (d *device) fabricInfo() (nvml.GpuFabricInfo_v2, nvml.Return) {
	info, ret := d.nvml.GetGpuFabricInfoV().V2()
	if ret == nvml.ERROR_FUNCTION_NOT_FOUND {
		var old nvml.GpuFabricInfo
		old, ret = d.nvml.GetGpuFabricInfo()
		info = nvml.GpuFabricInfo_v2{ClusterUuid: old.ClusterUuid, Status: old.Status, CliqueId: old.CliqueId,
			State: old.State}
	}
	return info, ret
}

// setRegistration sets what is known about a registration. The status counts only when the registration is complete,
// the clique only if it succeeded, and the health only if the driver judges any of it.
func setRegistration(info *nvml.GpuFabricInfo_v2, to *driver.Answer) nvml.Return {
	if info.State == nvml.GPU_FABRIC_STATE_NOT_SUPPORTED {
		return nvml.ERROR_NOT_SUPPORTED
	}
	to.Set(metric.FabricState, float64(info.State))
	if info.State == nvml.GPU_FABRIC_STATE_COMPLETED {
		to.Set(metric.FabricStatus, float64(info.Status))
	}
	if info.HealthMask != 0 {
		to.Set(metric.FabricHealth, float64(info.HealthMask))
	}
	if isRegistered(info) {
		to.Set(metric.FabricClique, float64(info.CliqueId))
	}
	return nvml.SUCCESS
}

func isRegistered(info *nvml.GpuFabricInfo_v2) bool {
	return info.State == nvml.GPU_FABRIC_STATE_COMPLETED && info.Status == uint32(nvml.SUCCESS)
}

// fabricDomain returns the UUID of the NVLink domain of a GPU; "" if it is not registered, or its fabric is that of one
// node.
func fabricDomain(info *nvml.GpuFabricInfo_v2) string {
	id := info.ClusterUuid
	if !isRegistered(info) || id == [16]uint8{} {
		return ""
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// maxNUMANodes is the maximum number of NUMA nodes of a kernel.
const maxNUMANodes = 1024

// numaNode returns the NUMA node nearest to the GPU. Where GPUs are NUMA nodes themselves, an old driver returns the
// node of the GPU itself.
func numaNode(d nvml.Device) (int, nvml.Return) {
	nodes, ret := d.GetMemoryAffinity(maxNUMANodes, nvml.AFFINITY_SCOPE_NODE)
	if ret == nvml.ERROR_FUNCTION_NOT_FOUND {
		return d.GetNumaNodeId()
	}
	for i, word := range nodes {
		if word != 0 {
			return i*bits.UintSize + bits.TrailingZeros(word), ret
		}
	}
	if ret == nvml.SUCCESS {
		ret = nvml.ERROR_NOT_SUPPORTED
	}
	return 0, ret
}
