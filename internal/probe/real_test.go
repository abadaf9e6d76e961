//go:build linux && cgo && (amd64 || arm64)

package probe_test

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// These tests run the real probe, with the real go-nvml, on the fake NVML, as of a current and of an old driver.

func TestRealProbe(t *testing.T) {
	sleeper := exec.Command("sleep", "1000")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(sleeper.Process.Kill(), sleeper.Wait()) }() // "signal: killed"
	pid := sleeper.Process.Pid
	p := run(t, "current", fmt.Sprintf("count 2\ngpu 0 util 97\ngpu 0 temperature 71\ngpu 0 memory_temperature "+
		"83\ngpu 0 throttle hw_thermal\ngpu 1 ecc 3\n"+
		"proc 1 %d 512 compute 42\nproc 1 999999999 n/a graphics 0\n", pid))
	h := p.hello()
	if h.Fault != "" || h.Driver == "" || h.CUDA == "" || len(h.GPUs) != 2 || len(h.Missing) != 0 {
		t.Errorf("hello %+v", h)
	}
	for i, c := range h.GPUs {
		if c.Index != i || !strings.HasPrefix(c.UUID, "GPU-") || c.Minor == nil || *c.Minor != i || c.Name == "" ||
			c.PCIBus == "" ||
			!c.Values.Has(metric.MemoryTotal) || !c.Values.Has(metric.SMClockMax) || !c.Values.Has(metric.Slowdown) ||
			c.MIG || c.Lost != "" {
			t.Errorf("card %+v", c)
		}
	}
	p.say(paceProcesses)
	r := p.report()
	for _, id := range []metric.ID{metric.Power, metric.PowerLimit, metric.SMClock, metric.MemClock, metric.MemoryUsed,
		metric.MemUtil} {
		if !r.GPUs[0].Values.Has(id) {
			t.Errorf("%v is absent", id)
		}
	}
	for id, want := range map[metric.ID]float64{metric.Util: 97, metric.Temperature: 71, metric.MemoryTemperature: 83,
		metric.Throttle: wire.ThrottleHWThermal, metric.ECCUncorrected: 0} {
		if got := r.GPUs[0].Values.Float(id); got != want {
			t.Errorf("%v is %v, want %v", id, got, want)
		}
	}
	if got := r.GPUs[1].Values.Float(metric.ECCUncorrected); got != 3 {
		t.Errorf("%v errors, want 3", got)
	}
	want := 2 // the other process may run in another PID namespace
	if namespace, err := os.Readlink("/proc/self/ns/pid"); err == nil && namespace == "pid:[4026531836]" {
		want = 1 // the first process has exited
	}
	if !r.Listed || len(r.Processes) != want || len(r.Faults) != 0 {
		t.Fatalf("listed %v, processes %+v, faults %v", r.Listed, r.Processes, r.Faults)
	}
	s := r.Processes[0]
	if s.PID != pid || s.GPU != 1 || s.Type != "C" || s.Name != "sleep" || s.Command != "sleep 1000" ||
		*s.GPUMemory != 512<<20 || *s.SMPercent != 42 ||
		*s.UID != os.Getuid() || s.StartTicks == 0 || s.RSS == nil || s.ElapsedSec == nil || *s.ElapsedSec > 600 {
		t.Errorf("process %+v", s)
	}
	for _, g := range r.Processes[1:] {
		if g.PID != 999999999 || g.Type != "G" || g.GPUMemory != nil || g.User != "" || g.StartTicks != 0 {
			t.Errorf("a process that is not there: %+v", g)
		}
	}
	p.checkGuest()

	p.set("count 2\ngpu 1 lost\nunsupported nvmlDeviceGetTotalEccErrors\nfail nvmlDeviceGetPowerUsage 999\n")
	m := p.next(func(m wire.Message) bool { return m.Report != nil && m.Report.GPUs[1].Lost != "" })
	v := &m.Report.GPUs[0].Values
	if m.Report.GPUs[1] != (wire.GPU{Index: 1, Lost: "GPU is lost", LostID: wire.LostFellOff}) ||
		v.Has(metric.ECCUncorrected) || v.Has(metric.Power) || !v.Has(metric.Temperature) {
		t.Errorf("report %+v", m.Report)
	}
	if diff := cmp.Diff([]wire.Fault{{Collector: "power", Error: "Unknown Error", GPUs: []int{0}},
		{Collector: "ECC", Error: "Not Supported", GPUs: []int{0}, Ceased: true},
		{Collector: "corrected ECC errors", Error: "Not Supported", GPUs: []int{0}, Ceased: true}},
		m.Report.Faults); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	p.set("count 2\n")
	p.next(func(m wire.Message) bool {
		return m.Report != nil && m.Report.GPUs[1].Lost == "" && m.Report.GPUs[0].Values.Has(metric.Power) &&
			len(m.Report.Faults) == 0
	})

	p.close()
	if err := p.wait(); err != nil || p.stderr.Len() > 0 {
		t.Errorf("at the end of its input: %v, %s", err, &p.stderr)
	}
}

