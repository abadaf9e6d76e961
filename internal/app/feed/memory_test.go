package feed

import (
	"context"
	"fmt"
	"runtime/debug"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// With a thousand nodes the limit leaves room for garbage, and it stays when jobs end.
func TestMemoryGrowsWithTheNodes(t *testing.T) {
	before := debug.SetMemoryLimit(memoryFor(0))
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	var job cluster.Job
	for i := range 1000 {
		job.Nodes = append(job.Nodes, fmt.Sprintf("n%d", i))
	}
	half := job
	half.Nodes = job.Nodes[:500]
	var events []cluster.Event
	for _, jobs := range [][]cluster.Job{{half}, {half, job}, {half}, nil} {
		events = append(events, cluster.Event{Discovery: &cluster.Discovery{Jobs: jobs}})
	}
	from := &feedtest.Feed{Events: events, Then: func(context.Context) error { return nil }}
	run := source.StartSession(t.Context(), from, RaiseMemory())
	<-run.Done()
	if err := run.Err(); err != nil {
		t.Fatal(err)
	}
	if got := debug.SetMemoryLimit(-1); got != memoryFor(1000) {
		t.Errorf("the limit is %d for 1,000 nodes, not %d", got, memoryFor(1000))
	}
}
