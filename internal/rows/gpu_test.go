package rows

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// A field has the unit of its metric, and where package field has no such unit, the help says it. A metric of which no
// number can be shown has no field.
func TestUnitOfMetric(t *testing.T) {
	for _, tc := range []struct {
		id   metric.ID
		unit field.Unit
		help string
	}{
		{metric.Util, field.Percent, "something"},
		{metric.MemoryTotal, field.Bytes, "something"},
		{metric.PerformanceState, field.Count, "something"},
		{metric.SMClock, field.Count, "something, in MHz"},
		{metric.Energy, field.Count, "something, in J"},
	} {
		if f := ofMetric(tc.id, "1", "something"); f.Unit != tc.unit || f.Help != tc.help {
			t.Errorf("%v has unit %v and help %q, want %v, %q", tc.id, f.Unit, f.Help, tc.unit, tc.help)
		}
	}
	defer func() {
		if words, _ := recover().(string); !strings.Contains(words, `metric.Unit "bits" to fieldUnits`) {
			t.Errorf("a field of bits panics with %q", words)
		}
	}()
	ofMetric(metric.Throttle, "1", "something")
}
