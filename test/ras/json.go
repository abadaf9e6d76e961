package ras

import (
	"fmt"
	"io"
)

// JSON writes what RAS answers in JSON.
func (w *World) JSON(out io.Writer) error {
	p := &printer{out: out}
	p.print("{\n  \"nccl_version\": %q,\n  \"cuda_runtime_version\": 12090,\n  \"cuda_driver_version\": 12090,\n"+
		"  \"timestamp\": \"2026-11-23 03:12:40\",\n  \"communicators_count\": %d,\n  \"communicators\": [\n",
		w.Version, len(w.Comms))
	for i := range w.Comms {
		c := &w.Comms[i]
		p.comma(i)
		p.print("    {\n      \"hash\": \"0x%x\",\n      \"secondary_hash\": \"0x%x:0x%x\",\n      \"size\": %d,\n"+
			"      \"ranks_count\": %d,\n      \"missing_ranks_count\": %d,\n      \"ranks\": [\n",
			c.Hash, c.Hash*3, c.Hash*5, c.size(), len(c.Ranks), len(c.Missing))
		for k := range c.Ranks {
			r := &c.Ranks[k]
			p.comma(k)
			p.member(r.Rank, r.Peer, r.CUDA, r.NVML, true)
			p.print("            \"init_state\": %d,\n            \"async_error\": %d,\n"+
				"            \"finalize_called\": %t,\n            \"destroy_flag\": %t,\n"+
				"            \"abort_flag\": %t\n          },\n          \"collective_counts\": {\n",
				r.Init, r.Async, r.Finalize, r.Destroy, r.Abort)
			for op, name := range Operations {
				p.comma(op)
				p.print("            %q: %d", name, r.Counts[op])
			}
			p.print("\n          }\n        }")
		}
		p.print("\n      ],\n      \"missing_ranks\": [\n")
		for k, m := range c.Missing {
			p.comma(k)
			p.member(m.Rank, m.Peer, m.CUDA, m.NVML, w.since(2, 29, 2))
			p.print("            \"unresponsive\": %t,\n            \"considered_dead\": %t\n          }\n        }",
				m.Unresponsive, m.Dead)
		}
		p.print("\n      ]\n    }")
	}
	p.print("\n  ],\n  \"ras\": {\n    \"collection_time_sec\": %.3f,\n    \"timeouts_count\": %d\n  }\n}\n",
		0.004+2*float64(w.Timeouts), w.Timeouts)
	return p.err
}

// printer keeps the first error.
type printer struct {
	out io.Writer
	err error
}

func (p *printer) print(format string, of ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, of...)
	}
}

func (p *printer) comma(i int) {
	if i > 0 {
		p.print(",\n")
	}
}

// member writes the beginning of a rank. Before 2.29.2 a missing one has no comma before its status.
func (p *printer) member(rank int, of Peer, cuda, nvml int, comma bool) {
	p.print("        {\n          \"rank\": %d,\n          \"host\": %q,\n          \"pid\": %d,\n          "+
		"\"cuda_dev\": %d,\n"+
		"          \"nvml_dev\": %d%s\n          \"status\": {\n", rank, of.Host, of.PID, cuda, nvml,
		map[bool]string{true: ","}[comma])
}
