//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// batch reads fields of a device with one call. After its first reading it no longer asks for fields that the device
// does not have.
type batch struct {
	d       *device
	ids     []metric.ID
	queries []query // in the order of ids, and of the sources of each
	values  []nvml.FieldValue
	settled bool
}

// query says what one value of a batch is for.
type query struct {
	id     metric.ID
	source int
	scale  float64
	rate   bool
}

func newBatch(d *device, fields []field) *batch {
	b := &batch{d: d}
	for _, f := range fields {
		b.ids = append(b.ids, f.id)
		rate := f.id.Row().Rate
		for i, s := range f.sources {
			if d.driver < s.since {
				continue
			}
			for _, number := range s.fields {
				for scope := range s.scopes {
					b.queries = append(b.queries, query{f.id, i, s.scale, rate})
					b.values = append(b.values, nvml.FieldValue{FieldId: number, ScopeId: s.scope + scope})
				}
			}
		}
	}
	return b
}

func (b *batch) newReader() driver.Reader { return driver.Reader{IDs: b.ids, Read: b.readFields} }

func (b *batch) readFields(to *driver.Answer) error {
	if len(b.values) > 0 {
		if ret := b.d.nvml.GetFieldValues(b.values); ret != nvml.SUCCESS {
			return checkReturn(ret)
		}
	}
	if !b.settled {
		b.keepAnswered(to)
	}
	for start := 0; start < len(b.queries); {
		end := b.groupEnd(start)
		b.sumValues(start, end, to)
		start = end
	}
	return nil
}

// groupEnd returns the end of one metric's queries, which begin at start.
func (b *batch) groupEnd(start int) (end int) {
	for end = start; end < len(b.queries) && b.queries[end].id == b.queries[start].id; end++ {
		continue
	}
	return end
}

// keepAnswered keeps only the queries that the device answers, from the first source with an answer. A metric without
// any answer is refused, once.
func (b *batch) keepAnswered(to *driver.Answer) {
	b.settled = true
	queries, values := b.queries, b.values
	b.queries, b.values = nil, nil
	for i, q := range queries {
		n := len(b.queries)
		fits := n == 0 || b.queries[n-1].id != q.id || b.queries[n-1].source == q.source
		if fits && hasField(&values[i], q.rate) {
			b.queries, b.values = append(b.queries, q), append(b.values, values[i])
		}
	}
	for _, id := range b.ids {
		if !slices.ContainsFunc(b.queries, func(q query) bool { return q.id == id }) {
			to.Refuse(id, checkReturn(nvml.ERROR_NOT_SUPPORTED))
		}
	}
}

// hasField reports whether the device has a field, even if the field cannot be read now. To an old driver an unknown
// field is an invalid argument. A counter of less than 64 bits is of no use: it may overflow several times per second.
func hasField(v *nvml.FieldValue, rate bool) bool {
	switch nvml.Return(v.NvmlReturn) {
	case nvml.ERROR_NOT_SUPPORTED, nvml.ERROR_INVALID_ARGUMENT, nvml.ERROR_FUNCTION_NOT_FOUND:
		return false
	case nvml.SUCCESS:
		return !rate || isWide(v)
	}
	return true
}

func isWide(v *nvml.FieldValue) bool {
	switch nvml.ValueType(v.ValueType) {
	case nvml.VALUE_TYPE_UNSIGNED_LONG, nvml.VALUE_TYPE_UNSIGNED_LONG_LONG, nvml.VALUE_TYPE_SIGNED_LONG_LONG:
		return true
	}
	return false
}

// sumValues adds up the values of one metric.
func (b *batch) sumValues(start, end int, to *driver.Answer) {
	q := &b.queries[start]
	value, counter := 0.0, uint64(0)
	for i := start; i < end; i++ {
		v := &b.values[i]
		if ret := nvml.Return(v.NvmlReturn); ret != nvml.SUCCESS {
			to.Refuse(q.id, checkReturn(ret))
			return
		}
		part := decodeValue(v.ValueType, v.Value) * q.scale
		if !q.rate && !q.id.Plausible(part) { // the sum may still be plausible
			to.Set(q.id, part)
			return
		}
		value += part
		counter += binary.NativeEndian.Uint64(v.Value[:]) * uint64(q.scale)
	}
	if q.rate {
		to.Count(q.id, counter)
	} else {
		to.Set(q.id, value)
	}
}

// decodeValue decodes the C union of a field. It returns NaN for an unknown type.
func decodeValue(typ uint32, value [8]byte) float64 {
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
