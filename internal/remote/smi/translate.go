package smi

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// translator turns the lines of the script into messages, in a goroutine of its own. Any goroutine may use the console,
// the schedule and the sender; the rest is for this one only.
type translator struct {
	console  *console
	schedule *schedule
	sender   *sender

	began     time.Time
	hello     wire.Hello // without its GPUs
	gpus      roster
	processes processes
	watch     failureWatch
	round     round
	report    wire.Report // the last one
}

// round is one set of rows that nvidia-smi prints together, one for each GPU, with rising indices.
type round struct {
	number int
	last   int // the index in the last row
	rows   int // in the report
	faults []wire.Fault
}

// beginRound begins a round after a loop that ended.
func (r *round) beginRound() { *r = round{number: r.number + 1, last: -1} }

// newTranslator returns a translator for a node that the learner has got to know.
func newTranslator(l *learner, s *sender, began time.Time) *translator {
	t := &translator{console: l.console, sender: s, began: began, hello: l.node.hello, gpus: l.gpus,
		watch: failureWatch{stopped: l.stopped}, round: round{last: -1}}
	t.hello.Version, t.hello.Build = wire.Version, "nvidia-smi"
	t.schedule = &schedule{console: l.console, fields: l.gpus.query.rowFields(changing), which: l.gpus.readableGPUs()}
	return t
}

// translateOutput turns the output of the script into messages, until it ends. The reader of the messages gets the
// error.
func (t *translator) translateOutput() {
	lines, over := make(chan string), make(chan struct{})
	defer close(over)
	crash.Go(func() { t.console.scanLines(lines, over) })
	t.watch.timer = time.NewTimer(time.Hour)
	defer t.watch.timer.Stop()
	err := t.sender.begin()
	if err == nil {
		err = t.introduceGPUs()
	}
	for err == nil {
		t.watch.startTimer(t.gpus.containsGPU(isLost), t.schedule.loopInterval())
		select {
		case line, more := <-lines:
			if err = io.EOF; more {
				err = t.handleLine(line)
			}
		case <-t.watch.timer.C:
			err = t.handleTimer()
		}
	}
	t.console.pipe.Kill()
	t.sender.closeSession(err)
}

// handleLine translates a line of the script.
func (t *translator) handleLine(line string) error {
	key, value, _ := strings.Cut(line, " ")
	switch key {
	case "apps":
		t.processes.begin()
	case "done":
		t.processes.end(value)
	case "alive":
		if id, err := strconv.ParseUint(value, 10, 64); err == nil {
			return t.sender.sendMessage(wire.Message{Reply: &wire.Reply{ID: id}})
		}
	case "look":
		if cells, ok := t.gpus.query.splitRow(value, all); ok && t.gpus.restoreGPU(t.gpus.newGPU(cells)) {
			t.schedule.setGPUs(t.gpus.readableGPUs())
			return t.schedule.restartLoop()
		}
	case "ended":
		return t.handleLoopEnd(value)
	default:
		if cells, ok := t.gpus.query.splitRow(line, changing); ok {
			return t.row(cells)
		} else if !t.processes.coming || !t.processes.addProcess(line, &t.gpus) {
			t.watch.noteLine(line, t.isMissing)
			fmt.Fprintln(t.console.pipe.Words, line)
		}
	}
	return nil
}

// row adds a GPU to the report. It sends the report when all GPUs are there, or when the next round of rows begins. A
// GPU whose row comes late in a round goes into the next report.
func (t *translator) row(cells []string) error {
	index, _ := strconv.Atoi(cells[0]) // cells was checked before
	begins := index <= t.round.last
	t.round.last = index
	t.watch.stopped, t.watch.had = "", true
	if begins {
		t.round.number++
		if t.round.rows > 0 {
			if err := t.flushReport(); err != nil {
				return err
			}
		}
	}
	g := t.gpus.findGPU(index, cells[1])
	if g == nil {
		t.watch.strange = true
		return nil
	}
	isLate := !begins && t.round.rows == 0 && g.gone
	r := t.gpus.query.readRow(cells[2:], changing)
	t.gpus.news = g.setReason(r.failureWords()) || t.gpus.news
	g.at, g.gone, g.refused, g.missed, g.round = index, false, false, false, t.round.number
	if isLate {
		return nil
	}
	g.values, g.seen = r.values, true
	t.round.faults = append(t.round.faults, r.listFaults(g.Index)...)
	if t.round.rows++; t.round.rows >= t.gpus.inRound() {
		return t.flushReport()
	}
	return nil
}

// flushReport sends the report, unless that is sooner than requested, and asks for the next list of processes if it is
// due.
func (t *translator) flushReport() error {
	t.round.rows = 0
	isListDue := t.schedule.isListDue()
	now := time.Since(t.began).Milliseconds()
	if t.report.Seq > 0 && now-t.report.MonoMS < t.schedule.loopInterval().Milliseconds()/2 {
		t.forgetRound()
		return nil
	}
	t.gpus.endRound()
	if err := t.sendHello(); err != nil {
		return err
	}
	if t.report.Seq == 1 { // the second report may have come sooner
		if err := t.schedule.slowLoop(); err != nil {
			return err
		}
	}
	if isListDue {
		if err := t.schedule.askProcesses(); err != nil {
			return err
		}
	}
	return t.sendReport(now, t.round.faults)
}

// sendReport sends the report of a round.
func (t *translator) sendReport(now int64, faults []wire.Fault) error {
	r := wire.Report{Seq: t.report.Seq + 1, MonoMS: now, Faults: faults, GPUs: t.gpus.listEntries()}
	if t.processes.complete {
		r.Listed, r.Processes = true, t.processes.list
	}
	t.processes.markOld()
	t.forgetRound()
	if t.watch.stopped != "" {
		markUnread(&r, t.watch.stopped)
	}
	t.report = r
	return t.sender.sendMessage(wire.Message{Report: &r})
}

// forgetRound forgets the values of a round.
func (t *translator) forgetRound() {
	t.gpus.forgetRound()
	t.round.faults = nil
}

// introduceGPUs sends a Hello with the GPUs as they are now.
func (t *translator) introduceGPUs() error {
	h := t.hello
	h.Driver, h.GPUs = t.gpus.driver, t.gpus.listCards()
	t.gpus.news = false
	return t.sender.sendMessage(wire.Message{Hello: &h})
}

// sendHello sends a Hello if anything about a GPU has changed. Each Hello needs a new list of processes.
func (t *translator) sendHello() error {
	if !t.gpus.news {
		return nil
	}
	t.processes.markOld()
	if err := t.introduceGPUs(); err != nil {
		return err
	}
	return t.schedule.askProcesses()
}
