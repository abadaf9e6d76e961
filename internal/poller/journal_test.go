package poller

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/reach"
)

// The log has each session with its end, and the same failure ever more seldom; of a failure it has only our own words.
func TestTheLogOfANode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFakeCluster()
		c.nodes["a"] = &fakeNode{life: 89 * time.Second, fail: func(try int) error {
			switch {
			case try <= 10:
				return &reach.Failure{Class: reach.ClassAuth, Short: "login refused", Detail: "s3cr3t", Cause: "s3cr3t", Words: "s3cr3t", Hints: []string{"s3cr3t"}}
			case try == 11:
				return errors.New("odd")
			}
			return nil
		}}
		var text bytes.Buffer
		drop := func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "retry" {
				return slog.Attr{}
			}
			return a
		}
		log := slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: drop}))
		m := New(Config{Opener: c, Interval: 3 * time.Second, Retries: 1, Log: log})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { m.Run(ctx, func(cluster.Event) {}) })
		m.SetNodes([]string{"a"})
		for c.tries("a") < 13 {
			pass(10 * time.Second)
		}
		pass(10 * time.Second)
		cancel()
		wg.Wait()
		const at = " node=a door=ssh"
		failed := "level=WARN msg=\"attempt failed\"" + at + " class=auth why=\"login refused\" reported=0s times="
		want := strings.Join([]string{
			"level=DEBUG msg=attempt" + at, failed + "1", failed + "2", failed + "4", failed + "8",
			"level=WARN msg=\"attempt failed\"" + at + " class=other why=odd reported=0s times=1",
			"level=INFO msg=\"session begins\"" + at, "level=WARN msg=\"session ended\"" + at + " class=closed why=\"connection closed\" reported=1m24s times=1",
			"level=INFO msg=\"session begins\"" + at, "level=INFO msg=\"session closed\"" + at, "",
		}, "\n")
		if text.String() != want {
			t.Errorf("the log is\n%s\nwant\n%s", text.String(), want)
		}
	})
}
