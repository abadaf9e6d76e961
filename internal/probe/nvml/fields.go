//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"encoding/binary"
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// field reads one of NVML's numbered fields. The field has its own result, apart from that of the call.
func (d *device) field(id uint32) (float64, nvml.Return) {
	values := []nvml.FieldValue{{FieldId: id}}
	if ret := d.nvml.GetFieldValues(values); ret != nvml.SUCCESS {
		return 0, ret
	}
	return number(values[0].ValueType, values[0].Value), nvml.Return(values[0].NvmlReturn)
}

// number decodes the C union of a field. It returns NaN for an unknown type.
func number(typ uint32, value [8]byte) float64 {
	whole := binary.NativeEndian.Uint64(value[:])
	half := binary.NativeEndian.Uint32(value[:])
	switch nvml.ValueType(typ) {
	case nvml.VALUE_TYPE_DOUBLE:
		return math.Float64frombits(whole)
	case nvml.VALUE_TYPE_UNSIGNED_INT:
		return float64(half)
	case nvml.VALUE_TYPE_SIGNED_INT:
		return float64(int32(half))
	case nvml.VALUE_TYPE_UNSIGNED_LONG, nvml.VALUE_TYPE_UNSIGNED_LONG_LONG:
		return float64(whole)
	case nvml.VALUE_TYPE_SIGNED_LONG_LONG:
		return float64(int64(whole))
	}
	return math.NaN()
}
