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

// drawFacts draws the known facts from row y on, and returns the row below. Unknown facts have no line. A long fact has
// at most lines lines.
func (m *Metrics) drawFacts(f *part.Frame, y, lines int) int {
	role := draw.Text
	if m.hasExited() {
		role = draw.Dim
	}
	for _, fact := range m.longFacts() {
		f.Put(2, y, fact.name, draw.Dim)
		pieces := draw.Chop(fact.text, max(f.W-3-factName, 1))
		if len(pieces) > lines {
			pieces[lines-1] += pieces[lines] // visibly cut
		}
		for _, piece := range pieces[:min(len(pieces), lines)] {
			f.Left(2+factName, y, f.W-3-factName, piece, role)
			y++
		}
	}
	if pieces := m.memoryPieces(f); len(pieces) > 0 && f.H >= part.Tall {
		f.Put(2, y, "memory", draw.Dim)
		f.Pieces(2+factName, y, pieces...)
		y++
	}
	across := max((f.W-3)/factWide, 1)
	w := (f.W - 3) / across
	short := m.shortFacts()
	rows := (len(short) + across - 1) / across
	for i, fact := range short {
		x, at := 2+i/rows*w, y+i%rows
		f.Put(x, at, fact.name, draw.Dim)
		f.Left(x+factName, at, w-factName-1, fact.text, role)
	}
	y += rows
	if m.refused != "" && !m.hasExited() && y < f.H-1 {
		f.Left(2, y, f.W-3, "Nothing else is known about it: "+m.refused, draw.Dim)
		y++
	}
	return y
}

// memoryPieces says how nearly full the memory of the process's GPU is, and that of its job on the node, as far as
// there is room.
func (m *Metrics) memoryPieces(f *part.Frame) []part.Piece {
	n := f.NodeOf(m.target.Node)
	if m.hasExited() || len(m.target.GPUs) != 1 {
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

// knownFacts returns the facts whose text is not empty.
func knownFacts(facts ...fact) (list []fact) {
	for _, f := range facts {
		if f.text != "" {
			list = append(list, f)
		}
	}
	return list
}

// mostText limits the text of a fact, in bytes: no terminal is that wide.
const mostText = 2000

// longFacts returns the facts that need a line.
func (m *Metrics) longFacts() []fact {
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
	return knownFacts(fact{"command", command}, fact{"program", executable}, fact{"directory", directory},
		fact{"rank", rank})
}

// shortFacts returns the other facts.
func (m *Metrics) shortFacts() []fact {
	parent, state, threads, running, started := 0, "", 0, "", ""
	job, step, cpus, read, written := m.target.Job, "", "", "", ""
	if d := m.details; d != nil {
		parent, state, threads = d.Parent, safe.Line(d.State, 1), d.Threads
		running = elapsedText(d.ElapsedSec)
	}
	if p := m.last; p != nil {
		parent, state, step = cmp.Or(p.Parent, parent), cmp.Or(p.State, state), p.Step
		if p.Threads != nil {
			threads = *p.Threads
		}
		running = cmp.Or(elapsedText(p.ElapsedSec), running)
		cpus, read, written = safe.Line(p.CPUAffinity, wire.MaxAffinity), rateText(p.IORead), rateText(p.IOWrite)
	}
	if m.hasExited() {
		state = "has exited"
	}
	if !m.started.IsZero() {
		started = m.started.Format(time.DateTime)
	}
	if step != "" {
		job += ", step " + step
	}
	return knownFacts(fact{"PID", strconv.Itoa(m.target.PID)}, fact{"parent", positiveText(parent)},
		fact{"state", stateName(state)}, fact{"threads", positiveText(threads)},
		fact{"started", started}, fact{"running", running}, fact{"job", job}, fact{"rank", m.rankText()},
		fact{"GPU", m.gpusText()}, fact{"CPUs", cpus}, fact{"reads", read}, fact{"writes", written})
}

// elapsedText is a running time in words.
func elapsedText(seconds *int64) string {
	if seconds == nil {
		return ""
	}
	return draw.JobTime(time.Duration(*seconds) * time.Second)
}

// rateText is a rate with its unit.
func rateText(bytes *uint64) string {
	if bytes == nil {
		return ""
	}
	return draw.Speed(float64(*bytes))
}

func positiveText(n int) string {
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

// rankText is "11 of 32, 3 on its node".
func (m *Metrics) rankText() string {
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

// gpusText lists the GPUs of the process, with their utilization: "3 (97%)".
func (m *Metrics) gpusText() string {
	var list []string
	for _, g := range m.now.gpus {
		list = append(list, strings.TrimPrefix(g.name, "GPU")+" ("+part.Percent(g.util)+")")
	}
	return strings.Join(list, ", ")
}
