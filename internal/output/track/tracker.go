package track

import (
	"fmt"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/probe/host"
	"github.com/nvnodetop/nvnodetop/internal/source/mark"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Options say what is tracked.
type Options struct {
	Proc     string             // mount point of procfs
	Self     int                // PID of this process, to which orphans are given
	Own      func(pid int) bool // whether this process has started this child besides the command
	Interval time.Duration      // between two samples
	Cores    int                // number expected to be used; 0: all
	GPUs     []string           // GPUs expected to be used, by UUID; empty: all
}

// Tracker measures a command.
type Tracker struct {
	o     Options
	cores int

	mu     sync.Mutex // protects the following
	family family
	host   *host.Reader
	gpus   gpuUsage

	began, at, window time.Time // start of the command, last sample, beginning of the CPU window
	started           uint64    // peak memory of this process when it started the command
	ram               RAM       // bytes

	system                   meter
	main, others             cpuCounter // CPU time
	mainMost, othersMost     float64    // percent
	combinedMost             float64
	mainSince, othersSince   float64 // CPU seconds since window
	threads, below, together int

	now  Point // the last sample
	book mark.Book

	joined               bool    // the process ran before tracking began
	mainBase, othersBase float64 // CPU time before tracking began
}

// New returns a Tracker of a command that has not started.
func New(o Options) (*Tracker, error) {
	cores, err := host.CPUs(o.Proc)
	if err != nil {
		return nil, fmt.Errorf("CPUs cannot be counted: %w", err)
	}
	t := &Tracker{o: o, cores: max(cores, 1), host: host.New(o.Proc, "/sys"), gpus: gpuUsage{expected: o.GPUs}}
	t.family = family{mount: o.Proc, self: o.Self, own: o.Own, room: pagesAtOnce}
	return t, nil
}

// Begin starts to track the command, which has started. peak is the peak memory of this process until then, in bytes.
// The kernel also counts it for the child, which shared the memory for a moment.
func (t *Tracker) Begin(at time.Time, main int, peak uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.began, t.at, t.window, t.started = at, at, at, peak+peak/8 // the kernel does not count exactly
	t.family.main = main
	t.threads, t.together = 1, 1 // even if it has already ended
	t.takeSample(at)
}

// Apply applies an Event of this host's probe.
func (t *Tracker) Apply(e cluster.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	running := t.family.main != 0
	if e.Mark != nil {
		t.book.Take(e.Mark)
		return
	}
	t.gpus.applyEvent(&e, running)
	if running && e.Report != nil {
		t.tagReport(&e)
	}
	if running {
		t.gpus.attributeMemory(&t.family)
	}
}

// HasGPUs reports whether numbers of GPUs arrived while the command ran.
func (t *Tracker) HasGPUs() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gpus.last > 0
}

// Sample measures the command now.
func (t *Tracker) Sample(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.takeSample(at)
}

// End measures the command for the last time, after its end and before it is waited for. At that point its times are
// complete.
func (t *Tracker) End(at time.Time) { t.Sample(at) }

// Peak records the largest memory of the command or of one of its descendants. At the end the kernel gives the number,
// but not the process. New memory causes page faults, so the one with more page faults had it.
func (t *Tracker) Peak(bytes uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	main := t.family.members[t.family.main]
	if bytes > t.started && main != nil && main.Minor+main.Major >= main.Children.Minor+main.Children.Major {
		raiseTotal(&t.ram.Main, bytes)
		raiseTotal(&t.ram.Combined, bytes)
		return
	}
	t.raisePeak(bytes)
}

// raisePeak counts the peak of descendants. A newly started process first has its parent's peak.
func (t *Tracker) raisePeak(bytes uint64) {
	if bytes > t.started && float64(bytes) > t.ram.Main.Total {
		raiseTotal(&t.ram.Descendants, bytes)
		raiseTotal(&t.ram.Combined, bytes)
	}
}

func (t *Tracker) takeSample(at time.Time) {
	if !t.family.readMembers(at.Sub(t.at)) {
		return // /proc is gone: the report has the data so far
	}
	t.measureMemory()
	t.measureCPU(at)
	t.measureHost(at)
	t.gpus.attributeMemory(&t.family)
	t.keepSample(at)
	t.at = at
}

