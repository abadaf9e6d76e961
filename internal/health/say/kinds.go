package say

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// kindWords is everything that outputs say about one kind of problem. Package health decides when it holds and how bad
// it is, in one or several rows per kind.
type kindWords struct {
	is cluster.Kind
	Label
	was   string // its name after it is cleared; "": Label.One
	every names  // for a kind that may hold for every GPU of a node
	say   func(*Words, evidence)

	news    News        // the zero News: it is none
	charts  []metric.ID // charts of a GPU that turn amber
	cells   []metric.ID // numbers in a GPU's row that take the color of the problem
	cited   bool        // a line of the job's log may explain it
	advised bool        // the driver's own advice replaces its hint
}

// names are the names of a problem that holds for every GPU of a node: one is used after the node's name, the other
// after a count of nodes.
type names struct{ one, many string }

// Values that most kinds share.
var (
	broken  = News{EventGPU, cluster.Critical, atOnce}
	slow    = News{EventSlow, cluster.Warning, steady}
	warning = News{EventWarning, cluster.Warning, unclear}
)

// kinds has a row for each kind of problem.
var kinds = []kindWords{
	{is: cluster.KindConnecting, Label: Label{One: "connecting", Many: "nodes connecting"}, was: "connecting",
		say: connectingNode},
	{is: cluster.KindFailed, Label: Label{One: "failed", Many: "nodes failed"}, say: failedNode,
		news: News{EventNode, cluster.Critical, lostFor}},
	{is: cluster.KindSilence, Label: Label{One: "no node answers", Many: "jobs without answers"},
		was: "no node answered", say: silentNodes, news: News{EventNode, cluster.Warning, unclear}},
	{is: cluster.KindStale, Label: Label{One: "not responding", Many: "nodes not responding"}, say: staleNode,
		news: News{EventNode, cluster.Warning, unclear}},
	{is: cluster.KindNoDriver, Label: Label{One: "NVIDIA driver not working", Many: "nodes without a working driver"},
		was: "NVIDIA driver not working", say: withoutDriver, news: News{EventNode, cluster.Critical, lostFor}},
	{is: cluster.KindOldDriver, Label: Label{One: "driver too old", Many: "drivers too old"}, was: "driver too old",
		say: withOldDriver},
	{is: cluster.KindSlow, Label: Label{One: "driver slow", Many: "nodes with a slow driver"}, was: "driver slow",
		say: slowDriver, news: warning},
	{is: cluster.KindFault, Label: Label{One: "some metrics unavailable", Many: "nodes missing metrics"},
		was: "metrics unavailable", say: unreadableMetrics, news: warning},
	{is: cluster.KindMissing, Label: Label{Letter: 'X', One: "GPU missing", Many: "nodes missing GPUs"},
		was: "GPU missing", say: gpuMissing, news: broken},
	{is: cluster.KindHidden, Label: Label{Letter: 'X', One: "GPUs hidden", Many: "nodes with hidden GPUs"},
		was: "GPUs hidden", say: gpusHidden, news: broken},
	{is: cluster.KindLost, Label: Label{Letter: 'X', One: "lost", Many: "GPUs lost"}, was: "GPU lost", say: gpuLost,
		news: broken},
	{is: cluster.KindUnusable, Label: Label{Letter: 'X', One: "unusable", Many: "GPUs unusable"}, was: "GPU unusable",
		say: gpuUnusable, news: broken},
	{is: cluster.KindHang, Label: Label{Letter: 'X', One: "hung", Many: "GPUs hung"}, was: "GPU hung", say: gpuHangs,
		news: News{EventHang, cluster.Critical, lostFor}, every: names{"all GPUs hung", "nodes with all GPUs hung"}},
	{is: cluster.KindECC, Label: Label{Letter: 'E', One: "ECC errors", Many: "GPUs with ECC errors"},
		was: "ECC errors", say: eccErrors, news: warning, advised: true},
	{is: cluster.KindThermal, Label: Label{Letter: 'T', AgeFlag: true, One: "thermal", Many: "GPUs throttled"},
		was: "thermal throttling", say: thermalThrottling, news: slow,
		cells: []metric.ID{metric.Temperature, metric.SMClock}},
	{is: cluster.KindPowerBrake,
		Label: Label{Letter: 'P', AgeFlag: true, One: "power brake", Many: "GPUs under power brake"}, was: "power brake",
		say: powerBrake, news: slow, cells: []metric.ID{metric.Power, metric.SMClock}},
	{is: cluster.KindSlowdown, Label: Label{Letter: 'T', AgeFlag: true, One: "HW slowdown", Many: "GPUs throttled"},
		was: "hardware slowdown", say: hardwareSlowdown, news: slow, cells: []metric.ID{metric.SMClock}},

	{is: cluster.KindRecovery, Label: Label{Letter: 'X', One: "recovery needed", Many: "GPUs that need recovery"},
		was: "recovery action", say: recoveryAction, news: broken},
	{is: cluster.KindXid, Label: Label{Letter: 'X', AgeFlag: true, One: "Xid", Many: "GPUs with Xids"}, was: "Xid",
		say: sayXid, news: broken, cited: true, advised: true},
	{is: cluster.KindRemapFailed, Label: Label{Letter: 'E', One: "remap failed", Many: "GPUs with failed remaps"},
		was: "row remapping failed", say: remappingFailed, news: broken, advised: true},
	{is: cluster.KindRemap, Label: Label{Letter: 'E', One: "remap pending", Many: "GPUs with pending remaps"},
		was: "row remapping", say: rowRemapping, news: warning, advised: true},
	{is: cluster.KindNoSpares, Label: Label{Letter: 'E', One: "no spare rows", Many: "GPUs without spare rows"},
		was: "no spare rows", say: withoutSpares, news: warning},
	{is: cluster.KindRetired, Label: Label{Letter: 'E', One: "retired pages", Many: "GPUs with retired pages"},
		was: "retired pages", say: retiredPages, news: warning},
	{is: cluster.KindECCGrowing, Label: Label{Letter: 'E', One: "new ECC errors", Many: "GPUs with new ECC errors"},
		was: "new ECC errors", say: eccGrowing, news: broken, advised: true},
	{is: cluster.KindNVLinkDown, Label: Label{Letter: 'N', One: "NVLink down", Many: "GPUs with NVLinks down"},
		was: "NVLink down", say: nvlinkDown, news: slow,
		every: names{"NVLink down on all GPUs", "nodes with NVLinks down on all GPUs"}, charts: []metric.ID{metric.NVLinkTX},
		advised: true},
	{is: cluster.KindNVLink,
		Label: Label{Letter: 'N', AgeFlag: true, One: "NVLink errors", Many: "GPUs with NVLink errors"},
		was:   "NVLink errors", say: nvlinkErrors, news: slow, charts: []metric.ID{metric.NVLinkTX}},
	{is: cluster.KindFabric,
		Label: Label{Letter: 'X', One: "no NVLink fabric", Many: "GPUs without their NVLink fabric"},
		was:   "NVLink fabric", say: fabricState, news: broken,
		every: names{"no NVLink fabric", "nodes without their NVLink fabric"}},
	{is: cluster.KindFabricIll,
		Label: Label{Letter: 'N', One: "NVLink fabric degraded", Many: "GPUs with a degraded NVLink fabric"},
		was:   "NVLink fabric degraded", say: fabricDegraded, news: slow},
	{is: cluster.KindOtherClique,
		Label: Label{Letter: 'N', One: "other NVLink clique", Many: "GPUs in another NVLink clique"},
		was:   "other NVLink clique", say: differentClique, news: slow},
	{is: cluster.KindMemoryHot,
		Label: Label{Letter: 'T', AgeFlag: true, One: "memory too hot", Many: "GPUs with hot memory"},
		was:   "memory too hot", say: memoryTooHot, news: slow},
	{is: cluster.KindGPUHot, Label: Label{Letter: 'T', AgeFlag: true, One: "too hot", Many: "GPUs too hot"},
		was: "GPU too hot", say: tooHot, news: slow},
	{is: cluster.KindNoCompute,
		Label: Label{Letter: 'X', One: "compute prohibited", Many: "GPUs with compute prohibited"},
		was:   "compute mode prohibited", say: computeProhibited, news: warning},
	{is: cluster.KindPCIe, Label: Label{Letter: 'N', One: "PCIe slow", Many: "GPUs with a slow PCIe link"},
		was: "slow PCIe link", say: pcieNarrow, news: slow, charts: []metric.ID{metric.PCIeTX}},
	{is: cluster.KindPCIeReplays,
		Label: Label{Letter: 'N', AgeFlag: true, One: "PCIe replays", Many: "GPUs with PCIe replays"},
		was:   "PCIe replays", say: pcieReplays, news: slow, charts: []metric.ID{metric.PCIeTX}},
	{is: cluster.KindMemoryFull, Label: Label{One: "memory full", Many: "GPUs with full memory"},
		was: "GPU memory full", say: memoryNearlyFull, news: warning, charts: []metric.ID{metric.MemoryUsed}, cited: true},
	{is: cluster.KindPersistence, Label: Label{One: "persistence off", Many: "nodes without persistence"},
		was: "persistence mode off", say: persistenceOff, news: warning},
	{is: cluster.KindDisk, Label: Label{One: "disk full", Many: "nodes with full disks"}, was: "disk nearly full",
		say: diskFull, news: News{EventDisk, cluster.Warning, unclear}},
	{is: cluster.KindHostMemory, Label: Label{One: "host memory full", Many: "nodes with full memory"},
		was: "host memory nearly full", say: hostMemory, news: News{EventMemory, cluster.Warning, atOnce}, cited: true},
	{is: cluster.KindWrongCgroup, Label: Label{One: "other cgroup", Many: "sessions in another job's cgroup"},
		was: "in the cgroup of another job", say: otherCgroup, news: warning},
	{is: cluster.KindOwner, Label: Label{One: "owner not known", Many: "nodes with GPUs of unknown owners"},
		was: "owner not known", say: ownerUnknown},
	{is: cluster.KindMixed, Label: Label{One: "other driver or model", Many: "nodes with other hardware or driver"},
		was: "other driver or model", say: mixedNodes, news: warning},
	{is: cluster.KindLeftOver, Label: Label{One: "left-over process", Many: "nodes with left-over processes"},
		was: "left-over process", say: leftBehind, news: warning},
	{is: cluster.KindStranger, Label: Label{One: "foreign process", Many: "nodes with foreign processes"},
		was: "foreign process", say: foreignProcess, news: warning},
	{is: cluster.KindFarCPUs, Label: Label{One: "ranks on far CPUs", Many: "nodes with ranks on far CPUs"},
		was: "ranks on far CPUs", say: farCPUs},
	{is: cluster.KindCPUsFull, Label: Label{One: "CPUs full", Many: "nodes with full CPUs"}, was: "full CPUs",
		say: cpusFull},
	{is: cluster.KindOneThread, Label: Label{One: "GPU fed by one thread", Many: "nodes with GPUs fed by one thread"},
		was: "GPU fed by one thread", say: fedByOneThread},
	{is: cluster.KindClockSkew, Label: Label{One: "clock wrong", Many: "nodes with clock skew"}, was: "clock wrong",
		say: clockSkew, news: warning},

	{is: cluster.KindRankGone, Label: Label{Letter: 'X', One: "rank gone", Many: "GPUs whose rank is gone"},
		was: "rank gone", say: rankGone, news: News{EventRank, cluster.Warning, atOnce}, cited: true},
	{is: cluster.KindLag, Label: Label{Letter: 'L', AgeFlag: true, One: "lags", Many: "GPUs lag"}, was: "lagged",
		say: laggingGPU, news: News{EventLag, cluster.Warning, atOnce}, charts: []metric.ID{metric.Util}},
	{is: cluster.KindLinkUnused,
		Label: Label{Letter: 'N', AgeFlag: true, One: "NVLink unused", Many: "GPUs that do not use NVLink"},
		was:   "NVLink unused", say: linkUnused, news: slow},
	{is: cluster.KindStepSlower, Label: Label{One: "slower than before", Many: "jobs slower than before"},
		was: "slower than before", say: stepSlower, news: slow},
	{is: cluster.KindStalled, Label: Label{One: "was stuck", Many: "jobs that were stuck"}, was: "was stuck",
		say: stalledJob, news: slow},
	{is: cluster.KindLogSilent, Label: Label{One: "log silent", Many: "jobs with a silent log"}, was: "log silent",
		say: silentLog, news: slow, cited: true},
	{is: cluster.KindTooLong, Label: Label{One: "will not finish", Many: "jobs that will not finish"},
		was: "would not have finished", say: tooLong, news: News{EventTime, cluster.Note, atOnce}},
	{is: cluster.KindLowClock,
		Label: Label{Letter: 'T', AgeFlag: true, One: "low clock", Many: "GPUs with a low clock"}, was: "low clock",
		say: lowClock, news: slow},
	{is: cluster.KindIdle, Label: Label{Letter: 'I', AgeFlag: true, One: "idle", Many: "GPUs idle"}, was: "idle",
		say: idleGPU, news: News{EventIdle, cluster.Note, atOnce}, charts: []metric.ID{metric.Util},
		cells: []metric.ID{metric.Util}},
	{is: cluster.KindJobIdle, Label: Label{One: "all GPUs idle", Many: "jobs idle"}, was: "all GPUs idle",
		say: idleJob, news: News{EventIdle, cluster.Note, atOnce}, cited: true, cells: []metric.ID{metric.Util}},
	{is: cluster.KindJobHang, Label: Label{One: "job seems to hang", Many: "jobs seem to hang"},
		was: "the job seemed to hang", say: hangingJob, news: News{EventHang, cluster.Warning, atOnce}, cited: true,
		cells: []metric.ID{metric.Util}, charts: []metric.ID{metric.Util}},
	{is: cluster.KindImbalance, Label: Label{One: "uses more memory", Many: "GPUs use more memory"},
		was: "more memory in use than on other GPUs", say: memoryImbalance, news: warning,
		charts: []metric.ID{metric.MemoryUsed}},
}

