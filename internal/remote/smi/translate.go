package smi

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// listEvery is the shortest time between two lists of processes: each starts a new nvidia-smi.
const listEvery = 10 * time.Second

// translate turns the output of the script into messages, until it ends.
func (n *node) translate() {
	err := n.greet()
	for listing := false; err == nil && n.lines.Scan(); {
		line := n.lines.Text()
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "apps":
			listing, n.listed = true, nil
		case "done":
			listing, n.listOK = false, value == "0"
		case "alive":
			if id, bad := strconv.ParseUint(value, 10, 64); bad == nil {
				err = n.send(wire.Message{Reply: &wire.Reply{ID: id}})
			}
		case "ended":
			err = io.EOF // by itself: its output says why
		default:
			if cells, ok := n.cells(line, changing); ok {
				err = n.row(cells)
			} else if !listing || !n.process(line) {
				fmt.Fprintln(n.pipe.Words, line)
			}
		}
	}
	n.pipe.Kill()
	_ = n.out.Close()
}

// row adds a GPU to the report. It sends the report when all GPUs are there, or when the next report begins.
func (n *node) row(cells []string) error {
	index, _ := strconv.Atoi(cells[0]) // cells has checked it
	at := -1
	for i, c := range n.cards {
		if c.Index == index && c.UUID == cells[1] {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	if n.rows > 0 && !n.report.GPUs[at].Values.Empty() {
		if err := n.flush(); err != nil {
			return err
		}
	}
	if n.rows == 0 {
		n.report.GPUs = make([]wire.GPU, len(n.cards))
		for i, c := range n.cards {
			n.report.GPUs[i].Index = c.Index
		}
	}
	n.report.GPUs[at].Values = n.values(cells[2:], changing, func(metric.Pace) bool { return true })
	if n.rows++; n.rows == len(n.cards) {
		return n.flush()
	}
	return nil
}

// flush sends the report, unless it comes sooner than requested, and asks for the next list of processes if it is due.
func (n *node) flush() error {
	n.rows = 0
	n.mu.Lock()
	pace, interval, listEach := n.pace.IntervalMS, time.Duration(n.loop)*time.Millisecond,
		metric.SlowSeconds*time.Second
	if n.pace.Processes {
		listEach = listEvery
	}
	due := time.Since(n.asked) >= listEach
	n.mu.Unlock()
	r := n.report
	now := time.Since(n.began).Milliseconds()
	if r.Seq > 0 && now-r.MonoMS < interval.Milliseconds()/2 {
		return nil
	}
	r.MonoMS = now
	r.Seq++
	r.Listed, r.Processes = n.listOK, n.listed
	if !n.listOK {
		r.Processes = nil
	}
	n.listOK, n.report = false, r
	if r.Seq == 2 { // the second report came sooner
		if err := n.repeat(pace); err != nil {
			return err
		}
	}
	if due {
		if err := n.list(); err != nil {
			return err
		}
	}
	return n.send(wire.Message{Report: &r})
}

// list asks for a list of processes.
func (n *node) list() error {
	n.mu.Lock()
	n.asked = time.Now()
	n.mu.Unlock()
	return n.tell("apps")
}

// maxName limits the name of a process, in bytes. The kernel's are shorter.
const maxName = 64

// process adds a process to the list; ok is false if the line has none.
func (n *node) process(line string) (ok bool) {
	cells := strings.SplitN(line, ", ", 4)
	if len(cells) != 4 || len(n.listed) == wire.MaxProcesses {
		return false
	}
	pid, err := strconv.Atoi(cells[1])
	if err != nil || pid <= 0 {
		return false
	}
	for _, c := range n.cards {
		if c.UUID != cells[0] {
			continue
		}
		p := wire.Process{PID: pid, GPU: c.Index, Type: "C"}
		p.Command = text.Cut(cells[3], wire.MaxCommand)
		p.Name = text.Cut(cells[3][strings.LastIndexByte(cells[3], '/')+1:], maxName)
		if mib, known := number(1 << 20)(cells[2]); known && mib >= 0 && mib < 1<<60 {
			size := uint64(mib)
			p.GPUMemory = &size
		}
		n.listed = append(n.listed, p)
		return true
	}
	return false
}

// obey carries out requests until they end.
func (n *node) obey(in *io.PipeReader) {
	lines := wire.NewReader(in)
	for {
		var r wire.Request
		if err := lines.Next(&r); err != nil {
			_ = in.CloseWithError(err)
			return
		}
		if err := n.answer(&r); err != nil {
			_ = in.CloseWithError(err)
			return
		}
	}
}

// answer answers a request. The script itself answers a sign of life: that proves that the node is alive.
func (n *node) answer(r *wire.Request) error {
	reply := wire.Reply{ID: r.ID}
	switch {
	case r.Alive != nil:
		return n.tell(fmt.Sprintf("alive %d", r.ID))
	case r.Pace != nil:
		if err := n.follow(*r.Pace); err != nil {
			return err
		}
	default:
		reply.Error = "not known without a probe on the node"
	}
	return n.send(wire.Message{Reply: &reply})
}

// follow changes the pace.
func (n *node) follow(p wire.Pace) error {
	n.mu.Lock()
	was := n.pace
	n.pace = p
	n.mu.Unlock()
	every := p.IntervalMS
	if was.IntervalMS == 0 && p.SecondMS > 0 {
		every = min(every, p.SecondMS)
	}
	if p.IntervalMS != was.IntervalMS {
		if err := n.repeat(every); err != nil {
			return err
		}
	}
	if was.IntervalMS == 0 || p.Processes && !was.Processes {
		return n.list()
	}
	return nil
}

// repeat makes nvidia-smi print all GPUs every so many milliseconds.
func (n *node) repeat(ms int) error {
	n.mu.Lock()
	was := n.loop
	n.loop = ms
	n.mu.Unlock()
	if ms == was {
		return nil
	}
	return n.tell(fmt.Sprintf("loop %d %s", ms, n.fields(changing)))
}
