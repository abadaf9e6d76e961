package table

import (
	"math"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

var processTitles = map[part.Col]part.Heading{
	colGPU: part.Right("GPU", ""), colPID: part.Right("PID", ""), colType: part.Left("T", ""), colUser: part.Left("USER", ""), colGPUMem: part.Right("GPU-MEM", ""),
	colSM: part.Right("%SM", ""), colBandwidth: part.Right("%MBW", ""), colCPU: part.Right("%CPU", ""), colHostMem: part.Right("%MEM", ""), colTime: part.Right("TIME", ""),
	colCommand: part.Left("COMMAND", ""),
}

// Processes is the table of the selected node's processes.
type Processes struct{ layout part.Layout }

// NewProcesses returns the table for a terminal of that width.
func NewProcesses(width int) *Processes { return &Processes{processLayout(width)} }

// Head draws the headings in row y.
func (t *Processes) Head(f *part.Frame, y int) { f.Headings(y, &t.layout, processTitles) }

// Rows draws the processes from row y up to row end and returns the row below the last.
func (t *Processes) Rows(f *part.Frame, y, end int, list []tally.Process) int {
	for i := range list {
		if y == end-1 && i < len(list)-1 {
			f.Put(2, y, "+"+strconv.Itoa(len(list)-i)+" more", draw.Dim)
			return y + 1
		}
		if y >= end {
			return y
		}
		processRow(f, y, &list[i], &t.layout)
		y++
	}
	return y
}

func processRow(f *part.Frame, y int, p *tally.Process, l *part.Layout) {
	text, dim := draw.Text, draw.Dim
	if !p.Own {
		text, dim = draw.Ghost, draw.Ghost
	}
	f.Number(l[colGPU], y, strconv.Itoa(p.Number), text)
	f.Number(l[colPID], y, strconv.Itoa(p.PID), text)
	f.Text(l[colType], y, kindOf(p.Type), dim)
	user := p.User
	if user == "" {
		user = "n/a"
	}
	f.Text(l[colUser], y, user, text)
	memory := ""
	if p.GPUMemory != nil {
		memory = draw.GiB(*p.GPUMemory) + "GiB"
	}
	f.Number(l[colGPUMem], y, memory, text)
	f.Number(l[colSM], y, whole(p.SMPercent), text)
	f.Number(l[colBandwidth], y, whole(p.MemPercent), text)
	cpu, wholeCPU := "", ""
	if p.CPUPercent != nil {
		cpu, wholeCPU = draw.One(*p.CPUPercent), draw.Whole(*p.CPUPercent)
	}
	f.Number(l[colCPU], y, cpu, text, wholeCPU)
	share, rss := "", math.NaN()
	if p.RSS != nil {
		rss = float64(*p.RSS)
	}
	if v, ok := cluster.Percent(rss, f.Node.Host.Float(metric.HostMemoryTotal)); ok {
		share = draw.One(v)
	}
	f.Number(l[colHostMem], y, share, text)
	elapsed := ""
	if p.ElapsedSec != nil {
		elapsed = processTime(time.Duration(*p.ElapsedSec) * time.Second)
	}
	f.Number(l[colTime], y, elapsed, text)
	command := p.Command
	if command == "" {
		command = p.Name
	}
	f.Text(l[colCommand], y, command, text)
}

// processTime is a run time in eight columns: "8:02:41", from ten days on only the days and hours.
func processTime(d time.Duration) string {
	if d >= 10*24*time.Hour {
		return draw.Age(d)
	}
	if d >= 24*time.Hour {
		return draw.JobTime(d.Truncate(time.Minute))[:7]
	}
	return draw.JobTime(d)
}

// kindOf is the type of a process in one letter; X is one that computes and draws.
func kindOf(t string) string {
	if t == "C+G" {
		return "X"
	}
	return t
}

func whole(v *int) string {
	if v == nil {
		return ""
	}
	return strconv.Itoa(*v)
}
