package demo

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
)

// What is wrong at the start stays wrong for ten minutes: somebody who reads a document meanwhile comes back to the
// same screen.
func TestProblemsOfTheStartLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := store.New(3*time.Second, health.Rules(health.Defaults()))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- New(4, 8, Seed, 3*time.Second, longPast).Run(ctx, store.Apply) }()
		time.Sleep(time.Second)
		synctest.Wait()
		first := problemsOf(store.Snapshot(time.Now()))
		if len(first) < 6 {
			t.Errorf("the demo begins with %d problems: %v", len(first), first)
		}
		for at := time.Second; at < 10*time.Minute; at += 10 * time.Second {
			now := problemsOf(store.Snapshot(time.Now()))
			for problem := range first {
				if !now[problem] {
					t.Errorf("after %s, %s is over", at, problem)
					delete(first, problem)
				}
			}
			time.Sleep(10 * time.Second)
			synctest.Wait()
		}
		cancel()
		<-done
	})
}

// problemsOf returns the problems of the first job that hold: the kind and the place of each.
func problemsOf(s *cluster.Snapshot) map[string]bool {
	all := map[string]bool{}
	for _, f := range s.Jobs[0].Findings {
		if f.Severity >= cluster.Warning && f.Holds() {
			all[fmt.Sprint(f.Kind, " on ", f.Node, " GPU", f.GPU)] = true
		}
	}
	return all
}
