package cause

import (
	"regexp"
	"slices"
	"strings"
)

// Mark says why a line matters; 0: it does not matter.
type Mark uint8

// causeWorth is what a line with a mark is worth as the cause of a failure.
type causeWorth uint8

const (
	noise  causeWorth = iota // it comes with a failure, but says nothing about it
	ended                    // a program has ended with an exit code
	effect                   // it follows from something else
	doubt                    // it may be the cause, if nothing else is
	death                    // a signal ended a process: this is the cause if nothing came before
	cause
)

// markRow is a row of the table of lines that matter.
type markRow struct {
	name string // in a few words
	kind causeWorth
	has  string // in lower case: a line must have one of these
	is   *regexp.Regexp
	mild bool // a warning may also say this
}

// Names of marks that others need.
const (
	lossNaN    = "loss is NaN"
	lossInf    = "loss is infinite"
	hostMemory = "host out of memory"
)

func mustCompile(s string) *regexp.Regexp { return regexp.MustCompile(s) }

// marks are the lines that matter. The first row that fits a line is used.
var marks = []markRow{
	// Consequences of the end of another process, whatever else they say.
	{"child failed", ended, "childfailederror|raytaskerror", nil, false},
	{"lost connection", effect, "connection|broken pipe|remote process|peer|ncclremote", mustCompile(
		`(?i)connection (?:was |is |has been )?(?:closed|reset|aborted)|broken pipe|remote process exited|` +
			`peer (?:has )?(?:closed|disconnected)|ncclRemoteError|connection lost`), false},
	{"timeout of a store", effect, "store|timeout|timed out", mustCompile(`DistStoreError|(?i)socket timeout|` +
		`client socket has timed out|timed out .*waiting for clients|wait timeout after \d+ ?ms`), false},
	{"NCCL watchdog", effect, "nccl|inconsistency|watchdog|aborting", mustCompile(`Some NCCL operations have failed|` +
		`To avoid data inconsistency|detected by watchdog|watchdog thread terminated|` +
		`NCCL communicator was aborted|Aborting due to (?:NCCL|timeout)`), false},
	{"signal of a launcher", noise, "signal|sigterm", mustCompile(`SignalException: |closing signal|got signal: \d+|` +
		`Forwarding signal|Received .*SIGTERM`), false},
	{"worker failed", effect, ": caught |see root cause", mustCompile(
		`: Caught \w+ in .* (?:process|worker|replica)|See root cause above`), false},

	{"GPU out of memory", cause, "ut of memory", mustCompile(`CUDA out of memory|HIP out of memory`), false},
	{"GPU out of memory", cause, "outofmemoryerror|resource_exhausted: out of memory", nil, false},
	{"Xid", cause, "nvrm: xid", nil, false},
	{"NCCL watchdog", death, "watchdog caught collective operation timeout", nil, false},
	{"assertion on the GPU", cause, "assertion `", mustCompile(`block: \[\d+,\d+,\d+\], thread: `), false},
	{"CUDA error", cause, "cuda error:|cuda_error_", mustCompile(`CUDA error:|CUDA_ERROR_`), false},
	{"NCCL warning", cause, "nccl warn",
		mustCompile(`(?i)fail|error|out of memory|timed? ?out|refused|mismatch|unreachable|` +
			`no route`), true},
	{"NCCL warning", doubt, "nccl warn", mustCompile(`NCCL WARN`), true},
	{"NCCL error", cause, "nccl",
		mustCompile(`\bnccl(?:UnhandledCuda|System|Internal|Remote|InvalidUsage|InvalidArgument)?` +
			`Error\b|ncclInvalidUsage`), false},
	{lossNaN, doubt, "nan", mustCompile(losses + `nan\b`), false},
	{lossInf, doubt, "inf", mustCompile(losses + `inf(?:inity)?\b`), false},
	{hostMemory, cause, "oom|memory", mustCompile(`(?i)oom[_-]kill|OOM Killed|exceeded job memory limit|` +
		`cgroup out-of-memory`), false},
	{"shared memory full", cause, "shared memory", mustCompile(`(?i)insufficient shared memory|out of shared memory`),
		false},
	{"disk full", cause, "no space left on device|disk quota exceeded", nil, false},

	// SLURM.
	{"end by SLURM", death, "error: ***", mustCompile(`^slurmstepd\S*: error: \*\*\*.* DUE TO `), false},
	{"end by SLURM", noise, "error: ***", mustCompile(`^slurmstepd\S*: error: \*\*\*`), false},
	{"error of SLURM", cause, "execve", mustCompile(`^(?:slurmstepd|srun)\S*: (?:error|fatal): execve`), false},
	{"error of srun", ended, "srun: error", mustCompile(`^srun: error: \S+: tasks? \S+: Exited`), false},
	{"error of srun", noise, "srun: error", mustCompile(`^srun: error: .*(?:: Terminated|Job step aborted|` +
		`timeout waiting for task launch)`), false},
	{"error of srun", death, "srun: error", mustCompile(`^srun: error: \S+: tasks? \S+: \S`), false},
	{"error of srun", cause, "srun: ", mustCompile(`^srun: (?:error|fatal): (?:Unable to|Invalid|Requested|` +
		`.*not (?:found|available))`), false},
	{"error of srun", doubt, "srun: ", mustCompile(`^srun: (?:error|fatal): `), false},
	{"error of SLURM", cause, "pyxis", mustCompile(`^slurmstepd\S*: error: pyxis: `), false},
	{"error of SLURM", noise, "slurmstepd", mustCompile(`^slurmstepd\S*: error: `), false},

	// Launchers.
	{"traceback", noise, "traceback (most recent call last)", nil, false},
	{"killed process", death, "exitcode|exit code|received by pid", mustCompile(`\bexit ?code *: -\d+|` +
		`Signal \d+ \(SIG\w+\) received by PID`), false},
	{"failed process", ended, "exit|bad termination", mustCompile(`failed \(exit ?code: \d+\)|exits with return code|` +
		`^ *exit ?code *: [1-9]|detected that one or more processes exited|EXIT CODE: [1-9]|BAD TERMINATION`), false},
	{"MPI abort", death, "mpi_abort was invoked", nil, false},
	{"MPI error", cause, "mpi_|abort(", mustCompile(`\*\*\* MPI_ERR_|^Abort\(\d+\) on node|` +
		`application called MPI_Abort|^Fatal error in P?MPI_`), false},
	{"killed process", death, "signal", mustCompile(`exited on signal \d|KILLED BY SIGNAL|EXIT STRING: .*signal`), false},
	{"MPI error", cause, "was unable to|not enough slots", mustCompile(
		`was unable to (?:launch|start|find)|not enough slots available`), false},

	// Crashes, as reported by libc, shells and runtimes.
	{"killed process", death, "killed|terminated|hangup", mustCompile(
		`^\S*: line \d+: +\d+ (?:Killed|Terminated|Hangup)|^Killed$`), false},
	{"crash", death, "fault|error|abort|instruction|exception|trap|system call|exceeded", mustCompile(
		`^\S*: (?:line \d+: +)?\d+ ` + signals + `|^` + signals + `(?: \(core dumped\))?$`), false},
	{"crash", cause, "signal", mustCompile(`^Caught signal \d+|Program received signal|\bSignal: [A-Z][\w ]+ \(\d+\)`),
		false},
	{"crash", cause, "free|alloc|munmap|corrupted|detected", mustCompile(
		`^(?:\S+: )?(?:free|malloc|realloc|munmap_chunk|corrupted|double free)\b.*` +
			`(?:invalid|corrupt|unaligned|mismatch|size vs)|stack smashing detected|buffer overflow detected`), false},
	{"crash", cause, "fatal python error", nil, false},
	{"crash", cause, "segmentation fault|bus error", mustCompile(`^\W*(?:Segmentation fault|Bus error)|` +
		`(?:Segmentation fault|Bus error) \(`), false},
	{"crash", cause, "terminat|fatal error: |sig", mustCompile(
		`^terminate called|^libc\+\+abi: terminating|^fatal error: |^SIG[A-Z]+: `), false},
	{"assertion", cause, "assert|check failed", mustCompile("Assertion [`'\"(].* failed|^Assertion failed|" +
		`^(?:\S+ )?Check failed: `), false},
	{"panic", cause, "panic|exception in thread", mustCompile(
		`^panic: |^thread '.*' panicked at|^Exception in thread ".*" `), false},
	{"Fortran error", cause, "forrtl|fortran|error stop|pgfio|***", mustCompile(`^forrtl: (?:severe|error)|` +
		`^Fortran runtime error|^ERROR STOP|^PGFIO-F-|^\*\*\* ?(?:FATAL|Error)`), false},

	// The batch script and its programs.
	{"error of a script", cause, "not found|unbound|denied|interpreter|syntax|execute|/env: |exec format", mustCompile(
		`: (?:command not found|unbound variable|Permission denied|bad interpreter: .*|syntax error.*|` +
			`cannot execute.*)$|^/usr/bin/env: .*No such file|Exec format error`), false},
	{"error of a script", cause, "can't open|no module|finding module", mustCompile(`: can't open (?:file|script) |` +
		`^(?:\S*/)?python[\d.]*: No module named|Error while finding module specification`), false},
	{"missing library", cause, "shared libraries|not found|symbol lookup", mustCompile(
		`error while loading shared libraries|version .\w+_[\d.]+. not found|symbol lookup error`), false},
	{"missing module", cause, "lmod|modulefile|environment", mustCompile(`Lmod has detected the following error|` +
		`Unable to locate a modulefile|EnvironmentNameNotFound|EnvironmentLocationNotFound`), false},
	{"wrong arguments", cause, "error", mustCompile(`^[\w./-]+: (?:fatal )?error: |` +
		`^\S+[:(]\d+(?:[:,]\d+)?\)?: (?:fatal )?error:? `), false},

	{"exception", ended, "keyboardinterrupt|systemexit", mustCompile(`^(?:KeyboardInterrupt|SystemExit)\b`), false},
	{"exception", cause, "error|exception|interrupt|notfound|failure|fault|expired", mustCompile(
		`^(?:[A-Za-z_]\w*\.)*(?:_?[A-Z]\w*)?(?:Error|Exception|ExceptionGroup|Interrupt|NotFound|Failure|Fault|` +
			`Expired)(?:\(\w+\))?(?:: |:?$)`), false},

	// What programs call an error.
	{"error", cause, "fatal", mustCompile(`^\W{0,4} *(?:FOAM )?(?:FATAL|Fatal)(?: IO)? (?:ERROR|[Ee]rror)\b|^FATAL: `),
		false},
	{"error", cause, "error", mustCompile(`^ *(?:[A-Z][\w/ ]+ )?(?:[Ee]rror|ERROR)` +
		`(?: in [\w ()./:"'=,-]+)?(?: on proc \d+)? ?: +[^\s\d.+-]`), false},
	{"error", cause, "error|inconsistency", mustCompile(`^ *(?:Software inconsistency|Inconsistency in user input|` +
		`Error in (?:user input|routine .*)|(?:[A-Z][a-z/]+ )+error(?: or [a-z ]+)?) ?:$`), false},
	{"error", cause, "error ", mustCompile(`^Error (?:in|using|on) \S`), false},
	{"error", cause, "failed |[abort]", mustCompile(`^FAILED \S+::|^ \* *\[ABORT\]`), false},
	{"error", doubt, "error ", mustCompile(`^Error \w+ing `), false},
	{"error", doubt, "failure|error", mustCompile(
		`(?i)^(?:cuda|cublas|cudnn|cufft|hip|nvshmem|ucx)[\w ]* (?:failure|error)\b`), false},
	{"error", doubt, "cannot|can't|could not|unable to|failed|no such file|denied|not found", mustCompile(
		`(?i)^[\w./+-]+: .*(?:cannot|can't|could not|unable to|failed|no such file|denied|not found)`), false},
}

