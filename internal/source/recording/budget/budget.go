// Package budget limits what a recording may hold: the lists in a line before it is decoded, and the memory that all
// Events together take in a Store. A recording is not trusted.
package budget

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

// The budget of a recording. It is far more than 1,000 nodes with 8 GPUs need, and far less than the memory of a login
// host.
const (
	MaxNodes     = 16 << 10
	MaxGPUs      = 16 << 10
	MaxProcesses = 64 << 10
	MaxBytes     = 128 << 20 // of the last lines of all nodes
	maxJobs      = 16 << 10  // of each list of a Discovery
	maxPlaces    = 128 << 10 // nodes of jobs: 1,000 jobs on 128 nodes
	MaxFrames    = 1 << 20   // a year
	maxList      = 1 << 10   // elements of any other list
	maxStacks    = 48 << 20  // bytes of all stacks
	maxOfJobs    = 512 << 10 // lists and objects in a line with jobs
	maxValues    = 128 << 10 // the same in any other line
	value        = 128       // bytes of one in memory, approximately
)

// roomsOfJobs are the limits of a line with jobs. rooms are those of other lines that package wire does not read.
var (
	roomsOfJobs = wire.Rooms{List: maxList, Members: MaxNodes, Values: maxOfJobs, Long: longLists}
	rooms       = wire.Rooms{List: maxList, Members: MaxNodes, Values: maxValues, Long: longLists}
	longLists   = []wire.LongList{
		{Key: []byte(`"jobs":`), Room: maxJobs}, {Key: []byte(`"pending":`), Room: maxJobs},
		{Key: []byte(`"ended":`), Room: maxJobs},
		{Key: []byte(`"switches":`), Room: MaxNodes}, {Key: []byte(`"nodes":`), Room: MaxNodes},
		{Key: []byte(`"groups":`), Room: MaxGPUs}, {Key: []byte(`"ranks":`), Room: MaxGPUs},
		{Key: []byte(`"workers":`), Room: MaxGPUs},
	}
)

// Bounded checks the lists in a line that package wire does not read, before the line is decoded.
func Bounded(line []byte, hasJobs bool) error {
	if hasJobs {
		return wire.Bounded(line, &roomsOfJobs)
	}
	return wire.Bounded(line, &rooms)
}

// Weigh returns approximately how much memory the contents of a line take. Lists, objects and nulls, which may be empty
// objects, need more memory than their text.
func Weigh(line []byte) int {
	values := bytes.Count(line, []byte{'{'}) + bytes.Count(line, []byte{'['}) + bytes.Count(line, []byte("null"))
	return len(line) + value*values
}

// ErrTooMuch is the error of a recording that needs more than its budget.
var ErrTooMuch = errors.New("that is more than is read of a recording")

// Ledger counts the contents of Events that a Store keeps.
type Ledger struct {
	nodes                 map[string]*nodeSizes
	gpus, processes, size int
	discovery             int // bytes of the last one
	marks, stacks         recent
	marked                int // marks so far
}

// nodeSizes counts the data kept of a node.
type nodeSizes struct {
	gpus, processes int
	hello, report   int // bytes of the last lines
	pace            int // bytes of the last such line
	rest            int // bytes of the lines since the last attempt
	failed          int // bytes of the lines up to the last failure, which is shown during the next attempt
}

// recent counts the bytes of the last Events of a kind, with one Event per key.
type recent struct {
	keys  []string // the oldest first
	bytes map[string]int
	sum   int
}

func (r *recent) addKey(key string, bytes, most int) {
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
func (l *Ledger) Take(e *cluster.Event, line int) error {
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
	}
	return l.ofNode(e, line)
}

// ofNode counts an Event of a node.
func (l *Ledger) ofNode(e *cluster.Event, line int) error {
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
func (l *Ledger) checkLimits() error {
	for _, x := range []struct {
		n, most int
		what    string
	}{
		{l.gpus, MaxGPUs, "GPUs"}, {l.processes, MaxProcesses, "processes"}, {l.size, MaxBytes, "bytes at a time"},
		{l.stacks.sum, maxStacks, "bytes of stacks"},
	} {
		if x.n > x.most {
			return fmt.Errorf("more than %d %s: %w", x.most, x.what, ErrTooMuch)
		}
	}
	return nil
}

func (l *Ledger) ensureNode(name string) (*nodeSizes, error) {
	n := l.nodes[name]
	if n == nil {
		if len(l.nodes) == MaxNodes {
			return nil, fmt.Errorf("more than %d nodes: %w", MaxNodes, ErrTooMuch)
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
func (l *Ledger) countJobNodes(d *cluster.Discovery) error {
	places := 0
	for i := range d.Jobs {
		places += len(d.Jobs[i].Nodes)
	}
	if places > maxPlaces {
		return fmt.Errorf("jobs with more than %d nodes together: %w", maxPlaces, ErrTooMuch)
	}
	if places <= MaxNodes {
		return nil
	}
	names := make(map[string]bool, MaxNodes)
	for i := range d.Jobs {
		for _, name := range d.Jobs[i].Nodes {
			if names[name] = true; len(names) > MaxNodes {
				return fmt.Errorf("jobs on more than %d nodes: %w", MaxNodes, ErrTooMuch)
			}
		}
	}
	return nil
}
