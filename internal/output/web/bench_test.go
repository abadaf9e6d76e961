package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// many is a job on so many nodes with 8 GPUs each and all metrics.
func many(nodes int) *store.Store {
	now := time.Now()
	s := store.New(3*time.Second, health.Rules(health.Defaults()))
	job := cluster.Job{ID: "1", Name: "all", User: "alice"}
	for i := range nodes {
		job.Nodes = append(job.Nodes, fmt.Sprintf("gpu-n%04d", i))
	}
	s.Apply(cluster.Event{At: now, Discovery: &cluster.Discovery{Command: "squeue", Asked: now, Answered: now,
		Jobs: []cluster.Job{job}}})
	for at, name := range job.Nodes {
		hello, report := &wire.Hello{Host: name, CPUs: 128}, &wire.Report{}
		for i := range 8 {
			g := wire.GPU{Index: i}
			for id := range metric.All(metric.GPU) {
				g.Values.Set(id, float64((1000*int(id)+8*at+i)%89))
			}
			hello.GPUs = append(hello.GPUs,
				wire.Card{Index: i, UUID: fmt.Sprintf("GPU-%04d%04d-0000-4000-8000-000000000001", at, i), Minor: new(i),
					Name: "NVIDIA H100 80GB HBM3"})
			report.GPUs = append(report.GPUs, g)
		}
		for _, e := range []cluster.Event{{Try: &cluster.Try{Interval: 3 * time.Second}}, {Hello: hello},
			{Report: report}} {
			e.At, e.Node = now, name
			s.Apply(e)
		}
	}
	return s
}

// discard takes an answer and keeps its length.
type discard struct {
	header http.Header
	size   int
}

func (d *discard) Header() http.Header { return d.header }
func (d *discard) WriteHeader(int)     {}
func (d *discard) Write(p []byte) (int, error) {
	d.size += len(p)
	return len(p), nil
}

// BenchmarkNewState measures the cost of a new state for its first reader.
func BenchmarkNewState(b *testing.B) {
	for _, c := range []struct {
		nodes int
		path  string
	}{{64, "/api/v1/nodes"}, {64, "/api/v1/jobs"}, {64, "/api/v1/snapshot"}, {1000, "/api/v1/nodes"},
		{1000, "/metrics"}} {
		store := many(c.nodes)
		b.Run(fmt.Sprintf("%dx8%s", c.nodes, c.path), func(b *testing.B) {
			r := newRig("", true)
			r.states.make, r.states.least = store.Snapshot, 0
			request := httptest.NewRequest(http.MethodGet, c.path, nil)
			request.Host = "localhost"
			request.Header.Set("Accept-Encoding", "gzip")
			b.ReportAllocs()
			var w discard
			for b.Loop() {
				w = discard{header: http.Header{}}
				r.states.last = nil
				r.answers.ServeHTTP(&w, request)
			}
			b.ReportMetric(float64(w.size)/1e6, "MB")
		})
	}
}

// BenchmarkSameState measures the cost of a state for each further browser.
func BenchmarkSameState(b *testing.B) {
	r := newRig(secret, true)
	for b.Loop() {
		r.ask("GET", "/api/v1/nodes", "Accept-Encoding: gzip", "Authorization: Bearer "+secret)
	}
}
