package procs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Inspect reads everything that the kernel tells about a process. If a group fails, the others are still read. The ID
// is checked again afterwards, since the PID may have been reused meanwhile.
func (in *Inspector) Inspect(of wire.Inspect) (*wire.InspectedProcess, error) {
	process, stat, err := in.findProcess(of.ProcessID)
	if err != nil {
		return nil, err
	}
	status, err := process.Status()
	if err != nil {
		return nil, fmt.Errorf("process %d has exited", of.PID)
	}
	l := &inspectionBuilder{InspectedProcess: wire.InspectedProcess{PID: of.PID, StartTicks: of.StartTicks,
		Absent: map[string]string{},
		More:   map[string]int{}},
		process: process, mount: string(process), until: time.Now().Add(inspectWithin)}
	l.fillStat(&stat)
	l.fillStatus(&status)
	uid := status.UIDs[0]
	l.readGroup("threads", l.readThreads)
	l.readGroup("limits", l.readLimits)
	private := func(key string, read func() error) {
		l.readGroup(key, func() error {
			if uid != os.Getuid() {
				return fmt.Errorf("the process belongs to %s", UserName(uid))
			}
			return read()
		})
	}
	private("io", l.readIOCounts)
	private("descriptors", l.readDescriptors)
	private("connections", l.findSockets)
	if of.Memory {
		private("full_memory", l.fullMemory)
	}
	if _, _, err := in.findProcess(of.ProcessID); err != nil {
		return nil, err
	}
	return l.shortenToReply(), nil
}

// inspectWithin is how long groups are read: after that no further group is begun. The caller gives up somewhat later.
const inspectWithin = 3 * time.Second

// inspectionBuilder is an inspection under construction.
type inspectionBuilder struct {
	wire.InspectedProcess
	process proc.Process
	mount   string // the directory of the process in /proc
	until   time.Time
	sockets map[uint64]int // descriptors of sockets, by inode
}

// readGroup reads one group of properties. If that fails, it notes why they are absent.
func (l *inspectionBuilder) readGroup(key string, read func() error) {
	err := errLate
	if time.Now().Before(l.until) {
		err = read()
	}
	if err != nil {
		l.Absent[key] = reasonOf(err)
	}
}

var errLate = errors.New("the other groups took too long")

// reasonOf returns an error of a file in /proc without the file's name.
func reasonOf(err error) string {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	return text.Cut(strings.ToValidUTF8(err.Error(), "?"), wire.MaxPath)
}

func (l *inspectionBuilder) fillStat(stat *proc.Stat) {
	if args, err := l.process.Arguments(); err == nil {
		l.Arguments, l.Truncated = capList(args, wire.MaxArguments)
	}
	seconds := func(ticks uint64) *float64 { return roundPercent(float64(ticks) / ticksPerSecond) }
	l.Terminal = terminalName(stat.Terminal)
	l.Nice, l.Priority, l.LastCPU = new(stat.Nice), new(stat.Priority), new(stat.CPU)
	if i := stat.Policy; i >= 0 && i < len(policies) {
		l.Policy = policies[i]
	}
	l.IOPriority = ioPriority(l.PID)
	l.UserSeconds, l.SystemSeconds = seconds(stat.User), seconds(stat.System)
	l.ChildrenUserSeconds, l.ChildrenSystemSeconds = seconds(stat.Children.User), seconds(stat.Children.System)
	l.DiskWaitSeconds = seconds(stat.DiskWaits)
	l.MinorFaults, l.MajorFaults = new(stat.Minor), new(stat.Major)
}

// policies are the scheduler's policies by number, as chrt names them.
var policies = [...]string{"other", "fifo", "rr", "batch", "", "idle", "deadline", "ext"}

// terminalName returns the name of a controlling terminal from its device number; "": none, or of an unknown kind.
func terminalName(device int) string {
	major, minor := device>>8&0xfff, device&0xff|device>>12&0xfff00
	switch {
	case major >= 136 && major <= 143:
		return "pts/" + strconv.Itoa((major-136)<<8+minor)
	case major == 4 && minor >= 64:
		return "ttyS" + strconv.Itoa(minor-64)
	case major == 4:
		return "tty" + strconv.Itoa(minor)
	case device == 5<<8|1:
		return "console"
	}
	return ""
}

