//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// answer is the answer of a fake GPU about a field.
type answer struct {
	ret   nvml.Return
	typ   nvml.ValueType
	value [8]byte
}

func wide(n uint64) answer {
	a := answer{typ: nvml.VALUE_TYPE_UNSIGNED_LONG_LONG}
	binary.NativeEndian.PutUint64(a.value[:], n)
	return a
}

// fieldsOf is a GPU with some fields, by number, and nothing else. It counts the requested fields.
func fieldsOf(fields map[uint32]answer, asked *int) *mock.Device {
	return &mock.Device{GetFieldValuesFunc: func(v []nvml.FieldValue) nvml.Return {
		*asked = len(v)
		for i := range v {
			a, known := fields[v[i].FieldId]
			if !known {
				a.ret = nvml.ERROR_NOT_SUPPORTED
			}
			v[i].ValueType, v[i].NvmlReturn, v[i].Value = uint32(a.typ), uint32(a.ret), a.value
		}
		return nvml.SUCCESS
	}}
}

// readField reads one metric from a batch.
func readField(gpu nvml.Device, id metric.ID, version int) (driver.Answer, error) {
	all := slices.Concat(fastFields, slowFields)
	at := slices.IndexFunc(all, func(f field) bool { return f.id == id })
	var got driver.Answer
	return got, newBatch(&device{nvml: gpu, driver: version}, all[at:at+1]).readFields(&got)
}

// A field has its own type and its own result.
func TestField(t *testing.T) {
	for name, tt := range map[string]struct {
		answer
		want string
		kind driver.ErrorKind // of the refusal
	}{
		"unsigned": {answer{typ: nvml.VALUE_TYPE_UNSIGNED_INT, value: [8]byte{83, 0, 0, 0, 9}},
			`{"memory_temperature_celsius":83}`, 0},
		"signed": {answer{typ: nvml.VALUE_TYPE_SIGNED_INT, value: [8]byte{0xfe, 0xff, 0xff, 0xff}},
			`{}`, driver.Doubtful},
		"long": {answer{typ: nvml.VALUE_TYPE_UNSIGNED_LONG, value: [8]byte{83}},
			`{"memory_temperature_celsius":83}`, 0},
		"long long": {answer{typ: nvml.VALUE_TYPE_SIGNED_LONG_LONG, value: [8]byte{0xfe, 0xff, 0xff, 0xff, 0xff,
			0xff, 0xff, 0xff}}, `{}`, driver.Doubtful},
		"double": {answer{typ: nvml.VALUE_TYPE_DOUBLE, value: [8]byte{7: 0x40}},
			`{"memory_temperature_celsius":2}`, 0},
		"unknown type":  {answer{typ: 99, value: [8]byte{83}}, `{}`, 0},
		"not supported": {answer{ret: nvml.ERROR_NOT_SUPPORTED}, `{}`, driver.Absent},
		"unknown field": {answer{ret: nvml.ERROR_INVALID_ARGUMENT}, `{}`, driver.Absent},
		"lost":          {answer{ret: nvml.ERROR_GPU_IS_LOST}, `{}`, driver.Lost},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readField(fieldsOf(map[uint32]answer{nvml.FI_DEV_MEMORY_TEMP: tt.answer}, new(int)),
				metric.MemoryTemperature, 550)
			refused := tt.kind != 0
			if err != nil || got.String() != tt.want || len(got.Refusals) > 0 != refused || refused &&
				driver.KindOf(got.Refusals[0].Err) != tt.kind {
				t.Errorf("got %v, %v, refused %v, want %s", &got.Values, err, got.Refusals, tt.want)
			}
			if tt.kind == driver.Doubtful && got.Refusals[0].Err.Error() != "implausible value -2 °C" {
				t.Errorf("refused with %q", got.Refusals[0].Err)
			}
		})
	}
	gpu := &mock.Device{GetFieldValuesFunc: func([]nvml.FieldValue) nvml.Return { return nvml.ERROR_GPU_IS_LOST }}
	if _, err := readField(gpu, metric.MemoryTemperature, 550); driver.KindOf(err) != driver.Lost {
		t.Errorf("a call that fails gives %v", err)
	}
}

