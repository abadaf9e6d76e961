package demo

import (
	"cmp"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// uids are the user ids of the simulated people.
var uids = map[string]int{"alice": 20001, "bob": 20002, "carol": 20003}

// listProcesses lists the processes on all GPUs of a node. The driver lists none on a lost GPU.
func (w *world) listProcesses(h *host, now time.Duration) []wire.Process {
	var list []wire.Process
	for g := range h.gpus {
		if w.hasProcess(h, g, now) && !h.gpus[g].isLost(now) {
			list = append(list, w.makeProcess(h, g, now))
		}
	}
	return list
}

// firstPID returns the first PID of the jobs of a node.
func (h *host) firstPID() int { return 358602 + 1000*(h.number%50) }

// launcherPID returns the PID of the process that started a program's processes on a node: torchrun, or a shell. The
// script of the job and slurmstepd have the PIDs before it.
func (h *host) launcherPID(u *gpuProgram) int {
	for g := range h.gpus {
		if h.gpus[g].use == u {
			return h.firstPID() + 10*g + 8
		}
	}
	return h.firstPID()
}

// makeProcess returns the process on a GPU.
func (w *world) makeProcess(h *host, gpu int, now time.Duration) wire.Process {
	u := h.gpus[gpu].use
	l := w.loadOf(h, gpu, now)
	uid := uids[u.user]
	started := u.since
	if u.until != 0 { // it comes back in each round of the story
		started += now - now%cycle
	}
	pid := h.firstPID() + 200 + 3*gpu
	if u.until != 0 {
		pid += 60 * (int(now/cycle) % 10)
	}
	cpu := metric.Round(99.3+3*w.fixedNoise('u', h.number, gpu, int64(now/time.Second)), 2)
	switch waits := h.gpus[gpu].fate&lags != 0; {
	case waits && w.hangsAt(h, now):
		cpu = 0
	case waits && isWithin(now, lagBegins, lagEnds):
		cpu = 12.4 // it waits for data
	}
	p := wire.Process{
		PID:        pid,
		StartTicks: uint64((h.uptimeAtStart() + started) / (10 * time.Millisecond)),
		GPU:        gpu,
		Type:       "C",
		State:      "R",
		Identity: wire.Identity{
			User: u.user, UID: &uid, Name: path.Base(strings.Fields(u.command)[0]), Command: u.command, Job: u.job,
			Step:   "0",
			Parent: h.launcherPID(u),
		},
		GPUMemory:  new(w.memoryUsed(h, gpu, now) - 520<<20),
		SMPercent:  new(toPercent(l.Util - 0.01)),
		MemPercent: new(toPercent(l.Memory)),
		EncPercent: new(0),
		DecPercent: new(0),
		CPUPercent: &cpu,
		RSS:        new(uint64((30 + 2*w.fixedNoise('r', h.number, gpu, 0)) * (1 << 30))),
		Threads:    new(96 + int(40*w.fixedNoise('T', h.number, gpu, 0))),
		ElapsedSec: new(int64((now - started).Seconds())),
	}
	p.CPUAffinity = cmp.Or(h.gpus[gpu].cpus, strconv.Itoa(16*gpu)+"-"+strconv.Itoa(16*gpu+15))
	if cpu < 50 { // it sleeps most of the time
		p.State = "S"
	}
	if h.gpus[gpu].stoppedAt(now) {
		p.State, *p.CPUPercent = "T", 0
	}
	if u.user == me { // /proc shows these only for the user's own processes
		s := &h.gpus[gpu]
		p.Rank = &wire.Rank{Rank: s.rank, Local: &s.local, World: &u.ranks, From: "RANK"}
		p.Directory = "/home/" + me + "/" + u.directory
		p.IORead = new(uint64(cpu * (2 + w.fixedNoise('o', h.number, gpu, int64(now/time.Second))) * 1e6))
		p.IOWrite = new(uint64(4e4 * (2 + w.fixedNoise('w', h.number, gpu, int64(now/time.Second)))))
	}
	return p
}
