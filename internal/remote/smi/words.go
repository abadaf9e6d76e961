package smi

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// absences are what nvidia-smi prints for a value that the GPU or its driver does not have, or that the user may not
// read. Any other words in place of all vital values are the reason why the GPU does not answer.
var absences = []string{"", "n/a", "not supported", "not available", "not found", "unknown", "insufficient permissions",
	"no permission", "requested functionality has been deprecated"}

// vital are metrics: every working GPU has at least one of them.
var vital = []metric.ID{metric.Util, metric.MemoryUsed, metric.Power}

// stripBrackets returns the text of a cell: nvidia-smi puts words that replace a value in brackets.
func stripBrackets(cell string) string {
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(cell), "["), "]"))
}

// complaintText returns the text of a cell that has neither a value nor a known absence; "" if there is none.
func complaintText(cell string) string {
	words := stripBrackets(cell)
	_, err := strconv.ParseFloat(words, 64)
	if err == nil || slices.Contains(absences, strings.ToLower(words)) {
		return ""
	}
	return words
}

// lostID returns the class of the words about a GPU that does not answer. Unknown words mean that the GPU is lost:
// nvidia-smi gets nothing from it.
func lostID(words string) string {
	lower := strings.ToLower(words)
	for _, kind := range []struct{ word, id string }{
		{"reset", wire.LostReset}, {"power", wire.LostPower}, {"interrupt", wire.LostIRQ},
		{"timeout", wire.LostTimeout}, {"timed out", wire.LostTimeout},
	} {
		if strings.Contains(lower, kind.word) && !strings.Contains(lower, "lost") {
			return kind.id
		}
	}
	return wire.LostFellOff
}

var (
	busInWords   = regexp.MustCompile(`(?i)[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]`)
	indexInWords = regexp.MustCompile(`(?i)\bgpu[ #]{0,2}(\d{1,4})(?::?\s|:?$)`)
	uuidInWords  = regexp.MustCompile(`GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
)

// namedGPU is the GPU that a line of nvidia-smi names.
type namedGPU struct {
	index     int // -1: it is named otherwise
	bus, uuid string
}

// findNamed finds the GPU that a line names, such as "Unable to determine the device handle for GPU1: 00000000:08:00.0:
// Unknown Error"; ok is false if the line names none.
func findNamed(line string) (who namedGPU, ok bool) {
	who = namedGPU{-1, busInWords.FindString(line), uuidInWords.FindString(line)}
	if m := indexInWords.FindStringSubmatch(line); m != nil {
		who.index, _ = strconv.Atoi(m[1]) // at most 4 digits
	}
	return who, who.index >= 0 || who.bus != "" || who.uuid != ""
}

// namesGPU reports whether the line names this GPU.
func (w namedGPU) namesGPU(g *gpu) bool {
	switch {
	case w.uuid != "" && g.UUID != "":
		return w.uuid == g.UUID
	case w.bus != "" && g.PCIBus != "":
		return busKey(w.bus) == busKey(g.PCIBus)
	}
	return w.index == g.at
}
