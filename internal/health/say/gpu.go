package say

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// gpuMissing names the job's GPUs that the driver does not list.
func gpuMissing(w *Words, e evidence) {
	m := e.job.Missing(e.node)
	switch {
	case m.Count == 0: // SLURM or the probe has newer data than the last report
		w.Long, w.Short, w.Sentence = "GPU missing", "GPU missing", "A GPU that SLURM allocated to this job is missing."
		return
	case !m.Certain:
		w.Long, w.Short = nameGPUs(m.Numbers)+" not listed", "GPU not listed"
		w.Sentence = fmt.Sprintf("SLURM allocated %s to this job; the driver lists %s.", nameGPUs(m.Numbers),
			inRanges(numbersOf(e.node)))
		w.Hint = "fine if SLURM numbers the GPUs differently here; otherwise a GPU is missing: compare with " +
			"nvidia-smi on the node"
	case m.Of == 1 && m.Numbers == nil:
		w.Long, w.Short = "GPU missing", "GPU missing"
		w.Sentence = "GPU missing: SLURM allocated one to this job, but the driver does not list it."
	case m.Numbers == nil:
		w.Long, w.Short = fmt.Sprintf("%d of %d GPUs missing", m.Count, m.Of), fmt.Sprintf("%d missing", m.Count)
		w.Sentence = fmt.Sprintf("%d of %d GPUs missing: SLURM allocated %d to this job, but the driver does not "+
			"list them all.", m.Count, m.Of, m.Of)
	default:
		w.Long, w.Short = nameGPUs(m.Numbers)+" missing", nameGPUs(m.Numbers)+" missing"
		w.Sentence = fmt.Sprintf("%s missing: SLURM allocated %s to this job, but the driver does not list %s.",
			nameGPUs(m.Numbers), itOrThem(m.Count), itOrThem(m.Count))
	}
	w.Sentence += withoutNumber(e.node)
	w.Hint = cmp.Or(w.Hint, "if nvidia-smi on the node does not list it either, move the job and report it to your "+
		"admins")
}

func itOrThem(count int) string {
	if count == 1 {
		return "it"
	}
	return "them"
}

// withoutNumber mentions lost GPUs without a number: the missing ones may be among them.
func withoutNumber(n *cluster.Node) string {
	count, why := 0, ""
	for i := range n.GPUs {
		if g := &n.GPUs[i]; g.Number == cluster.NoNumber && g.Lost != "" {
			count, why = count+1, g.Lost
		}
	}
	switch count {
	case 0:
		return ""
	case 1:
		return " 1 GPU with an unknown number is not accessible: " + why + "."
	}
	return fmt.Sprintf(" %d GPUs with unknown numbers are not accessible: %s.", count, why)
}

// gpusHidden says that the probe cannot see the job's GPUs.
func gpusHidden(w *Words, e evidence) {
	m := e.job.Missing(e.node)
	w.Long, w.Short = "GPUs hidden by the cgroup of job "+m.Cgroup, "GPUs hidden"
	w.Sentence = fmt.Sprintf("The ssh session is in the cgroup of job %s, which hides this job's %s.", m.Cgroup,
		nameGPUs(m.Numbers))
	w.Hint = fmt.Sprintf("pam_slurm_adopt picked the other job; from this one: srun --jobid=%s --overlap -w %s "+
		"nvidia-smi", e.job.Number, e.node.Name)
	if !m.Hidden {
		w.Long, w.Sentence, w.Hint = w.Short,
			"The ssh session is in the cgroup of another job, which hides this job's GPUs.", ""
	}
}

// nameGPUs returns "GPU5" or "GPUs 2, 5-7".
func nameGPUs(numbers []int) string {
	if len(numbers) == 1 {
		return "GPU" + strconv.Itoa(numbers[0])
	}
	return "GPUs " + inRanges(numbers)
}

// numbersOf returns the numbers of a node's GPUs.
func numbersOf(n *cluster.Node) []int {
	var numbers []int
	for i := range n.GPUs {
		if number := n.GPUs[i].Number; number != cluster.NoNumber {
			numbers = append(numbers, number)
		}
	}
	return slices.Compact(numbers)
}

// maxRanges keeps a sentence readable, whatever the number of GPUs.
const maxRanges = 8

// inRanges formats sorted numbers: "0-2, 5".
func inRanges(numbers []int) string {
	runs := text.Runs(numbers)
	if len(runs) > maxRanges {
		runs = append(runs[:maxRanges], "…")
	}
	return cmp.Or(strings.Join(runs, ", "), "none")
}

