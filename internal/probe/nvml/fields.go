//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"encoding/binary"
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// field reads one of NVML's numbered fields. That the call succeeds says nothing about the field, which has a result of its own.
func (d *device) field(id uint32) (float64, nvml.Return) {
	values := []nvml.FieldValue{{FieldId: id}}
	if ret := d.nvml.GetFieldValues(values); ret != nvml.SUCCESS {
		return 0, ret
	}
	return number(values[0].ValueType, values[0].Value), nvml.Return(values[0].NvmlReturn)
}

// number reads the C union of a field; NaN where this build does not know the type.
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
