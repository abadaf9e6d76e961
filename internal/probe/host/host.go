// Package host reads the node: CPU, load, memory, network, disks, and the memory of SLURM jobs from their cgroups.
//
// A Reader and a Jobs are for one goroutine, the sampler's. The sampler reads the files that the kernel serves from
// memory, and keeps them open. Reads that may hang (file systems, counters of network cards, cgroups) have a goroutine
// of their own, and the sampler waits for them only briefly. A value that cannot be read is absent.
package host

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// MinWindow is the shortest window for a rate or a CPU percentage, since the kernel counts CPU time in steps of 10 ms.
// An off-beat report that comes sooner repeats the last value.
const MinWindow = 200 * time.Millisecond

// headSize is enough for the needed part of each file.
const headSize = 1 << 10

// Reader reads the metrics of a node. It keeps three files of /proc open, reads their beginnings and parses them
// itself. procfs's Stat parses every CPU and every interrupt (40 µs on 2 CPUs, more with more CPUs), and Meminfo takes
// 23 µs. That is a hundred times the cost of the lines that are needed, in every report.
type Reader struct {
	proc  string              // mount point of procfs
	files map[string]*os.File // open files, by name; reading from the beginning returns new content
	buf   [headSize]byte

	last    cpuTime // at the beginning of the window
	percent float64 // NaN: unknown
	rare    slowMetrics

	net, packets, fabric, storage *traffic
	disks                         []*disk
}

// New returns a Reader of the procfs at proc and the sysfs at sys.
func New(proc, sys string) *Reader {
	r := &Reader{
		proc: proc, files: map[string]*os.File{},
		net: newTraffic("network counters", metric.NetTX, metric.NetRX, 1, interfaceFiles(sys, "bytes")),
		packets: newTraffic("packet counters", metric.NetTXPackets, metric.NetRXPackets, 1,
			interfaceFiles(sys, "packets")),
		fabric:  newTraffic("InfiniBand counters", metric.InfiniBandTX, metric.InfiniBandRX, infiniBandWord, portFiles(sys)),
		storage: newTraffic("disk counters", metric.DiskWrite, metric.DiskRead, sector, diskFiles(sys)),
	}
	for _, of := range fileSystems {
		if _, err := os.Stat(of.path); err == nil || !of.mayLack {
			r.disks = append(r.disks, newDisk(of.path, of.free, of.total))
		}
	}
	r.storage.open.column = [2]int{sectorsWritten, sectorsRead}
	return r
}

// fileSystems are those whose space is read. Not every system has the last one, where the C library keeps the shared
// memory of programs.
var fileSystems = []struct {
	path        string
	free, total metric.ID
	mayLack     bool
}{
	{path: "/", free: metric.DiskFree, total: metric.DiskTotal},
	{path: "/tmp", free: metric.TmpFree, total: metric.TmpTotal},
	{path: "/dev/shm", free: metric.ShmFree, total: metric.ShmTotal, mayLack: true},
}

// Close closes the files.
func (r *Reader) Close() {
	r.closeFiles()
	for _, t := range r.allTraffic() {
		t.closeCounters()
	}
}

func (r *Reader) allTraffic() []*traffic { return []*traffic{r.net, r.packets, r.fabric, r.storage} }

// closeFiles closes the files of /proc. The next report opens them again.
func (r *Reader) closeFiles() {
	for name, f := range r.files {
		_ = f.Close() // open for reading only: a failure loses nothing
		delete(r.files, name)
	}
}

// Read reads all metrics. mono is CLOCK_MONOTONIC and boot is the time since boot, or 0 if unknown. The error names the
// metrics that could not be read.
func (r *Reader) Read(to *metric.Values, mono, boot time.Duration) error {
	var failed error
	note := func(err error) {
		if err != nil {
			failed = errors.Join(failed, err)
		}
	}
	r.rare.startReport(mono)
	note(r.readCPU(to, mono))
	note(r.readMemory(to))
	r.rare.end(to)
	note(r.readLoad(to))
	for _, t := range r.allTraffic() {
		note(t.setRates(to, mono))
	}
	for _, d := range r.disks {
		note(d.readSpace(to, mono))
	}
	if boot > 0 {
		to.Set(metric.Uptime, math.Floor(boot.Seconds()))
	}
	return failed
}

// ReadUse reads only the CPU and the memory.
func (r *Reader) ReadUse(to *metric.Values, mono time.Duration) error {
	return errors.Join(r.readCPU(to, mono), r.readMemory(to))
}

// readProcHead reads the beginning of a file in /proc.
func (r *Reader) readProcHead(name string) ([]byte, error) {
	f := r.files[name]
	if f == nil {
		var err error
		if f, err = os.Open(filepath.Join(r.proc, name)); err != nil {
			return nil, err
		}
		r.files[name] = f
	}
	n, err := readHead(f, r.buf[:])
	if err != nil {
		r.closeFiles()
		return nil, err
	}
	return r.buf[:n], nil
}

// contentError is the error for a file in /proc with unexpected content.
func (r *Reader) contentError(name string, text []byte) error {
	return fmt.Errorf("%s: unexpected %.40q", filepath.Join(r.proc, name), text)
}
