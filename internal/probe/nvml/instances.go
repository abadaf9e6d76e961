//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"slices"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// instance is an instance of a GPU in MIG mode. It has its own memory and processes.
type instance struct {
	device
	parent nvml.Device
	id     wire.Instance // without Parent
}

// firstInstance is the Index of the first instance of the first GPU. The indices of whole GPUs are smaller.
const firstInstance = 1000

// instanceIndex returns the Index of the instance with these IDs. It does not depend on other instances.
func instanceIndex(gpu int, id wire.Instance) int {
	return firstInstance*(gpu+1) + 8*id.GPU + id.Compute
}

// listInstances lists the instances of a GPU. Unreadable instances are left out: they may be about to go.
func (l *Library) listInstances(gpu int, parent nvml.Device) []driver.Slot {
	if mode, _, ret := parent.GetMigMode(); ret != nvml.SUCCESS || mode != nvml.DEVICE_MIG_ENABLE {
		return nil
	}
	most, ret := parent.GetMaxMigDeviceCount()
	if ret != nvml.SUCCESS {
		return nil
	}
	var slots []driver.Slot
	for i := range most {
		handle, ret := parent.GetMigDeviceHandleByIndex(i)
		if ret != nvml.SUCCESS {
			continue
		}
		gi, ret1 := handle.GetGpuInstanceId()
		ci, ret2 := handle.GetComputeInstanceId()
		if ret1 != nvml.SUCCESS || ret2 != nvml.SUCCESS {
			continue
		}
		d := &instance{device: device{nvml: handle, unlisted: l.unlisted, driver: l.driver,
			gpm: l.gpmFor(gpmKey{gpu, gi})}, parent: parent}
		d.id = wire.Instance{Index: i, GPU: gi, Compute: ci}
		slots = append(slots, driver.Slot{Index: instanceIndex(gpu, d.id), Device: d, Readers: d.instanceReaders()})
	}
	return slots
}

// Card reads the identity of the instance. Its place is the place of its GPU.
func (d *instance) Card() wire.Card {
	c := (&device{nvml: d.parent}).readIdentity()
	id := d.id
	id.Parent, _ = d.parent.GetUUID() // empty if the call fails
	c.Instance = &id
	uuid, ret := d.nvml.GetUUID()
	if err := checkReturn(ret); driver.KindOf(err) == driver.Lost {
		c.Lost, c.LostID = err.Error(), lostID(ret)
		return c
	}
	c.UUID = uuid
	c.Name, _ = d.nvml.GetName() // empty if the call fails
	return c
}

// instanceReaders returns Readers of the memory of the instance, and of GPM where the driver has it for instances. NVML
// provides nothing else for instances.
func (d *instance) instanceReaders() []driver.Reader {
	var out []driver.Reader
	for _, r := range readers {
		if slices.Contains(r.ids, metric.MemoryUsed) || slices.Contains(r.ids, metric.MemoryTotal) {
			out = append(out, driver.Reader{IDs: r.ids,
				Read: func(to *driver.Answer) error { return checkInstance(r.read(&d.device, to)) }})
		}
	}
	whole := &device{nvml: d.parent}
	take := func(sample nvml.GpmSample) nvml.Return { return d.parent.GpmMigSampleGet(d.id.GPU, sample) }
	return d.gpm.forgetfulReaders(append(out, d.gpm.optionalReader(whole.beforeGPM, take)))
}

// checkInstance turns the return value of a call for an instance into an error. NVML refuses the handle of an instance
// that is gone.
func checkInstance(ret nvml.Return) error {
	if ret == nvml.ERROR_INVALID_ARGUMENT || ret == nvml.ERROR_NOT_FOUND {
		return &driver.Error{Kind: driver.Stale, Words: "the MIG instance is gone"}
	}
	return checkReturn(ret)
}
