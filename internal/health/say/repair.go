package say

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// recoveries are the driver's requests, by metric.RecoveryAction: the flag and the words.
var recoveries = map[float64]struct{ flag, asks string }{
	signs.RecoverReset:      {"RESET", "reset this GPU"},
	signs.RecoverReboot:     {"REBOOT", "reboot the node"},
	signs.RecoverDrain:      {"DRAIN", "stop peer-to-peer traffic"},
	signs.RecoverDrainReset: {"RESET", "stop peer-to-peer traffic and reset this GPU"},
	signs.RecoverIMEX:       {"IMEX", "recover the IMEX domain"},
}

func recoveryAction(w *Words, e evidence) {
	action, known := e.gpu.Get(metric.RecoveryAction)
	if !known || action == 0 {
		return
	}
	what := recoveries[action]
	if what.asks == "" {
		what.flag, what.asks = fmt.Sprintf("ACTION:%.0f", action), fmt.Sprintf("take recovery action %.0f", action)
	}
	w.Flag, w.Long, w.Short = what.flag, "driver asks to "+what.asks, what.flag
	w.Sentence = "Recovery needed: the driver asks to " + what.asks + "."
	w.Hint = "this is the driver's own advice: report it to your admins, and move the job"
}

// useDriverAdvice replaces the hint for a damaged GPU with the driver's own advice, if there is any.
func useDriverAdvice(w *Words, e evidence) {
	if what := recoveries[e.gpu.Float(metric.RecoveryAction)]; what.asks != "" {
		w.Hint = "the driver asks to " + what.asks + ": report it to your admins"
	}
}

func eccErrors(w *Words, e evidence) {
	count, known := e.gpu.Get(metric.ECCUncorrected)
	if !known {
		return
	}
	w.Flag, w.Long, w.Short = fmt.Sprintf("ECC:%.0f", count), text.Count(int(count), "ECC error"),
		fmt.Sprintf("ECC %.0f", count)
	w.Sentence = text.Count(int(count), "uncorrectable ECC error") + " since driver load."
	w.Hint = signs.SuspectData
}

func eccGrowing(w *Words, e evidence) {
	if eccErrors(w, e); w.Flag == "" {
		return
	}
	grown, _ := e.gpu.Grown(metric.ECCUncorrected)
	w.Long = text.Count(int(grown), "new ECC error")
	w.Sentence = "Uncorrectable ECC errors: " + errorsSoFar(e.gpu, metric.ECCUncorrected) + "."
	w.Hint = signs.SuspectData
}

func rowRemapping(w *Words, e evidence) {
	w.Flag, w.Long, w.Short = "REMAP", "row remapping pending", "remap pending"
	w.Sentence = "Remap pending: a memory row will be remapped at the next reset of the GPU" +
		listFacts(e.remappedRows()) + "."
	w.Hint = "running programs are safe; the GPU needs a reset between two jobs: report it to your admins"
}

func remappingFailed(w *Words, e evidence) {
	w.Flag, w.Long, w.Short = "REMAP", "row remapping failed", "remap failed"
	w.Sentence = "Remap failed: a memory row could not be remapped" + listFacts(e.remappedRows()) + "."
	w.Hint = "this GPU probably needs to be replaced: move the job and report it to your admins"
}

func withoutSpares(w *Words, e evidence) {
	banks, known := e.gpu.Get(metric.BanksWithoutSpareRows)
	if !known {
		return
	}
	has := "has"
	if banks != 1 {
		has = "have"
	}
	w.Flag, w.Short = "SPARES", w.One
	w.Long = text.Count(int(banks), "memory bank") + " " + has + " no spare rows left"
	w.Sentence = w.Long + listFacts(e.remappedRows()) + ". The next damaged row there cannot be remapped."
	w.Hint = "the memory of this GPU is wearing out: report it to your admins"
}

