//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"errors"
	"slices"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/probe"
)

// Each metric of a GPU has one reader. The metrics of one reader have the same pace and the same functions.
func TestReaders(t *testing.T) {
	times := map[metric.ID]int{}
	for _, r := range readers {
		first := r.ids[0].Row()
		for _, id := range r.ids {
			times[id]++
			if row := id.Row(); row.Pace != first.Pace || !slices.Equal(row.From, first.From) {
				t.Errorf("%v is read with %v, which has another pace or other functions", id, r.ids[0])
			}
		}
	}
	for id := range metric.All(metric.GPU) {
		if times[id] != 1 {
			t.Errorf("%v has %d readers", id, times[id])
		}
	}
}

// A field has its own type and its own result.
func TestField(t *testing.T) {
	for name, tt := range map[string]struct {
		call, of nvml.Return
		typ      nvml.ValueType
		value    [8]byte
		want     string
		kind     probe.ErrorKind
	}{
		"unsigned":      {typ: nvml.VALUE_TYPE_UNSIGNED_INT, value: [8]byte{83, 0, 0, 0, 9}, want: `{"memory_temperature_celsius":83}`},
		"signed":        {typ: nvml.VALUE_TYPE_SIGNED_INT, value: [8]byte{0xfe, 0xff, 0xff, 0xff}, want: `{"memory_temperature_celsius":-2}`},
		"long":          {typ: nvml.VALUE_TYPE_UNSIGNED_LONG, value: [8]byte{83}, want: `{"memory_temperature_celsius":83}`},
		"long long":     {typ: nvml.VALUE_TYPE_SIGNED_LONG_LONG, value: [8]byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, want: `{"memory_temperature_celsius":-2}`},
		"double":        {typ: nvml.VALUE_TYPE_DOUBLE, value: [8]byte{7: 0x40}, want: `{"memory_temperature_celsius":2}`},
		"unknown type":  {typ: 99, value: [8]byte{83}, want: `{}`},
		"not supported": {of: nvml.ERROR_NOT_SUPPORTED, typ: nvml.VALUE_TYPE_UNSIGNED_INT, want: `{}`, kind: probe.Absent},
		"lost":          {call: nvml.ERROR_GPU_IS_LOST, typ: nvml.VALUE_TYPE_UNSIGNED_INT, want: `{}`, kind: probe.Lost},
	} {
		t.Run(name, func(t *testing.T) {
			gpu := &mock.Device{GetFieldValuesFunc: func(v []nvml.FieldValue) nvml.Return {
				if len(v) != 1 || v[0].FieldId != nvml.FI_DEV_MEMORY_TEMP {
					t.Errorf("asked for %+v", v)
				}
				v[0].ValueType, v[0].NvmlReturn, v[0].Value = uint32(tt.typ), uint32(tt.of), tt.value
				return tt.call
			}}
			all := (&device{nvml: gpu}).readers()
			i := slices.IndexFunc(all, func(r probe.Reader) bool { return slices.Contains(r.IDs, metric.MemoryTemperature) })
			var got metric.Values
			err := all[i].Read(&got)
			if got.String() != tt.want || (err == nil) != (tt.kind == 0) || err != nil && probe.KindOf(err) != tt.kind {
				t.Errorf("got %v, %v, want %s", got, err, tt.want)
			}
		})
	}
}

// A group of which the library has no function is reported once, under the name of its newest function.
func TestMissing(t *testing.T) {
	there := []string{"nvmlDeviceGetMemoryInfo", "nvmlDeviceGetUtilizationRates"}
	times := map[string]int{}
	for _, name := range missing(&mock.ExtendedInterface{LookupSymbolFunc: func(name string) error {
		if slices.Contains(there, name) {
			return nil
		}
		return errors.New("undefined symbol")
	}}) {
		times[name]++
	}
	for name, want := range map[string]int{
		"nvmlDeviceGetClockInfo": 1, "nvmlDeviceGetCurrentClocksEventReasons": 1, "nvmlDeviceGetMemoryInfo_v2": 0, "nvmlDeviceGetUtilizationRates": 0,
	} {
		if times[name] != want {
			t.Errorf("%s is missing %d times, want %d", name, times[name], want)
		}
	}
}
