package recording

import (
	"context"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/test/cost"
)

// hour returns the Events of about an hour of a large cluster: the past of the demo, twice.
func hour(b *testing.B, nodes, gpus int) (events []cluster.Event) {
	b.Helper()
	d := demo.New(nodes, gpus, 1, poll, time.Hour)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	started := time.Now()
	_ = d.Run(ctx, func(e cluster.Event) {
		if e.At.After(started) {
			cancel()
			return
		}
		events = append(events, e)
	})
	span := started.Sub(events[0].At)
	for _, e := range events {
		e.At = e.At.Add(span)
		if e.Report != nil {
			r := *e.Report
			r.MonoMS += span.Milliseconds()
			e.Report = &r
		}
		events = append(events, e)
	}
	return events
}

// BenchmarkHour measures an hour of 64 nodes with 8 GPUs: go test ./internal/source/recording -run - -bench Hour
// -benchtime 1x
func BenchmarkHour(b *testing.B) {
	file, first, span := recordedHour(b)
	b.ReportMetric(ofWriter(b, file), "writer-MB")
	p := NewPlayer(opened(b, file), newStore())
	before := cost.Heap()
	began := time.Now()
	p.Survey(b.Context())
	b.ReportMetric(time.Since(began).Seconds()/span.Hours(), "survey-s/h")
	b.ReportMetric(span.Minutes(), "minutes")
	b.ReportMetric((cost.Heap()-before)/1e6, "MB")
	var worst, sum, worstCPU time.Duration
	const moves = 100
	for range moves {
		began, cpu := time.Now(), cost.CPU(b)
		p.Snapshot(context.Background(), first.Add(time.Duration(rand.Int64N(int64(span)))))
		took := time.Since(began)
		worst, sum, worstCPU = max(worst, took), sum+took, max(worstCPU, cost.CPU(b)-cpu)
	}
	b.ReportMetric(float64(worst.Milliseconds()), "worst-seek-ms")
	b.ReportMetric(float64(worstCPU.Milliseconds()), "worst-seek-CPU-ms")
	b.ReportMetric(float64(sum.Milliseconds())/moves, "mean-seek-ms")
}

// recordedHour records an hour. The Events are gone then, as in replay: they would cost the garbage collector more than
// the recording.
func recordedHour(b *testing.B) (file []byte, first time.Time, span time.Duration) {
	b.Helper()
	events := hour(b, 64, 8)
	first = events[0].At
	span = events[len(events)-1].At.Sub(first)
	for b.Loop() {
		began := time.Now()
		file = recorded(b, Header{}, events)
		b.ReportMetric(float64(time.Since(began).Microseconds())/float64(len(events)), "write-µs/event")
	}
	b.ReportMetric(float64(len(file))/1e6/span.Hours(), "MB/h")
	return file, first, span
}

// ofWriter returns the memory of a Writer after some minutes of recording.
func ofWriter(b *testing.B, file []byte) float64 {
	b.Helper()
	before := cost.Heap()
	w := NewWriter(Header{Poll: poll})
	n := 0
	_ = opened(b, file).Run(b.Context(), func(e cluster.Event) {
		if n == 0 {
			_ = w.Begin(io.Discard, e.At)
		}
		if n++; n < 8000 {
			_ = w.Write(e)
		}
	})
	took := cost.Heap() - before
	_ = w.Close()
	return took / 1e6
}
