//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
)

// waitFor is the duration of one wait for an event. A Watch ends only between two waits, and each wait wakes the node
// up.
const waitFor = 5 * time.Second

// eventWatch is one set of events for all GPUs.
type eventWatch struct {
	library nvml.Interface
	set     nvml.EventSet
	gpus    map[nvml.Device]int // by handle
	byUUID  map[string]int      // for drivers that name a GPU by another handle
}

// Watch registers for Xids only: the readings already show what the other events report.
func (l *Library) Watch(slots []driver.Slot) (driver.XidWatch, map[int]error) {
	refused := map[int]error{}
	set, ret := l.nvml.EventSetCreate()
	if err := checkReturn(ret); err != nil {
		for _, s := range slots {
			refused[s.Index] = err
		}
		return nil, refused
	}
	w := &eventWatch{library: l.nvml, set: set, gpus: map[nvml.Device]int{}, byUUID: map[string]int{}}
	for _, s := range slots {
		d, ok := s.Device.(*device)
		if !ok {
			continue // a GPU without a handle
		}
		if err := checkReturn(d.nvml.RegisterEvents(nvml.EventTypeXidCriticalError, set)); err != nil {
			refused[s.Index] = err
			continue
		}
		w.gpus[d.nvml] = s.Index
		if uuid, ret := d.nvml.GetUUID(); ret == nvml.SUCCESS {
			w.byUUID[uuid] = s.Index
		}
	}
	if len(w.gpus) == 0 {
		w.Close()
		return nil, refused
	}
	return w, refused
}

// Next waits for an event on one of the GPUs.
func (w *eventWatch) Next() (driver.XidEvent, bool, error) {
	e, ret := w.library.EventSetWait(w.set, uint32(waitFor.Milliseconds()))
	if ret == nvml.ERROR_TIMEOUT {
		return driver.XidEvent{}, false, nil
	}
	if err := checkReturn(ret); err != nil {
		return driver.XidEvent{}, false, err
	}
	gpu, known := w.gpus[e.Device]
	if !known {
		uuid, _ := e.Device.GetUUID() // an unknown UUID matches no GPU
		gpu, known = w.byUUID[uuid]
	}
	return driver.XidEvent{GPU: gpu, Code: e.EventData}, known && e.EventType == nvml.EventTypeXidCriticalError, nil
}

// Close frees the set. A failure is ignored: there is nothing to do about it.
func (w *eventWatch) Close() { _ = w.library.EventSetFree(w.set) }
