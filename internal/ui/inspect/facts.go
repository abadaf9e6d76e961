package inspect

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// fact is a known fact about the process. A long one has a line of its own.
type fact struct{ name, text string }

const (
	factName = 11 // columns of a name, with the blanks after it
	factWide = 38 // least columns of a short fact
)

// facts draws the known facts from row y on, and returns the row below. Unknown facts have no line. A long one has at
// most this many lines.
func (m *Metrics) facts(f *part.Frame, y, lines int) int {
	role := draw.Text
	if m.exited() {
		role = draw.Dim
	}
	for _, fact := range m.long() {
		f.Put(2, y, fact.name, draw.Dim)
		pieces := draw.Chop(fact.text, max(f.W-3-factName, 1))
		if len(pieces) > lines {
			pieces[lines-1] += pieces[lines] // it is cut visibly
		}
		for _, piece := range pieces[:min(len(pieces), lines)] {
			f.Left(2+factName, y, f.W-3-factName, piece, role)
			y++
		}
	}
	if pieces := m.memory(f); len(pieces) > 0 && f.H >= part.Tall {
		f.Put(2, y, "memory", draw.Dim)
		f.Pieces(2+factName, y, pieces...)
		y++
	}
	across := max((f.W-3)/factWide, 1)
	w := (f.W - 3) / across
	short := m.short()
	rows := (len(short) + across - 1) / across
	for i, fact := range short {
		x, at := 2+i/rows*w, y+i%rows
		f.Put(x, at, fact.name, draw.Dim)
		f.Left(x+factName, at, w-factName-1, fact.text, role)
	}
	y += rows
	if m.refused != "" && !m.exited() && y < f.H-1 {
		f.Left(2, y, f.W-3, "No more is known of it: "+m.refused, draw.Dim)
		y++
	}
	return y
}

// memory says how near to full the memory of the process's GPU is, and that of its job on the node, as far as it fits.
func (m *Metrics) memory(f *part.Frame) []part.Piece {
	n := f.NodeOf(m.target.Node)
	if m.exited() || len(m.target.GPUs) != 1 {
		return nil
	}
	at := slices.IndexFunc(n.GPUs, func(g cluster.GPU) bool { return g.Number == m.target.GPUs[0] })
	if at < 0 {
		return nil
	}
	pieces := part.MemoryOf(&n.GPUs[at])
	if host := part.HostMemoryOf(f.Scene, n); m.target.Job == f.Job.ID && len(pieces)*len(host) > 0 {
		if both := slices.Concat(pieces, []part.Piece{part.Dim(", ")}, host); part.Width(both) <= f.W-3-factName {
			return both
		}
	}
	return pieces
}

// known returns the facts whose text is not empty.
func known(facts ...fact) (list []fact) {
	for _, f := range facts {
		if f.text != "" {
			list = append(list, f)
		}
	}
	return list
}

// mostText limits the text of a fact, in bytes: more than a terminal is wide.
const mostText = 2000

// long returns the facts that need a line.
func (m *Metrics) long() []fact {
	command, directory, executable, rank := m.target.Command, "", "", ""
	if p := m.last; p != nil {
		directory = p.Directory
		if why := tally.WhyNoRank(p.NoRank); why != "" {
			rank = "not known: " + why
		}
	}
	if d := m.details; d != nil {
		command = cmp.Or(safe.Line(strings.Join(d.Arguments, " "), mostText), command)
		directory, executable = cmp.Or(safe.Line(d.Directory, mostText), directory), safe.Line(d.Executable, mostText)
	}
	return known(fact{"command", command}, fact{"program", executable}, fact{"directory", directory},
		fact{"rank", rank})
}

// short returns the other facts.
func (m *Metrics) short() []fact {
	parent, state, threads, running, started := 0, "", 0, "", ""
	job, step, cpus, read, written := m.target.Job, "", "", "", ""
	if d := m.details; d != nil {
		parent, state, threads = d.Parent, safe.Line(d.State, 1), d.Threads
		running = elapsed(d.ElapsedSec)
	}
	if p := m.last; p != nil {
		parent, state, step = cmp.Or(p.Parent, parent), cmp.Or(p.State, state), p.Step
		if p.Threads != nil {
			threads = *p.Threads
		}
		running = cmp.Or(elapsed(p.ElapsedSec), running)
		cpus, read, written = safe.Line(p.CPUAffinity, wire.MaxAffinity), speed(p.IORead), speed(p.IOWrite)
	}
	if m.exited() {
		state = "has exited"
	}
	if !m.started.IsZero() {
		started = m.started.Format(time.DateTime)
	}
	if step != "" {
		job += ", step " + step
	}
	return known(fact{"PID", strconv.Itoa(m.target.PID)}, fact{"parent", positive(parent)},
		fact{"state", stateName(state)}, fact{"threads", positive(threads)},
		fact{"started", started}, fact{"running", running}, fact{"job", job}, fact{"rank", m.rank()},
		fact{"GPU", m.gpus()}, fact{"CPUs", cpus}, fact{"reads", read}, fact{"writes", written})
}

// elapsed is a running time in words.
func elapsed(seconds *int64) string {
	if seconds == nil {
		return ""
	}
	return draw.JobTime(time.Duration(*seconds) * time.Second)
}

// speed is a rate with its unit.
func speed(bytes *uint64) string {
	if bytes == nil {
		return ""
	}
	return draw.Speed(float64(*bytes))
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// states are the states of Linux, by the letter that ps shows.
var states = map[string]string{
	"R": "running", "S": "sleeping", "D": "waiting in the kernel", "Z": "zombie: it has ended", "T": "stopped",
	"t": "stopped by a debugger", "I": "idle",
	"X": "ended",
}

func stateName(letter string) string {
	if words := states[letter]; words != "" {
		return words + " (" + letter + ")"
	}
	return letter
}

// rank is "11 of 32, 3 on its node".
func (m *Metrics) rank() string {
	r := m.target.Rank
	if r == nil {
		return ""
	}
	text := strconv.Itoa(r.Rank)
	if r.World != nil {
		text += " of " + strconv.Itoa(*r.World)
	}
	if r.Local != nil {
		text += ", local rank " + strconv.Itoa(*r.Local)
	}
	return text
}

// gpus lists the GPUs of the process, with their utilization: "3 (97%)".
func (m *Metrics) gpus() string {
	var list []string
	for _, g := range m.now.gpus {
		list = append(list, strings.TrimPrefix(g.name, "GPU")+" ("+part.Percent(g.util)+")")
	}
	return strings.Join(list, ", ")
}
