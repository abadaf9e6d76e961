package recording

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Limits of what a recording may hold: the lists in a line before it is decoded, and the memory that all Events
// together take in a Store. A recording is not trusted.

// The budget of a recording. It is far more than 1,000 nodes with 8 GPUs need, and far less than the memory of a login
// host.
const (
	maxNodes       = 16 << 10
	maxGPUs        = 16 << 10
	maxProcesses   = 64 << 10
	maxBudgetBytes = 128 << 20 // of the last lines of all nodes
	maxJobs        = 16 << 10  // of each list of a Discovery
	maxPlaces      = 128 << 10 // nodes of jobs: 1,000 jobs on 128 nodes
	maxFrames      = 1 << 20   // a year
	maxList        = 1 << 10   // elements of any other list
	maxStacks      = 48 << 20  // bytes of all stacks
	maxOfJobs      = 512 << 10 // lists and objects in a line with jobs
	maxValues      = 128 << 10 // the same in any other line
	listValue      = 128       // bytes of one in memory, approximately
)

// jobRooms are the limits of a line with jobs. rooms are those of other lines that package wire does not read.
var (
	jobRooms  = wire.Rooms{List: maxList, Members: maxNodes, Values: maxOfJobs, Long: longLists}
	listRooms = wire.Rooms{List: maxList, Members: maxNodes, Values: maxValues, Long: longLists}
	longLists = []wire.LongList{
		{Key: []byte(`"jobs":`), Room: maxJobs}, {Key: []byte(`"pending":`), Room: maxJobs},
		{Key: []byte(`"ended":`), Room: maxJobs},
		{Key: []byte(`"switches":`), Room: maxNodes}, {Key: []byte(`"nodes":`), Room: maxNodes},
		{Key: []byte(`"groups":`), Room: maxGPUs}, {Key: []byte(`"ranks":`), Room: maxGPUs},
		{Key: []byte(`"workers":`), Room: maxGPUs},
	}
)

// checkBounds checks the lists in a line that package wire does not read, before the line is decoded.
func checkBounds(line []byte, hasJobs bool) error {
	if hasJobs {
		return wire.Bounded(line, &jobRooms)
	}
	return wire.Bounded(line, &listRooms)
}

// weighLine returns approximately how much memory the contents of a line take. Lists, objects and nulls, which may be
// empty objects, need more memory than their text.
func weighLine(line []byte) int {
	values := bytes.Count(line, []byte{'{'}) + bytes.Count(line, []byte{'['}) + bytes.Count(line, []byte("null"))
	return len(line) + listValue*values
}

// errTooMuch is the error of a recording that needs more than its budget.
var errTooMuch = errors.New("that is more than is read of a recording")

// budgetLedger counts the contents of Events that a Store keeps.
type budgetLedger struct {
	nodes                   map[string]*nodeSizes
	gpus, processes, size   int
	discovery               int // bytes of the last one
	marks, stacks, progress recentLines
	marked                  int // marks so far
}

// nodeSizes counts the data kept of a node.
type nodeSizes struct {
	gpus, processes int
	hello, report   int // bytes of the last lines
	pace            int // bytes of the last such line
	rest            int // bytes of the lines since the last attempt
	failed          int // bytes of the lines up to the last failure, which is shown during the next attempt
}

// recentLines counts the bytes of the last Events of a kind, with one Event per key.
type recentLines struct {
	keys  []string // the oldest first
	bytes map[string]int
	sum   int
}

func (r *recentLines) addKey(key string, bytes, most int) {
	if _, known := r.bytes[key]; known {
		r.keys = slices.DeleteFunc(r.keys, func(k string) bool { return k == key })
	} else if len(r.keys) == most {
		r.sum -= r.bytes[r.keys[0]]
		delete(r.bytes, r.keys[0])
		r.keys = slices.Delete(r.keys, 0, 1)
	}
	if r.bytes == nil {
		r.bytes = map[string]int{}
	}
	r.keys = append(r.keys, key)
	r.sum += bytes - r.bytes[key]
	r.bytes[key] = bytes
}

