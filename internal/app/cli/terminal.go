package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
)

// Streams are the standard streams.
type Streams struct {
	In, Out *os.File
	Err     io.Writer
}

// Say prints one line on standard error.
func (s *Streams) Say(format string, args ...any) {
	fmt.Fprintf(s.Err, "nvnodetop: %s\n", Printable(fmt.Sprintf(format, args...)))
}

// Printable returns s without characters that a hostile host could use to control the terminal.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, s)
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(f.Fd()) }

// ASCII reports whether to draw with ASCII only: because of --ascii, or because the terminal or the locale supports
// nothing else.
func ASCII(cfg *config.Config) bool {
	if cfg.UTF8 {
		return false
	}
	if t := os.Getenv("TERM"); cfg.ASCII || t == "linux" || t == "dumb" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(os.Getenv(name)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return true
}

// Classic reports whether colors show the utilization, as the user has requested, or has last chosen.
func Classic(cfg *config.Config) bool {
	return cmp.Or(cfg.Colors, config.Remembered(config.Colors)) == config.ColorsClassic
}

// TextTheme is the look of tables.
func TextTheme(cfg *config.Config, out io.Writer) *draw.Theme {
	return draw.NewTheme(colorprofile.Detect(out, os.Environ()), false, ASCII(cfg))
}

// Status is a line on a terminal that shows what is being done. It is rewritten in place. Several goroutines may use
// it.
type Status struct {
	out   io.Writer // nil: no terminal
	width func() int
	from  time.Time // when the line appears

	mu    sync.Mutex // protects the following
	shown string
}

// patience is after how long a waiting command names what it waits for.
const patience = time.Second

// NewStatus returns the line for errs. It stays empty if errs is not a terminal, or is one that cannot erase a line.
func NewStatus(errs io.Writer) *Status {
	s := &Status{from: time.Now().Add(patience)}
	file, ok := errs.(*os.File)
	if t := os.Getenv("TERM"); !ok || !IsTerminal(file) || t == "" || t == "dumb" {
		return s
	}
	s.out = file
	s.width = func() int {
		w, _, _ := term.GetSize(file.Fd())
		return w
	}
	return s
}

// Due reports whether there is a line, and the user has waited for patience.
func (s *Status) Due(now time.Time) bool { return s.out != nil && !now.Before(s.from) }

// Width returns the maximum width of a text.
func (s *Status) Width() int { return s.width() - 1 }

// Set rewrites the line.
func (s *Status) Set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == nil {
		return
	}
	if line := draw.Clip(Printable(text), s.Width()); line != s.shown {
		s.shown = line
		fmt.Fprint(s.out, "\r", line, "\x1b[K")
	}
}

// Erase removes the line.
func (s *Status) Erase() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown != "" {
		fmt.Fprint(s.out, "\r\x1b[K")
		s.shown = ""
	}
}
