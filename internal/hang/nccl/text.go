package nccl

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// textReader reads the text of RAS line by line. A line either stands for itself, or describes the communicator, the
// kind of problem and the group of ranks named by the lines above it.
type textReader struct {
	a     *Answer
	ranks int // in all communicators so far

	comm  *Comm            // the one that the lines describe; nil: the job
	at    map[string]int   // index of a communicator by its hash
	named map[commRank]int // index of a rank in its communicator
	kind  string           // the heading of the lines: INCOMPLETE, DEAD, ERROR, MISMATCH
	init  bool             // an error is one of initialization
	group rankHandler      // what the line above said about the ranks below it; nil: nothing
	whole bool             // the last section has begun
	text  string           // the line being read
	open  string           // a line about ranks, none of which has been named yet
}

// commRank is a rank of a communicator.
type commRank struct {
	comm string // ID
	rank int
}

// rankHandler takes a rank of the communicator that lines describe.
type rankHandler func(rank int, of GPU)

func (r *textReader) readLines(in *bufio.Reader) {
	for lines := 0; ; lines++ {
		text, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) || lines == maxLines && len(text) > 0 {
			r.a.Cut = true
			return
		}
		if len(text) > 0 {
			r.readLine(strings.TrimRight(string(text), "\r\n"))
		}
		if err != nil {
			r.leaveOpen()
			r.a.Cut = r.a.Cut || !errors.Is(err, io.EOF) || !r.whole || len(text) > 0 // every line has an end
			return
		}
	}
}

// lineForm is a line that the text may contain; mean gets the strings that the groups of the expression match.
type lineForm struct {
	head string // how the line begins: with it most forms need not be tried
	of   *regexp.Regexp
	mean func(r *textReader, m []string)
}

// forms are the lines that are understood. They are compiled when the first text arrives.
var forms = sync.OnceValue(func() []lineForm {
	list := make([]lineForm, len(meanings))
	for i, m := range meanings {
		head := m.line[:strings.IndexAny(m.line, `\([*?`)]
		if m.line[len(head)] == '*' {
			head = head[:len(head)-1]
		}
		list[i] = lineForm{head, regexp.MustCompile("^" + m.line + "$"), m.mean}
	}
	return list
})

const (
	gpu     = `GPU (\d+)(?: \(NVML (\d+)\))? managed by process (\d+) on node (\S+)`
	anyGPU  = ` -- (?:` + gpu + `|\[process information not found\])`
	devices = `GPUs? ([\d,]+)(?: \(NVML ([\d,]+)\))?`
)