// Take counts an Event from a line of this weight.
func (l *budgetLedger) Take(e *cluster.Event, line int) error {
	switch {
	case e.Discovery != nil:
		l.size += line - l.discovery
		l.discovery = line
		return cmp.Or(l.countJobNodes(e.Discovery), l.checkLimits())
	case e.Mark != nil:
		l.size -= l.marks.sum
		l.marked++
		l.marks.addKey(strconv.Itoa(l.marked), line, cluster.KeptMarks)
		l.size += l.marks.sum
		return l.checkLimits()
	case e.Stacks != nil:
		l.size -= l.stacks.sum
		job := e.Stacks.Job // the Store may also keep an earlier answer of NCCL
		l.stacks.addKey(job, max(2*line, l.stacks.bytes[job]), cluster.KeptStacks)
		l.size += l.stacks.sum
		return l.checkLimits()
	case e.Progress != nil:
		l.size -= l.progress.sum
		l.progress.addKey(e.Progress.Job, line, cluster.KeptProgress)
		l.size += l.progress.sum
		return l.checkLimits()
	}
	return l.ofNode(e, line)
}

// ofNode counts an Event of a node.
func (l *budgetLedger) ofNode(e *cluster.Event, line int) error {
	n, err := l.ensureNode(e.Node)
	if err != nil {
		return err
	}
	was := *n
	switch {
	case e.Gone:
		delete(l.nodes, e.Node)
		*n = nodeSizes{}
	case e.Hello != nil:
		n.gpus, n.hello = len(e.Hello.GPUs), line
	case e.Report != nil:
		n.gpus, n.report = max(n.gpus, len(e.Report.GPUs)), max(n.report, line) // a report may have only changes
		if e.Report.Listed {
			n.processes, n.report = len(e.Report.Processes), line
		}
	case e.Pace != nil:
		n.pace = line
	case e.Try != nil:
		n.rest = line
	case e.Down != nil:
		n.rest += line
		n.failed = n.rest
	default:
		n.rest += line
	}
	l.gpus += n.gpus - was.gpus
	l.processes += n.processes - was.processes
	l.size += n.byteCount() - was.byteCount()
	return l.checkLimits()
}

func (a *nodeSizes) byteCount() int { return a.hello + a.report + a.pace + a.rest + a.failed }

// checkLimits names the exceeded limit.
func (l *budgetLedger) checkLimits() error {
	for _, x := range []struct {
		n, most int
		what    string
	}{
		{l.gpus, maxGPUs, "GPUs"}, {l.processes, maxProcesses, "processes"}, {l.size, maxBudgetBytes, "bytes at a time"},
		{l.stacks.sum, maxStacks, "bytes of stacks"},
	} {
		if x.n > x.most {
			return fmt.Errorf("more than %d %s: %w", x.most, x.what, errTooMuch)
		}
	}
	return nil
}

func (l *budgetLedger) ensureNode(name string) (*nodeSizes, error) {
	n := l.nodes[name]
	if n == nil {
		if len(l.nodes) == maxNodes {
			return nil, fmt.Errorf("more than %d nodes: %w", maxNodes, errTooMuch)
		}
		if l.nodes == nil {
			l.nodes = map[string]*nodeSizes{}
		}
		n = &nodeSizes{}
		l.nodes[name] = n
	}
	return n, nil
}

// countJobNodes counts the nodes of all jobs: a Snapshot has a node for each name.
func (l *budgetLedger) countJobNodes(d *cluster.Discovery) error {
	places := 0
	for i := range d.Jobs {
		places += len(d.Jobs[i].Nodes)
	}
	if places > maxPlaces {
		return fmt.Errorf("jobs with more than %d nodes together: %w", maxPlaces, errTooMuch)
	}
	if places <= maxNodes {
		return nil
	}
	names := make(map[string]bool, maxNodes)
	for i := range d.Jobs {
		for _, name := range d.Jobs[i].Nodes {
			if names[name] = true; len(names) > maxNodes {
				return fmt.Errorf("jobs on more than %d nodes: %w", maxNodes, errTooMuch)
			}
		}
	}
	return nil
}
