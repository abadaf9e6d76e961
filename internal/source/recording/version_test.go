package recording

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// ofVersion are the Events of testdata/version-N.rec, which a program wrote that knew no later version.
func ofVersion(n int) []cluster.Event {
	if n == 3 {
		return walk()
	}
	at := time.Unix(1_700_000_000, 0)
	events := []cluster.Event{{At: at, Node: "n1",
		Hello: &wire.Hello{Version: 1, Host: "n1", GPUs: []wire.Card{{Index: 0, UUID: "GPU-0"},
			{Index: 1, UUID: "GPU-1"}}}}}
	for i := range 4 {
		x := float64(i)
		r := &wire.Report{Seq: uint64(i + 1), MonoMS: int64(1000 * i), GPUs: []wire.GPU{{Index: 0}, {Index: 1}}}
		r.Host.Values = metric.Make(map[metric.ID]float64{metric.CPU: 10 + x, metric.Uptime: 100 + 3*x})
		for g := range r.GPUs {
			r.GPUs[g].Values = metric.Make(map[metric.ID]float64{metric.Util: 90 - x, metric.Power: 300 + x/4})
			if n == 2 {
				r.GPUs[g].Values.Set(metric.TensorActive, 3+x)
				r.GPUs[g].Values.Set(metric.DRAMActive, 60-x)
			}
		}
		events = append(events, cluster.Event{At: at.Add(time.Duration(i+1) * 3 * time.Second), Node: "n1", Report: r})
	}
	return events
}

// walk are Events of a node whose numbers move by all kinds of steps, from 1 bit to 40, and whose jobs come and go.
func walk() (events []cluster.Event) {
	random := rand.New(rand.NewPCG(1, 2))
	at := time.Unix(1_700_000_000, 0)
	events = append(events, cluster.Event{At: at, Node: "n1", Hello: &wire.Hello{Version: 1, Host: "n1",
		GPUs: []wire.Card{{Index: 0, UUID: "GPU-0"}, {Index: 1, UUID: "GPU-1"}, {Index: 2, UUID: "GPU-2"}}}})
	far := func(bits int) float64 { return float64(random.Int64N(1 << random.IntN(bits+1))) }
	last := wire.Report{}
	for i := range 60 {
		r := &wire.Report{Seq: last.Seq + 1, MonoMS: last.MonoMS + 3000 + random.Int64N(3), WallMS: last.WallMS + 3000,
			TookMS: random.Int64N(9), GPUs: []wire.GPU{{Index: 0}, {Index: 1}, {Index: 2}}}
		for k := range i / 7 % 3 {
			r.Jobs = append(r.Jobs, wire.JobMemory{Job: fmt.Sprint(k), Used: uint64(far(40)), Limit: 1 << 40})
		}
		r.Host.Values = metric.Make(map[metric.ID]float64{metric.CPU: far(6) + 0.25, metric.Uptime: 100 + float64(3*i),
			metric.NVMLCalls: far(5), metric.NetTX: far(36)})
		for g := range r.GPUs {
			r.GPUs[g].Values = metric.Make(map[metric.ID]float64{metric.Util: far(6), metric.Power: 300 + far(8)/1000,
				metric.SMActive: far(9) / 10, metric.MemoryUsed: 1 << 30, metric.Energy: float64(900*i) + far(10)/1000})
			if i/20 == g {
				r.GPUs[g].Values.Set(metric.Temperature, far(6))
			}
		}
		last = *r
		events = append(events, cluster.Event{At: at.Add(time.Duration(i+1) * 3 * time.Second), Node: "n1", Report: r})
	}
	return events
}

// A recording of an older version is read with the columns that it has, whatever the table of metrics is today.
func TestOlderVersion(t *testing.T) {
	for version := 1; version < Version; version++ {
		file, err := os.ReadFile(fmt.Sprintf("testdata/version-%d.rec", version))
		if err != nil {
			t.Fatal(err)
		}
		r := opened(t, file)
		if r.Header.Version != version {
			t.Fatalf("the recording has version %d, want %d", r.Header.Version, version)
		}
		var got []cluster.Event
		if err := r.Run(t.Context(), func(e cluster.Event) { got = append(got, e) }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(ofVersion(version), got,
			cmp.Comparer(func(a, b metric.Values) bool { return a == b })); diff != "" {
			t.Errorf("version %d: -want +got:\n%s", version, diff)
		}
	}
}
