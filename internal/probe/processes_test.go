package probe

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/host"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// learnGPUs lets a sampler know its GPUs.
func learnGPUs(s *sampler) {
	s.gpus.Start(nil)
	if _, err := s.gpus.Settle(<-s.gpus.Taken); err != nil {
		panic(err)
	}
}

// lister is a sampler that lists processes, with clocks that the test sets.
func lister(lib driver.Library, proc string, at *sample.Moment) *sampler {
	s := newSampler(&output{w: io.Discard}, Options{Library: lib, Proc: proc, Now: func() sample.Moment { return *at }})
	s.pace = &wire.Pace{IntervalMS: 3000, Processes: true}
	learnGPUs(s)
	return s
}

// The CPU time of a process is read after the GPUs, which may take long: the time between two of its readings counts.
func TestCPUAfterASlowGPU(t *testing.T) {
	files := fakeproc.Of("4242", "python", "90000", "python3\x00", "0")
	proc := fakeproc.Write(t, files)
	lib, devices := newFakeLibrary(1)
	devices[0].contexts = []driver.Context{{PID: 4242, Type: driver.Compute}}
	at := sample.Moment{Mono: 2000 * time.Second, Boot: 2000 * time.Second, Wall: time.Unix(1000, 0)}
	slow := time.Duration(0)
	devices[0].counter = func() uint64 { at.Mono, slow = at.Mono+slow, 0; return 0 }
	s := lister(lib, proc, &at)
	s.take()
	fakeproc.File(t, proc+"/4242/stat", strings.Replace(files["4242/stat"], " 100 50 ", " 550 50 ", 1))
	at.Mono, slow = at.Mono+3*time.Second, 1500*time.Millisecond
	if p := s.take().Processes[0]; p.CPUPercent == nil || *p.CPUPercent != 100 {
		t.Errorf("CPU %v, want 100", *p.CPUPercent)
	}
}

func TestProcesses(t *testing.T) {
	files := fakeproc.Of("4242", "python (3.11)", "90000", "python3\x00train.py\x00--name\x00two words\x00", "0")
	proc := fakeproc.Write(t, files)
	lib, devices := newFakeLibrary(2)
	devices[0].contexts = []driver.Context{{PID: 4242, Type: driver.Compute, Memory: new(uint64(5 << 30))},
		{PID: 999, Type: driver.Graphics}, {PID: 0, Type: driver.Compute}, {PID: -7, Type: driver.MPS}}
	devices[1].contexts = []driver.Context{{PID: 4242, Type: driver.Compute, Memory: new(uint64(6 << 30))}}
	at := sample.Moment{Mono: 2000 * time.Second, Boot: 2000 * time.Second, Wall: time.Unix(1000, 0)}
	wall := uint64(at.Wall.UnixMicro())
	use := func(pid int, at uint64, sm, memory, encoder, decoder int) driver.Usage {
		return driver.Usage{AtMicros: at, Process: wire.Process{PID: pid, SMPercent: &sm, MemPercent: &memory,
			EncPercent: &encoder, DecPercent: &decoder}}
	}
	devices[0].usage = []driver.Usage{
		use(4242, wall-500_000, 80, 30, 0, 0),
		use(4242, wall-100_000, 90, 35, 36, 37),
		use(4242, wall-300_000, 85, 31, 0, 0),
		use(4242, wall-50_000, 4_000_000, 0, 0, 0),
		use(4242, wall-40_000, 50, 101, 0, 0),
		use(4242, wall-30_000, 50, 0, 101, 0),
		use(4242, wall-20_000, 50, 0, 0, 101),
		use(4242, wall+3_600_000_000, 50, 1, 0, 0),
		use(999, wall-60_000_000, 50, 1, 0, 0),
	}
	s := lister(lib, proc, &at)
	sm := s.take()
	python := wire.Process{
		PID: 4242, StartTicks: 90000, Type: "C", State: "S", Threads: new(4),
		RSS: new(uint64(256) * uint64(os.Getpagesize())), ElapsedSec: new(int64(1100)),
		Identity: wire.Identity{
			User: "root", UID: new(0), Name: "python (3.11)", Command: "python3 train.py --name two words", Parent: 1,
			Job: "77", Step: "0",
		},
	}
	on0, on1 := python, python
	on0.GPU, on0.GPUMemory, on0.SMPercent, on0.MemPercent, on0.EncPercent, on0.DecPercent = 0, new(uint64(5<<30)),
		new(90), new(35), new(36), new(37)
	on1.GPU, on1.GPUMemory = 1, new(uint64(6<<30))
	want := []wire.Process{on0, {PID: 999, Type: "G"}, on1}
	if diff := cmp.Diff(want, sm.Processes); diff != "" {
		t.Errorf("first listing (-want +got):\n%s", diff)
	}
	if !sm.Listed || len(sm.Faults) != 0 {
		t.Errorf("listed %v, faults %v", sm.Listed, sm.Faults)
	}
	if got := wall - devices[0].since[0]; got != 2_000_000 {
		t.Errorf("the first listing looks %d µs back", got)
	}

	// Three seconds later it has used six more, on two CPUs.
	stat := strings.Replace(files["4242/stat"], " 100 50 ", " 600 150 ", 1)
	fakeproc.File(t, proc+"/4242/stat", stat)
	at.Mono, at.Wall = at.Mono+3*time.Second, at.Wall.Add(3*time.Second)
	if p := s.take().Processes[0]; p.CPUPercent == nil || *p.CPUPercent != 200 {
		t.Errorf("CPU %v, want 200", p.CPUPercent)
	}
	if got := devices[0].since[1]; got != wall {
		t.Errorf("the second listing looks back to %d, want to the first at %d", got, wall)
	}
	at.Wall = at.Wall.Add(time.Minute)
	s.take()
	if got, want := devices[0].since[2], uint64(at.Wall.Add(-10*time.Second).UnixMicro()); got != want {
		t.Errorf("the third, a minute later, looks back to %d, want to %d", got, want)
	}
	at.Mono += host.MinWindow / 2
	if p := s.take().Processes[0]; p.CPUPercent == nil || *p.CPUPercent != 200 {
		t.Errorf("CPU %v a moment later, want 200 still", p.CPUPercent)
	}

	// Another process gets the PID, and then calls exec.
	for path, content := range fakeproc.Of("4242", "sh", "195000", "sh\x00-c\x00x\x00", "12345678") {
		fakeproc.File(t, proc+"/"+path, content)
	}
	at.Mono, at.Boot = at.Mono+3*time.Second, at.Boot+6*time.Second
	p := s.take().Processes[0]
	if p.StartTicks != 195000 || p.CPUPercent != nil || p.User != "12345678" || p.Command != "sh -c x" ||
		*p.ElapsedSec != 56 {
		t.Errorf("a new process under the PID: %+v", p)
	}
	for path, content := range fakeproc.Of("4242", "env", "195000", "", "12345678") {
		fakeproc.File(t, proc+"/"+path, content)
	}
	if p := s.take().Processes[0]; p.Name != "env" || p.Command != "" {
		t.Errorf("after exec: %+v", p)
	}
}

