package app

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/recording"
)

// Whoever interrupts a replay does not wait until the recording has been read.
func TestReplayIsInterrupted(t *testing.T) {
	path, _ := recordDemo(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, flag := range []string{"--once", "--json", "--report"} {
		cmd := newCommand(streams{nil, nil, io.Discard})
		cmd.SetArgs([]string{"replay", flag, path})
		if err := cmd.ExecuteContext(ctx); !errors.Is(err, errInterrupted) {
			t.Errorf("%s: %v", flag, err)
		}
	}
	file, r, err := openRecording(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cfg := config.Default()
	p := recording.NewPlayer(r, cluster.NewStore(cfg.Poll, health.Rules(cfg.Thresholds)))
	defer p.Close()
	if err := printMoment(ctx, &cfg, streams{nil, nil, io.Discard}, p, r.End); !errors.Is(err, errInterrupted) {
		t.Errorf("once it is open: %v", err)
	}
}