func gpuLost(w *Words, e evidence) {
	w.Flag, w.Long, w.Short = "LOST", "lost", "lost"
	w.Sentence = fmt.Sprintf("GPU lost (%s: %q).", e.driverName(), e.gpu.Lost)
	if name := nameUnnumbered(e.gpu); name != "" {
		w.Sentence = "GPU with unknown number (" + name + ") lost: " + e.gpu.Lost + "."
	}
	w.Hint = "GPU unavailable until the node reboots: move the job and report it to your admins"
	if e.gpu.LostID == wire.LostReset {
		w.Hint = "GPU unavailable until your admins reset it (nvidia-smi -r) or reboot the node: move the job and " +
			"report it"
	}
}

// driverName names the source of the driver's messages: NVML, or nvidia-smi if it runs instead of a probe.
func (e evidence) driverName() string {
	if e.hello.StandIn != "" {
		return "nvidia-smi"
	}
	return "NVML"
}

// nameUnnumbered identifies a GPU without a number; "" if it has one.
func nameUnnumbered(g *cluster.GPU) string {
	if g.Number != cluster.NoNumber {
		return ""
	}
	return cmp.Or(g.Card.PCIBus, g.Card.UUID, "NVML index "+strconv.Itoa(g.Card.Index))
}

func gpuUnusable(w *Words, e evidence) {
	w.Flag, w.Long, w.Short = "UNUSABLE", "unusable: "+e.gpu.Lost, "unusable"
	w.Sentence = "GPU unusable, the driver cannot access it: " + e.gpu.Lost + "."
	if name := nameUnnumbered(e.gpu); name != "" {
		w.Sentence = "GPU with unknown number (" + name + ") unusable, the driver cannot access it: " + e.gpu.Lost + "."
	}
	w.Hint = "if nvidia-smi on the node fails too, report it to your admins"
	if e.gpu.LostID == wire.LostPower {
		w.Hint = "power cable or power supply problem: report it to your admins"
	}
}

func gpuHangs(w *Words, e evidence) {
	w.Flag, w.Long, w.Short = "HUNG", "driver call hung", "hung"
	w.Hint = "if nvidia-smi hangs too, so will the job: move the job and report it to your admins"
	if e.every {
		all := allGPUs(len(e.node.GPUs))
		w.Long, w.Short = "driver calls hang for "+all, "all GPUs hung"
		w.Sentence = fmt.Sprintf("All GPUs hung: driver calls hang for %s of the node%s.", all,
			inParens(commonCall(e.node), formatDuration(signs.LongestHang(e.node, nil))))
		return
	}
	call := "GPU hung: a driver call"
	if e.gpu.Call != "" {
		call += " (" + e.gpu.Call + ")"
	}
	w.Sentence = call + " has not returned for " + formatDuration(signs.LongestHang(e.node, e.gpu)) + e.othersAnswer() +
		"."
}

// allGPUs returns "both GPUs", "all 8 GPUs".
func allGPUs(count int) string {
	if count == 2 {
		return "both GPUs"
	}
	return fmt.Sprintf("all %d GPUs", count)
}

// commonCall returns the call that hangs for all GPUs of a node; "" if they differ.
func commonCall(n *cluster.Node) string {
	for i := range n.GPUs {
		if n.GPUs[i].Call != n.GPUs[0].Call {
			return ""
		}
	}
	return n.GPUs[0].Call
}

func inParens(facts ...string) string {
	facts = slices.DeleteFunc(facts, func(s string) bool { return s == "" })
	return " (" + strings.Join(facts, ", ") + ")"
}

// othersAnswer says how many of the node's other GPUs answer, or that some do not.
func (e evidence) othersAnswer() string {
	hung := 0
	for i := range e.node.GPUs {
		if e.node.GPUs[i].Hung() {
			hung++
		}
	}
	switch others := len(e.node.GPUs) - 1; {
	case hung > 1:
		return fmt.Sprintf("; calls hang for %d of %d GPUs of the node", hung, others+1)
	case others == 1:
		return "; the other GPU of the node answers"
	case others > 1:
		return fmt.Sprintf("; the other %d GPUs of the node answer", others)
	}
	return ""
}

func thermalThrottling(w *Words, e evidence) {
	w.Flag, w.Long, w.Short = "!THERMAL", "thermal throttling"+e.temperatureAfter(", "), "thermal"+e.temperatureAfter(" ")
	w.Sentence = "Thermal throttling" + listFacts(e.temperatureAfter(""), e.hotMemory(), e.clockText(),
		e.throttledFor(metric.HWThermalTime, metric.SWThermalTime, metric.ThermalTime)) + "."
	w.Hint = badCooling
}

// badCooling is the hint for a GPU that is too hot.
const badCooling = "cooling problem in this slot: report it to your admins"

