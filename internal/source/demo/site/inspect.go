package site

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// ProcessDetails returns what a node says about a process before it is signaled. It says less about another user's
// process.
func ProcessDetails(p *wire.Process, me string) *wire.Details {
	d := &wire.Details{
		ProcessID: wire.ProcessID{PID: p.PID, StartTicks: p.StartTicks}, Parent: p.Parent, State: p.State,
		Threads: *p.Threads, User: p.User, UID: p.UID, Name: p.Name, Arguments: strings.Fields(p.Command),
		Cgroup: fmt.Sprintf("/system.slice/slurmstepd.scope/job_%s/step_%s/user/task_0", p.Job, p.Step), Job: p.Job,
		ElapsedSec: p.ElapsedSec,
	}
	if p.User == me {
		d.Executable, d.Directory = "/usr/bin/python3.11", p.Directory
	}
	return d
}

// InspectProcess returns the kernel's facts about the process on a GPU, with its memory in full if requested. It
// returns less for another user's process.
func InspectProcess(p *wire.Process, me string, full bool) *wire.InspectedProcess {
	seconds := float64(*p.ElapsedSec)
	of64 := func(v float64) *float64 { return &v }
	in := &wire.InspectedProcess{
		PID: p.PID, StartTicks: p.StartTicks, Arguments: strings.Fields(p.Command), Nice: new(0), Priority: new(20),
		Policy:     "other",
		IOPriority: "none", LastCPU: new(cpuOf(p, 0)), CPUAffinity: p.CPUAffinity,
		UserSeconds: of64(0.94 * seconds), SystemSeconds: of64(0.06 * seconds),
		ChildrenUserSeconds: of64(0), ChildrenSystemSeconds: of64(0), DiskWaitSeconds: of64(0.001 * seconds),
		VoluntarySwitches: new(uint64(310 * seconds)), InvoluntarySwitches: new(uint64(2 * seconds)),
		MinorFaults: new(uint64(2_411_307)), MajorFaults: new(uint64(118)),
		Memory: &wire.MemoryUse{VMS: *p.RSS + 31<<30, RSS: *p.RSS, Peak: *p.RSS + 200<<20, Shared: 1200 << 20,
			Text: 3 << 20, Data: *p.RSS + 9<<30},
		Limits: []wire.InspectedLimit{{Name: "Max stack size", Soft: new(uint64(8 << 20)), Unit: "bytes"},
			{Name: "Max open files", Soft: new(uint64(1024)), Hard: new(uint64(524288)), Unit: "files"},
			{Name: "Max locked memory", Unit: "bytes"}},
	}
	if p.UID != nil {
		in.UIDs, in.GIDs = []int{*p.UID, *p.UID, *p.UID, *p.UID}, []int{100, 100, 100, 100}
	}
	for i, name := range []string{"python", "cuda-EvtHandlr", "pt_autograd_0", "NCCL I/O", "pt_data_pin"} {
		share := 0.9 / float64(1+i*i*4)
		in.Threads = append(in.Threads, wire.InspectedThread{ID: p.PID + i, Name: name, State: "S",
			LastCPU:     cpuOf(p, i),
			UserSeconds: share * seconds, SystemSeconds: 0.05 * share * seconds})
	}
	if p.User != me {
		why := "the process belongs to " + p.User
		in.Absent = map[string]string{"io": why, "descriptors": why, "connections": why}
		if full {
			in.Absent["full_memory"] = why
		}
		return in
	}
	inspectOwn(in, p, full)
	return in
}

// cpuOf returns one of the CPUs on which a process may run, another one for each thread.
func cpuOf(p *wire.Process, thread int) int {
	run, _, _ := strings.Cut(p.CPUAffinity, ",")
	low, high, _ := strings.Cut(run, "-")
	first, _ := strconv.Atoi(low)
	last, err := strconv.Atoi(high)
	if err != nil { // it is one CPU
		last = first
	}
	return first + thread%(last-first+1)
}

// inspectOwn adds the facts that only the owner of a process may see.
func inspectOwn(in *wire.InspectedProcess, p *wire.Process, memory bool) {
	seconds := uint64(*p.ElapsedSec)
	in.IO = &wire.IOCounts{Read: 178_000_000 * seconds, Written: 40_000 * seconds, Reads: 700 * seconds,
		Writes: 9 * seconds, DiskRead: 170_000_000 * seconds}
	in.Files = &wire.Descriptors{Count: 46, Sockets: 9, Pipes: 6, Others: 23, Files: []wire.OpenFile{
		{FD: 0, Path: "/dev/null", Mode: "r"}, {FD: 1, Path: p.Directory + "/slurm-" + p.Job + ".out", Mode: "wa",
			Position: 41 * seconds},
		{FD: 19, Path: "/dev/nvidiactl", Mode: "rw"}, {FD: 20, Path: "/dev/nvidia-uvm", Mode: "rw"},
		{FD: 41, Path: "/scratch/" + p.User + "/data/shard-00172.tar", Mode: "r", Position: 402_653_184},
	}}
	for i := range 3 {
		in.Connections = append(in.Connections, wire.InspectedConnection{FD: 50 + i, Protocol: "tcp", Local: "10.1.0.1:" +
			strconv.Itoa(40112+i), Remote: "10.1.0." + strconv.Itoa(2+i) + ":29500", Status: "ESTABLISHED"})
	}
	if memory {
		rss := *p.RSS
		in.Full = &wire.FullMemory{USS: rss - rss/8, PSS: rss - rss/12, Maps: []wire.InspectedMapping{
			{Path: "[anon]", Areas: 1204, Size: rss + 9<<30, RSS: rss - rss/4, PSS: rss - rss/4, Private: rss - rss/4},
			{Path: "/opt/cuda/lib64/libcublasLt.so.12", Areas: 5, Size: 540 << 20, RSS: 310 << 20, PSS: 40 << 20,
				Private: 2 << 20},
		}}
	}
}
