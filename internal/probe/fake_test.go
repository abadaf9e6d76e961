package probe

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

var (
	errAbsent = &driver.Error{Kind: driver.Absent, Words: "Not Supported"}
	errDenied = &driver.Error{Kind: driver.Denied, Words: "Insufficient Permissions"}
	errLost   = &driver.Error{Kind: driver.Lost, LostID: wire.LostFellOff, Words: "GPU is lost"}
	errGone   = &driver.Error{Kind: driver.Gone, Words: "Uninitialized"}
	errOther  = &driver.Error{Kind: driver.Other, Words: "Unknown Error"}
)

// fakeLibrary is NVML with the devices that a test wants. Its fields may be changed under mu while a probe runs.
type fakeLibrary struct {
	mu       sync.Mutex
	initErr  error
	hang     chan struct{} // Init does not return until it is closed, when not nil
	listErr  error
	listing  chan struct{} // Devices does not return until it is closed, when not nil
	slots    []driver.Slot
	calls    atomic.Int32 // under way
	inits    int
	ups      int // Inits that succeeded
	shutdown int
}

func (l *fakeLibrary) Init() error {
	l.mu.Lock()
	l.alone()
	l.inits++
	hang := l.hang
	l.mu.Unlock()
	if hang != nil {
		<-hang
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.initErr == nil {
		l.ups++
	}
	return l.initErr
}

// opened is how often the driver was opened and closed.
func (l *fakeLibrary) opened() (inits, shutdowns int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inits, l.shutdown
}

// alone checks that no device is being asked. The caller holds the lock.
func (l *fakeLibrary) alone() {
	if l.calls.Load() > 0 {
		panic("Init or Shutdown while a call is under way")
	}
}

func (l *fakeLibrary) Shutdown() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alone()
	if l.shutdown++; l.shutdown > l.ups {
		panic("Shutdown without an Init that succeeded")
	}
}

func (l *fakeLibrary) Versions() (driver, cuda string) { return "550.54.14", "12.4" }
func (l *fakeLibrary) Missing() []string               { return []string{"nvmlDeviceGetMigMode"} }

func (l *fakeLibrary) Devices() ([]driver.Slot, error) {
	l.mu.Lock()
	listing := l.listing
	l.mu.Unlock()
	if listing != nil {
		<-listing
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]driver.Slot(nil), l.slots...), l.listErr
}

// change changes the node while the probe runs.
func (l *fakeLibrary) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// fakeDevice answers everything, and fails where err has an entry under the number's label or the method's name.
type fakeDevice struct {
	lib      *fakeLibrary
	index    int
	err      map[string]error
	hang     chan struct{}         // the call named hangsIn returns when it is closed; nil: at once
	hangsIn  string                // the label of a metric, "identity" or "MIG instances"
	slow     time.Duration         // how long a call takes
	limit    float64               // of the power
	says     map[metric.ID]float64 // other numbers than 7
	counter  func() uint64         // of the rates; nil: they are values
	reads    map[metric.ID]int
	contexts []driver.Context
	usage    []driver.Usage
	cards    int      // how often Card was called
	since    []uint64 // of each call of ProcessUtilization
}

func newFakeDevice(lib *fakeLibrary, index int) *fakeDevice {
	return &fakeDevice{lib: lib, index: index, err: map[string]error{}, limit: 400, reads: map[metric.ID]int{}}
}

func newFakeLibrary(gpus int) (*fakeLibrary, []*fakeDevice) {
	lib := &fakeLibrary{}
	var devices []*fakeDevice
	for i := range gpus {
		d := newFakeDevice(lib, i)
		devices = append(devices, d)
		lib.slots = append(lib.slots, driver.Slot{Index: i, Device: d, Readers: d.readers()})
	}
	return lib, devices
}

func (d *fakeDevice) fail(what string) error {
	d.lib.mu.Lock()
	defer d.lib.mu.Unlock()
	if err, ok := d.err[what]; ok {
		return err
	}
	return d.err["*"]
}

// readers give every number: 7, but for a few.
func (d *fakeDevice) readers() []driver.Reader {
	all := []driver.Reader{d.reader(func(to *driver.Answer) { to.Set(metric.Util, 97); to.Set(metric.MemUtil, 41) },
		metric.Util, metric.MemUtil)}
	for id := range metric.All(metric.GPU) {
		switch id {
		case metric.Util, metric.MemUtil:
		case metric.PowerLimit:
			all = append(all, d.reader(func(to *driver.Answer) { to.Set(id, d.limit) }, id))
		default:
			all = append(all, d.reader(func(to *driver.Answer) {
				if id.Row().Rate && d.counter != nil {
					to.Count(id, d.counter())
				} else {
					to.Set(id, d.number(id))
				}
			}, id))
		}
	}
	return all
}

// number is what the driver says.
func (d *fakeDevice) number(id metric.ID) float64 {
	d.lib.mu.Lock()
	defer d.lib.mu.Unlock()
	if x, ok := d.says[id]; ok {
		return x
	}
	return 7
}

func (d *fakeDevice) reader(set func(*driver.Answer), ids ...metric.ID) driver.Reader {
	return driver.Reader{IDs: ids, Read: func(to *driver.Answer) error {
		d.lib.calls.Add(1)
		defer d.lib.calls.Add(-1)
		err := d.called(ids[0])
		if err == nil {
			set(to)
		}
		return err
	}}
}

// called is a call of the library, which may take long or never return.
func (d *fakeDevice) called(id metric.ID) error {
	d.lib.mu.Lock()
	d.reads[id]++
	slow := d.slow
	err, fails := d.err[id.Row().Label]
	if !fails {
		err = d.err["*"]
	}
	d.lib.mu.Unlock()
	d.hangs(id.Row().Label)
	if slow > 0 {
		time.Sleep(slow)
	}
	return err
}

func (d *fakeDevice) hangs(what string) {
	d.lib.mu.Lock()
	hang, in := d.hang, d.hangsIn
	d.lib.mu.Unlock()
	if hang != nil && in == what {
		<-hang
	}
}

// Card: a device that is lost cannot say who it is.
func (d *fakeDevice) Card() wire.Card {
	d.lib.change(func() { d.cards++ })
	d.lib.calls.Add(1)
	defer d.lib.calls.Add(-1)
	d.hangs("identity")
	if err := d.fail("UUID"); driver.KindOf(err) == driver.Lost {
		return wire.Card{Lost: err.Error(), LostID: driver.LostIDOf(err)}
	}
	return wire.Card{UUID: "GPU-" + strconv.Itoa(d.index), Minor: new(d.index), Name: "NVIDIA A100"}
}

func (d *fakeDevice) askedCard() (times int) {
	d.lib.change(func() { times = d.cards })
	return times
}

func (d *fakeDevice) Processes() ([]driver.Context, error) {
	if err := d.fail("Processes"); err != nil && len(d.contexts) == 0 {
		return nil, err
	}
	return append([]driver.Context{}, d.contexts...), d.fail("Processes")
}

func (d *fakeDevice) ProcessUtilization(since uint64) ([]driver.Usage, error) {
	d.since = append(d.since, since)
	return d.usage, d.fail("ProcessUtilization")
}

// start is when the fake clocks begin; in a synctest bubble the wall clock does so too.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// fakeNow reads the bubble's clock: the node was booted an hour before the test.
func fakeNow() sample.Moment {
	since := time.Since(start)
	return sample.Moment{Mono: time.Hour + since, Boot: time.Hour + since, Wall: time.Now()}
}
