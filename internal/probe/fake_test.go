package probe

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

var (
	errAbsent = &Error{Kind: Absent, Words: "Not Supported"}
	errLost   = &Error{Kind: Lost, Words: "GPU is lost"}
	errGone   = &Error{Kind: Gone, Words: "Uninitialized"}
	errOther  = &Error{Kind: Other, Words: "Unknown Error"}
)

// fakeLibrary is NVML with the devices that a test wants. Its fields may be changed under mu while a probe runs.
type fakeLibrary struct {
	mu       sync.Mutex
	initErr  error
	slots    []Slot
	inits    int
	shutdown int
}

func (l *fakeLibrary) Init() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inits++
	return l.initErr
}

func (l *fakeLibrary) Shutdown() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.initErr != nil {
		panic("Shutdown after an Init that failed")
	}
	l.shutdown++
}

func (l *fakeLibrary) Versions() (driver, cuda string) { return "550.54.14", "12.4" }
func (l *fakeLibrary) Missing() []string               { return []string{"nvmlDeviceGetMigMode"} }

func (l *fakeLibrary) Devices() ([]Slot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Slot(nil), l.slots...), nil
}

// change does what a test does to the node while the probe runs.
func (l *fakeLibrary) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// fakeDevice answers everything, and fails where err has an entry under the method's name.
type fakeDevice struct {
	lib      *fakeLibrary
	err      map[string]error
	hang     chan struct{} // Power blocks until it is closed, when not nil
	contexts []Context
	usage    []Usage
	since    []uint64 // of each call of ProcessUtilization
}

func newFakeLibrary(gpus int) (*fakeLibrary, []*fakeDevice) {
	lib := &fakeLibrary{}
	var devices []*fakeDevice
	for i := range gpus {
		d := &fakeDevice{lib: lib, err: map[string]error{}}
		devices = append(devices, d)
		lib.slots = append(lib.slots, Slot{Index: i, Device: d})
	}
	return lib, devices
}

func (d *fakeDevice) fail(method string) error {
	d.lib.mu.Lock()
	defer d.lib.mu.Unlock()
	if err, ok := d.err[method]; ok {
		return err
	}
	return d.err["*"]
}

func (d *fakeDevice) Card() wire.Card                 { return wire.Card{UUID: "GPU-1", Name: "NVIDIA A100"} }
func (d *fakeDevice) Utilization() (int, int, error)  { return 97, 41, d.fail("Utilization") }
func (d *fakeDevice) Memory() (uint64, uint64, error) { return 7 << 30, 40 << 30, d.fail("Memory") }
func (d *fakeDevice) Temperature() (int, error)       { return 61, d.fail("Temperature") }
func (d *fakeDevice) PowerLimit() (float64, error)    { return 400, d.fail("PowerLimit") }
func (d *fakeDevice) SMClock() (int, error)           { return 1410, d.fail("SMClock") }
func (d *fakeDevice) MemoryClock() (int, error)       { return 1593, d.fail("MemoryClock") }
func (d *fakeDevice) Throttle() (uint64, error)       { return wire.ThrottleSWPowerCap, d.fail("Throttle") }
func (d *fakeDevice) ECCUncorrected() (uint64, error) { return 0, d.fail("ECCUncorrected") }
func (d *fakeDevice) Processes() ([]Context, error)   { return d.contexts, d.fail("Processes") }

func (d *fakeDevice) Power() (float64, error) {
	if d.hang != nil {
		<-d.hang
	}
	return 312.5, d.fail("Power")
}

func (d *fakeDevice) ProcessUtilization(since uint64) ([]Usage, error) {
	d.since = append(d.since, since)
	return d.usage, d.fail("ProcessUtilization")
}

// start is when the fake clocks begin; in a synctest bubble the wall clock does so too.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// fakeNow reads the bubble's clock: the node was booted an hour before the test.
func fakeNow() Moment {
	since := time.Since(start)
	return Moment{Mono: time.Hour + since, Boot: time.Hour + since, Wall: time.Now()}
}

const (
	procStat = "cpu  1000 20 300 8000 600 7 70 3 500 0\ncpu0 500 10 150 4000 300 3 35 1 250 0\ncpu1 500 10 150 4000 300 4 35 2 250 0\nintr 9 9\n"
	procMem  = "MemTotal:       16318428 kB\nMemFree:         1000000 kB\nMemAvailable:   12318428 kB\n"
	procLoad = "3.25 2.00 1.00 1/200 4242\n"
)

// writeProc makes a small /proc of files by path, and returns where it is.
func writeProc(t testing.TB, more map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"stat":        procStat,
		"meminfo":     procMem,
		"loadavg":     procLoad,
		"self/cgroup": "0::/system.slice/slurmstepd.scope/job_48211/step_extern/user/task_special\n",
	}
	for path, content := range more {
		files[path] = content
	}
	for path, content := range files {
		writeFile(t, filepath.Join(dir, path), content)
	}
	return dir
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// procOf are the files of one process: 100 + 50 ticks of CPU, begun startTicks after boot.
func procOf(pid, comm, startTicks, cmdline string, uid string) map[string]string {
	stat := pid + " (" + comm + ") S 1 1 1 0 -1 4194304 10 0 0 0 100 50 0 0 20 0 4 0 " + startTicks +
		" 1000000 256 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	return map[string]string{
		pid + "/stat":    stat,
		pid + "/status":  "Name:\t" + comm + "\nUid:\t" + strings.Repeat(uid+"\t", 3) + uid + "\nGid:\t0\t0\t0\t0\n",
		pid + "/cmdline": cmdline,
		pid + "/cgroup":  "0::/system.slice/slurmstepd.scope/job_77/step_0/user/task_0\n",
	}
}
