package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/build"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/private"
	"github.com/nvnodetop/nvnodetop/internal/text/redact"
)

// openLog opens the log file; without a path nothing is logged. close writes the remaining lines.
func openLog(path string) (log *slog.Logger, closed func(), err error) {
	if path == "" {
		return slog.New(slog.DiscardHandler), func() {}, nil
	}
	// A link in a directory that others can write to may point to any file of the user's.
	f, err := private.Open(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW)
	if err != nil {
		return nil, nil, Usage("--log: %w", err)
	}
	d := newDrain(f)
	return slog.New(slog.NewTextHandler(d, &slog.HandlerOptions{Level: slog.LevelDebug})), d.close, nil
}

// logStart logs the build and the settings that are not the defaults.
func logStart(log *slog.Logger, cfg *config.Config, origins *config.Origins) {
	log.Info("start", "version", build.Version())
	for _, v := range cfg.Values(origins) {
		if v.Origin != config.ByDefault {
			value := redact.OfCommand(v.Value).Text(v.Value) // notify.command may have the URL of a webhook
			log.Info("setting", "key", v.Key, "value", value, "from", v.Origin)
		}
	}
	for _, word := range origins.Ignored {
		log.Info("ignored", "word", word)
	}
	for _, line := range origins.PassedOver {
		log.Warn("settings", "note", line)
	}
	for _, note := range origins.Notes {
		log.Warn("settings", "note", note)
	}
}

// drain writes in the background: a home directory may hang, and neither the screen nor a node may wait for it. Lines
// that do not fit are dropped.
type drain struct {
	lines chan []byte
	done  chan struct{}

	mu      sync.Mutex // protects the following
	ended   bool
	dropped int
}

const (
	drainRoom = 1024
	drainTime = time.Second // for the remaining lines at the end
)

func newDrain(f io.WriteCloser) *drain {
	d := &drain{lines: make(chan []byte, drainRoom), done: make(chan struct{})}
	go func() {
		defer close(d.done)
		defer f.Close()
		for line := range d.lines {
			_, _ = f.Write(line) // a full disk is no reason to disturb the user
		}
	}()
	return d
}

// Write implements io.Writer.
func (d *drain) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.ended:
	case d.dropped > 0 && len(d.lines) <= drainRoom/2:
		d.lines <- fmt.Appendf(nil, "level=WARN msg=\"records left out\" count=%d\n", d.dropped)
		d.dropped = 0
		fallthrough
	case len(d.lines) < drainRoom && d.dropped == 0:
		d.lines <- append([]byte(nil), p...)
	default:
		d.dropped++
	}
	return len(p), nil
}

func (d *drain) close() {
	d.mu.Lock()
	d.ended = true
	close(d.lines)
	d.mu.Unlock()
	select {
	case <-d.done:
	case <-time.After(drainTime):
	}
}
