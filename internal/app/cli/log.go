package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/private"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// openLog opens the log file. Without a path nothing is logged. finish writes the remaining lines, and returns why some
// are missing.
func openLog(path string) (log *slog.Logger, finish func() error, err error) {
	if path == "" {
		return slog.New(slog.DiscardHandler), func() error { return nil }, nil
	}
	// In a directory that others can write to, a link may point to any file of the user.
	f, err := private.Open(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW)
	if err != nil {
		return nil, nil, Usage("--log: %w", err)
	}
	d := newDrain(f)
	return slog.New(slog.NewTextHandler(d, &slog.HandlerOptions{Level: slog.LevelDebug})), d.awaitLines, nil
}

// logStart logs the build, and the settings that differ from the defaults.
func logStart(log *slog.Logger, cfg *config.Config, origins *config.Origins) {
	log.Info("start", "version", wire.BuildVersion())
	for _, v := range cfg.Values(origins) {
		if v.Origin != config.ByDefault {
			value := safe.SecretOfCommand(v.Value).Text(v.Value) // notify.command may contain the URL of a webhook
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

// backgroundWriter writes in the background, because a home directory may hang, and neither the screen nor a node may
// wait for it. Lines that do not fit are dropped.
type backgroundWriter struct {
	lines chan []byte
	done  chan struct{} // closed when the file is closed
	wrong error         // first error of the file; valid after done

	mu      sync.Mutex // protects the following
	ended   bool
	dropped int
}

const (
	drainRoom = 1024
	drainTime = time.Second // for the remaining lines at the end
)

func newDrain(f io.WriteCloser) *backgroundWriter {
	d := &backgroundWriter{lines: make(chan []byte, drainRoom), done: make(chan struct{})}
	go func() {
		defer close(d.done)
		defer crash.End()
		for line := range d.lines {
			_, err := f.Write(line)
			d.wrong = cmp.Or(d.wrong, err)
		}
		d.wrong = cmp.Or(d.wrong, f.Close())
	}()
	return d
}

// Write implements io.Writer.
func (d *backgroundWriter) Write(p []byte) (int, error) {
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

// awaitLines waits a while for the remaining lines, and returns why some are missing.
func (d *backgroundWriter) awaitLines() error {
	d.mu.Lock()
	d.ended = true
	dropped := d.dropped
	close(d.lines)
	d.mu.Unlock()
	select {
	case <-d.done:
	case <-time.After(drainTime):
		return errors.New("its file system does not answer")
	}
	if d.wrong == nil && dropped > 0 {
		return fmt.Errorf("its file system was too slow for the last %d records", dropped)
	}
	return d.wrong
}
