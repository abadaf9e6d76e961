package recording

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/same"
)

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

// recordedIn records as a program would that has these columns, and other keys in place of some of ours.
func recordedIn(t *testing.T, columns Columns, events []cluster.Event, keys ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	w := NewWriter(Header{Poll: poll})
	w.header.Columns = columns
	if err := w.Begin(&file, events[0].At); err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	others := strings.NewReplacer(keys...)
	header, _, err := readSkippable(bytes.NewReader(file.Bytes()), 0, magicHeader, maxJSON)
	if err != nil {
		t.Fatal(err)
	}
	frame, _ := json.Marshal(Frame{At: events[0].At})
	zip, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	out := skippableFrame(magicHeader, []byte(others.Replace(string(header))))
	out = append(out, skippableFrame(magicFrame, frame)...)
	return zip.EncodeAll([]byte(others.Replace(textOf(t, file.Bytes()))), out)
}

// without returns the columns, and the Events, of a program that lacks a metric of GPUs.
func without(id metric.ID, columns Columns, events []cluster.Event) (Columns, []cluster.Event) {
	columns.GPU = slices.DeleteFunc(slices.Clone(columns.GPU), func(c Column) bool { return c.Key == id.Row().Key })
	events = slices.Clone(events)
	for i := range events {
		if r := events[i].Report; r != nil {
			c := *r
			c.GPUs = slices.Clone(r.GPUs)
			for g := range c.GPUs {
				c.GPUs[g].Values.Set(id, math.NaN())
			}
			events[i].Report = &c
		}
	}
	return columns, events
}

// A program whose table of metrics has another order, lacks some metrics of ours and has some of its own writes the
// same numbers. Metrics that only it knows are passed over; metrics that only we know are absent.
func TestColumnsOfAnotherProgram(t *testing.T) {
	events := walk()[:20] // of one frame
	if diff := cmp.Diff(events, readAll(t, recordedIn(t, ours, events)), same.State); diff != "" {
		t.Fatalf("with our columns: %s", diff)
	}
	columns, events := without(metric.Power, ours, events)
	_, want := without(metric.Energy, ours, events)
	for range 3 {
		columns.Node, columns.GPU = slices.Clone(columns.Node), slices.Clone(columns.GPU)
		rand.Shuffle(len(columns.Node), func(i, k int) {
			columns.Node[i], columns.Node[k] = columns.Node[k], columns.Node[i]
		})
		rand.Shuffle(len(columns.GPU), func(i, k int) {
			columns.GPU[i], columns.GPU[k] = columns.GPU[k], columns.GPU[i]
		})
		file := recordedIn(t, columns, events, `"energy_joules"`, `"a_new_metric"`)
		if text := textOf(t, file); !strings.Contains(text, "a_new_metric") || strings.Count(text, linePacked) < 10 {
			t.Fatalf("that is no recording of another program: %.300s", text)
		}
		if diff := cmp.Diff(want, readAll(t, file), same.State); diff != "" {
			t.Errorf("-want +got:\n%.4000s", diff)
		}
	}
}

func readAll(t *testing.T, file []byte) []cluster.Event {
	t.Helper()
	return read(t, opened(t, file))
}

// The header of somebody else cannot have columns without end.
func TestHostileColumns(t *testing.T) {
	for name, c := range map[string]Columns{
		"many":               {GPU: make([]Column, maxColumns+1)},
		"negative decimals":  {Node: []Column{{Key: "load1", Decimals: -1}}},
		"a million decimals": {GPU: []Column{{Key: "power_watts", Decimals: 1e6}}},
	} {
		body, _ := json.Marshal(Header{Version: Version, Poll: poll, Columns: c})
		file := skippableFrame(magicHeader, body)
		if _, err := Open(context.Background(), bytes.NewReader(file), int64(len(file))); !errors.Is(err, errColumns) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every written number is read again.
func TestVLQ(t *testing.T) {
	for _, x := range []int64{0, 1, -1, 15, -16, 16, math.MaxInt64, math.MinInt64, rand.Int64(), -rand.Int64()} {
		text := appendVLQ(nil, x)
		if got, rest := cutVLQ(append(text, 'C')); got != x || string(rest) != "C" {
			t.Errorf("%d becomes %s, and that %d before %q", x, text, got, rest)
		}
	}
	for _, text := range []string{"", "g", ";", "gggggggggggggA"} {
		if x, rest := cutVLQ([]byte(text)); rest != nil {
			t.Errorf("%q is %d", text, x)
		}
	}
}

// A program of the same format that is older than the columns of a first report on the wire finds its values by GPU.
func TestFirstReportsHaveValuesByGPU(t *testing.T) {
	first := 0
	for line := range strings.Lines(textOf(t, recordedIn(t, ours, walk()))) {
		if !strings.Contains(line, `"report":{`) || strings.Contains(line, `"same":true`) {
			continue
		}
		if first++; strings.Contains(line, `"changes":`) || !strings.Contains(line, `"values":{"`) {
			t.Fatalf("a first report of a node: %.400s", line)
		}
	}
	if first == 0 {
		t.Error("no first report of a node")
	}
}
