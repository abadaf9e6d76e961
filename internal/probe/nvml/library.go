//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/NVIDIA/go-nvml/pkg/dl"
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// libraryName is the name under which the driver's package installs NVML, on the linker's path.
const libraryName = "libnvidia-ml.so.1"

// Library is the driver's NVML.
type Library struct {
	nvml     nvml.Interface
	missing  []string
	unlisted error // the reason why this driver cannot list processes; nil: it can
	driver   int   // major version of the driver; 0 if unknown

	gpmMu sync.Mutex
	gpms  map[gpmKey]*gpm // protected by gpmMu
}

var (
	_ driver.Library = (*Library)(nil)
	_ driver.Watcher = (*Library)(nil)
	_ driver.Meter   = (*Library)(nil)
	_ driver.Device  = (*device)(nil)
)

// New returns the driver's library, which Init loads.
func New() *Library { return &Library{nvml: nvml.New(nvml.WithLibraryPath(libraryName))} }

// Init loads the library and attaches to the driver.
func (l *Library) Init() error {
	lib := dl.New(libraryName, dl.RTLD_LAZY|dl.RTLD_GLOBAL)
	if err := lib.Open(); err != nil {
		return &driver.InitError{ID: wire.FaultNoLibrary, Words: err.Error()}
	}
	defer func() { _ = lib.Close() }() // by then go-nvml has loaded the library too
	bindCalls()
	if ret := l.nvml.Init(); ret != nvml.SUCCESS {
		return initError(ret)
	}
	l.missing = missingSymbols(l.nvml.Extensions())
	version, _ := l.nvml.SystemGetDriverVersion() // empty if the call fails
	l.unlisted = oddLists(version)
	l.driver = majorVersion(version)
	return nil
}

// majorVersion returns the first number of a version; 0 if the version has none.
func majorVersion(version string) int {
	first, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(first)
	if err != nil {
		return 0
	}
	return n
}

// initError explains a failed Init.
func initError(ret nvml.Return) error {
	e := &driver.InitError{ID: wire.FaultOther, Words: ret.Error()}
	switch ret {
	case nvml.ERROR_LIB_RM_VERSION_MISMATCH:
		e.ID = wire.FaultMismatch
	case nvml.ERROR_DRIVER_NOT_LOADED, nvml.ERROR_TIMEOUT:
		e.ID = wire.FaultNoDriver
	}
	return e
}

// Shutdown detaches from the driver. A failure to detach is ignored.
func (l *Library) Shutdown() {
	l.freeSamples()
	_ = l.nvml.Shutdown()
}

// Versions gives the versions of the driver and of CUDA.
func (l *Library) Versions() (driver, cuda string) {
	if v, ret := l.nvml.SystemGetDriverVersion(); ret == nvml.SUCCESS {
		driver = v
	}
	n, ret := l.nvml.SystemGetCudaDriverVersion_v2()
	if ret == nvml.ERROR_FUNCTION_NOT_FOUND {
		n, ret = l.nvml.SystemGetCudaDriverVersion()
	}
	if ret == nvml.SUCCESS {
		cuda = fmt.Sprintf("%d.%d", n/1000, n%1000/10)
	}
	return driver, cuda
}

// Missing names the optional symbols that the library lacks.
func (l *Library) Missing() []string { return l.missing }

// Devices lists the GPUs. NVML counts all GPUs of the node; GPUs that this user or the cgroup of this job may not use
// are passed over.
func (l *Library) Devices() ([]driver.Slot, error) {
	count, ret := l.nvml.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return nil, initError(ret)
	}
	var slots []driver.Slot
	for i := range count {
		handle, ret := l.nvml.DeviceGetHandleByIndex(i)
		switch ret {
		case nvml.SUCCESS:
			d := &device{nvml: handle, unlisted: l.unlisted, driver: l.driver, gpm: l.gpmFor(gpmKey{i, wholeGPU})}
			slots = append(slots, driver.Slot{Index: i, Device: d, Readers: d.deviceReaders(),
				Parts: func() []driver.Slot { return l.listInstances(i, handle) }})
		case nvml.ERROR_NO_PERMISSION:
		default:
			slots = append(slots, driver.Slot{Index: i, Lost: ret.Error(), LostID: lostID(ret)})
		}
	}
	return slots, nil
}
