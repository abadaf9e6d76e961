//go:build linux && cgo

package nvml

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// essential are the symbols without which nothing can be told; go-nvml calls the second of a pair where the first is not there.
var essential = []string{"nvmlSystemGetDriverVersion", "nvmlDeviceGetUUID", "nvmlDeviceGetName"}

// optional are the functions that are called only when they are there, apart from those of the table of metrics. Of several in a group the
// first that is there is called: what it reads is absent when none is, and the group's first name is then Missing.
var optional = [][]string{
	{"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"},
	{"nvmlDeviceGetMinorNumber"},
	{"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo"},
	{"nvmlDeviceGetMigMode"},
	{"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetComputeRunningProcesses"},
	{"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2", "nvmlDeviceGetGraphicsRunningProcesses"},
	{"nvmlDeviceGetMPSComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v2", "nvmlDeviceGetMPSComputeRunningProcesses"},
	{"nvmlDeviceGetProcessUtilization"},
}

// groups are optional's and the table's.
func groups() [][]string {
	all := slices.Clone(optional)
	for id := range metric.All(metric.GPU) {
		all = append(all, id.Row().From)
	}
	return all
}

// lookUp finds out which symbols the loaded library has.
func (l *Library) lookUp() {
	l.has, l.missing = map[string]bool{}, nil
	there := func(name string) bool { return l.nvml.Extensions().LookupSymbol(name) == nil }
	for _, name := range essential {
		l.has[name] = there(name)
	}
	for _, group := range groups() {
		for _, name := range group {
			l.has[name] = there(name)
		}
		if !l.hasOne(group) && !slices.Contains(l.missing, group[0]) {
			l.missing = append(l.missing, group[0])
		}
	}
}

func (l *Library) hasOne(group []string) bool {
	return slices.ContainsFunc(group, func(name string) bool { return l.has[name] })
}

// hasAny says that at least one version of a function is there, which is the one that go-nvml calls.
func (l *Library) hasAny(name string) bool {
	return l.has[name] || l.has[name+"_v2"] || l.has[name+"_v3"]
}
