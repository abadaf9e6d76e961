package driver

import (
	"math"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Answer collects the values that the Readers of a GPU read. Values that they cannot read stay absent.
type Answer struct {
	metric.Values
	Counters []Counter
	Refusals []Refusal
}

// Counter is a counter whose increase per second is a metric.
type Counter struct {
	ID metric.ID
	N  uint64
}

// Refusal is a metric that could not be read.
type Refusal struct {
	ID  metric.ID
	Err error // an *Error
}

// Count adds a counter of a metric with Rate. A counter is not a value, since it may exceed the range of a metric.
func (a *Answer) Count(id metric.ID, n uint64) { a.Counters = append(a.Counters, Counter{id, n}) }

// Set sets a value. A number that the driver cannot mean is refused; NaN counts as no number.
func (a *Answer) Set(id metric.ID, x float64) {
	if !math.IsNaN(x) && !id.Plausible(x) {
		a.Refuse(id, &Error{Kind: Doubtful, Words: id.Doubt(x)})
		x = math.NaN()
	}
	a.Values.Set(id, x)
}

// Refuse records why one of the metrics of a Reader could not be read.
func (a *Answer) Refuse(id metric.ID, err error) { a.Refusals = append(a.Refusals, Refusal{id, err}) }
