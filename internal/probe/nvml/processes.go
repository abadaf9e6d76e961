//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe"
)

// Processes reads NVML's three lists. A list that this driver or GPU does not have is empty, unless it has none of them.
func (d *device) Processes() ([]probe.Context, error) {
	lists := []struct {
		typ  probe.ContextType
		read func() ([]nvml.ProcessInfo, nvml.Return)
	}{
		{probe.Compute, d.nvml.GetComputeRunningProcesses},
		{probe.Graphics, d.nvml.GetGraphicsRunningProcesses},
		{probe.MPS, d.nvml.GetMPSComputeRunningProcesses},
	}
	var contexts []probe.Context
	var failed, none error
	some := false
	for _, list := range lists {
		infos, ret := list.read()
		switch err := check(ret); {
		case err == nil:
			some = true
		case probe.KindOf(err) == probe.Absent:
			none = err
		default:
			failed = err
		}
		for _, info := range infos {
			contexts = append(contexts, probe.Context{PID: int(info.Pid), Type: list.typ, Memory: memory(info.UsedGpuMemory)})
		}
	}
	if failed == nil && !some {
		failed = none
	}
	return contexts, failed
}

// memory is what a process uses; all ones say that the driver does not know, as under WDDM, MIG or without permission.
func memory(bytes uint64) *uint64 {
	if bytes == math.MaxUint64 {
		return nil
	}
	return &bytes
}

// ProcessUtilization reads the driver's samples. That it has none says nothing about a process: it is no error.
func (d *device) ProcessUtilization(sinceMicros uint64) (usage []probe.Usage, err error) {
	// go-nvml asks for the number of samples, then for the samples, and slices by the number of the second answer: it panics when
	// that grew in between. The next report reads them.
	defer func() {
		if recover() != nil {
			usage, err = nil, nil
		}
	}()
	samples, ret := d.nvml.GetProcessUtilization(sinceMicros)
	switch ret {
	case nvml.SUCCESS:
	case nvml.ERROR_NOT_FOUND, nvml.ERROR_INSUFFICIENT_SIZE:
		return nil, nil
	default:
		return nil, check(ret)
	}
	usage = make([]probe.Usage, 0, len(samples))
	for _, s := range samples {
		usage = append(usage, probe.Usage{PID: int(s.Pid), AtMicros: s.TimeStamp, SM: int(s.SmUtil), Memory: int(s.MemUtil)})
	}
	return usage, nil
}
