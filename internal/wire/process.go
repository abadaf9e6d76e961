package wire

import (
	"encoding/json"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/field"
	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// amount is a number of a process that changes: the same for every type of number.
type amount interface {
	key() string
	described() field.Field[Process]
	gone(p, base *Process) bool                                  // base has it, p has not
	appendChanged(line []byte, p, base *Process) ([]byte, error) // if it has changed
	change(p *Process, l *processLine)                           // what appendChanged and gone have told
}

// number is an amount of type T. Its Key is also its key in JSON.
type number[T int | int64 | uint64 | float64] struct {
	of func(*Process) **T
	field.Field[Process]
}

// amounts is the numbers of a process that are left out when they have not changed. The other fields make a process
// whole. A new number is a field of Process, a line here and its reader in package procs.
var amounts = []amount{
	number[uint64]{func(p *Process) **uint64 { return &p.GPUMemory }, field.Field[Process]{
		Key: "gpu_memory_bytes", Also: []string{"mem", "gpu_mem"}, Unit: field.Bytes, Title: "GPU-MEM", Width: 8,
		Help: "GPU memory of the process", Example: "10GiB"}},
	number[int]{func(p *Process) **int { return &p.SMPercent }, field.Field[Process]{
		Key: "sm_percent", Also: []string{"sm"}, Unit: field.Percent, Title: "%SM", Width: 4,
		Help: "share of the SMs' time", Example: "50"}},
	number[int]{func(p *Process) **int { return &p.MemPercent }, field.Field[Process]{
		Key: "mem_util_percent", Also: []string{"mem_rw", "mbw"}, Unit: field.Percent, Title: "%MRW", Width: 4,
		Help: "share of the time that it reads or writes GPU memory", Example: "50"}},
	number[int]{func(p *Process) **int { return &p.EncPercent }, field.Field[Process]{
		Key: "encoder_percent", Unit: field.Percent, Title: "%ENC", Width: 4,
		Help: "share of the video encoder's time", Example: "50"}},
	number[int]{func(p *Process) **int { return &p.DecPercent }, field.Field[Process]{
		Key: "decoder_percent", Unit: field.Percent, Title: "%DEC", Width: 4,
		Help: "share of the video decoder's time", Example: "50"}},
	number[float64]{func(p *Process) **float64 { return &p.CPUPercent }, field.Field[Process]{
		Key: "cpu_percent", Also: []string{"cpu"}, Unit: field.Percent, Decimals: 1, Title: "%CPU", Width: 6,
		Help: "CPU; 100 is one core", Example: "100"}},
	number[uint64]{func(p *Process) **uint64 { return &p.RSS }, field.Field[Process]{
		Key: "rss_bytes", Also: []string{"rss"}, Unit: field.Bytes, Title: "RSS", Width: 8,
		Help: "host memory of the process", Example: "4GiB"}},
	number[int64]{func(p *Process) **int64 { return &p.ElapsedSec }, field.Field[Process]{
		Key: "elapsed_seconds", Also: []string{"time"}, Unit: field.Seconds, Title: "time", Width: 8,
		Help: "how long it has run", Example: "2h"}},
	number[int]{func(p *Process) **int { return &p.Threads }, field.Field[Process]{
		Key: "threads", Unit: field.Count, Title: "THR", Width: 4, Help: "number of threads", Example: "64"}},
	number[uint64]{func(p *Process) **uint64 { return &p.IORead }, field.Field[Process]{
		Key: "io_read_bytes_per_second", Also: []string{"io_read"}, Unit: field.BytesPerSecond, Title: "read/s",
		Width: 7, Help: "bytes per second that it reads by system calls, from files, caches and pipes", Example: "100MB/s"}},
	number[uint64]{func(p *Process) **uint64 { return &p.IOWrite }, field.Field[Process]{
		Key: "io_write_bytes_per_second", Also: []string{"io_write"}, Unit: field.BytesPerSecond, Title: "write/s",
		Width: 7, Help: "bytes per second that it writes by system calls, to files, caches and pipes",
		Example: "100MB/s"}},
}

// Numbers describe the numbers of a process, for lists.
func Numbers() (fields []field.Field[Process]) {
	for _, a := range amounts {
		fields = append(fields, a.described())
	}
	return fields
}

// described is the field with its reader. All numbers of a process are sorted from the highest at first.
func (n number[T]) described() field.Field[Process] {
	n.DownFirst = true
	n.Number = func(p *Process) (float64, bool) { return field.Known(*n.of(p)) }
	return n.Field
}

func (n number[T]) key() string { return n.Key }

func (n number[T]) gone(p, base *Process) bool { return *n.of(p) == nil && *n.of(base) != nil }

func (n number[T]) appendChanged(line []byte, p, base *Process) ([]byte, error) {
	x := *n.of(p)
	if equal(x, *n.of(base)) {
		return line, nil
	}
	text, err := json.Marshal(*x)
	line = append(append(append(line, `,"`...), n.Key...), `":`...)
	return append(line, text...), err
}

func (n number[T]) change(p *Process, l *processLine) {
	if x := *n.of(&l.Process); x != nil {
		*n.of(p) = x
	} else if slices.Contains(l.Gone, n.Key) {
		*n.of(p) = nil
	}
}

// change makes the changes of l to p.
func (p *Process) change(l *processLine) {
	if l.State != "" {
		p.State = l.State
	}
	for _, a := range amounts {
		a.change(p, l)
	}
}

// expected returns a process of the last listing as it should be at the time of host: older.
func (m *memory) expected(at int, host *Host) *Process {
	p := m.listing[at]
	then, known1 := m.listed.Get(metric.Uptime)
	now, known2 := host.Get(metric.Uptime)
	if p.ElapsedSec != nil && known1 && known2 {
		age := *p.ElapsedSec + int64(now-then)
		p.ElapsedSec = &age
	}
	return &p
}

// finder returns a function that finds a process in the last listing, or returns -1: mostly it is at the same index.
func (m *memory) finder() func(i int, p *Process) int {
	type key struct {
		pid   int
		start uint64
		gpu   int
	}
	var index map[key]int
	return func(i int, p *Process) int {
		if i < len(m.listing) && p.follows(&m.listing[i]) {
			return i
		}
		if index == nil {
			index = make(map[key]int, len(m.listing))
			for at, was := range m.listing {
				index[key{was.PID, was.StartTicks, was.GPU}] = at
			}
		}
		if at, known := index[key{p.PID, p.StartTicks, p.GPU}]; known && p.follows(&m.listing[at]) {
			return at
		}
		return -1
	}
}

// follows reports whether p differs from base only in its amounts and its state, which a listing can tell apart.
func (p *Process) follows(base *Process) bool {
	return p.PID == base.PID && p.StartTicks == base.StartTicks && p.GPU == base.GPU && p.Type == base.Type &&
		(p.State == base.State || plainState(p.State)) && p.equal(&base.Identity)
}

// plainState reports whether a state can be written as it is, and replaces another one.
func plainState(s string) bool { return len(s) == 1 && s[0] >= 'A' && s[0] <= 'z' && s[0] != '\\' }

func (id *Identity) equal(other *Identity) bool {
	a, b := *id, *other
	a.UID, b.UID, a.Rank, b.Rank = nil, nil, nil, nil
	return a == b && equal(id.UID, other.UID) && id.Rank.equal(other.Rank)
}

func (r *Rank) equal(other *Rank) bool {
	if r == nil || other == nil {
		return r == other
	}
	return r.Rank == other.Rank && r.From == other.From && r.Program == other.Program && equal(r.Local, other.Local) &&
		equal(r.World, other.World)
}

// equal reports whether both are nil or point to equal values.
func equal[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// weight is how many bytes the text of processes takes. A Reader limits it: text may be left out of line after line,
// and still be kept.
func weight(list []Process) (bytes int) {
	for i := range list {
		p := &list[i]
		for _, s := range []string{p.Type, p.State, p.User, p.Name, p.Command, p.Directory, p.Job, p.Step,
			p.CPUAffinity} {
			bytes += len(s)
		}
		if p.Rank != nil {
			bytes += len(p.Rank.From) + len(p.Rank.Program)
		}
	}
	return bytes
}
