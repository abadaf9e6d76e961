//go:build linux && cgo

package nvml

import (
	"errors"
	"slices"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// TestReaders: each number of a GPU has one reader, and what one call reads has one pace and comes from one function.
func TestReaders(t *testing.T) {
	times := map[metric.ID]int{}
	for _, r := range readers {
		first := r.ids[0].Row()
		for _, id := range r.ids {
			times[id]++
			if row := id.Row(); row.Pace != first.Pace || !slices.Equal(row.From, first.From) {
				t.Errorf("%v is read with %v, which has another pace or comes from other functions", id, r.ids[0])
			}
		}
	}
	for id := range metric.All(metric.GPU) {
		if times[id] != 1 {
			t.Errorf("%v has %d readers", id, times[id])
		}
	}
}

// What the library lacks is not called, and is missing under the name of the newest function, once.
func TestMissing(t *testing.T) {
	there := []string{"nvmlDeviceGetMemoryInfo", "nvmlDeviceGetUtilizationRates"}
	symbols := &mock.ExtendedInterface{LookupSymbolFunc: func(name string) error {
		if slices.Contains(there, name) {
			return nil
		}
		return errors.New("undefined symbol")
	}}
	lib := &Library{nvml: &mock.Interface{ExtensionsFunc: func() nvml.ExtendedInterface { return symbols }}}
	lib.lookUp()
	var read []metric.ID
	for _, r := range (&device{lib: lib}).readers() {
		read = append(read, r.IDs...)
	}
	if want := []metric.ID{metric.Util, metric.MemUtil, metric.MemoryUsed, metric.MemoryTotal}; !slices.Equal(read, want) {
		t.Errorf("reads %v, want %v", read, want)
	}
	times := map[string]int{}
	for _, name := range lib.Missing() {
		times[name]++
	}
	if times["nvmlDeviceGetClockInfo"] != 1 || times["nvmlDeviceGetCurrentClocksEventReasons"] != 1 || times["nvmlDeviceGetMemoryInfo_v2"] != 0 {
		t.Errorf("missing %v", lib.Missing())
	}
}