func TestProcessesFail(t *testing.T) {
	at := sample.Moment{Mono: time.Second, Boot: time.Second, Wall: time.Unix(1000, 0)}
	context := []driver.Context{{PID: 1, Type: driver.Compute}}
	for _, tc := range []struct {
		name     string
		contexts []driver.Context
		err      map[string]error
		unlisted string // empty: listed
		procs    int
		faults   int
	}{
		{"none", nil, nil, "", 0, 0},
		{"not supported", nil, map[string]error{"Processes": errAbsent}, "Not Supported", 0, 0},
		{"one list fails", context, map[string]error{"Processes": errOther}, "", 1, 1},
		{"all lists fail", nil, map[string]error{"Processes": errOther}, "Unknown Error", 0, 1},
		{"no utilization", context, map[string]error{"ProcessUtilization": errAbsent}, "", 1, 0},
		{"utilization fails", context, map[string]error{"ProcessUtilization": errOther}, "", 1, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			lib, devices := newFakeLibrary(1)
			devices[0].contexts, devices[0].err = tc.contexts, tc.err
			sm := lister(lib, fakeproc.Write(t, nil), &at).take()
			if sm.Listed != (tc.unlisted == "") || sm.GPUs[0].Unlisted != tc.unlisted ||
				len(sm.Processes) != tc.procs || len(sm.Faults) != tc.faults {
				t.Errorf("listed %v, %q, processes %+v, faults %v", sm.Listed, sm.GPUs[0].Unlisted, sm.Processes,
					sm.Faults)
			}
		})
	}
	lib, devices := newFakeLibrary(3)
	devices[0].err, devices[1].err = map[string]error{"*": errLost}, map[string]error{"Processes": errAbsent}
	sm := lister(lib, fakeproc.Write(t, nil), &at).take()
	if !sm.Listed || sm.GPUs[0].Lost == "" || sm.GPUs[0].Unlisted != "" || sm.GPUs[1].Unlisted == "" ||
		sm.GPUs[2].Unlisted != "" || len(sm.Faults) != 0 {
		t.Errorf("one lost, one refused, one well: listed %v, %+v, faults %v", sm.Listed, sm.GPUs, sm.Faults)
	}
}

// reported returns the first report of a probe. Its clock stands while command lines are read, so that all of them are
// in the report.
func reported(t *testing.T, lib driver.Library, proc string) (m wire.Message) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		at := sample.Moment{Mono: 2000 * time.Second, Boot: 2000 * time.Second, Wall: time.Unix(1000, 0)}
		s := lister(lib, proc, &at)
		defer s.closeSampler()
		var out bytes.Buffer
		s.out = &output{w: &out, begun: true}
		if err := s.writeReport(false); err != nil {
			t.Fatal(err)
		}
		if err := wire.NewReader(&out).Next(&m); err != nil {
			t.Fatal(err)
		}
	})
	return m
}

