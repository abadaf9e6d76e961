//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"slices"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// reader reads metrics of a GPU with one call of NVML.
type reader struct {
	ids  []metric.ID
	read func(*device, *driver.Answer) nvml.Return // sets ids if it succeeds
}

// readers are the readers of all metrics that come neither from fields nor from GPM. All metrics of one reader share a
// pace.
var readers = slices.Concat(useReaders, stateReaders, linkReaders, errorReaders)

// numberReader returns the reader of a single number.
func numberReader[T ~uint32 | ~int32 | int | uint64 | float64](id metric.ID,
	call func(nvml.Device) (T, nvml.Return)) reader {
	isUnknown := func(v T) bool { return v == 0 && id.Row().Positive }
	return reader{[]metric.ID{id}, func(d *device, to *driver.Answer) nvml.Return {
		v, ret := call(d.nvml)
		if ret == nvml.SUCCESS && isUnknown(v) {
			ret = nvml.ERROR_NOT_SUPPORTED
		}
		if ret == nvml.SUCCESS {
			to.Set(id, float64(v))
		}
		return ret
	}}
}

// firstOf returns the first result of a call that has two, and secondOf the second.
func firstOf[T, Other any](call func(nvml.Device) (T, Other, nvml.Return)) func(nvml.Device) (T, nvml.Return) {
	return func(d nvml.Device) (T, nvml.Return) {
		v, _, ret := call(d)
		return v, ret
	}
}

func secondOf[Other, T any](call func(nvml.Device) (Other, T, nvml.Return)) func(nvml.Device) (T, nvml.Return) {
	return func(d nvml.Device) (T, nvml.Return) {
		_, v, ret := call(d)
		return v, ret
	}
}

// deviceReaders returns the readers of a device. Each metric has exactly one.
func (d *device) deviceReaders() []driver.Reader {
	var out []driver.Reader
	for _, r := range readers {
		out = append(out, driver.Reader{IDs: r.ids,
			Read: func(to *driver.Answer) error { return checkReturn(r.read(d, to)) }})
	}
	for _, fields := range [][]field{fastFields, slowFields} {
		out = append(out, newBatch(d, fields).newReader())
	}
	return d.gpm.forgetfulReaders(append(out, d.gpmReader()))
}
