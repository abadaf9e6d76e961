//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"slices"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// optional lists functions that an old driver may lack, besides those in the table of metrics. A group holds the
// versions of one function; its values are absent if the library has none of them.
var optional = [][]string{
	{"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"},
	{"nvmlDeviceGetMinorNumber"},
	{"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo"},
	{"nvmlDeviceGetMigMode"},
	{"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
		"nvmlDeviceGetComputeRunningProcesses"},
	{"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2",
		"nvmlDeviceGetGraphicsRunningProcesses"},
	{"nvmlDeviceGetMPSComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v2",
		"nvmlDeviceGetMPSComputeRunningProcesses"},
	{"nvmlDeviceGetProcessUtilization"},
	{"nvmlEventSetCreate"},
	{"nvmlDeviceRegisterEvents"},
	{"nvmlEventSetWait_v2", "nvmlEventSetWait"},
}

// symbolGroups returns the groups in optional and in the table of metrics.
func symbolGroups() [][]string {
	all := slices.Clone(optional)
	for id := range metric.All(metric.GPU) {
		all = append(all, id.Row().From)
	}
	return all
}

// missingSymbols returns the first name of each group that has no function in the library.
func missingSymbols(library nvml.ExtendedInterface) []string {
	var names []string
	there := func(name string) bool { return library.LookupSymbol(name) == nil }
	for _, group := range symbolGroups() {
		if !slices.ContainsFunc(group, there) && !slices.Contains(names, group[0]) {
			names = append(names, group[0])
		}
	}
	return names
}