var meanings = []struct {
	line string
	mean func(r *textReader, m []string)
}{
	{`NCCL version (\S+) .*`, func(r *textReader, m []string) { r.a.Version = safe.Line(m[1], maxWord) }},

	{`Communicators\.\.\. \(([\d.]+)s\)`, func(r *textReader, m []string) {
		if took, err := time.ParseDuration(m[1] + "s"); err == nil {
			r.a.Took = took
		}
	}},

	{` *\d+ +(\d+) +(\d+) +([\d-]+) +(\d+) +(\d+) +([A-Z]+) +([A-Z,]+)`, func(r *textReader, m []string) {
		if len(r.a.Groups) < maxComms {
			r.a.Groups = append(r.a.Groups, Group{Comms: parseCount(m[1]), Nodes: parseCount(m[2]), PerNode: m[3],
				Size: parseCount(m[4]), Ranks: parseCount(m[5]), Status: m[6], Errors: m[7]})
		}
	}},

	// the heads of sections and of problems
	{`(Errors|Warnings|Job summary)`, func(r *textReader, m []string) { r.begin(nil, m[1]) }},

	{`(INCOMPLETE|DEAD|TIMEOUT)`, func(r *textReader, m []string) { r.begin(nil, m[1]) }},

	{`#(\d+)-\d+ \(([0-9a-f]+)\) ([A-Z]+)`, func(r *textReader, m []string) {
		r.begin(r.findComm(m[2], parseCount(m[1])), m[3])
	}},

	{`  Encountered (\d+) communication timeouts? .*`,
		func(r *textReader, m []string) { r.a.Timeouts = parseCount(m[1]) }},

	// processes
	{`  Process (\d+) on node (\S+) managing ` + devices, (*textReader).addProcess},

	// ranks about which RAS knows nothing
	{`  The (missing|unknown) ranks?: ([\d,]+)`, func(r *textReader, m []string) {
		for rank := range strings.SplitSeq(m[2], ",") {
			r.addMissing(rank, GPU{Index: -1}, map[string]UnknownReason{"missing": Unresponsive, "unknown": Left}[m[1]])
		}
	}},

	// errors
	{`  (Initialization|Asynchronous) errors? on \d+ ranks?`,
		func(r *textReader, m []string) {
			r.leaveOpen()
			r.init, r.open = m[1][0] == 'I', r.text
		}},

	{`  \d+ ranks reported (.+)`, func(r *textReader, m []string) { r.group = r.errorGroup(m[1]) }},

	// the states of ranks
	{`  \d+ ranks have status ([A-Z]+)`, func(r *textReader, m []string) { r.group = r.statusGroup(m[1]) }},

	// the numbers of launched operations
	{`  Communicator ranks have different (?:collective|(\w+)) operation counts`, func(r *textReader, m []string) {
		if r.group = nil; r.comm != nil {
			r.comm.Spreads = append(r.comm.Spreads, Spread{Operation: safe.Line(m[1], maxWord)})
		}
	}},

	{`  (\d+) ranks have launched up to operation (\d+)`, func(r *textReader, m []string) { r.beginLaunched(m[1], m[2]) }},

	{`  (\d+) ranks have not launched any operations`, func(r *textReader, m []string) { r.beginLaunched(m[1], "0") }},

	// a rank of the group above, or a group of just one rank
	{`  Rank (\d+)` + anyGPU, func(r *textReader, m []string) { r.addNamedRank(m[1], m[2:6]) }},

	{`  Rank (\d+) reported (.+?)` + anyGPU, func(r *textReader, m []string) {
		r.group = r.errorGroup(m[2])
		r.addNamedRank(m[1], m[3:7])
	}},

	{`  Rank (\d+) has status ([A-Z]+)(?:` + anyGPU + `)?`, func(r *textReader, m []string) {
		r.group = r.statusGroup(m[2])
		r.addNamedRank(m[1], m[3:7])
	}},

	{`  Rank (\d+) has launched up to operation (\d+)` + anyGPU, func(r *textReader, m []string) {
		r.beginLaunched("1", m[2])
		r.addNamedRank(m[1], m[3:7])
	}},

	{`  Rank (\d+) has not launched any operations` + anyGPU, func(r *textReader, m []string) {
		r.beginLaunched("1", "0")
		r.addNamedRank(m[1], m[2:6])
	}},
}

// known matches lines that add nothing.
var known = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^( *|=+|  Communicator ranks have different status|` +
		`  Missing communicator data from .*|` +
		`  \d+ job process.* considered dead .*|CUDA runtime version .*|Group +Comms .*|    #  in group .*|` +
		`Communicators\.\.\.|No communicator data collected!| *(Nodes|Processes|\(total\)|per node) .*|[ \d]+)$`)
})

func (r *textReader) readLine(line string) {
	for _, f := range forms() {
		if !strings.HasPrefix(line, f.head) {
			continue
		}
		if m := f.of.FindStringSubmatch(line); m != nil {
			r.text = line
			f.mean(r, m)
			return
		}
	}
	if !known().MatchString(line) {
		r.keepUnknown(line)
	}
}

// keepUnknown stores a line that is not understood.
func (r *textReader) keepUnknown(line string) {
	if len(r.a.Rest) < maxRest {
		r.a.Rest = append(r.a.Rest, safe.Line(line, 4*maxWord))
	}
}

// leaveOpen keeps a line about ranks, if no later line has named one.
func (r *textReader) leaveOpen() {
	if r.open != "" {
		r.keepUnknown(r.open)
	}
	r.open = ""
}

// parseCount parses digits. A number too large for a count becomes the largest count.
func parseCount(text string) int {
	n, _ := strconv.ParseInt(text, 10, 32) // on an error n is the largest one
	return int(n)
}

// maxPID is the highest PID that Linux assigns.
const maxPID = 1 << 22

// pidOf parses a PID; 0: it cannot be one.
func pidOf(text string) int {
	if n := parseCount(text); n <= maxPID {
		return n
	}
	return 0
}

// rankOf parses the number of a rank, which can be anything if memory was overwritten. If there is no number, the line
// is not understood.
func (r *textReader) rankOf(text string) (rank int, ok bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		r.keepUnknown(r.text)
	}
	return int(n), err == nil
}

func (r *textReader) begin(c *Comm, kind string) {
	r.leaveOpen()
	r.comm, r.kind, r.group, r.init = c, kind, nil, false
	r.whole = r.whole || kind == "Warnings"
}

