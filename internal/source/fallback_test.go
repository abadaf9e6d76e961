package source

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
)

// noSqueue runs commands on a host without SLURM.
func noSqueue(context.Context, ...string) ([]byte, []byte, error) {
	return nil, nil, &exec.Error{Name: "squeue", Err: exec.ErrNotFound}
}

// Without SLURM the other nodes are watched, as the user has asked for before.
func TestFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		f := NewFallback(NewLive(slurm.New(noSqueue), newNetwork().manager(), "alice", "laptop"),
			func(context.Context) (*Hosts, error) {
				return NewHosts("laptop", []string{"laptop"}, n.manager(), "alice", "laptop"), nil
			})
		f.Look("laptop", true)
		f.Leave()
		ctx, cancel := context.WithCancel(t.Context())
		var last *cluster.Discovery
		done := make(chan error)
		go func() {
			done <- f.Run(ctx, func(e cluster.Event) {
				if e.Discovery != nil {
					last = e.Discovery
				}
			})
		}()
		synctest.Wait()
		watched, listing := n.watched()
		if !slices.Equal(watched, []string{"laptop"}) || !slices.Equal(listing, []string{"laptop"}) {
			t.Errorf("watched %q, listing %q", watched, listing)
		}
		if _, err := f.Cluster(ctx, true); last == nil || last.Command != "" || len(last.Jobs) != 1 ||
			!errors.Is(err, command.ErrNoSlurm) {
			t.Errorf("discovery %+v, Cluster: %v", last, err)
		}
		f.Touch()
		f.Refresh()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// If there are no other nodes, the reason is the error. A user who does not wait for it gets none.
func TestFallbackFails(t *testing.T) {
	broken := errors.New("no GPU")
	for _, gone := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		f := NewFallback(NewLive(slurm.New(noSqueue), newNetwork().manager(), "alice", "laptop"),
			func(context.Context) (*Hosts, error) {
				if gone {
					cancel()
				}
				return nil, broken
			})
		if err := f.Run(ctx, func(cluster.Event) {}); gone != (err == nil) || !gone && !errors.Is(err, broken) {
			t.Errorf("user gone %v: %v", gone, err)
		}
		cancel()
	}
}