// checkGuest checks the name of the probe's process and its memory.
func (p *process) checkGuest() {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch value = strings.TrimSpace(value); key {
		case "Name":
			if value != "nvnodetop-probe" {
				p.t.Errorf("ps shows %q", value)
			}
		case "VmHWM":
			kib, err := strconv.Atoi(strings.TrimSuffix(value, " kB"))
			if err != nil || kib > 16<<10 {
				p.t.Errorf("resident memory reached %s, want at most 16 MiB", value)
			}
		}
	}
}

// An old driver lacks the functions that the probe calls first: the probe then calls older ones.
func TestRealProbeOldDriver(t *testing.T) {
	p := run(t, "old", "count 1\nproc 0 1 100 compute 5\n")
	h := p.hello()
	if h.Fault != "" || len(h.GPUs) != 1 {
		t.Fatalf("hello %+v", h)
	}
	p.say(paceProcesses)
	r := p.report()
	if v := r.GPUs[0].Values; !v.Has(metric.Util) || !v.Has(metric.MemoryUsed) || !v.Has(metric.Throttle) ||
		len(r.Processes) != 1 || len(r.Faults) != 0 {
		t.Errorf("report %+v", r)
	}
}

func TestRealProbeWithoutDriver(t *testing.T) {
	for _, tc := range []struct{ name, library, scenario, id, words string }{
		{"no library", "none", "", wire.FaultNoLibrary, "libnvidia-ml.so.1: cannot open shared object file"},
		{"mismatch", "current", "init 18\n", wire.FaultMismatch, "version mismatch"},
		{"no kernel module", "current", "init 9\n", wire.FaultNoDriver, "Driver Not Loaded"},
		{"something else", "current", "init 999\n", wire.FaultOther, "Unknown Error"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := run(t, tc.library, tc.scenario)
			h := p.hello()
			if h.FaultID != tc.id || !strings.Contains(h.Fault, tc.words) || len(h.GPUs) != 0 {
				t.Errorf("hello %+v, want %s: …%s…", h, tc.id, tc.words)
			}
			p.say(paceAlone)
			if r := p.report(); !r.Host.Has(metric.HostMemoryUsed) || len(r.GPUs) != 0 {
				t.Errorf("report %+v, want one of the host", r)
			}
			p.finish()
		})
	}
}

func TestRealProbeForbiddenGPU(t *testing.T) {
	p := run(t, "current", "count 2\ngpu 0 fail nvmlDeviceGetHandleByIndex* 4\n")
	if h := p.hello(); len(h.GPUs) != 1 || h.GPUs[0].Index != 1 || *h.GPUs[0].Minor != 1 {
		t.Errorf("hello %+v, want the GPU that may be used alone", h)
	}
}

// A driver that writes beyond the given list of processes is not asked for a list.
func TestRealProbeOddLists(t *testing.T) {
	p := run(t, "current", "count 1\ndriver 535.54.03\nprocrecord 32\nproc 0 1 100 compute 5\nproc 0 2 100 compute 5\n")
	p.hello()
	p.say(paceProcesses)
	r := p.report()
	if g := r.GPUs[0]; !strings.Contains(g.Unlisted, "535.54.03") || !g.Values.Has(metric.Util) || r.Listed ||
		len(r.Processes) != 0 || len(r.Faults) != 0 {
		t.Errorf("report %+v", r)
	}
}

// unifiedScenario is a GPU that uses the memory of the host.
const unifiedScenario = "count 1\nmodel NVIDIA GB10\nmemory_total n/a\nmemory_used n/a\n" +
	"bar1_total n/a\nbar1_used n/a\nproc 0 1 91418 compute 96\n"

