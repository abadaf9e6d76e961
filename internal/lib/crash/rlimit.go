package crash

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Resource limits may keep nvnodetop or its probe from running. A session over ssh, a step of a job and a login host
// each have their own limits, set by limits.conf, a startup file of the shell or a cgroup.
//
// The numbers are measured on amd64. Go reserves address space for its heap before main begins, and each thread of a
// probe has a stack and a heap of the C library. With a limit below these numbers, a program does not always fail; if
// it fails, it may do so with a dump of Go's runtime.
//
// Its functions may be called by any number of goroutines.

// resource is a row of the table of limits.
type resource struct {
	key    string // its line in /proc/PID/limits begins with this, or ours for a cgroup
	format string // describes what the limit allows
	size   bool   // the limit is in bytes
	of     int    // for getrlimit; none: there is no such limit
	limitNeeds
}

// limitNeeds are the lowest sufficient values; 0: any value will do.
type limitNeeds struct{ program, probe uint64 }

const noLimit = -1

// MemoryLimitKey begins a line with the memory limit of a cgroup, in bytes.
const MemoryLimitKey = "cgroup memory"

const fileSize = "Max file size"

var resources = []resource{
	{"Max address space", "use only %s of virtual memory (ulimit -v)", true, unix.RLIMIT_AS,
		limitNeeds{1792 << 20, 1792 << 20}},
	{"Max data size", "use only %s of data (ulimit -d)", true, unix.RLIMIT_DATA, limitNeeds{384 << 20, 128 << 20}},
	{"Max open files", "open only %s files (ulimit -n)", false, unix.RLIMIT_NOFILE, limitNeeds{32, 64}},
	{"Max processes", "have only %s processes and threads (ulimit -u)", false, unix.RLIMIT_NPROC, limitNeeds{32, 16}},
	{fileSize, "write only files of %s (ulimit -f)", true, noLimit, limitNeeds{}},
	{MemoryLimitKey, "use only %s of memory (cgroup)", true, noLimit, limitNeeds{0, 48 << 20}},
}

// Shortage is a limit that is too low.
type Shortage struct {
	May   string // "use only 586 MiB of virtual memory (ulimit -v)"
	Needs string // "1.75 GiB"
}

// Error implements error, for the limits of this process.
func (s *Shortage) Error() string {
	return "this session may " + s.May + ": nvnodetop needs " + s.Needs
}

func (r *resource) findShortage(has, need uint64) *Shortage {
	if need == 0 || has >= need {
		return nil
	}
	return &Shortage{May: fmt.Sprintf(r.format, r.formatLimit(has)), Needs: r.formatLimit(need)}
}

func (r *resource) formatLimit(n uint64) string {
	switch {
	case !r.size || n < 1<<10:
		return strconv.FormatUint(n, 10) + map[bool]string{true: " bytes"}[r.size]
	case n < 1<<20:
		return strconv.FormatUint(n>>10, 10) + " KiB"
	case n%(256<<20) != 0:
		return strconv.FormatUint(n>>20, 10) + " MiB"
	}
	return strconv.FormatFloat(float64(n)/(1<<30), 'f', -1, 64) + " GiB"
}

// ProgramShortage returns the first limit of this process that is too low for nvnodetop, or nil. The kernel does not
// limit the number of root's processes.
func ProgramShortage() *Shortage {
	for i := range resources {
		r := &resources[i]
		var has unix.Rlimit
		if r.of == noLimit || r.of == unix.RLIMIT_NPROC && os.Geteuid() == 0 || unix.Getrlimit(r.of, &has) != nil {
			continue
		}
		if s := r.findShortage(has.Cur, r.program); s != nil {
			return s
		}
	}
	return nil
}

// ProbeShortage returns the first limit that is too low for a probe, or nil. list has lines of /proc/PID/limits, and
// may have lines of MemoryKey; lines that it cannot parse are ignored. file is the size of a file that had to be
// written; 0: none.
func ProbeShortage(list string, file uint64) *Shortage {
	for i := range resources {
		r, need := &resources[i], resources[i].probe
		if r.key == fileSize {
			need = (file + 1<<20 - 1) &^ (1<<20 - 1) // whole MiB
		}
		for line := range strings.Lines(list) {
			if has, ok := r.parseSoftLimit(line); ok {
				if s := r.findShortage(has, need); s != nil {
					return s
				}
			}
		}
	}
	return nil
}

// parseSoftLimit returns the soft limit in the line of a resource. A value that is not a number means that there is no
// limit.
func (r *resource) parseSoftLimit(line string) (uint64, bool) {
	rest, ok := strings.CutPrefix(line, r.key+" ")
	fields := strings.Fields(rest)
	if !ok || len(fields) == 0 {
		return 0, false
	}
	has, err := strconv.ParseUint(fields[0], 10, 64)
	return has, err == nil
}