func memoryTooHot(w *Words, e evidence) {
	if !signs.Overheated(e.gpu) {
		return
	}
	now, most := e.gpu.Float(metric.MemoryTemperature), e.gpu.Float(metric.MemoryMaxOperating)
	w.Flag, w.Long, w.Short = "!MEM HOT", fmt.Sprintf("memory %.0f°C, maximum %.0f°C", now, most),
		fmt.Sprintf("memory %.0f°C", now)
	w.Sentence = fmt.Sprintf("GPU memory too hot: %.0f°C, its maximum is %.0f°C.", now, most)
	w.Hint = badCooling
}

// hotMemory returns the temperature of the memory if it is too high, otherwise "".
func (e evidence) hotMemory() string {
	if !signs.Overheated(e.gpu) {
		return ""
	}
	return fmt.Sprintf("memory %.0f of at most %.0f°C", e.gpu.Float(metric.MemoryTemperature),
		e.gpu.Float(metric.MemoryMaxOperating))
}

func tooHot(w *Words, e evidence) {
	now, limit := e.gpu.Float(metric.Temperature), e.gpu.Float(metric.Slowdown)
	if !(now > limit) {
		return
	}
	w.Flag, w.Long, w.Short = "!HOT", fmt.Sprintf("%.0f°C, slowdown from %.0f°C", now, limit),
		fmt.Sprintf("too hot %.0f°C", now)
	w.Sentence = fmt.Sprintf("GPU too hot: %.0f°C, above its slowdown temperature of %.0f°C", now, limit)
	if e.gpu.Values.Has(metric.Throttle) {
		w.Sentence += ", and the driver reports no slowdown"
	}
	w.Sentence += "."
	w.Hint = badCooling
}

func computeProhibited(w *Words, _ evidence) {
	w.Flag, w.Long, w.Short = "NO COMPUTE", "compute mode prohibited", "compute prohibited"
	w.Sentence = "Compute prohibited by the compute mode: no CUDA program can start on this GPU."
	w.Hint = "your admins can allow it: nvidia-smi -c DEFAULT"
}

func powerBrake(w *Words, e evidence) {
	w.Flag, w.Long, w.Short = "!POWER", "power brake", "power brake"
	w.Sentence = "Power brake by the hardware" + listFacts(e.clockText(), e.throttledFor(metric.PowerBrakeTime)) + "."
	w.Hint = "node or rack power problem, not your job: report it to your admins"
}

func hardwareSlowdown(w *Words, e evidence) {
	w.Flag, w.Long, w.Short = "!SLOW", "hardware slowdown", "HW slowdown"
	w.Sentence = "Hardware slowdown, reason not reported by the driver" + listFacts(e.clockText()) + "."
	w.Hint = "if it persists, report it to your admins"
}

// listFacts joins the facts that are not empty, after a colon.
func listFacts(facts ...string) string {
	facts = slices.DeleteFunc(facts, func(s string) bool { return s == "" })
	if len(facts) == 0 {
		return ""
	}
	return ": " + strings.Join(facts, ", ")
}

// throttledFor returns how long a GPU was throttled: in the last interval and since the watch began; "" if there is no
// counter for it.
func (e evidence) throttledFor(ids ...metric.ID) string {
	share, total := 0.0, 0.0
	var over time.Duration
	for _, id := range ids {
		if lately, interval, known := e.gpu.Lately(id); known {
			share, over = max(share, lately), interval
		}
		grown, _ := e.gpu.Grown(id)
		total = max(total, grown)
	}
	if over == 0 {
		return ""
	}
	now := "throttled now"
	if share = min(share, 1); share < allTheTime {
		now = fmt.Sprintf("throttled for %.0f%% of the last %s", 100*share, formatInterval(over))
	}
	return fmt.Sprintf("%s; %s in the last %s", now, formatDuration(time.Duration(total*float64(time.Second))),
		formatDuration(e.gpu.Watched()))
}

// allTheTime is the share of an interval at which a GPU counts as throttled now.
const allTheTime = 0.995

// formatInterval formats the time between two readings: "3s", never 0.
func formatInterval(d time.Duration) string {
	return formatDuration(max(d.Round(time.Second), time.Second))
}

// temperatureAfter returns the given text and then the GPU's temperature; "" if it is unknown.
func (e evidence) temperatureAfter(before string) string {
	celsius, known := e.gpu.Get(metric.Temperature)
	if !known {
		return ""
	}
	return fmt.Sprintf("%s%.0f°C", before, celsius)
}

// clockText returns the GPU's SM clock; "" if it is unknown.
func (e evidence) clockText() string {
	now, known := e.gpu.Get(metric.SMClock)
	most, told := e.gpu.Get(metric.SMClockMax)
	switch {
	case !known:
		return ""
	case !told:
		return fmt.Sprintf("SM clock %.0f MHz", now)
	}
	return fmt.Sprintf("SM clock %.0f of %.0f MHz", now, most)
}