// The driver counts the memory of a process where it does not count that of the GPU.
func TestRealProbeUnifiedMemory(t *testing.T) {
	p := run(t, "current", unifiedScenario)
	h := p.hello()
	p.say(paceProcesses)
	r := p.report()
	if h.GPUs[0].Values.Has(metric.MemoryTotal) || r.GPUs[0].Values.Has(metric.MemoryUsed) || len(r.Faults) != 0 ||
		len(r.Processes) != 1 || r.Processes[0].GPUMemory == nil || *r.Processes[0].GPUMemory != 91418<<20 {
		t.Errorf("hello %+v, report %+v", h, r)
	}
}

// A hanging call for one GPU leaves the other GPUs unchanged, and the probe a good guest.
func TestRealProbeOneGPUHangs(t *testing.T) {
	p := run(t, "current", "count 2\n")
	p.hello()
	p.say(paceAlone)
	p.report()
	p.set("count 2\ngpu 1 slow nvmlDeviceGetPowerUsage 600000\n")
	p.next(func(m wire.Message) bool { return m.Report != nil && m.Report.GPUs[1].HangsMS > 2000 })
	if g := p.report().GPUs; g[1].Call != "power" || g[1].Values.Has(metric.Util) || !g[0].Values.Has(metric.Power) ||
		g[0].AgeMS != 0 {
		t.Errorf("GPUs %+v", g)
	}
	p.checkGuest()
	p.finish()
}

// A GPU whose handle is dead for good is read again under a new one.
func TestRealProbeListsGPUAgain(t *testing.T) {
	t.Parallel()
	p := run(t, "current", "count 2\n")
	p.hello()
	p.say(paceAlone)
	p.set("count 2\ngpu 1 lost sticky\n")
	// a probe of another test that is about to exit makes this one wait with the driver: then a report has no GPUs
	lost := func(m wire.Message) bool {
		return m.Report != nil && len(m.Report.GPUs) > 1 && m.Report.GPUs[1].LostID == wire.LostFellOff
	}
	p.next(lost)
	p.set("count 2\n")
	for range 4 {
		p.next(lost)
	}
	m := p.next(func(m wire.Message) bool {
		return m.Report != nil && len(m.Report.GPUs) > 1 && m.Report.GPUs[1].Lost == ""
	})
	if g := m.Report.GPUs[1]; !g.Values.Has(metric.PowerLimit) {
		t.Errorf("GPU %+v", g)
	}
}

// GPUs that leave the driver's list are lost, each under its own identity, and read again when the list has them again.
func TestRealProbeGPUsLeaveTheList(t *testing.T) {
	t.Parallel()
	p := run(t, "current", "count 4\n")
	was := p.hello()
	p.say(paceAlone)
	p.set("count 4\ngpu 1 lost\ngpu 2 lost\n")
	p.next(func(m wire.Message) bool {
		return m.Report != nil && len(m.Report.GPUs) > 1 && m.Report.GPUs[1].LostID == wire.LostFellOff
	})
	p.set("count 4\ngpu 1 absent\ngpu 2 absent\n")
	lost := func(h *wire.Hello) (minors []int) {
		for _, c := range h.GPUs {
			if c.Lost == "GPU not listed any more" && c.LostID == wire.LostFellOff {
				minors = append(minors, *c.Minor)
			}
		}
		slices.Sort(minors)
		return minors
	}
	h := p.next(func(m wire.Message) bool { return m.Hello != nil && len(lost(m.Hello)) > 0 }).Hello
	if !slices.Equal(lost(h), []int{1, 2}) || len(h.GPUs) != 4 {
		t.Fatalf("cards %+v", h.GPUs)
	}
	index := map[int]bool{}
	for _, c := range h.GPUs {
		index[c.Index] = true
		if at := slices.IndexFunc(was.GPUs, func(o wire.Card) bool { return o.UUID == c.UUID }); at < 0 ||
			*was.GPUs[at].Minor != *c.Minor || (c.Lost == "") != (*c.Minor == 0 || *c.Minor == 3) {
			t.Errorf("card %+v", c)
		}
	}
	r := p.report()
	if len(index) != 4 || len(r.GPUs) != 4 {
		t.Errorf("%d indices, report %+v", len(index), r)
	}
	p.set("count 4\n")
	p.next(func(m wire.Message) bool {
		if m.Report == nil || len(m.Report.GPUs) != 4 {
			return false
		}
		return !slices.ContainsFunc(m.Report.GPUs, func(g wire.GPU) bool {
			return g.Lost != "" || !g.Values.Has(metric.Util)
		})
	})
}

