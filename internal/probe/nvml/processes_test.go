//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Without the compute list there is no listing, whatever the other lists say.
func TestRefusedLists(t *testing.T) {
	type answer func() ([]nvml.ProcessInfo, nvml.Return)
	gives := func(ret nvml.Return, pids ...uint32) answer {
		return func() (infos []nvml.ProcessInfo, _ nvml.Return) {
			for _, pid := range pids {
				infos = append(infos, nvml.ProcessInfo{Pid: pid, UsedGpuMemory: 1 << 20})
			}
			return infos, ret
		}
	}
	for name, tt := range map[string]struct {
		compute, graphics, mps answer
		listed                 bool
		contexts               int
		fails                  bool
		kind                   driver.ErrorKind
	}{
		"all":  {gives(nvml.SUCCESS, 7), gives(nvml.SUCCESS, 8), gives(nvml.SUCCESS, 9), true, 3, false, 0},
		"none": {gives(nvml.SUCCESS), gives(nvml.SUCCESS), gives(nvml.SUCCESS), true, 0, false, 0},
		"compute refused": {gives(nvml.ERROR_NO_PERMISSION), gives(nvml.SUCCESS), gives(nvml.SUCCESS), false, 0, true,
			driver.Denied},
		"compute in MIG": {gives(nvml.ERROR_NOT_SUPPORTED), gives(nvml.SUCCESS, 8), gives(nvml.SUCCESS), false, 0,
			true, driver.Absent},
		"compute fails": {gives(nvml.ERROR_UNKNOWN), gives(nvml.SUCCESS, 8), gives(nvml.SUCCESS), false, 0, true,
			driver.Other},
		"graphics refused": {gives(nvml.SUCCESS, 7), gives(nvml.ERROR_NO_PERMISSION), gives(nvml.ERROR_NOT_SUPPORTED),
			true, 1, false, 0},
		"graphics fails": {gives(nvml.SUCCESS), gives(nvml.ERROR_UNKNOWN), gives(nvml.SUCCESS), true, 0, true,
			driver.Other},
	} {
		t.Run(name, func(t *testing.T) {
			gpu := &mock.Device{GetComputeRunningProcessesFunc: tt.compute,
				GetGraphicsRunningProcessesFunc: tt.graphics, GetMPSComputeRunningProcessesFunc: tt.mps}
			contexts, err := (&device{nvml: gpu}).Processes()
			if (contexts != nil) != tt.listed || len(contexts) != tt.contexts || (err != nil) != tt.fails || tt.fails &&
				driver.KindOf(err) != tt.kind {
				t.Errorf("got %+v, %v", contexts, err)
			}
		})
	}
}

// Drivers that write beyond the given list are not asked for a list.
func TestOddLists(t *testing.T) {
	for version, odd := range map[string]bool{
		"535.43.02": true, "535.54.03": true, "535.86.10": true, "535.98": false, "535.104.05": false,
		"535.183.01": false, "530.54.02": false, "550.54.15": false, "": false, "?": false,
	} {
		err := oddLists(version)
		if (err != nil) != odd || odd && !strings.Contains(err.Error(), version) {
			t.Errorf("%q: %v", version, err)
		}
		if !odd {
			continue
		}
		contexts, err := (&device{nvml: &mock.Device{}, unlisted: err}).Processes() // any call of the mock would panic
		if contexts != nil || driver.KindOf(err) != driver.Absent {
			t.Errorf("%q: got %+v, %v", version, contexts, err)
		}
	}
}

// Whether MIG is on is not known when the driver does not say it; a driver or a GPU that has no MIG says it.
func TestMIGMode(t *testing.T) {
	for ret, unknown := range map[nvml.Return]bool{
		nvml.SUCCESS: false, nvml.ERROR_NOT_SUPPORTED: false, nvml.ERROR_FUNCTION_NOT_FOUND: false,
		nvml.ERROR_UNKNOWN: true, nvml.ERROR_NO_PERMISSION: true,
	} {
		gpu := fullGPU(nvml.SUCCESS)
		gpu.GetMigModeFunc = func() (int, int, nvml.Return) { return nvml.DEVICE_MIG_ENABLE, 0, ret }
		if c := (&device{nvml: gpu}).Card(); c.MIGUnknown != unknown || c.MIG != (ret == nvml.SUCCESS) {
			t.Errorf("%v: %+v", ret, c)
		}
	}
}

// Each error that NVML gives in place of a handle has a class of its own.
func TestWithoutHandle(t *testing.T) {
	returns := []nvml.Return{
		nvml.SUCCESS, nvml.ERROR_NO_PERMISSION, nvml.ERROR_GPU_IS_LOST, nvml.ERROR_RESET_REQUIRED,
		nvml.ERROR_INSUFFICIENT_POWER, nvml.ERROR_IRQ_ISSUE,
		nvml.ERROR_TIMEOUT, nvml.ERROR_UNKNOWN,
	}
	lib := &Library{nvml: &mock.Interface{
		DeviceGetCountFunc:         func() (int, nvml.Return) { return len(returns), nvml.SUCCESS },
		DeviceGetHandleByIndexFunc: func(i int) (nvml.Device, nvml.Return) { return &mock.Device{}, returns[i] },
	}}
	slots, err := lib.Devices()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"", wire.LostFellOff, wire.LostReset, wire.LostPower, wire.LostIRQ, wire.LostTimeout,
		wire.LostOther}
	for i, slot := range slots {
		if i >= len(want) || slot.LostID != want[i] || (slot.Lost == "") != (want[i] == "") ||
			(slot.Device == nil) != (want[i] != "") {
			t.Errorf("slot %d: %+v", i, slot)
		}
	}
	if len(slots) != len(want) {
		t.Errorf("%d slots, want %d", len(slots), len(want))
	}
}
