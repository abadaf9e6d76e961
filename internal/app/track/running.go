package track

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/output/track"
)

// followProcess reports on a process that is already running, until it ends or ctx does.
func (t *Options) followProcess(ctx context.Context) error {
	file, err := cli.OpenReport(t.output)
	if err != nil {
		return cli.Usage("--output: %w", err)
	}
	points, err := t.openPoints()
	if err != nil {
		return err
	}
	defer points.closeFile()
	every := time.Duration(t.every * float64(time.Second))
	tracker, err := track.New(track.Options{Proc: "/proc", Self: os.Getpid(), Interval: every, Cores: t.cores,
		GPUs: t.gpus, Own: func(int) bool { return true }})
	if err != nil {
		return cli.Exit(cli.ExitFailed, err)
	}
	defer tracker.Close()
	gpus := watchGPUs(context.WithoutCancel(ctx), every, tracker)
	defer gpus.closeProbe()
	if err := gpus.checkGPUs(ctx, t.gpus, points != nil); err != nil {
		return err
	}
	if !tracker.Join(time.Now(), t.pid) {
		return cli.Usage("--pid: no process %d, or it is this one", t.pid)
	}
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer close(ended)
		defer crash.End()
		awaitProcess(ctx, tracker, every)
	}()
	sampleCommand(tracker, ended, every, points.writeSample)
	why := gpus.closeProbe()
	if tracker.Alive() {
		fmt.Fprintf(t.Err, "Resource tracking complete. Process %d still runs.\n", t.pid)
	} else {
		fmt.Fprintf(t.Err, "Resource tracking complete. Process %d has ended.\n", t.pid)
	}
	if why != "" && !t.quiet {
		t.Say("the report has no GPUs: %s", why)
	}
	return t.finishReport(file, tracker.Report(t.units), 0)
}

// looks is how late the end of a process that somebody else started may be noticed.
const looks = 200 * time.Millisecond

// awaitProcess returns when the process or ctx has ended.
func awaitProcess(ctx context.Context, tracker *track.Tracker, every time.Duration) {
	ticker := time.NewTicker(min(every, looks))
	defer ticker.Stop()
	for tracker.Alive() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