// losses matches the beginning of a loss that is not a number.
const losses = `(?i)(?:\b|_)loss\w*["']?\s*(?:is|[=:]|\s)\s*["']?[-+]?`

// signals are the words for signals that end programs.
const signals = `(?:Segmentation fault|Bus error|Aborted|Illegal instruction|Floating point exception|` +
	`Trace/breakpoint trap|Bad system call|CPU time limit exceeded|File size limit exceeded)`

// best comes before a loss that is the best one so far: its initial value is infinite.
var best = mustCompile(`(?i)\b(?:best|min|max|lowest|least)\w*[^,;|]{0,24}loss`)

// hints are the words that lines with marks contain, by row; allHints are the words of all rows.
var hints, allHints = func() (rows [][]string, all []string) {
	for i := range marks {
		row := strings.Split(marks[i].has, "|")
		rows = append(rows, row)
		all = append(all, row...)
	}
	slices.Sort(all)
	return rows, append(slices.Compact(all), `file "`, "critical", "error")
}()

// isHinted reports whether a line, in lower case, may have a mark.
func isHinted(lower string) bool { return hasAny(lower, allHints) }

func hasAny(lower string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(lower, w) })
}

// markOf returns the mark of a line, and leaves in words the text that was examined. lower is the line in lower case.
func markOf(s *bareLine, lower string) Mark {
	for i := range marks {
		m := &marks[i]
		if s.level == 'I' || s.level == 'W' && !m.mild || !hasAny(lower, hints[i]) {
			continue
		}
		if m.fitsText(s.words) {
			return Mark(i + 1)
		}
		if s.text != s.words && m.fitsText(s.text) {
			s.words = s.text
			return Mark(i + 1)
		}
	}
	if s.level == 'E' || s.level == 'F' {
		s.words = s.text
		return logged
	}
	return 0
}

// fitsText reports whether a line gets the mark of this row. The line must already contain one of the row's words.
func (m *markRow) fitsText(text string) bool {
	return (m.is == nil || m.is.MatchString(text)) &&
		(m.name != lossNaN && m.name != lossInf || !best.MatchString(text))
}

// logged is the mark of a line that its logger calls an error. bare is the mark of an exception that only its place
// gives away.
const (
	logged Mark = 254
	bare   Mark = 255
)

// Name is the mark, in a few words.
func (m Mark) Name() string {
	switch m {
	case 0:
		return ""
	case logged:
		return "error"
	case bare:
		return "exception"
	}
	return marks[m-1].name
}

func (m Mark) markKind() causeWorth {
	switch m {
	case logged:
		return doubt
	case bare:
		return cause
	}
	return marks[m-1].kind
}

// Cause reports whether such a line says why something failed, and not merely that it failed.
func (m Mark) Cause() bool { return m != 0 && m.markKind() >= death }
