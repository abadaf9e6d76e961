package host

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// lookEvery is the time between two searches for new interfaces and ports.
const lookEvery = time.Minute

// infiniBandWord is the unit of the data counters of an InfiniBand port, in bytes.
const infiniBandWord = 4

// interfaceFiles returns a function that finds the files of a counter of all physical network interfaces. Each file in
// /sys costs 1 µs. /proc/net/dev would also have every interface of every container, and procfs takes 27 µs for four of
// them.
func interfaceFiles(sys, counter string) func(tx bool) []string {
	return deviceFiles(filepath.Join(sys, "class/net"), func(tx bool) string {
		return filepath.Join("statistics", pickString(tx, "tx_", "rx_")+counter)
	})
}

// sector is the unit of a disk's counters, in bytes, whatever the real size of its sectors.
const sector = 512

// Columns of a disk's counters of sectors.
const (
	sectorsRead    = 2
	sectorsWritten = 6
)

// diskFiles returns a function that finds the files with the counters of the local disks. A disk has all its counters
// in one file.
func diskFiles(sys string) func(tx bool) []string {
	return deviceFiles(filepath.Join(sys, "block"), func(bool) string { return "stat" })
}

// deviceFiles returns a function that finds a file of each physical device below a directory.
func deviceFiles(dir string, file func(tx bool) string) func(tx bool) []string {
	return func(tx bool) (files []string) {
		found, _ := filepath.Glob(filepath.Join(dir, "*/device")) // the pattern is valid
		for _, device := range found {
			files = append(files, filepath.Join(filepath.Dir(device), file(tx)))
		}
		return files
	}
}

// portFiles returns a function that finds the counters of the InfiniBand ports.
func portFiles(sys string) func(tx bool) []string {
	return func(tx bool) []string {
		files, _ := filepath.Glob(filepath.Join(sys, "class/infiniband/*/ports/*/counters",
			pickString(tx, "port_xmit_data", "port_rcv_data")))
		return files
	}
}

func pickString(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// traffic reads the counters of all interfaces of one kind, and computes their rates. The firmware of a network card
// may answer slowly.
type traffic struct {
	ids   [2]metric.ID // sent or written, received or read
	unit  float64      // bytes per count
	find  func(tx bool) []string
	call  *asyncCall[time.Duration, counts]
	last  counts // at the start of the window
	rates [2]float64

	open openCounters // belongs to the running call
}

// slowShare limits how long a reading may take: one part in slowShare of the time between two readings. The card does
// not say when during a slow reading it counted.
const slowShare = 10

// counts are the sums of the counters at one time.
type counts struct {
	known bool          // false: not read yet
	at    time.Duration // start of the reading
	took  time.Duration
	sums  [2]uint64
	files int
	set   int // number of the set of files: only sums over the same set can be subtracted
}

func newTraffic(what string, tx, rx metric.ID, unit float64, find func(tx bool) []string) *traffic {
	nan := math.NaN()
	t := &traffic{ids: [2]metric.ID{tx, rx}, unit: unit, find: find, rates: [2]float64{nan, nan}}
	t.call = newAside(what, t.readCounters)
	return t
}

// setRates gives the rates between the last two readings.
func (t *traffic) setRates(to *metric.Values, at time.Duration) error {
	if !t.call.running && t.due(at) {
		t.call.startCall(at, at)
	}
	if now, ok := t.call.take(at); ok {
		t.computeRates(now)
	}
	err := t.call.hangError(at)
	if err == nil {
		to.Set(t.ids[0], t.rates[0])
		to.Set(t.ids[1], t.rates[1])
	}
	return err
}

// readCounters reads the counters, on the goroutine of the call.
func (t *traffic) readCounters(at time.Duration) counts {
	began := time.Now()
	now := t.open.readAllCounters(at, t.find)
	now.took = time.Since(began)
	return now
}

// due reports whether it is time for the next reading. If there are no interfaces of the kind, readings are rare.
func (t *traffic) due(at time.Duration) bool {
	window := at - t.last.at
	return !t.last.known || window >= lookEvery || t.last.files > 0 && window >= MinWindow
}

// computeRates takes over new counters, and computes the rates since the last ones. It gives no rates for counters that
// went backwards, counters of other files, and slow readings.
func (t *traffic) computeRates(now counts) {
	window := now.at - t.last.at
	same := t.last.known && now.files > 0 && now.set == t.last.set
	exact := window > 0 && slowShare*max(now.took, t.last.took) <= window
	for i := range t.rates {
		t.rates[i] = math.NaN()
		if same && exact && now.sums[i] >= t.last.sums[i] {
			t.rates[i] = float64(now.sums[i]-t.last.sums[i]) * t.unit / window.Seconds()
		}
	}
	t.last = now
}

// closeCounters closes the files, unless a call is using them: the process exits soon.
func (t *traffic) closeCounters() {
	if !t.call.running {
		t.open.closeFiles()
	}
}

// openCounters are the files of counters, which stay open.
type openCounters struct {
	names  [2][]string
	files  [2][]*os.File
	column [2]int // column of the counter in its file, for each direction
	set    int    // how often the set of files has changed
	looked time.Duration
	buf    [256]byte
}

// readAllCounters reads the counters of all files.
func (o *openCounters) readAllCounters(at time.Duration, find func(tx bool) []string) counts {
	if o.set == 0 || at-o.looked >= lookEvery {
		o.openFiles([2][]string{find(true), find(false)})
		o.looked = at
	}
	c := counts{known: true, at: at}
	for i, files := range o.files {
		for _, f := range files {
			n, err := o.readColumn(f, o.column[i])
			if err != nil { // the interface is gone
				o.closeFiles()
				return counts{known: true, at: at}
			}
			c.sums[i] += n
			c.files++
		}
	}
	c.set = o.set
	return c
}

// openFiles opens the files with these names, unless they are open already.
func (o *openCounters) openFiles(names [2][]string) {
	if o.set > 0 && slices.Equal(names[0], o.names[0]) && slices.Equal(names[1], o.names[1]) {
		return
	}
	set := o.set
	o.closeFiles()
	o.names, o.set = names, set+1
	for i, list := range names {
		for _, name := range list {
			if f, err := os.Open(name); err == nil {
				o.files[i] = append(o.files[i], f)
			}
		}
	}
}

// closeFiles closes the files. The next readAllCounters looks for them again.
func (o *openCounters) closeFiles() {
	for i, files := range o.files {
		for _, f := range files {
			_ = f.Close() // open for reading only: a failure loses nothing
		}
		o.names[i], o.files[i] = nil, nil
	}
	o.looked = -lookEvery
}

// readColumn reads one number of a file that holds one or more.
func (o *openCounters) readColumn(f *os.File, column int) (uint64, error) {
	n, err := readHead(f, o.buf[:])
	if err != nil {
		return 0, err
	}
	at := 0
	for field := range bytes.FieldsSeq(o.buf[:n]) {
		if at == column {
			return strconv.ParseUint(string(field), 10, 64)
		}
		at++
	}
	return 0, strconv.ErrSyntax
}