// byKind finds the row of a kind.
var byKind = func() map[cluster.Kind]*kindWords {
	rows := map[cluster.Kind]*kindWords{}
	for i := range kinds {
		rows[kinds[i].is] = &kinds[i]
	}
	return rows
}()

// rowOf returns the row of a kind. The row is empty if a newer nvnodetop recorded the kind.
func rowOf(k cluster.Kind) *kindWords {
	if row := byKind[k]; row != nil {
		return row
	}
	return &kindWords{is: k}
}

// Kinds lists all kinds of problems.
func Kinds() (all []cluster.Kind) {
	for i := range kinds {
		all = append(all, kinds[i].is)
	}
	return all
}

// Citable reports whether a line of the job's log may explain a kind of problem.
func Citable(k cluster.Kind) bool { return rowOf(k).cited }

// lagCharts and lagCells are the charts and cells that show how a GPU lags, besides those of its row.
var (
	lagCharts = map[cluster.Difference][]metric.ID{cluster.Less: {metric.Power}, cluster.Slowed: {metric.SMClock},
		cluster.Reads: {metric.MemUtil}}
	lagCells = map[cluster.Difference][]metric.ID{cluster.Starved: {metric.Util}, cluster.Slowed: {metric.SMClock},
		cluster.Awaited: {metric.Power}}
)

