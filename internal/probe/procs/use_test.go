package procs

import (
	"maps"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// counters are the file with the bytes that a process has read and written.
func counters(read, written int) string {
	return "rchar: " + strconv.Itoa(read) + "\nwchar: " + strconv.Itoa(written) +
		"\nsyscr: 1\nsyscw: 1\nread_bytes: 7\nwrite_bytes: 7\ncancelled_write_bytes: 0\n"
}

// useOf are the files of a process that may run on these CPUs.
func useOf(pid, cpus string) map[string]string {
	files := fakeproc.Of(pid, "python", "1000", "python3\x00", "0")
	files[pid+"/status"] += "Cpus_allowed:\tff\nCpus_allowed_list:\t" + cpus + "\nMems_allowed_list:\t0\n"
	return files
}

// Reads and writes of a process are rates since the last list. They are absent, not 0, in the first list, for another
// user's process, and when the counters have begun anew. The CPUs are known at once.
func TestUse(t *testing.T) {
	files := useOf("42", "0-3,8")
	maps.Copy(files, useOf("43", "0-7"))
	proc := fakeproc.Write(t, files)
	at := sample.Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Unix(1000, 0)}
	l := on(proc, &at, 42, 43)
	for _, step := range []struct {
		after         time.Duration
		read, written int
		want          string
	}{
		{time.Second, 1000, 0, "- -"}, {2 * time.Second, 5000, 0, "2000 0"}, {time.Millisecond, 9000, 0, "2000 0"},
		{2 * time.Second, 9000, 300, "1999 149"}, {time.Second, 10, 10, "- -"}, {time.Second, 10, 20, "0 10"},
	} {
		at.Mono, at.Boot = at.Mono+step.after, at.Boot+step.after
		fakeproc.File(t, proc+"/42/io", counters(step.read, step.written))
		list := l.take().Processes
		got := shown(list[0].IORead) + " " + shown(list[0].IOWrite)
		if got != step.want || list[0].CPUAffinity != "0-3,8" {
			t.Errorf("%+v: %s on %q", step, got, list[0].CPUAffinity)
		}
		if list[1].IORead != nil || list[1].IOWrite != nil || list[1].CPUAffinity != "0-7" {
			t.Errorf("another user's: %+v", list[1])
		}
	}
	if err := os.Remove(proc + "/42/io"); err != nil {
		t.Fatal(err)
	}
	at.Mono += time.Second
	if p := l.take().Processes[0]; p.IORead != nil || p.IOWrite != nil {
		t.Errorf("when it is private: %+v", p)
	}
}

// Every number that is not the GPU's is read, here of the test itself. A decimal of a count would be lost in filters.
func TestEveryNumberIsRead(t *testing.T) {
	at := sample.Now()
	l := on("/proc", &at, os.Getpid())
	l.take()
	at.Mono, at.Boot = at.Mono+time.Second, at.Boot+time.Second
	p := &l.take().Processes[0]
	for _, f := range wire.Numbers() {
		if _, known := f.Number(p); !known && !f.OnGPU {
			t.Errorf("no reader sets %s", f.Key)
		}
		if f.Unit == field.Count && f.Decimals > 0 {
			t.Errorf("%s is a count, which has no decimals", f.Key)
		}
	}
}

func shown(v *uint64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatUint(*v, 10)
}

// A list of CPUs that is too long for a report is absent, not cut.
func TestLongAffinity(t *testing.T) {
	at := sample.Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Unix(1000, 0)}
	for length, want := range map[int]bool{wire.MaxAffinity: true, wire.MaxAffinity + 1: false} {
		proc := fakeproc.Write(t, useOf("42", strings.Repeat("1", length)))
		if p := on(proc, &at, 42).take().Processes[0]; (p.CPUAffinity != "") != want {
			t.Errorf("%d bytes: %q", length, p.CPUAffinity)
		}
	}
}

// Counters that hang are absent, and no report is late.
func TestHungUse(t *testing.T) {
	proc := fakeproc.Write(t, useOf("42", "0-3"))
	if err := syscall.Mkfifo(proc+"/42/io", 0o600); err != nil {
		t.Skip("needs a file system with FIFOs: ", err)
	}
	at := sample.Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Unix(1000, 0)}
	l := on(proc, &at, 42)
	began := time.Now()
	for range 3 {
		if p := l.take().Processes[0]; p.IORead != nil || p.CPUAffinity != "" || p.Command != "python3" {
			t.Errorf("%+v", p)
		}
		at.Mono += time.Second
	}
	if took := time.Since(began); took > 3*lookupPatience+time.Second {
		t.Errorf("three reports took %v", took)
	}
	fakeproc.Release(t, proc+"/42/io")
}
