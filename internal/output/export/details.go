package export

import (
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Details returns the document about an inspected process.
func Details(p *wire.InspectedProcess) *schema.ProcessDetails {
	d := &schema.ProcessDetails{PID: p.PID, StartTicks: p.StartTicks,
		Arguments: p.Arguments, Truncated: p.Truncated, Terminal: p.Terminal, UIDs: p.UIDs, GIDs: p.GIDs,
		Nice: p.Nice, Priority: p.Priority, Policy: p.Policy, IOPriority: p.IOPriority, LastCPU: p.LastCPU,
		CPUAffinity: p.CPUAffinity,
		UserSeconds: p.UserSeconds, SystemSeconds: p.SystemSeconds, ChildrenUserSeconds: p.ChildrenUserSeconds,
		ChildrenSystemSeconds: p.ChildrenSystemSeconds, DiskWaitSeconds: p.DiskWaitSeconds,
		VoluntarySwitches: p.VoluntarySwitches, InvoluntarySwitches: p.InvoluntarySwitches,
		MinorFaults: p.MinorFaults, MajorFaults: p.MajorFaults,
		Memory: (*schema.MemoryUse)(p.Memory), IO: (*schema.IOCounts)(p.IO),
		Limits: each(p.Limits, func(l *wire.InspectedLimit) schema.Limit { return schema.Limit(*l) }),
		Connections: each(p.Connections, func(c *wire.InspectedConnection) schema.Connection {
			return schema.Connection(*c)
		}),
		Threads: each(p.Threads, func(t *wire.InspectedThread) schema.Thread { return schema.Thread(*t) }),
		More:    p.More, Absent: p.Absent}
	if m := p.Full; m != nil {
		d.Full = &schema.FullMemory{USS: m.USS, PSS: m.PSS, Swap: m.Swap,
			Maps: each(m.Maps, func(a *wire.InspectedMapping) schema.Mapping { return schema.Mapping(*a) })}
	}
	if f := p.Files; f != nil {
		d.Files = &schema.Descriptors{Count: f.Count, Sockets: f.Sockets, Pipes: f.Pipes, Others: f.Others,
			Files: each(f.Files, func(o *wire.OpenFile) schema.OpenFile { return schema.OpenFile(*o) })}
	}
	return d
}
