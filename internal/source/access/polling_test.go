package access

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

// Nodes are polled as the settings and the output say, and slow down only for a user who may be away.
func TestPolling(t *testing.T) {
	cfg := config.Default()
	cfg.Poll, cfg.MaxNodes = 7*time.Second, 5
	p := Polling{Second: time.Second}.within(&cfg)
	if p.Interval != cfg.Poll || p.Second != time.Second || p.Most != 5 || p.Beyond.Class == "" || p.IdleAfter != 0 {
		t.Errorf("%+v", p)
	}
	p = Polling{Every: time.Minute, Slows: true}.within(&cfg)
	if p.Interval != time.Minute || p.IdleAfter != source.IdleAfter || p.IdleFactor != source.IdleFactor {
		t.Errorf("%+v", p)
	}
}
