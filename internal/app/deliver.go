package app

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// openReport opens the file of a report before the work that it is about: a wrong path must not cost hours. It keeps
// what is in it until there is a report. A named pipe that nobody reads is an error, and no wait. The file is nil for
// standard output.
func openReport(path string) (*os.File, error) {
	if path == "" {
		return nil, nil
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK, 0o666)
}

// deliver writes a report. What cannot be written where it should be goes to standard error, so that hours of work are
// not lost.
func deliver(io streams, file *os.File, report []byte) (err error) {
	if file == nil {
		_, err = io.out.Write(report)
	} else {
		err = replace(file, report)
	}
	if err == nil {
		return nil
	}
	_, _ = io.err.Write(report) // there is nowhere else
	return fmt.Errorf("the report cannot be written: %w", err)
}

// replace writes the whole content of a file, and closes it.
func replace(file *os.File, content []byte) error {
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.Write(content)
	}
	return errors.Join(err, file.Close())
}

// outliveReaders lets this program go on when nobody reads its output any more, such as tee, which Ctrl-C ends too:
// then the write fails, and the report can go elsewhere. Otherwise SIGPIPE would end it.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
