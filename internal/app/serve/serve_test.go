package serve

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/output/web"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

func TestServeOfThisHostOnly(t *testing.T) {
	cfg := config.Default()
	cfg.Serve = config.ServeLocal
	for address, ok := range map[string]bool{
		"127.0.0.1:0": true, "localhost:0": true, "[::1]:0": true, "unix:/tmp/x": true, ":0": false, "0.0.0.0:0": false,
		"192.0.2.1:0": false, "x": false,
	} {
		if err := refusalReason(&cfg, web.Endpoint{Address: address}, false); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
		at := web.Endpoint{Address: address, Proxied: true} // a proxy shows it to others, wherever it is
		if err := refusalReason(&cfg, at, false); err == nil || !strings.Contains(err.Error(), `serve = "local"`) {
			t.Errorf("%s behind a proxy: %v", address, err)
		}
	}
}

// However a recording ends, its last state is the state before the sessions closed.
func TestItsRecordingEndsWithTheNodesAsTheyWere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.nvr")
	p := &cli.Program{Config: config.Default(), Streams: cli.Streams{Err: io.Discard}}
	s := &Options{Program: p, endpoint: web.Endpoint{Address: "unix:" + path + ".sock"},
		metrics: cli.SeriesChoice{Names: export.OwnNames}, chosen: make(chan struct{})}
	var err error
	if s.listener, err = web.Listen(s.endpoint); err != nil {
		t.Fatal(err)
	}
	defer s.listener.Close()
	feedtest.EndsWell(t, path, func(ctx context.Context, from *feedtest.PolledJob) error {
		return record.Beside(p, path, s.serveFeed)(ctx, from)
	})
}

// A recording keeps its pace, even if nobody looks.
func TestRecordsAtFullPace(t *testing.T) {
	for _, record := range []string{"", "file"} {
		if need := (&Options{record: record}).feedNeed(); need.Steady != (record != "") || need.Marks != need.Steady {
			t.Errorf("record %q: %+v", record, need)
		}
	}
}
