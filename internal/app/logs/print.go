package logs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// firstPiece is the size of the first piece, in bytes.
	firstPiece = wire.MaxLog
	// pause is the time between two pieces while the log is followed.
	pause = time.Second
	// tries is after how many failures in a row a log is no longer followed.
	tries = 10
)

// printer prints the lines of a window as they arrive.
type printer struct {
	*Options
	from   *logSource
	window *joblog.Window
	next   int64 // offset of the first line that has not been printed
	said   string
}

// printLog prints the last lines and, if the user wants, new lines.
func (p *printer) printLog(ctx context.Context) error {
	piece, err := p.readPiece(ctx, p.window.Next(false))
	if err != nil {
		return err
	}
	if piece.Missing && (!p.follow || piece.Never) {
		return errors.New(piece.Absence())
	}
	if piece.Earlier && !piece.Missing {
		p.Say("job %s waits to run again: this is the log of its previous run", p.job)
	}
	p.window.Take(&piece)
	for len(p.window.Lines()) < p.lines && p.window.From() > 0 {
		piece, err := p.readPiece(ctx, p.window.Before())
		if err != nil {
			return err
		}
		if p.window.TakeBefore(&piece) == 0 {
			break
		}
	}
	lines := p.window.Lines()
	lines = lines[max(len(lines)-p.lines, 0):]
	if p.next = p.window.To(); len(lines) > 0 {
		p.next = lines[0].At
	}
	if err := p.writeLines(lines, !p.follow); err != nil || !p.follow {
		return err
	}
	return p.keepOn(ctx)
}

// keepOn prints lines as they arrive. If a log cannot be read, it tries again for a while.
func (p *printer) keepOn(ctx context.Context) error {
	for failed := 0; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		if hasNoReader(p.Out) {
			return cli.Exit(exitPipe, nil)
		}
		piece, err := p.readPiece(ctx, p.window.Next(true))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if failed++; failed == tries {
				return err
			}
			p.sayOnce(err.Error())
			continue
		case piece.Never:
			return errors.New(piece.Absence())
		case piece.Missing && p.said == "": // once, even if the reason changes
			p.sayOnce(piece.Absence())
		case piece.Missing:
		default:
			p.said = ""
		}
		failed = 0
		p.window.Take(&piece)
		if !p.window.Known() && !piece.Missing { // it is another file now
			p.next = 0
			p.Say("%s", p.window.Lines()[0].Text)
			continue
		}
		if err := p.writeLines(p.window.Lines(), false); err != nil {
			return err
		}
	}
}

// sayOnce tells the user something only once.
func (p *printer) sayOnce(words string) {
	if p.said != words {
		p.said = words
		p.Say("%s", words)
	}
}

// readPiece reads a piece.
func (p *printer) readPiece(ctx context.Context, want wire.ReadLog) (joblog.Piece, error) {
	of := joblog.Out
	if p.stderr {
		of = joblog.Err
	}
	return p.from.read(ctx, joblog.Ask(p.job, of, want))
}

// writeLines prints the lines that have not been printed. It prints the last line only if that is complete, or if no
// more will be read.
func (p *printer) writeLines(lines []joblog.Line, all bool) error {
	var text bytes.Buffer
	for _, l := range lines {
		switch {
		case l.At < p.next:
			continue
		case l.Gap:
			p.Say("%s", l.Text)
		case all || !p.window.Open(l):
			text.WriteString(l.Text + "\n")
		default:
			continue
		}
		p.next = l.At + 1
	}
	_, err := p.Out.Write(text.Bytes())
	return err
}

// exitPipe is the exit status for a program whose output nobody reads any more. A shell reports the same for tail.
const exitPipe = 128 + int(unix.SIGPIPE)

// hasNoReader reports whether out is a pipe that nobody reads any more. A write would end the program, but a log may
// have no new lines for hours.
func hasNoReader(out io.Writer) bool {
	file, is := out.(interface{ Fd() uintptr })
	if !is {
		return false
	}
	look := []unix.PollFd{{Fd: int32(file.Fd())}}
	n, err := unix.Poll(look, 0)
	return n == 1 && err == nil && look[0].Revents&unix.POLLERR != 0
}
