package say

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// ofItsHost compares the CPUs, reads and writes of the process on an idle GPU with those of other processes of its job.
// It explains a lag: uneven CPUs, reads and writes alone are no sign of a problem.
func (e evidence) ofItsHost() (facts []string, end, hint string) {
	hint = "look at what this process waits for: its data loader, its CPUs, its storage"
	p := signs.ProcessOf(e.node, e.gpu)
	if p == nil {
		return nil, "", hint
	}
	cpu, others := signs.CPUOf(e.node, e.gpu)
	if cpu == cpu {
		fact := fmt.Sprintf("uses %.0f%% of a core", cpu)
		if others == others {
			fact += fmt.Sprintf(" (others: %.0f%%)", others)
		}
		facts = append(facts, fact)
	}
	starved := signs.Starved(cpu, others)
	if starved {
		end = ": waiting on its CPU or data loader"
		hint = fmt.Sprintf("check the data loader of PID %d and its CPUs (column cpu_affinity)", p.PID)
	}
	h := signs.HostOf(e.job, e.nodes, e.node, e.gpu)
	if h.ReadsLess() && !starved {
		hint = fmt.Sprintf("check the data loader of PID %d, and the storage from which it reads", p.PID)
	}
	if h.ReadsLess() || h.ReadsMore() {
		facts = append(facts, "reads "+compareRates(h.Own.Read, h.Others.Read))
	}
	if h.WritesMore() {
		facts = append(facts, "writes "+compareRates(h.Own.Write, h.Others.Write))
	}
	if h.Bound() {
		facts = append(facts, fmt.Sprintf("is bound to %s (others: %.0f)", text.Count(int(h.Own.CPUs), "CPU"), h.Others.CPUs))
		hint = fmt.Sprintf("give PID %d and its data loader more CPUs: see --cpus-per-task and --cpu-bind of srun",
			p.PID)
	}
	if len(facts) > 0 {
		facts[0] = "its process " + facts[0]
	}
	return facts, end, hint
}

// compareRates compares two rates: "2 MB/s (others: 300)".
func compareRates(own, others float64) string {
	return fmt.Sprintf("%s MB/s (others: %s)", formatMegabytes(own), formatMegabytes(others))
}

// formatMegabytes formats a rate, with one decimal if it is small: "0", "0.3", "2", "300".
func formatMegabytes(rate float64) string {
	if rate >= 0.5e5 && rate < 9.5e5 {
		return fmt.Sprintf("%.1f", rate/1e6)
	}
	return fmt.Sprintf("%.0f", rate/1e6)
}