func (t *Tracker) measureMemory() {
	main, descendants, combined := t.family.sumMemory()
	raiseNumbers(&t.ram.Main, main)
	raiseNumbers(&t.ram.Descendants, descendants)
	raiseNumbers(&t.ram.Combined, combined)
	if t.joined { // its peak may be from earlier
		return
	}
	if peak := t.family.peakMemory(); peak > 0 {
		raiseTotal(&t.ram.Main, peak)
		raiseTotal(&t.ram.Combined, peak)
	}
	t.raisePeak(t.family.largest)
}

// measureCPU measures over at least half an interval, because the kernel counts in steps of 10 ms.
func (t *Tracker) measureCPU(at time.Time) {
	main, below := t.family.countThreads()
	t.threads, t.below, t.together = max(t.threads, main), max(t.below, below), max(t.together, main+below)

	used, others := t.family.cpuTimes()
	t.mainSince += t.main.take(used)
	t.othersSince += t.others.take(others)
	window := at.Sub(t.window)
	if window < t.o.Interval/2 || window <= 0 {
		return
	}
	t.mainMost = max(t.mainMost, 100*t.mainSince/window.Seconds())
	t.othersMost = max(t.othersMost, 100*t.othersSince/window.Seconds())
	t.combinedMost = max(t.combinedMost, 100*(t.mainSince+t.othersSince)/window.Seconds())
	t.now.MainCPU = 100 * t.mainSince / window.Seconds()
	t.now.DescendantsCPU = 100 * t.othersSince / window.Seconds()
	t.mainSince, t.othersSince, t.window = 0, 0, at
}

func (t *Tracker) measureHost(at time.Time) {
	var now metric.Values
	_ = t.host.ReadUse(&now, at.Sub(t.began)) // unreadable values are absent
	if percent, known := now.Get(metric.CPU); known {
		t.system.addUtilization(percent*float64(t.cores), at.Sub(t.at).Seconds())
	}
	t.noteHost(&now)
	used, _ := now.Get(metric.HostMemoryUsed)
	total, _ := now.Get(metric.HostMemoryTotal)
	t.ram.System, t.ram.SystemCapacity = max(t.ram.System, used), max(t.ram.SystemCapacity, total)
}

// Report returns the resources that the command has used so far.
func (t *Tracker) Report(u Units) *Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	size, seconds := sizeOf(sizes, u.RAM), t.at.Sub(t.began).Seconds()
	ram := t.ram
	return &Report{
		Version: version,
		RAM: RAM{
			Unit: u.RAM, SystemCapacity: ram.SystemCapacity / size, System: ram.System / size,
			Main: convertRSS(ram.Main, size), Descendants: convertRSS(ram.Descendants, size),
			Combined: convertRSS(ram.Combined, size),
		},
		GPURAM: t.gpus.makeRAM(u.GPURAM),
		CPU:    t.cpuUtilization(seconds),
		GPU:    t.gpus.makeUtilization(),
		Time:   ComputeTime{Unit: u.Time, Time: seconds / sizeOf(times, u.Time)},
		Tags:   t.book.Tags(t.at),
	}
}

func (t *Tracker) cpuUtilization(seconds float64) CPUUtilization {
	expected := t.o.Cores
	if expected == 0 {
		expected = t.cores
	}
	of := func(most, used float64) Percents {
		mean := 0.0
		if seconds > 0 {
			mean = 100 * used / seconds
		}
		return makePercents(max(most, mean), mean, expected)
	}
	main, others := t.main.most-t.mainBase, t.others.most-t.othersBase
	return CPUUtilization{
		SystemCores: t.cores, ExpectedCores: expected,
		System: t.system.meterPercents(t.cores), Main: of(t.mainMost, main),
		Descendants: of(t.othersMost, others),
		Combined:    of(t.combinedMost, main+others),
		MainThreads: t.threads, DescendantsThreads: t.below, CombinedThreads: t.together,
	}
}

// Close closes the files of /proc.
func (t *Tracker) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.host.Close()
}