// remappedRows returns the number of remapped rows; "" if unknown.
func (e evidence) remappedRows() string {
	bad, known := e.gpu.Get(metric.RemappedUncorrectable)
	good, told := e.gpu.Get(metric.RemappedCorrectable)
	if !known || !told {
		return ""
	}
	if bad == 0 {
		return text.Count(int(good), "row") + " remapped"
	}
	return fmt.Sprintf("%s remapped, %.0f of them with uncorrectable errors", text.Count(int(bad+good), "row"), bad)
}

func retiredPages(w *Words, e evidence) {
	w.Flag, w.Long, w.Short = "PAGES", "memory pages retired", "retired pages"
	pending := e.gpu.Float(metric.RetiredPending) > 0
	count := signs.Retired(e.gpu)
	switch known := count == count; {
	case known && pending:
		w.Sentence = fmt.Sprintf("%s retired, more at the next reboot.", text.Count(int(count), "memory page"))
	case known:
		w.Sentence = fmt.Sprintf("%s retired.", text.Count(int(count), "memory page"))
	default:
		w.Sentence = "Memory pages will be retired at the next reboot."
	}
	w.Hint = "the memory of this GPU is wearing out: report it to your admins"
}

func memoryNearlyFull(w *Words, e evidence) {
	used, of := e.gpu.Float(metric.MemoryUsed), e.gpu.Float(metric.MemoryTotal)
	percent, known := cluster.Percent(used, of)
	if !known {
		return
	}
	if trend, fills := e.gpu.Memory.Trend(of); fills {
		e.describeFilling(w, trend.PerMinute, trend.Full)
		return
	}
	w.Long, w.Short = fmt.Sprintf("GPU memory %.0f%% full", percent), "memory full"
	w.Sentence = fmt.Sprintf("GPU memory is %.0f%% full: %s.", percent, gibOf(used, of))
	w.Hint = "normal for programs that reserve all memory; otherwise the next allocation may fail"
}

// describeFilling describes a GPU whose memory grows until it is full.
func (e evidence) describeFilling(w *Words, perMinute float64, in time.Duration) {
	full := "full in " + formatMinutes(in)
	w.Short, w.Long = "memory "+full, "GPU memory "+full
	w.Sentence = fmt.Sprintf("GPU memory grows by %.2g GiB a minute%s: %s in use, %s at this pace.",
		perMinute/signs.GiB, e.rankAndProcess(), gibOf(e.gpu.Float(metric.MemoryUsed), e.gpu.Float(metric.MemoryTotal)),
		full)
	w.Hint = "CUDA will run out of memory: save a checkpoint, and look for what is kept from step to " +
		"step, such as losses with their graphs"
}

// gibOf returns "78.9 of 79.6 GiB".
func gibOf(part, of float64) string { return inGiB(part) + " of " + inGiB(of) + " GiB" }

func inGiB(bytes float64) string {
	digits := 1
	if bytes >= 100*signs.GiB {
		digits = 0
	}
	return strconv.FormatFloat(bytes/signs.GiB, 'f', digits, 64)
}

func sayXid(w *Words, e evidence) {
	c, found := signs.XidCauseOn(e.node, e.gpu)
	if !found {
		return
	}
	what := signs.XidOf(c.Code)
	w.Flag, w.Short = fmt.Sprintf("XID:%d", c.Code), fmt.Sprintf("Xid %d", c.Code)
	w.Long, w.Hint = w.Short+": "+what.Name, what.Hint
	w.Sentence = w.Long + ", " + formatDuration(e.at.Sub(c.Last)) + " ago"
	if c.Times > 1 {
		w.Sentence += fmt.Sprintf(", %d times since %s", c.Times, c.At.Format(time.TimeOnly))
	}
	if len(c.Then) > 0 {
		w.Sentence += "; then Xid " + xidList(c.Then)
	}
	w.Sentence += "."
	if what.Whose != "" {
		w.Sentence += " " + string(what.Whose)
	}
	if what.Action != "" {
		w.Sentence += " NVIDIA: " + string(what.Action) + "."
	}
}

func xidList(codes []uint64) string {
	words := make([]string, len(codes))
	for i, code := range codes {
		words[i] = fmt.Sprint(code)
	}
	return strings.Join(words, ", ")
}