// TestTooManyProcesses: the first MaxProcesses are reported, and the number of the others. A report with a line that is
// still too long has no processes.
func TestTooManyProcesses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		contexts int
		command  string
		kept     int
		fault    string
	}{
		"as many as fit": {wire.MaxProcesses, "x", wire.MaxProcesses, ""},
		"too many": {wire.MaxProcesses + 7, strings.Repeat("x", wire.MaxCommand), wire.MaxProcesses,
			"more than 1000 processes: 7 left out"},
		"too long": {wire.MaxProcesses, strings.Repeat("\"", wire.MaxCommand), 0,
			"process list too long for one report: 1000 left out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lib, devices := newFakeLibrary(2)
			files := map[string]string{}
			for i := range tt.contexts {
				pid := 10_000 + i
				maps.Copy(files, fakeproc.Of(strconv.Itoa(pid), "python", "90000", tt.command, "0"))
				devices[i%2].contexts = append(devices[i%2].contexts, driver.Context{PID: pid, Type: driver.Compute})
			}
			m := reported(t, lib, fakeproc.Write(t, files))
			if len(m.Report.Processes) != tt.kept || m.Report.Listed != (tt.kept > 0) ||
				!m.Report.GPUs[0].Values.Has(metric.Temperature) {
				t.Errorf("%d processes, listed %v, want %d", len(m.Report.Processes), m.Report.Listed, tt.kept)
			}
			var want []wire.Fault
			if tt.fault != "" {
				want = []wire.Fault{{Collector: "processes", Error: tt.fault}}
			}
			if diff := cmp.Diff(want, m.Report.Faults); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func benchmarkReport(b *testing.B, gpus, procs int) {
	files := map[string]string{}
	lib, devices := newFakeLibrary(gpus)
	for i := range procs {
		pid := 1000 + i
		maps.Copy(files, fakeproc.Of(strconv.Itoa(pid), "python", "1", "python3\x00train.py\x00", "0"))
		d := devices[i%gpus]
		d.contexts = append(d.contexts, driver.Context{PID: pid, Type: driver.Compute, Memory: new(uint64(1 << 30))})
	}
	s := newSampler(&output{w: io.Discard}, Options{Library: lib, Proc: fakeproc.Write(b, files), Now: sample.Now})
	s.pace = &wire.Pace{IntervalMS: 3000, Processes: procs > 0}
	learnGPUs(s)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.writeReport(false); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReport(b *testing.B) {
	for _, n := range []struct{ gpus, procs int }{{4, 0}, {8, 0}, {4, 4}, {8, 64}} {
		b.Run(fmt.Sprintf("%dGPUs-%dprocesses", n.gpus, n.procs),
			func(b *testing.B) { benchmarkReport(b, n.gpus, n.procs) })
	}
}

// Without being asked a probe lists processes in its first report after a Hello, and then once a minute; a list that
// lacks something is tried again a few times.
func TestListsUnasked(t *testing.T) {
	proc := fakeproc.Write(t, fakeproc.Of("4242", "python", "1000", "python3\x00", "0"))
	lists := func(t *testing.T, d time.Duration, upset func(s *session, g *fakeDevice)) (at []int) {
		synctest.Test(t, func(t *testing.T) {
			lib, devices := newFakeLibrary(2)
			devices[0].contexts = []driver.Context{{PID: 4242, Type: driver.Compute}}
			s := open(t, lib, proc)
			s.got()
			s.say(`{"id":1,"pace":{"interval_ms":3000}}`)
			upset(s, devices[1])
			for range d / (10 * time.Second) {
				for _, r := range s.after(10 * time.Second) {
					if r.Listed {
						at = append(at, int(r.MonoMS/1000)-3600)
					}
					if r.Listed != (len(r.Processes) > 0) {
						t.Errorf("report %+v", r)
					}
				}
			}
			s.finish()
		})
		return at
	}
	minute := lists(t, 130*time.Second, func(*session, *fakeDevice) {})
	if diff := cmp.Diff([]int{0, 60, 120}, minute); diff != "" {
		t.Errorf("lists at seconds (-want +got):\n%s", diff)
	}
	hung := lists(t, 200*time.Second, func(s *session, g *fakeDevice) {
		s.after(time.Second)
		time.AfterFunc(3*time.Minute, g.hangAt())
	})
	if diff := cmp.Diff([]int{60, 63, 66, 126, 129, 132, 192}, hung); diff != "" {
		t.Errorf("while a GPU hangs, lists at seconds (-want +got):\n%s", diff)
	}
	back := lists(t, 40*time.Second, func(s *session, g *fakeDevice) {
		s.after(13 * time.Second)
		g.lib.change(func() { g.err = map[string]error{"*": errLost} })
		s.after(4 * time.Second) // then there is another Hello
	})
	if len(back) != 1 {
		t.Errorf("after another Hello, lists at seconds %v", back)
	}
}
