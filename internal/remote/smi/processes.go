package smi

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// processes is a list of processes as nvidia-smi prints it.
type processes struct {
	coming   bool // its lines are arriving
	complete bool // it is complete, and not yet in a report
	list     []wire.Process
}

func (p *processes) begin() { p.coming, p.list = true, nil }

func (p *processes) end(status string) { p.coming, p.complete = false, status == "0" }

// markOld marks a complete list as one of the past: no report will have it.
func (p *processes) markOld() { p.complete = false }

// maxName limits the name of a process, in bytes. The kernel's names are shorter.
const maxName = 64

// addProcess adds a process to the list; ok is false if the line has none.
func (p *processes) addProcess(line string, gpus *roster) (ok bool) {
	cells := strings.SplitN(line, ", ", 4)
	if len(cells) != 4 || len(p.list) == wire.MaxProcesses {
		return false
	}
	pid, err := strconv.Atoi(cells[1])
	if err != nil || pid <= 0 || pid > wire.MaxPID {
		return false
	}
	for _, g := range gpus.list {
		if g.UUID != cells[0] {
			continue
		}
		one := wire.Process{PID: pid, GPU: g.Index, Type: "C"}
		one.Command = text.Cut(cells[3], wire.MaxCommand)
		one.Name = text.Cut(cells[3][strings.LastIndexByte(cells[3], '/')+1:], maxName)
		if mib, known := parseNumber(1 << 20)(cells[2]); known && mib >= 0 && mib < 1<<60 {
			size := uint64(mib)
			one.GPUMemory = &size
		}
		p.list = append(p.list, one)
		return true
	}
	return false
}
