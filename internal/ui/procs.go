package ui

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

var processTitles = map[col]heading{
	colGPU: {"GPU", "", true}, colPID: {"PID", "", true}, colType: {"T", "", false}, colUser: {"USER", "", false}, colGPUMem: {"GPU-MEM", "", true},
	colSM: {"%SM", "", true}, colBandwidth: {"%MBW", "", true}, colCPU: {"%CPU", "", true}, colHostMem: {"%MEM", "", true}, colTime: {"TIME", "", true},
	colCommand: {"COMMAND", "", false},
}

// process is a process with what the node says of its GPU.
type process struct {
	*wire.Process
	number int  // of the GPU, as shown
	own    bool // the GPU is the job's
}

// processSection draws the processes of the node from row y and returns the row below.
func (f *frame) processSection(y int) int {
	list, own := f.processes()
	n := len(list)
	count := strconv.Itoa(n)
	if own < n {
		count = strconv.Itoa(own) + " mine of " + count
	}
	if !f.tight() {
		y++
		right := count + " on " + f.node.Name + ", by GPU"
		if !f.node.Listed {
			right = ""
		}
		f.section(y, "Processes", right)
	} else {
		f.Fill(2, y, f.w-4, '╌', draw.Faint)
	}
	y++
	end := f.h - 1
	switch {
	case y >= end:
	case !f.node.Listed:
		f.Left(2, y, f.w-3, "· "+f.node.Name+" has not sent its processes yet", draw.Dim)
		y++
	case n == 0:
		f.Left(2, y, f.w-3, "no process has a context on a GPU here", draw.Dim)
		y++
	default:
		l := processLayout(f.w)
		f.headings(y, &l, processTitles)
		y = f.processRows(y+1, end, list, &l)
	}
	return y
}

// processes are those to show, the job's first, by GPU; own says how many are the job's.
func (f *frame) processes() (list []process, own int) {
	n := f.node
	list = make([]process, 0, len(n.Processes))
	for i := range n.Processes {
		p := process{Process: &n.Processes[i], number: n.Processes[i].GPU, own: true}
		for k := range n.GPUs {
			if g := &n.GPUs[k]; g.Index == p.GPU {
				p.number, p.own = g.Number, f.owns(n, g)
			}
		}
		if p.own {
			own++
		} else if f.view.mine {
			continue
		}
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b process) int {
		if a.own != b.own {
			if a.own {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.PID, b.PID))
	})
	return list, own
}

func (f *frame) processRows(y, end int, list []process, l *layout) int {
	for i := range list {
		if y == end-1 && i < len(list)-1 {
			f.Put(2, y, "+"+strconv.Itoa(len(list)-i)+" more", draw.Dim)
			return y + 1
		}
		if y >= end {
			return y
		}
		f.processRow(y, &list[i], l)
		y++
	}
	return y
}

func (f *frame) processRow(y int, p *process, l *layout) {
	text, dim := draw.Text, draw.Dim
	if !p.own {
		text, dim = draw.Ghost, draw.Ghost
	}
	f.number(l[colGPU], y, strconv.Itoa(p.number), text)
	f.number(l[colPID], y, strconv.Itoa(p.PID), text)
	f.Left(l[colType].x, y, l[colType].w, kindOf(p.Type), dim)
	user := p.User
	if user == "" {
		user = "n/a"
	}
	f.Left(l[colUser].x, y, l[colUser].w, user, text)
	memory := ""
	if p.GPUMemory != nil {
		memory = draw.GiB(*p.GPUMemory) + "GiB"
	}
	f.number(l[colGPUMem], y, memory, text)
	f.number(l[colSM], y, whole(p.SMPercent), text)
	f.number(l[colBandwidth], y, whole(p.MemPercent), text)
	cpu, wholeCPU := "", ""
	if p.CPUPercent != nil {
		cpu, wholeCPU = draw.One(*p.CPUPercent), draw.Whole(*p.CPUPercent)
	}
	f.number(l[colCPU], y, cpu, text, wholeCPU)
	share, rss := "", math.NaN()
	if p.RSS != nil {
		rss = float64(*p.RSS)
	}
	if v, ok := cluster.Percent(rss, f.node.Host.Float(metric.HostMemoryTotal)); ok {
		share = draw.One(v)
	}
	f.number(l[colHostMem], y, share, text)
	elapsed := ""
	if p.ElapsedSec != nil {
		elapsed = processTime(time.Duration(*p.ElapsedSec) * time.Second)
	}
	f.number(l[colTime], y, elapsed, text)
	command := p.Command
	if command == "" {
		command = p.Name
	}
	f.Left(l[colCommand].x, y, l[colCommand].w, command, text)
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