// findComm returns the communicator with this hash, in a group of the table.
func (r *textReader) findComm(hash string, group int) *Comm {
	if r.at == nil {
		r.at = map[string]int{}
	}
	i, found := r.at[hash]
	switch {
	case !found && len(r.a.Comms) == maxComms:
		r.a.Cut = true
		return nil
	case !found:
		i = len(r.a.Comms)
		r.at[hash] = i
		c := Comm{ID: "0x" + safe.Line(hash, maxWord)}
		if group < len(r.a.Groups) {
			c.Size = r.a.Groups[group].Size
		}
		r.a.Comms = append(r.a.Comms, c)
	}
	return &r.a.Comms[i]
}

// addProcess adds a process that did not answer.
func (r *textReader) addProcess(m []string) {
	if len(r.a.Gone) == maxHosts {
		r.a.Cut = true
		return
	}
	gone := SilentProcess{PID: pidOf(m[1]), Host: safe.Line(m[2], maxWord), Why: Unresponsive}
	if r.kind == "DEAD" {
		gone.Why = Dead
	}
	list := m[3]
	if m[4] != "" {
		list = m[4]
	}
	for index := range strings.SplitSeq(list, ",") {
		gone.GPUs = append(gone.GPUs, parseCount(index))
	}
	r.a.Gone = append(r.a.Gone, gone)
}

// addNamedRank handles a rank that a line names, with what the line above says about it.
func (r *textReader) addNamedRank(rank string, where []string) {
	g := GPU{Index: -1}
	if where[2] != "" {
		g = GPU{Host: safe.Line(where[3], maxWord), PID: pidOf(where[2]), Index: parseCount(where[0])}
		if where[1] != "" {
			g.Index = parseCount(where[1])
		}
	}
	switch {
	case r.comm == nil:
	case r.kind == "INCOMPLETE":
		r.addMissing(rank, g, Unresponsive)
	case r.group != nil:
		if n, ok := r.rankOf(rank); ok {
			r.group(n, g)
		}
	}
}

// rankIndex returns the index of a rank, which lines may name more than once; false if there are too many ranks.
func (r *textReader) rankIndex(rank int, g GPU) (int, bool) {
	key := commRank{r.comm.ID, rank}
	if i, found := r.named[key]; found {
		return i, true
	}
	if r.ranks++; r.ranks > maxRanks {
		r.a.Cut = true
		return 0, false
	}
	if r.named == nil {
		r.named = map[commRank]int{}
	}
	i := len(r.comm.Ranks)
	r.named[key] = i
	r.comm.Ranks = append(r.comm.Ranks, Rank{GPU: g, Rank: rank})
	return i, true
}

func (r *textReader) addMissing(rank string, g GPU, why UnknownReason) {
	n, ok := r.rankOf(rank)
	if r.comm == nil || !ok {
		return
	}
	if r.ranks++; r.ranks > maxRanks {
		r.a.Cut = true
		return
	}
	r.comm.Missing = append(r.comm.Missing, Missing{GPU: g, Rank: n, Why: why})
}

// errorGroup returns a group of ranks that report an error.
func (r *textReader) errorGroup(words string) rankHandler {
	result := Result(len(results)) // an unknown one
	for i, known := range results {
		if strings.EqualFold(known, words) {
			result = Result(i)
		}
	}
	return func(rank int, g GPU) {
		r.open = ""
		i, ok := r.rankIndex(rank, g)
		switch {
		case ok && r.init:
			r.comm.Ranks[i].Init = result
		case ok:
			r.comm.Ranks[i].Error = result
		}
	}
}

// statusGroup returns a group of ranks in a state.
func (r *textReader) statusGroup(status string) rankHandler {
	if status == "NOCOMM" || status == "UNKNOWN" {
		return func(rank int, g GPU) { r.addMissing(strconv.Itoa(rank), g, Left) }
	}
	return func(rank int, g GPU) {
		i, ok := r.rankIndex(rank, g)
		switch {
		case ok && status == "INIT":
			r.comm.Ranks[i].Init = InProgress
		case ok && (status == "FINALIZE" || status == "ABORT"):
			r.comm.Ranks[i].Leaves = true
		}
	}
}

// beginLaunched starts a group of ranks that have launched an operation equally often.
func (r *textReader) beginLaunched(ranks, operation string) {
	if r.comm == nil || len(r.comm.Spreads) == 0 {
		return
	}
	n, err := strconv.ParseUint(operation, 10, 64)
	if err != nil {
		return
	}
	s := &r.comm.Spreads[len(r.comm.Spreads)-1]
	level := len(s.Levels)
	s.Levels = append(s.Levels, Level{Launched: n, Count: parseCount(ranks)})
	r.group = func(rank int, g GPU) {
		if i, ok := r.rankIndex(rank, g); ok {
			s.Levels[level].Ranks = append(s.Levels[level].Ranks, i)
		}
	}
}
