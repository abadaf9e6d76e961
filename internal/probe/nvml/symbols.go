//go:build linux && cgo

package nvml

// essential are the symbols without which nothing can be told; go-nvml calls the second of a pair where the first is not there.
var essential = []string{"nvmlSystemGetDriverVersion", "nvmlDeviceGetUUID", "nvmlDeviceGetName"}

// optional are the symbols that are called only when they are there. Of several in a group the first that is there is called: what it
// reads is absent when none is, and the group's first name is then Missing.
var optional = [][]string{
	{"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"},
	{"nvmlDeviceGetMinorNumber"},
	{"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo"},
	{"nvmlDeviceGetMaxClockInfo"},
	{"nvmlDeviceGetTemperatureThreshold"},
	{"nvmlDeviceGetMigMode"},
	{"nvmlDeviceGetUtilizationRates"},
	{"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo"},
	{"nvmlDeviceGetTemperature"},
	{"nvmlDeviceGetPowerUsage"},
	{"nvmlDeviceGetEnforcedPowerLimit"},
	{"nvmlDeviceGetClockInfo"},
	{"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"},
	{"nvmlDeviceGetTotalEccErrors"},
	{"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetComputeRunningProcesses"},
	{"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2", "nvmlDeviceGetGraphicsRunningProcesses"},
	{"nvmlDeviceGetMPSComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v2", "nvmlDeviceGetMPSComputeRunningProcesses"},
	{"nvmlDeviceGetProcessUtilization"},
}

// lookUp finds out which symbols the loaded library has. A name of a group stands for the whole group too: has[first] says that one of
// them may be called where go-nvml itself chooses among versions.
func (l *Library) lookUp() {
	l.has, l.missing = map[string]bool{}, nil
	there := func(name string) bool { return l.nvml.Extensions().LookupSymbol(name) == nil }
	for _, name := range essential {
		l.has[name] = there(name)
	}
	for _, group := range optional {
		any := false
		for _, name := range group {
			l.has[name] = there(name)
			any = any || l.has[name]
		}
		if !any {
			l.missing = append(l.missing, group[0])
		}
	}
}

// hasAny says that at least one version of a function is there, which is the one that go-nvml calls.
func (l *Library) hasAny(name string) bool {
	return l.has[name] || l.has[name+"_v2"] || l.has[name+"_v3"]
}