// Charts returns the metrics whose charts show what a finding is about.
func Charts(f *cluster.Finding) []metric.ID { return withLag(f, rowOf(f.Kind).charts, lagCharts) }

// Cells returns the numbers in the row of a GPU that a finding is about.
func Cells(f *cluster.Finding) []metric.ID { return withLag(f, rowOf(f.Kind).cells, lagCells) }

func withLag(f *cluster.Finding, usual []metric.ID, by map[cluster.Difference][]metric.ID) []metric.ID {
	if f.Kind != cluster.KindLag || f.Compared == nil {
		return usual
	}
	return slices.Concat(usual, by[f.Compared.How])
}

// Letter is a letter in the cells of GPUs. Its meaning is given in one word and in full.
type Letter struct {
	Letter      rune
	Short, Full string
}

// Letters are the letters of the kinds of problems, worst first.
var Letters = []Letter{
	{'X', "lost/Xid", "GPU lost, Xid, LOST XID:n HUNG UNUSABLE FABRIC NO COMPUTE !RANK RESET REBOOT DRAIN IMEX"},
	{'E', "ECC", "ECC, memory errors, ECC:n REMAP SPARES PAGES"},
	{'T', "thermal", "thermal, !THERMAL !HOT !MEM HOT !SLOW !CLOCK"},
	{'P', "power", "power brake, !POWER"},
	{'N', "link", "NVLink, PCIe, NVLINK n/m !NVLINK !UNUSED FABRIC CLIQUE PCIE !PCIE"},
	{'L', "lags", "lags behind the job's other GPUs, !LAG"},
	{'I', "idle", "idle while others work or wait for it, !IDLE !AWAITED"},
}

// LetterRank orders letters: the lowest rank comes first.
func LetterRank(b byte) int {
	return slices.IndexFunc(Letters, func(l Letter) bool { return l.Letter == rune(b) })
}
