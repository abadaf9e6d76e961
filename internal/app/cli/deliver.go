package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"

	"github.com/nvnodetop/nvnodetop/internal/output/report"
	"github.com/nvnodetop/nvnodetop/internal/output/report/output"
)

// OpenReport opens the file of a report before the work on which it reports: a wrong path must not cost hours. The old
// content stays until there is a report. A named pipe that nobody reads is an error; OpenReport does not wait for a
// reader. The file is nil for standard output.
func OpenReport(path string) (*os.File, error) {
	if path == "" {
		return nil, nil
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK, 0o666)
}

// Deliver writes a report. A report that cannot be written to its file goes to standard error, so that hours of work
// are not lost.
func (s *Streams) Deliver(file *os.File, text []byte) (err error) {
	if file == nil {
		_, err = s.Out.Write(text)
	} else {
		err = replaceContent(file, text)
	}
	if err == nil {
		return nil
	}
	_, _ = s.Err.Write(text) // there is nowhere else
	return fmt.Errorf("the report cannot be written: %w", err)
}

// Look returns the look of a report to a file, or to standard output if the file is nil.
func (s *Streams) Look(file *os.File) output.TextFormat {
	if file != nil || !IsTerminal(s.Out) {
		return output.TextFormat{}
	}
	width, _, err := term.GetSize(s.Out.Fd())
	if err != nil {
		width = 0
	}
	return output.TextFormat{Width: width, Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// Report writes the report of a job in one of output.Formats to a file, or to standard output if the file is nil.
func (s *Streams) Report(file *os.File, format string, r *report.Report) error {
	var text bytes.Buffer
	err := output.Formats[format](&text, r, s.Look(file))
	if err == nil {
		err = s.Deliver(file, text.Bytes())
	}
	if err != nil {
		return Exit(ExitFailed, err)
	}
	if r.Accounting != nil {
		return nil
	}
	for i := range r.Nodes {
		if r.Nodes[i].Reported() {
			return nil
		}
	}
	return Exit(ExitFailed, fmt.Errorf("no node of job %q has reported", r.Job.ID))
}

// replaceContent writes the whole content of a file, and closes it.
func replaceContent(file *os.File, content []byte) error {
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.Write(content)
	}
	return errors.Join(err, file.Close())
}

// OutliveReaders keeps this program running when nobody reads its output any more, for example because Ctrl-C has also
// ended tee. Then the write fails, and the report can go elsewhere. Otherwise SIGPIPE would end the program.
func OutliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