// A driver that is replaced ends the probe with a status of its own.
func TestRealProbeIsOutdated(t *testing.T) {
	t.Parallel()
	p := run(t, "current", "count 1\n")
	p.hello()
	p.say(paceAlone)
	p.set("fail nvmlDevice* 1\ninit 18\n")
	if h := p.hello(); h.FaultID != wire.FaultNoDriver {
		t.Errorf("hello %+v", h)
	}
	if err := p.wait(); err == nil || err.Error() != "exit status "+strconv.Itoa(wire.ExitOutdated) {
		t.Errorf("ended with %v, %s", err, &p.stderr)
	}
}

func TestRealProbeEnds(t *testing.T) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // under nohup a child would ignore it too
	defer signal.Stop(hangups)
	for _, tc := range []struct {
		name, scenario string
		end            func(*process)
		want           string
	}{
		{"SIGTERM", "", func(p *process) { p.signal(syscall.SIGTERM) }, "signal: terminated"},
		{"SIGHUP", "", func(p *process) { p.signal(syscall.SIGHUP) }, "signal: hangup"},
		{"input closed while the driver hangs", "slow nvmlDeviceGetPowerUsage 600000\n", func(p *process) { p.close() },
			""},
		{"a line without end", "", func(p *process) {
			_, _ = io.WriteString(p.in, strings.Repeat("x", 2*wire.MaxLine)) // the probe does not read all of it
		}, "exit status 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := run(t, "current", tc.scenario)
			p.hello()
			p.say(paceAlone)
			p.next(func(m wire.Message) bool { return m.Reply != nil })
			tc.end(p)
			got := ""
			if err := p.wait(); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("ended with %q (%s), want %q", got, &p.stderr, tc.want)
			}
		})
	}
}

// The go command prints the warnings of the C compiler only when it compiles. A macro that differs in each run makes it
// compile.
func TestBuildPrintsNothing(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("go", "build", "github.com/NVIDIA/go-nvml/pkg/nvml", "./nvml")
	cmd.Env = append(os.Environ(), fmt.Sprintf("CGO_CFLAGS=-O2 -g -DNVNODETOP_BUILD=%d", time.Now().UnixNano()))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: it printed\n%s", err, out)
	}
}

// The program must not import functions of NVML: with LD_BIND_NOW, the dynamic linker ends a program with an import
// that it cannot find.
func TestNoFunctionOfNVMLIsImported(t *testing.T) {
	f, err := elf.Open(build(t) + "/probe")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	symbols, err := f.ImportedSymbols()
	if err != nil || len(symbols) == 0 {
		t.Fatalf("imports %v, %v", symbols, err)
	}
	for _, s := range symbols {
		if strings.HasPrefix(s.Name, "nvml") {
			t.Errorf("%s is imported: run go generate ./internal/probe/nvml", s.Name)
		}
	}
}

func TestRealProbeWithAllSymbolsResolvedAtItsStart(t *testing.T) {
	t.Setenv("LD_BIND_NOW", "1")
	if h := run(t, "none", "").hello(); h.FaultID != wire.FaultNoLibrary {
		t.Errorf("without a library: %+v", h)
	}
	for _, library := range []string{"current", "old"} {
		p := run(t, library, "count 1\n")
		if h := p.hello(); h.Fault != "" || len(h.GPUs) != 1 {
			t.Errorf("%s: %+v", library, h)
		}
		p.say(paceAlone)
		if r := p.report(); !r.GPUs[0].Values.Has(metric.Util) {
			t.Errorf("%s: %+v", library, r)
		}
	}
}

// A probe answers requests for the name in its environment, with real data of a process: itself.
func TestRealAnswers(t *testing.T) {
	p := run(t, "current", "count 1\n")
	pid := p.hello().PID
	stat, err := proc.Of("/proc", pid).Stat()
	if err != nil {
		t.Fatal(err)
	}
	for id, to := range []string{"n8", "n7"} {
		line := fmt.Sprintf(`{"id":%d,"environ":{"pid":%d,"start_ticks":%d}}`, id, pid, stat.Start)
		p.say(string(wire.Address(to, []byte(line))))
	}
	reply := p.next(func(m wire.Message) bool { return m.Reply != nil }).Reply
	if reply.ID != 1 || reply.Environ == nil || !slices.Contains(reply.Environ.Variables, wire.NameVariable+"=n7") {
		t.Errorf("got %+v", reply)
	}
	p.close()
}
