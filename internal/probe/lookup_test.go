package probe

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// realProbe runs a probe in real time over proc, and returns its input, its messages and its end.
func realProbe(t *testing.T, lib driver.Library, proc string) (in io.WriteCloser, msgs <-chan wire.Message,
	ended <-chan error) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	out, end := make(chan wire.Message, 1000), make(chan error, 1)
	go func() {
		err := Run(t.Context(), inR, outW, Options{Library: lib, Proc: proc})
		_ = outW.Close() // never fails
		end <- err
	}()
	go relay(outR, out)
	return inW, out, end
}

// The command line of a process that hangs in the kernel cannot be read. The reports go on, the others are named, and
// questions are answered.
func TestHungCommandLine(t *testing.T) {
	t.Parallel()
	files := fakeproc.Of("4242", "stuck", "1000", "", "0")
	delete(files, "4242/cmdline")
	maps.Copy(files, fakeproc.Of("4243", "python", "1000", "python3\x00train.py\x00", "0"))
	proc := fakeproc.Write(t, files)
	if err := syscall.Mkfifo(proc+"/4242/cmdline", 0o600); err != nil {
		t.Skip("needs a file system with FIFOs: ", err)
	}
	lib, devices := newFakeLibrary(1)
	devices[0].contexts = []driver.Context{{PID: 4242, Type: driver.Compute}, {PID: 4243, Type: driver.Compute}}
	in, msgs, ended := realProbe(t, lib, proc)
	write(t, in, `{"id":1,"pace":{"interval_ms":250,"processes":true}}`)
	reports := 0
	for began := time.Now(); reports < 12; {
		m := <-msgs
		if m.Report == nil {
			continue
		}
		if reports++; len(m.Report.Processes) != 2 || m.Report.Processes[0].Name != "stuck" ||
			m.Report.Processes[0].Command != "" {
			t.Fatalf("report %d: %+v", reports, m.Report.Processes)
		}
		if reports == 12 && m.Report.Processes[1].Command != "python3 train.py" {
			t.Errorf("the other process: %+v", m.Report.Processes[1])
		}
		if late := time.Since(began); late > 10*time.Second {
			t.Fatalf("%d reports in %v", reports, late)
		}
	}
	write(t, in, `{"id":2,"process":{"pid":4242,"start_ticks":1000}}`+"\n"+
		`{"id":3,"process":{"pid":4243,"start_ticks":1000}}`)
	var order []uint64
	for m := range msgs {
		if m.Reply == nil || m.Reply.ID == 1 {
			continue
		}
		order = append(order, m.Reply.ID)
		if m.Reply.ID == 3 && m.Reply.Process == nil || m.Reply.ID == 2 &&
			m.Reply.Error != "process 4242 does not respond: it hangs in the kernel" {
			t.Errorf("reply %+v", m.Reply)
		}
		if len(order) == 2 {
			break
		}
	}
	if order[0] != 3 {
		t.Error("the question about the other process waited")
	}
	_ = in.Close() // never fails
	began := time.Now()
	for range msgs {
	}
	if err := <-ended; err != nil || time.Since(began) > 2*time.Second {
		t.Errorf("ended with %v after %v", err, time.Since(began))
	}
	fakeproc.Release(t, proc+"/4242/cmdline")
}

func write(t *testing.T, to io.Writer, line string) {
	t.Helper()
	if _, err := io.WriteString(to, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// More questions than a few at once are refused; none of them waits for another.
func TestManyQuestions(t *testing.T) {
	files := fakeproc.Of("42", "python", "1000", "", "0")
	delete(files, "42/cmdline")
	proc := fakeproc.Write(t, files)
	if err := syscall.Mkfifo(proc+"/42/cmdline", 0o600); err != nil {
		t.Skip("needs a file system with FIFOs: ", err)
	}
	lib, _ := newFakeLibrary(0)
	in, msgs, ended := realProbe(t, lib, proc)
	write(t, in, strings.TrimSuffix(strings.Repeat(`{"id":1,"process":{"pid":42,"start_ticks":1000}}`+"\n", maxReading)+
		`{"id":2,"process":{"pid":42,"start_ticks":1000}}`+"\n"+`{"id":3,"alive":{}}`, "\n"))
	var words bytes.Buffer
	for m := range msgs {
		if m.Reply != nil {
			words.WriteString(m.Reply.Error)
		}
		if m.Reply != nil && m.Reply.ID == 3 {
			break
		}
	}
	if !strings.Contains(words.String(), "requests are still being answered") {
		t.Errorf("the one too many got %q", &words)
	}
	fakeproc.Release(t, proc+"/42/cmdline")
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	for range msgs {
	}
	if err := <-ended; err != nil && !errors.Is(err, io.EOF) {
		t.Errorf("ended with %v", err)
	}
}
