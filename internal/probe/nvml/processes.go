//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"fmt"
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Processes reads NVML's three lists. If the compute list is missing, the listing fails. Another list that this driver
// or GPU does not have counts as empty.
func (d *device) Processes() ([]driver.Context, error) {
	if d.unlisted != nil {
		return nil, d.unlisted
	}
	contexts, err := listContexts(driver.Compute, d.nvml.GetComputeRunningProcesses)
	if err != nil {
		return nil, err
	}
	graphics, err1 := listContexts(driver.Graphics, d.nvml.GetGraphicsRunningProcesses)
	mps, err2 := listContexts(driver.MPS, d.nvml.GetMPSComputeRunningProcesses)
	for _, e := range []error{err1, err2} {
		if kind := driver.KindOf(e); e != nil && kind != driver.Absent && kind != driver.Denied {
			err = e
		}
	}
	return append(append(contexts, graphics...), mps...), err
}

// noInstance is the GPU instance of a process on a GPU without MIG.
const noInstance = math.MaxUint32

func listContexts(typ driver.ContextType, read func() ([]nvml.ProcessInfo, nvml.Return)) ([]driver.Context, error) {
	infos, ret := read()
	if err := checkReturn(ret); err != nil {
		return nil, err
	}
	contexts := make([]driver.Context, 0, len(infos))
	for _, info := range infos {
		c := driver.Context{PID: int(info.Pid), Type: typ, Memory: processMemory(info.UsedGpuMemory)}
		if info.GpuInstanceId != noInstance {
			c.In = &driver.InstanceID{GPU: int(info.GpuInstanceId), Compute: int(info.ComputeInstanceId)}
		}
		contexts = append(contexts, c)
	}
	return contexts, nil
}

// oddLists returns the reason why a driver version cannot list processes. Drivers 535.43 to 535.86 write records of 32
// bytes into a list of records of 24 bytes: the result is garbage, and overruns the caller's buffer.
func oddLists(version string) error {
	var major, minor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n == 2 && major == 535 && minor >= 43 && minor <= 86 {
		return &driver.Error{Kind: driver.Absent, Words: "driver " + version +
			" uses an incompatible process list format"}
	}
	return nil
}

// processMemory returns the memory that a process uses. All ones mean that the driver does not know it, as under WDDM,
// under MIG or without permission.
func processMemory(bytes uint64) *uint64 {
	if bytes == math.MaxUint64 {
		return nil
	}
	return &bytes
}

// ProcessUtilization reads the driver's samples. No samples is not an error.
func (d *device) ProcessUtilization(sinceMicros uint64) (usage []driver.Usage, err error) {
	// go-nvml asks for the number of samples, then for the samples, and slices by the number in the second answer. If
	// that number has grown in between, it panics. The next report then reads the samples.
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
		return nil, checkReturn(ret)
	}
	usage = make([]driver.Usage, 0, len(samples))
	for _, s := range samples {
		usage = append(usage, driver.Usage{
			AtMicros: s.TimeStamp,
			Process: wire.Process{PID: int(s.Pid), SMPercent: new(int(s.SmUtil)), MemPercent: new(int(s.MemUtil)),
				EncPercent: new(int(s.EncUtil)), DecPercent: new(int(s.DecUtil))},
		})
	}
	return usage, nil
}
