package feed

import (
	"context"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// logger answers everything.
type logger struct{ feedtest.Feed }

func (logger) Ask(context.Context, string, wire.Request) (wire.Reply, error) {
	return wire.Reply{ID: 7}, nil
}

func (logger) Log(context.Context, joblog.Query) (joblog.Piece, error) {
	return joblog.Piece{Path: "/o"}, nil
}

// Where the settings forbid it, no log is read, neither here nor through a node; other questions are answered.
func TestNoLogIsRead(t *testing.T) {
	for _, allowed := range []bool{true, false} {
		cfg := config.Default()
		cfg.Logs, cfg.LogsFrom = allowed, "/etc/x.toml:3"
		f := guardFeed(&cfg, &logger{})
		_, err := f.Log(t.Context(), joblog.Query{Job: "7"})
		_, asked := f.Ask(t.Context(), "n1", wire.Request{ReadLog: &wire.ReadLog{}})
		for _, err := range []error{err, asked} {
			if (err == nil) != allowed || err != nil && !strings.Contains(err.Error(), "logs in /etc/x.toml:3 forbids it") {
				t.Errorf("allowed %v: %v", allowed, err)
			}
		}
		if reply, err := f.Ask(t.Context(), "n1", wire.Request{Environ: &wire.ProcessID{PID: 1}}); err != nil ||
			reply.ID != 7 {
			t.Errorf("another question: %+v, %v", reply, err)
		}
	}
}

// Logs are followed only for outputs that show it, and if neither setting forbids it.
func TestWhoFollowsLogs(t *testing.T) {
	for _, test := range []struct{ shown, logs, progress, want bool }{
		{true, true, true, true}, {false, true, true, false}, {true, false, true, false}, {true, true, false, false},
	} {
		cfg := config.Default()
		cfg.Logs, cfg.Progress = test.logs, test.progress
		if (Need{Progress: test.shown}).followsLogs(&cfg) != test.want {
			t.Errorf("%+v", test)
		}
	}
}
