package recording

import (
	"errors"
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The budget of a recording: far more than 1,000 nodes with 8 GPUs, and far less than the memory of a login host.
const (
	maxNodes     = 16 << 10
	maxGPUs      = 16 << 10
	maxProcesses = 64 << 10
	maxBytes     = 128 << 20 // of the last lines of all nodes
	maxJobs      = 16 << 10  // of each of the lists of a Discovery
	maxPlaces    = 128 << 10 // nodes of jobs: 1,000 jobs on 128 nodes
	maxFrames    = 1 << 20   // a year
	maxList      = 1 << 10   // elements of any other list
)

// rooms are the limits of lines that package wire does not read.
var rooms = wire.Rooms{List: maxList, Members: maxNodes, Long: []wire.LongList{
	{Key: []byte(`"jobs":`), Room: maxJobs}, {Key: []byte(`"pending":`), Room: maxJobs},
	{Key: []byte(`"ended":`), Room: maxJobs},
	{Key: []byte(`"switches":`), Room: maxNodes}, {Key: []byte(`"nodes":`), Room: maxNodes},
}}

// errTooMuch is the error of a recording that needs more than its budget.
var errTooMuch = errors.New("that is more than is read of a recording")

// ledger counts the contents of Events that a Store keeps.
type ledger struct {
	nodes                 map[string]*account
	gpus, processes, size int
}

// account counts the data kept of a node.
type account struct {
	gpus, processes int
	hello, report   int // bytes of the last lines
	rest            int // bytes of the lines since the last attempt
}

// take counts an Event from a line of this many bytes.
func (l *ledger) take(e *cluster.Event, line int) error {
	if e.Discovery != nil {
		return l.jobs(e.Discovery)
	}
	if e.Mark != nil || e.Stacks != nil {
		return nil // a Store keeps few
	}
	n, err := l.node(e.Node)
	if err != nil {
		return err
	}
	was := *n
	switch {
	case e.Gone:
		delete(l.nodes, e.Node)
		*n = account{}
	case e.Hello != nil:
		n.gpus, n.hello = len(e.Hello.GPUs), line
	case e.Report != nil:
		n.gpus, n.report = max(n.gpus, len(e.Report.GPUs)), max(n.report, line) // a report may have only changes
		if e.Report.Listed {
			n.processes, n.report = len(e.Report.Processes), line
		}
	case e.Try != nil:
		n.rest = line
	case e.Step != nil, e.Down != nil:
		n.rest += line
	}
	l.gpus += n.gpus - was.gpus
	l.processes += n.processes - was.processes
	l.size += n.hello + n.report + n.rest - was.hello - was.report - was.rest
	return l.check()
}

// check names the exceeded limit.
func (l *ledger) check() error {
	for _, x := range []struct {
		n, most int
		what    string
	}{
		{l.gpus, maxGPUs, "GPUs"}, {l.processes, maxProcesses, "processes"}, {l.size, maxBytes, "bytes at a time"},
	} {
		if x.n > x.most {
			return fmt.Errorf("more than %d %s: %w", x.most, x.what, errTooMuch)
		}
	}
	return nil
}

func (l *ledger) node(name string) (*account, error) {
	n := l.nodes[name]
	if n == nil {
		if len(l.nodes) == maxNodes {
			return nil, fmt.Errorf("more than %d nodes: %w", maxNodes, errTooMuch)
		}
		if l.nodes == nil {
			l.nodes = map[string]*account{}
		}
		n = &account{}
		l.nodes[name] = n
	}
	return n, nil
}

// jobs counts the nodes of all jobs: a Snapshot has a node for each name.
func (l *ledger) jobs(d *cluster.Discovery) error {
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
