package health

import (
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// In comparisons here an unknown metric is NaN, and NaN is neither above nor below anything: an unknown value is no
// problem.

// isGPULost holds for a GPU that is gone until a reset or reboot; isGPUUnusable holds for any other GPU without access.
func isGPULost(s ruleSubject) bool {
	return s.GPU.LostID == wire.LostFellOff || s.GPU.LostID == wire.LostReset
}
func isGPUUnusable(s ruleSubject) bool { return s.GPU.Lost != "" && !isGPULost(s) }

func isGPUHung(s ruleSubject) bool { return s.GPU.Hung() }

// hasUnreadMetrics holds if some metrics of the GPU, or of the node itself, cannot be read. hasCeasedMetrics holds if
// the driver no longer has some metrics that it had before.
func hasUnreadMetrics(s ruleSubject) bool {
	return slices.ContainsFunc(s.Node.Faults, func(f wire.Fault) bool { return !f.Ceased && signs.IsOf(&f, s.GPU) })
}
func hasCeasedMetrics(s ruleSubject) bool {
	return slices.ContainsFunc(s.Node.Faults, func(f wire.Fault) bool { return f.Ceased && signs.IsOf(&f, s.GPU) })
}

// mustRecover holds if the driver asks for a recovery that ends every program on the GPU; mayRecover holds if it asks
// for any other recovery.
func mustRecover(s ruleSubject) bool {
	a := s.GPU.Float(metric.RecoveryAction)
	return a == signs.RecoverReset || a == signs.RecoverReboot || a == signs.RecoverDrainReset
}
func mayRecover(s ruleSubject) bool { return s.GPU.Float(metric.RecoveryAction) > 0 }

func memoryErrors(s ruleSubject) bool {
	return s.GPU.Float(metric.ECCUncorrected) > 0 && !memoryErrorsGrow(s)
}

func memoryErrorsGrow(s ruleSubject) bool {
	return s.GPU.Grew(metric.ECCUncorrected)
}

func remapFailed(s ruleSubject) bool { return s.GPU.Float(metric.RemapFailed) > 0 }

// remapDamaged holds if rows wait to be remapped and some of them had uncorrectable errors. remapWaits holds if they
// had only corrected errors.
func remapDamaged(s ruleSubject) bool {
	return remapWaits(s) && s.GPU.Float(metric.RemappedUncorrectable) > 0
}
func remapWaits(s ruleSubject) bool { return s.GPU.Float(metric.RemapPending) > 0 }

func sparesUsedUp(s ruleSubject) bool { return s.GPU.Float(metric.BanksWithoutSpareRows) > 0 }

func pagesRetired(s ruleSubject) bool {
	return s.GPU.Float(metric.RetiredPending) > 0 || signs.Retired(s.GPU) >= s.limits[RetiredPages]
}

// brief is the share of the time below which throttling is ignored: short throttling is normal.
const brief = 0.01

// isThrottledBy returns a rule that holds if one of bits is among the reasons for reduced clocks. It also holds if the
// GPU was throttled since the last report, but not at the moment of the sample.
func isThrottledBy(bits uint64, time metric.ID) func(ruleSubject) bool {
	return func(s ruleSubject) bool {
		now := signs.Reasons(s.GPU)&bits != 0
		if now || !s.GPU.Grew(time) {
			return now
		}
		share, _, _ := s.GPU.Lately(time)
		return share >= brief
	}
}

// unnamedSlowdown holds for a hardware slowdown without a reported cause.
func unnamedSlowdown(s ruleSubject) bool {
	bits := signs.Reasons(s.GPU)
	return bits&wire.ThrottleHWSlowdown != 0 && bits&(wire.ThrottleHWThermal|wire.ThrottleHWPowerBrake) == 0
}

// memoryHot holds if the memory is above its maximum temperature. coreHot holds if the GPU is above the temperature at
// which it should be slowed down. Neither holds if the driver reports the slowdown, since then the slowdown is the
// problem.
func memoryHot(s ruleSubject) bool { return !slowedByHeat(s.GPU) && signs.Overheated(s.GPU) }
func coreHot(s ruleSubject) bool {
	return !slowedByHeat(s.GPU) && s.GPU.Float(metric.Temperature) > s.GPU.Float(metric.Slowdown)
}

func slowedByHeat(g *cluster.GPU) bool {
	return signs.Reasons(g)&(wire.ThrottleHWThermal|wire.ThrottleSWThermal) != 0
}

// prohibited is the compute mode in which no CUDA program may start (NVML_COMPUTEMODE_PROHIBITED).
const prohibited = 2

func noCompute(s ruleSubject) bool { return s.GPU.Float(metric.ComputeMode) == prohibited }

func linkBroken(s ruleSubject) bool {
	return signs.PerMinute(s.GPU, metric.NVLinkCRC)/60 >= s.limits[NVLinkCRC]
}

func linkErrors(s ruleSubject) bool {
	limit := s.limits[NVLinkErrors]
	return signs.PerMinute(s.GPU, metric.NVLinkCRC) > 0 || signs.PerMinute(s.GPU, metric.NVLinkReplays) >= limit ||
		signs.PerMinute(s.GPU, metric.NVLinkRecoveries) >= limit
}

// isPCIeNarrow holds if the PCIe link of a busy GPU has fewer lanes or a lower generation than possible. An idle GPU
// lowers its generation.
func isPCIeNarrow(s ruleSubject) bool {
	g := s.GPU
	return g.Float(metric.Util) >= s.limits[PCIeLoadPercent] &&
		(g.Float(metric.PCIeWidth) < g.Float(metric.PCIeWidthMax) ||
			g.Float(metric.PCIeGen) < g.Float(metric.PCIeGenMax))
}

func manyReplays(s ruleSubject) bool {
	return signs.PerMinute(s.GPU, metric.PCIeReplays) > normalReplays(s.GPU, s.limits[PCIeReplays])
}

// normalReplays returns how many PCIe replays per minute are normal, NaN if the link is unknown. perLane is the limit
// of generation 3.
func normalReplays(g *cluster.GPU, perLane float64) float64 {
	return perLane * math.Exp2(g.Float(metric.PCIeGen)-3) * g.Float(metric.PCIeWidth)
}

func memoryFull(s ruleSubject) bool {
	percent, known := cluster.Percent(s.GPU.Float(metric.MemoryUsed), s.GPU.Float(metric.MemoryTotal))
	return known && percent >= s.limits[MemoryFullPercent]
}

// hasXid returns a rule that holds if the worst Xid of the GPU has that severity. An Xid that is newer than the catalog
// is critical if the driver asks for any recovery.
func hasXid(severity cluster.Severity) func(ruleSubject) bool {
	return func(s ruleSubject) bool {
		if len(s.Node.Xids) == 0 {
			return false
		}
		c, found := signs.XidCauseOn(s.Node, s.GPU)
		is := signs.XidOf(c.Code).Severity
		if found && signs.IsNewerXid(c.Code) && mayRecover(s) {
			is = cluster.Critical
		}
		return found && is == severity
	}
}
