package app

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// doer notes what reaches it.
type doer struct {
	fakeFeed
	did []string
}

func (d *doer) Ask(_ context.Context, _ string, r wire.Request) (wire.Reply, error) {
	if r.Signal != nil {
		d.did = append(d.did, "signal")
	}
	return wire.Reply{ID: 7}, nil
}

func (d *doer) Cancel(context.Context, string, string) error {
	d.did = append(d.did, "cancel")
	return nil
}

// With readonly neither a signal nor scancel gets through, whatever the screen asks for, and questions do.
func TestReadOnlyLetsNothingThrough(t *testing.T) {
	for from, why := range map[string]string{"--readonly": "--readonly", "/etc/x.toml:3": "readonly in /etc/x.toml:3", "": ""} {
		below := &doer{}
		cfg := config.Default()
		cfg.ReadOnlyFrom = from
		f := guarded(&cfg, below)
		_, err1 := f.Ask(t.Context(), "n1", wire.Request{Signal: &wire.Signal{Number: 15}})
		err2 := f.Cancel(t.Context(), "48211", "")
		reply, err := f.Ask(t.Context(), "n1", wire.Request{Environ: &wire.ProcessID{PID: 1}})
		if err != nil || reply.ID != 7 {
			t.Errorf("%q: a question: %+v, %v", from, reply, err)
		}
		if o := screen(&cfg, cluster.NewStore(cfg.Poll, health.Rules(cfg.Thresholds)), f, newKeeper(&cfg)); o.ReadOnly != why {
			t.Errorf("%q: the screen says %q, want %q", from, o.ReadOnly, why)
		}
		switch {
		case from == "":
			if err := errors.Join(err1, err2); err != nil || len(below.did) != 2 {
				t.Errorf("allowed: %v, did %q", err, below.did)
			}
		case err1 == nil || err2 == nil || len(below.did) != 0 || !strings.Contains(err1.Error(), why+" forbids") || !strings.Contains(err2.Error(), why+" forbids"):
			t.Errorf("%q: %v, %v, did %q", from, err1, err2, below.did)
		}
	}
}

// The flag is a setting: nvnodetop config shows it, and the site's file cannot be undone by it.
func TestReadOnlyIsASetting(t *testing.T) {
	settings(t, "", "")
	if code, out, errs := program(t, "config", "--readonly"); code != exitOK || !strings.Contains(out, "readonly = true                  # --readonly\n") {
		t.Errorf("exit code %d, stderr %q, stdout %s", code, errs, out)
	}
	settings(t, "readonly = true\n", "")
	code, out, _ := program(t, "config", "--readonly=false")
	if code != exitOK || !strings.Contains(out, "readonly = true ") || !strings.Contains(out, "# readonly = false (--readonly) becomes true: the limit is readonly (") {
		t.Errorf("exit code %d, stdout %s", code, out)
	}
}
