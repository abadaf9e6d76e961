package rows

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// watchedFor returns a GPU of 80 GiB whose memory was watched for an hour: it began with some GiB in use, and grew
// evenly by others.
func watchedFor(begin, grown float64) *cluster.GPU {
	g := &cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}}
	g.Values.Set(metric.MemoryTotal, 80<<30)
	const minutes = 60
	for m := range minutes {
		used := (begin + grown*float64(m)/minutes) * (1 << 30)
		g.Memory = g.Memory.Add(time.Unix(int64(m)*60, 0), used)
		g.Values.Set(metric.MemoryUsed, used)
	}
	return g
}

// A GPU whose memory fills up comes before one that is fuller and does not grow.
func TestMemoryUrgency(t *testing.T) {
	unknown := &cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}}
	if _, known := MemoryUrgency(unknown); known {
		t.Error("the memory of a GPU without a past is known")
	}
	if _, known := MemoryUrgency(nil); known {
		t.Error("the memory of no GPU is known")
	}
	last := 1e9
	for _, test := range []struct {
		name  string
		gpu   *cluster.GPU
		fills bool
	}{{"soon full", watchedFor(55, 20), true}, {"later full", watchedFor(57, 16), true},
		{"nearly full", watchedFor(79, 0), false}, {"half full", watchedFor(40, 0), false}} {
		urgency, known := MemoryUrgency(test.gpu)
		if !known || urgency >= last {
			t.Errorf("%s: %v, %v after %v", test.name, urgency, known, last)
		}
		last = urgency
		row := &Process{GPU: test.gpu}
		if _, fills := Processes.Field("memory_full_seconds").Number(row); fills != test.fills {
			t.Errorf("%s: fills up: %v", test.name, fills)
		}
		peak, _ := Processes.Field("memory_peak_percent").Number(row)
		if used, _ := Processes.Field("memory_percent").Number(row); peak < used-1 || peak > 100 {
			t.Errorf("%s: the peak is %.1f%%, %.1f%% are in use", test.name, peak, used)
		}
	}
}