func (l *inspectionBuilder) fillStatus(status *proc.Status) {
	l.UIDs, l.GIDs = status.UIDs[:], status.GIDs[:]
	l.CPUAffinity = allowedCPUs(l.process)
	l.VoluntarySwitches, l.InvoluntarySwitches = &status.Voluntary, &status.Involuntary
	m, err := l.process.Statm()
	if err != nil || status.VMSize == 0 { // a kernel thread, or a zombie
		l.Absent["memory"] = "it has no memory of its own"
		return
	}
	page := uint64(os.Getpagesize())
	l.Memory = &wire.MemoryUse{VMS: m[0] * page, RSS: m[1] * page, Peak: status.VMHWM, Shared: m[2] * page,
		Text: m[3] * page, Data: m[5] * page, Swap: status.VMSwap, Locked: status.VMLck}
}

// readIOCounts reads what the process has read and written.
func (l *inspectionBuilder) readIOCounts() error {
	io, err := l.process.IO()
	if err == nil {
		l.IO = &wire.IOCounts{Read: io.ReadChars, Written: io.WrittenChars, Reads: io.Reads, Writes: io.Writes,
			DiskRead: io.ReadBytes, DiskWrites: io.WrittenBytes}
	}
	return err
}

// readLimits reads a file with lines such as "Max open files            1024                 524288
// files".
func (l *inspectionBuilder) readLimits() error {
	const nameWidth, most = 26, 32
	file, err := os.ReadFile(filepath.Join(l.mount, "limits"))
	for i, line := range strings.Split(string(file), "\n") {
		if i == 0 || len(line) <= nameWidth || len(l.Limits) == most {
			continue
		}
		words := strings.Fields(line[nameWidth:])
		if len(words) < 2 {
			continue
		}
		limit := wire.InspectedLimit{Name: strings.TrimSpace(line[:nameWidth]), Soft: parseNumber(words[0]),
			Hard: parseNumber(words[1])}
		if len(words) > 2 {
			limit.Unit = words[2]
		}
		l.Limits = append(l.Limits, limit)
	}
	return err
}

// parseNumber parses a number; nil: it is not a number, but for example "unlimited".
func parseNumber(word string) *uint64 {
	n, err := strconv.ParseUint(word, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// mostThreads is how many threads are examined, to find those with the most CPU time.
const mostThreads = 8192

// readThreads lists the threads of the process.
func (l *inspectionBuilder) readThreads() error {
	all := l.process.Threads()
	for _, tid := range all[:min(len(all), mostThreads)] {
		stat, err := l.process.Thread(tid).Stat()
		if err != nil {
			continue // it has ended
		}
		l.Threads = append(l.Threads, wire.InspectedThread{ID: tid, Name: strings.ToValidUTF8(stat.Comm, "?"),
			State: stat.State, LastCPU: stat.CPU, UserSeconds: float64(stat.User) / ticksPerSecond,
			SystemSeconds: float64(stat.System) / ticksPerSecond})
		if time.Now().After(l.until) {
			break
		}
	}
	sort.SliceStable(l.Threads, func(i, k int) bool { // slices.SortFunc would add code for each type to the probe
		a, b := &l.Threads[i], &l.Threads[k]
		return a.UserSeconds+a.SystemSeconds > b.UserSeconds+b.SystemSeconds
	})
	l.Threads = l.Threads[:min(len(l.Threads), wire.MaxInspected)]
	l.noteLeftOut("threads", len(all)-len(l.Threads))
	return nil
}

// noteLeftOut records how many elements of a list are left out.
func (l *inspectionBuilder) noteLeftOut(key string, n int) {
	if n > 0 {
		l.More[key] = n
	}
}

// shortenToReply returns the inspection without the lists that make it too long for a Reply: its names may contain any
// characters.
func (l *inspectionBuilder) shortenToReply() *wire.InspectedProcess {
	for _, shorten := range []func(){
		func() {},
		func() {
			if l.Full != nil {
				l.noteLeftOut("maps", l.More["maps"]+len(l.Full.Maps))
				l.Full.Maps = nil
			}
		},
		func() {
			if l.Files != nil {
				l.noteLeftOut("files", l.More["files"]+len(l.Files.Files))
				l.Files.Files = nil
			}
		},
		func() { l.noteLeftOut("threads", l.More["threads"]+len(l.Threads)); l.Threads = nil },
	} {
		shorten()
		if text, err := json.Marshal(&l.InspectedProcess); err == nil && len(text) <= wire.MaxInspection {
			break
		}
	}
	return &l.InspectedProcess
}

// inspectionPath returns a path in the form of an Inspection.
func inspectionPath(name string) string {
	return text.Cut(strings.ToValidUTF8(name, "?"), wire.MaxPath)
}
