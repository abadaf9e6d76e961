package screen

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/report"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/source/recording"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// Ctrl-C during a replay does not wait until the recording has been read.
func TestAMomentIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file, r, err := report.OpenRecording(t.Context(), feedtest.Recording(t))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cfg := config.Default()
	p := recording.NewPlayer(r, store.New(cfg.Poll, health.Rules(cfg.Thresholds)))
	defer p.Close()
	o := &ReplayOptions{Program: &cli.Program{Config: cfg, Streams: cli.Streams{Err: io.Discard}}}
	if err := o.printSnapshot(ctx, p, r.End); !errors.Is(err, cli.ErrInterrupted) {
		t.Errorf("got %v", err)
	}
}
