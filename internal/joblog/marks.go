package joblog

import (
	"regexp"
	"strings"
)

// Mark says why a line matters; 0: it does not.
type Mark uint8

// mark is a row of the table of lines that matter.
type mark struct {
	name   string // in a few words
	effect bool   // such lines follow from a cause, which other lines name
	words  string // a line without them has no such mark; "": any line may
	is     *regexp.Regexp
}

// marks are the lines that matter. The first row that fits a line counts.
var marks = []mark{
	{name: "GPU out of memory", words: "ut of memory", is: regexp.MustCompile(`CUDA out of memory|HIP out of memory`)},
	{name: "GPU out of memory", words: "OutOfMemoryError"},
	{name: "GPU out of memory", words: "RESOURCE_EXHAUSTED: Out of memory"},
	{name: "Xid", words: "NVRM: Xid"},
	{name: "CUDA error", words: "CUDA error:"},
	{name: "CUDA error", words: "CUDA_ERROR_"},
	{name: "NCCL watchdog", words: "Watchdog caught collective operation timeout"},
	{name: "NCCL error", words: "nccl", is: regexp.MustCompile(
		`\bnccl(?:UnhandledCuda|System|Internal|Remote|InvalidUsage|InvalidArgument)?Error\b|ncclInvalidUsage`)},
	{name: "NCCL warning", words: "NCCL WARN"},
	{name: "loss is NaN", is: regexp.MustCompile(`(?i)(?:\b|_)loss\w*["']?\s*(?:is|[=:])\s*["']?[-+]?(?:nan|inf)\b`)},
	{name: "host out of memory", words: "oom_kill event"},
	{name: "host out of memory", words: "oom-kill"},
	{name: "host out of memory", words: "OOM Killed"},
	{name: "disk full", words: "No space left on device"},
	{name: "disk full", words: "Disk quota exceeded"},
	{name: "crash", words: "Segmentation fault"},
	{name: "crash", words: "Bus error"},
	{name: "crash", words: "Fatal Python error"},
	{name: "crash", words: "terminate called after throwing"},
	{name: "end by SLURM", words: ": error: ***", is: regexp.MustCompile(`^slurmstepd\S*: error: \*\*\*`)},
	// the last line of a traceback, with torchrun's prefix or without; before it, the traceback's first line
	{name: "child failed", words: "ChildFailedError", effect: true},
	{name: "exception", words: ": ", is: regexp.MustCompile(
		`^(?:\[?rank *\d+\]?:? *)?(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt): `)},
	{name: "traceback", words: "Traceback (most recent call last)", effect: true},
	{name: "MPI abort", words: "MPI_ABORT was invoked", effect: true},
	{name: "error of srun", words: "srun: error", effect: true},
	{name: "error of SLURM", words: "slurmstepd", effect: true, is: regexp.MustCompile(`^slurmstepd\S*: error: `)},
}

// markOf returns the mark of a line.
func markOf(line string) Mark {
	for i := range marks {
		if m := &marks[i]; strings.Contains(line, m.words) && (m.is == nil || m.is.MatchString(line)) {
			return Mark(i + 1)
		}
	}
	return 0
}

// Name is the mark in a few words.
func (m Mark) Name() string {
	if m == 0 {
		return ""
	}
	return marks[m-1].name
}

// Cause reports whether such a line says why something failed, rather than that it did.
func (m Mark) Cause() bool { return m != 0 && !marks[m-1].effect }
