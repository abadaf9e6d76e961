package smi

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/crash"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// listEvery is the shortest time between two lists of processes: each starts a new nvidia-smi.
const listEvery = 10 * time.Second

// translate turns the output of the script into messages, until it ends. The reader of the messages gets the error.
func (n *node) translate() {
	lines, over := make(chan string), make(chan struct{})
	defer close(over)
	crash.Go(func() { n.scan(lines, over) })
	n.watch.timer = time.NewTimer(time.Hour)
	defer n.watch.timer.Stop()
	err := n.greet()
	for err == nil {
		n.arm()
		select {
		case line, more := <-lines:
			if err = io.EOF; more {
				err = n.hear(line)
			}
		case <-n.watch.timer.C:
			err = n.tick()
		}
	}
	n.pipe.Kill()
	_ = n.out.CloseWithError(err)
}

// scan reads the lines of the script.
func (n *node) scan(lines chan<- string, over <-chan struct{}) {
	defer close(lines)
	for n.lines.Scan() {
		select {
		case lines <- n.lines.Text():
		case <-over:
			return
		}
	}
}

// hear takes a line of the script.
func (n *node) hear(line string) error {
	key, value, _ := strings.Cut(line, " ")
	switch key {
	case "apps":
		n.listing, n.listed = true, nil
	case "done":
		n.listing, n.listOK = false, value == "0"
	case "alive":
		if id, err := strconv.ParseUint(value, 10, 64); err == nil {
			return n.send(wire.Message{Reply: &wire.Reply{ID: id}})
		}
	case "look":
		if cells, ok := n.cells(value, all); ok {
			return n.found(n.card(cells))
		}
	case "ended":
		return n.ended(value)
	default:
		if cells, ok := n.cells(line, changing); ok {
			return n.row(cells)
		} else if !n.listing || !n.process(line) {
			n.heed(line)
			fmt.Fprintln(n.pipe.Words, line)
		}
	}
	return nil
}

// row adds a GPU to the report. It sends the report when all GPUs are there, or when the next round of rows begins: in
// a round the indices rise. A GPU that comes back late in a round is in the next report.
func (n *node) row(cells []string) error {
	index, _ := strconv.Atoi(cells[0]) // cells has checked it
	w := &n.watch
	begins := index <= w.last
	w.last, w.stopped, w.had = index, "", true
	if begins {
		w.round++
		if n.rows > 0 {
			if err := n.flush(); err != nil {
				return err
			}
		}
	}
	g := n.find(index, cells[1])
	if g == nil {
		w.strange = true
		return nil
	}
	isLate := !begins && n.rows == 0 && g.gone
	r := n.read(cells[2:], changing)
	n.news = g.say(r.failure()) || n.news
	g.at, g.gone, g.refused, g.missed, g.round = index, false, false, false, w.round
	if isLate {
		return nil
	}
	g.values, g.seen = r.values, true
	n.faults = append(n.faults, r.faults(g.Index)...)
	if n.rows++; n.rows >= n.inRound() {
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
	now := time.Since(n.began).Milliseconds()
	if n.report.Seq > 0 && now-n.report.MonoMS < interval.Milliseconds()/2 {
		n.forget()
		return nil
	}
	for _, g := range n.gpus {
		n.news = g.settle() || n.news
	}
	if err := n.announce(); err != nil {
		return err
	}
	if n.report.Seq == 1 { // the second report came sooner
		if err := n.repeat(pace); err != nil {
			return err
		}
	}
	if due {
		if err := n.list(); err != nil {
			return err
		}
	}
	return n.deliver(now, n.faults)
}

// deliver sends the report of a round.
func (n *node) deliver(now int64, faults []wire.Fault) error {
	r := &n.report
	r.MonoMS, r.Seq, r.Faults = now, r.Seq+1, faults
	r.GPUs = make([]wire.GPU, len(n.gpus))
	for i, g := range n.gpus {
		r.GPUs[i] = g.entry()
	}
	r.Listed, r.Processes = n.listOK, n.listed
	if !n.listOK {
		r.Processes = nil
	}
	n.listOK = false
	n.forget()
	if n.watch.stopped != "" {
		n.stop(r)
	}
	sent := *r
	return n.send(wire.Message{Report: &sent})
}

// list asks for a list of processes.
func (n *node) list() error {
	n.mu.Lock()
	n.asked = time.Now()
	n.mu.Unlock()
	if which := n.whichGPUs(); which != noGPU {
		return n.tell("apps 0 " + which)
	}
	return nil
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
	if err != nil || pid <= 0 || pid > wire.MaxPID {
		return false
	}
	for _, g := range n.gpus {
		if g.UUID != cells[0] {
			continue
		}
		p := wire.Process{PID: pid, GPU: g.Index, Type: "C"}
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
	return n.restart()
}

// restart starts the loop, in place of the one that runs.
func (n *node) restart() error {
	n.mu.Lock()
	ms, which := n.loop, n.which
	n.mu.Unlock()
	if ms == 0 || which == noGPU {
		return nil
	}
	return n.tell(fmt.Sprintf("loop %d %s %s", ms, which, n.fields(changing)))
}

// whichGPUs are the GPUs that the loop reads.
func (n *node) whichGPUs() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.which
}
