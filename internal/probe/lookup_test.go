package probe

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A question that is never answered holds up the others for a moment, once; those that hang are not more than a few.
func TestLookups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		var mu sync.Mutex
		asked := map[int]int{}
		l := newLookups(func(k int) int {
			mu.Lock()
			asked[k]++
			mu.Unlock()
			if k < 0 {
				<-never
			}
			return 10 * k
		})
		ask := func(ks ...int) (known int) {
			for _, k := range ks {
				l.get(k)
			}
			l.wait(time.Now().Add(lookupPatience))
			for _, k := range ks {
				if v, ok := l.get(k); ok && v == 10*k {
					known++
				}
			}
			return known
		}
		if n := ask(1, 2, 3); n != 3 {
			t.Errorf("%d of 3 answers", n)
		}
		began := time.Now()
		if n := ask(4, -1, 5); n != 1 || time.Since(began) != lookupPatience {
			t.Errorf("%d answers beside one that hangs, after %v", n, time.Since(began))
		}
		time.Sleep(stuckAfter)
		if n := ask(5, -1); n != 1 || l.exhausted() {
			t.Errorf("%d answers when it was given up", n)
		}
		began = time.Now()
		for range 3 {
			ask(-1, 5)
		}
		mu.Lock()
		if time.Since(began) != 0 || asked[-1] != 1 || asked[5] != 1 {
			t.Errorf("waited %v, asked %v", time.Since(began), asked)
		}
		mu.Unlock()
		for k := -2; k >= -maxStuck; k-- {
			ask(k)
			time.Sleep(stuckAfter)
		}
		ask(-maxStuck)
		if n := ask(6, 5); n != 1 || !l.exhausted() {
			t.Errorf("%d answers when too many hang, exhausted %v", n, l.exhausted())
		}
		l.forget(func(k int) bool { return k == 1 })
		if _, known := l.get(1); known {
			t.Error("1 is not forgotten")
		}
		close(never)
	})
}

// Look-ups that are slow but return never add up to those that hang. When those return, what waited for them is looked up.
func TestSlowLookupsReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		l := newLookups(func(k int) int {
			if time.Sleep(stuckAfter + time.Second); k < 0 {
				<-hang
			}
			return 10 * k
		})
		look := func(k int) (known bool) {
			l.get(k)
			for range 5 {
				l.wait(time.Now().Add(lookupPatience))
				time.Sleep(time.Second)
			}
			_, known = l.get(k)
			return known
		}
		for k := range 2 * maxStuck {
			if !look(k) || l.exhausted() {
				t.Fatalf("slow look-up %d: exhausted %v", k, l.exhausted())
			}
		}
		for k := range maxStuck {
			l.get(-1 - k)
		}
		l.get(100)
		for range maxStuck {
			look(-1)
		}
		if _, known := l.get(100); known || !l.exhausted() {
			t.Errorf("while all hang: known %v, exhausted %v", known, l.exhausted())
		}
		close(hang)
		synctest.Wait()
		time.Sleep(time.Minute)
		if _, known := l.get(100); !known || l.exhausted() {
			t.Errorf("when they have returned: known %v, exhausted %v", known, l.exhausted())
		}
	})
}

// realProbe runs a probe in real time over proc, and returns its input, its messages and its end.
func realProbe(t *testing.T, lib driver.Library, proc string) (in io.WriteCloser, msgs <-chan wire.Message, ended <-chan error) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	out, end := make(chan wire.Message, 1000), make(chan error, 1)
	go func() {
		err := Run(t.Context(), inR, outW, Options{Library: lib, Proc: proc})
		_ = outW.Close() // never fails
		end <- err
	}()
	go func() {
		defer close(out)
		lines := wire.NewReader(outR)
		if lines.SkipToMagic() != nil {
			return
		}
		for {
			var m wire.Message
			if lines.Next(&m) != nil {
				return
			}
			out <- m
		}
	}()
	return inW, out, end
}

// The command line of a process that hangs in the kernel cannot be read. The reports go on, the others are named, and questions are
// answered.
func TestHungCommandLine(t *testing.T) {
	files := procOf("4242", "stuck", "1000", "", "0")
	delete(files, "4242/cmdline")
	maps.Copy(files, procOf("4243", "python", "1000", "python3\x00train.py\x00", "0"))
	proc := writeProc(t, files)
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
		if reports++; len(m.Report.Processes) != 2 || m.Report.Processes[0].Name != "stuck" || m.Report.Processes[0].Command != "" {
			t.Fatalf("report %d: %+v", reports, m.Report.Processes)
		}
		if reports == 12 && m.Report.Processes[1].Command != "python3 train.py" {
			t.Errorf("the other process: %+v", m.Report.Processes[1])
		}
		if late := time.Since(began); late > 10*time.Second {
			t.Fatalf("%d reports in %v", reports, late)
		}
	}
	write(t, in, `{"id":2,"process":{"pid":4242,"start_ticks":1000}}`+"\n"+`{"id":3,"process":{"pid":4243,"start_ticks":1000}}`)
	var order []uint64
	for m := range msgs {
		if m.Reply == nil || m.Reply.ID == 1 {
			continue
		}
		order = append(order, m.Reply.ID)
		if m.Reply.ID == 3 && m.Reply.Process == nil || m.Reply.ID == 2 && m.Reply.Error != "process 4242 does not respond: it hangs in the kernel" {
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
	releaseFIFO(t, proc+"/4242/cmdline")
}

// releaseFIFO lets all that wait for a writer go on.
func releaseFIFO(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	_ = f.Close()
}

func write(t *testing.T, to io.Writer, line string) {
	t.Helper()
	if _, err := io.WriteString(to, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// A name that the directory server does not tell is absent until it does.
func TestHungUserName(t *testing.T) {
	proc := writeProc(t, procOf("4242", "python", "1000", "python3\x00", "1234"))
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(1)
		devices[0].contexts = []driver.Context{{PID: 4242, Type: driver.Compute}}
		at := Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Now()}
		s := lister(lib, proc, &at)
		server := make(chan struct{})
		s.procs.users = newLookups(func(uid int) string { <-server; return "alice" })
		if p := s.take().Processes[0]; p.User != "" || *p.UID != 1234 || p.Command != "python3" {
			t.Errorf("while nobody answers: %+v", p)
		}
		close(server)
		synctest.Wait()
		if p := s.take().Processes[0]; p.User != "alice" {
			t.Errorf("then: %+v", p)
		}
		s.close()
	})
}

// More questions than a few at once are refused; none of them waits for another.
func TestManyQuestions(t *testing.T) {
	files := procOf("42", "python", "1000", "", "0")
	delete(files, "42/cmdline")
	proc := writeProc(t, files)
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
	releaseFIFO(t, proc+"/42/cmdline")
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	for range msgs {
	}
	if err := <-ended; err != nil && !errors.Is(err, io.EOF) {
		t.Errorf("ended with %v", err)
	}
}
