//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
)

// watchable is a GPU that lets its events be registered, or not.
func watchable(uuid string, ret nvml.Return) *mock.Device {
	return &mock.Device{
		GetUUIDFunc: func() (string, nvml.Return) { return uuid, nvml.SUCCESS },
		RegisterEventsFunc: func(types uint64, _ nvml.EventSet) nvml.Return {
			if types != nvml.EventTypeXidCriticalError {
				return nvml.ERROR_INVALID_ARGUMENT
			}
			return ret
		},
	}
}

// An event belongs to the GPU with its handle, else to the GPU with its UUID. Other events are dropped, and so are
// events other than Xids.
func TestWatch(t *testing.T) {
	first, second := watchable("GPU-1", nvml.SUCCESS), watchable("GPU-2", nvml.SUCCESS)
	var next nvml.EventData
	answer := nvml.SUCCESS
	freed := 0
	lib := &Library{nvml: &mock.Interface{
		EventSetCreateFunc: func() (nvml.EventSet, nvml.Return) { return &mock.EventSet{}, nvml.SUCCESS },
		EventSetWaitFunc:   func(nvml.EventSet, uint32) (nvml.EventData, nvml.Return) { return next, answer },
		EventSetFreeFunc:   func(nvml.EventSet) nvml.Return { freed++; return nvml.SUCCESS },
	}}
	w, refused := lib.Watch([]driver.Slot{
		{Index: 0, Device: &device{nvml: first}}, {Index: 1, Lost: "GPU is lost"},
		{Index: 3, Device: &device{nvml: second}},
		{Index: 4, Device: &device{nvml: watchable("GPU-4", nvml.ERROR_NOT_SUPPORTED)}},
	})
	if len(refused) != 1 || driver.KindOf(refused[4]) != driver.Absent {
		t.Errorf("refused: %v", refused)
	}
	for name, tt := range map[string]struct {
		of   nvml.Device
		typ  uint64
		ret  nvml.Return
		want driver.XidEvent
		ok   bool
		fail bool
	}{
		"by handle": {of: second, typ: nvml.EventTypeXidCriticalError, want: driver.XidEvent{GPU: 3, Code: 79}, ok: true},
		"by UUID": {of: watchable("GPU-1", nvml.SUCCESS), typ: nvml.EventTypeXidCriticalError,
			want: driver.XidEvent{GPU: 0, Code: 79}, ok: true},
		"unknown GPU": {of: watchable("GPU-9", nvml.SUCCESS), typ: nvml.EventTypeXidCriticalError},
		"no Xid":      {of: first, typ: nvml.EventTypeClock},
		"none":        {of: first, ret: nvml.ERROR_TIMEOUT},
		"lost":        {of: first, ret: nvml.ERROR_GPU_IS_LOST, fail: true},
	} {
		t.Run(name, func(t *testing.T) {
			next, answer = nvml.EventData{Device: tt.of, EventType: tt.typ, EventData: 79}, tt.ret
			got, ok, err := w.Next()
			if ok != tt.ok || (err != nil) != tt.fail || ok && got != tt.want {
				t.Errorf("got %+v, %v, %v", got, ok, err)
			}
		})
	}
	if w.Close(); freed != 1 {
		t.Errorf("the set was freed %d times", freed)
	}
	if w, refused := lib.Watch([]driver.Slot{{Index: 4,
		Device: &device{nvml: watchable("GPU-4", nvml.ERROR_NO_PERMISSION)}}}); w != nil || len(refused) != 1 ||
		freed != 2 {
		t.Errorf("when all refuse: %v, %v, freed %d times", w, refused, freed)
	}
}