// A metric comes from the first of its sources that the GPU has, and is the sum of its fields.
func TestSources(t *testing.T) {
	for name, tt := range map[string]struct {
		id     metric.ID
		driver int
		fields map[uint32]answer
		want   string
		count  uint64 // the counter; 0: none
	}{
		"totals": {metric.NVLinkCRC, 550, map[uint32]answer{38: wide(2), 45: wide(3), 163: wide(9)},
			`{"nvlink_crc_errors":5}`, 0},
		"links": {metric.NVLinkCRC, 550, map[uint32]answer{163: wide(2)}, `{"nvlink_crc_errors":36}`, 0},
		"NVLink 5": {metric.NVLinkRecoveries, 570, map[uint32]answer{215: wide(1)},
			`{"nvlink_recoveries":18}`, 0},
		"KiB": {metric.NVLinkTX, 550, map[uint32]answer{138: wide(1 << 50), 202: wide(7)}, `{}`,
			1 << 60},
		"bytes": {metric.NVLinkRX, 570, map[uint32]answer{204: wide(7)}, `{}`, 7},
		"a counter of 32 bits": {metric.PCIeTX, 550,
			map[uint32]answer{197: {typ: nvml.VALUE_TYPE_UNSIGNED_INT, value: [8]byte{7}}}, `{}`, 0},
		"nanoseconds": {metric.PowerCapTime, 550, map[uint32]answer{74: wide(1_234_500_000)},
			`{"power_cap_seconds":1.235}`, 0},
		"millijoules": {metric.Energy, 550, map[uint32]answer{83: wide(1_234_567)},
			`{"energy_joules":1234.567}`, 0},
		"reasons of now": {metric.SWThermalTime, 590, map[uint32]answer{75: wide(1e9), 269: wide(2e9)},
			`{"sw_thermal_seconds":2}`, 0},
		"reasons of then":    {metric.SWThermalTime, 580, map[uint32]answer{75: wide(1e9), 269: wide(2e9)}, `{}`, 0},
		"heat of any kind":   {metric.ThermalTime, 580, map[uint32]answer{75: wide(1e9)}, `{"thermal_seconds":1}`, 0},
		"another field then": {metric.HWThermalTime, 580, map[uint32]answer{251: wide(1e9), 270: wide(2e9)}, `{}`, 0},
		"driver not known":   {metric.PowerBrakeTime, 0, map[uint32]answer{271: wide(2e9)}, `{}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readField(fieldsOf(tt.fields, new(int)), tt.id, tt.driver)
			count := uint64(0)
			for _, c := range got.Counters {
				count += c.N
			}
			if err != nil || got.String() != tt.want || count != tt.count ||
				(len(got.Refusals) == 0) != (tt.want != "{}" || count > 0) {
				t.Errorf("got %v, %v, counters %v, refused %v", &got.Values, err, got.Counters, got.Refusals)
			}
		})
	}
}

// A batch no longer requests fields that the GPU lacks, and keeps requesting fields that fail otherwise. Each field is
// independent of the others.
func TestBatchSettles(t *testing.T) {
	fields := map[uint32]answer{
		nvml.FI_DEV_MEMORY_TEMP:                 {typ: nvml.VALUE_TYPE_UNSIGNED_INT, value: [8]byte{83}},
		nvml.FI_DEV_TOTAL_ENERGY_CONSUMPTION:    {ret: nvml.ERROR_NO_PERMISSION},
		nvml.FI_DEV_PERF_POLICY_POWER:           {ret: nvml.ERROR_UNKNOWN},
		nvml.FI_DEV_PCIE_COUNT_TX_BYTES:         wide(5),
		nvml.FI_DEV_GET_GPU_RECOVERY_ACTION:     {ret: nvml.ERROR_NOT_SUPPORTED},
		nvml.FI_DEV_NVLINK_COUNT_XMIT_BYTES:     wide(6),
		nvml.FI_DEV_NVLINK_COUNT_RCV_BYTES:      wide(7),
		nvml.FI_DEV_PERF_POLICY_LOW_UTILIZATION: wide(8), // which nothing reads
	}
	asked := 0
	b := newBatch(&device{nvml: fieldsOf(fields, &asked), driver: 570}, fastFields)
	for i, want := range []struct{ asked, refused int }{{len(b.values), 9}, {6, 2}} {
		var got driver.Answer
		if err := b.readFields(&got); err != nil || asked != want.asked || len(got.Refusals) != want.refused ||
			got.String() != `{"memory_temperature_celsius":83}` || len(got.Counters) != 3 {
			t.Errorf("reading %d asked for %d fields: %v, %v, counters %v, refused %v", i, asked, &got.Values, err,
				got.Counters, got.Refusals)
		}
	}
	fields[nvml.FI_DEV_PERF_POLICY_POWER] = wide(2e9)
	var got driver.Answer
	if err := b.readFields(&got); err != nil || got.Float(metric.PowerCapTime) != 2 {
		t.Errorf("when it works again, got %v, %v", &got.Values, err)
	}
}
