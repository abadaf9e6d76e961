package srun

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// TestManyDeadNodesKeepNoJobWaiting: each of them has an srun of its own, which hangs for a while before SLURM gives
// up.
func TestManyDeadNodesKeepNoJobWaiting(t *testing.T) {
	dead := make([]string, 3*maxStarting)
	lines := ""
	for i := range dead {
		dead[i] = fmt.Sprintf("dead%d", i)
		lines += dead[i] + "|x\n"
	}
	f := newFake(t, map[string]string{"dead": lines})
	f.limits.held = 5 * time.Second
	f.Know(append(job7(dead...), Job{ID: "8", Nodes: []string{"a"}, GPUs: map[string]int{"a": 0}}))
	f.mu.Lock()
	for _, node := range dead {
		f.crews[0].outcasts[node] = true
	}
	f.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for _, node := range dead {
		wg.Go(func() { f.runs(ctx, node) })
	}
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		if sruns, _ := f.sruns(); len(sruns) >= maxStarting {
			break
		} else if time.Since(began) > 10*time.Second {
			t.Fatal("no srun starts")
		}
	}
	began := time.Now()
	if err := f.runs(t.Context(), "a"); err != nil || time.Since(began) > 1500*time.Millisecond {
		t.Errorf("a healthy node: %v after %v", err, time.Since(began))
	}
	cancel()
	wg.Wait()
	f.allEnd()
}

// runs runs a short script on a node.
func (f *fake) runs(ctx context.Context, node string) error {
	s, err := f.Dial(ctx, node, remote.NewLog(node, func(reach.Step) {}))
	if err != nil {
		return err
	}
	p, err := s.Run(ctx, "true", nil)
	if err != nil {
		return err
	}
	p.Kill()
	return nil
}

// TestTheJobIsChosenWhenTheGPUsAreKnown: SLURM says them after the jobs.
func TestTheJobIsChosenWhenTheGPUsAreKnown(t *testing.T) {
	d := New()
	jobs := []Job{{ID: "1", Nodes: []string{"a"}}, {ID: "2", Nodes: []string{"a"}}}
	d.Know(jobs)
	dialed := make(chan string)
	go func() {
		s, err := d.Dial(t.Context(), "a", remote.NewLog("a", func(reach.Step) {}))
		if err != nil {
			dialed <- err.Error()
			return
		}
		dialed <- s.(*shell).crew.ID
	}()
	time.Sleep(20 * time.Millisecond)
	jobs[0].GPUs = map[string]int{"a": 1}
	d.Know(jobs)
	time.Sleep(20 * time.Millisecond)
	jobs[1].GPUs = map[string]int{"a": 2}
	d.Know(jobs)
	if got := <-dialed; got != "2" {
		t.Errorf("got %s", got)
	}
}
