package config

import (
	"fmt"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// nvitop's environment variables that mean the same here. They belong to another program, so a mistake in them is noted
// and is not an error.
const (
	nvitopModes  = "NVITOP_MONITOR_MODE"
	nvitopTheme  = "NVITOP_MONITOR_THEME" // before nvitop 1.0
	nvitopGPU    = "NVITOP_GPU_UTILIZATION_THRESHOLDS"
	nvitopMemory = "NVITOP_MEMORY_UTILIZATION_THRESHOLDS"
)

// modes has the words of NVITOP_MONITOR_MODE, and the setting that each stands for here.
var modes = map[string]struct {
	key   string
	value any
}{
	"auto": {"monitor", "auto"}, "full": {"monitor", "full"}, "compact": {"monitor", "compact"},
	"plain": {Colors, ColorsJob}, "colorful": {Colors, ColorsClassic},
	"dark": {"theme", "dark"}, "light": {"theme", "light"},
	"readonly": {"readonly", true},
}

// readNvitop reads nvitop's variables.
func (o *Origins) readNvitop(environ []string) (*layer, error) {
	set, from := values{}, map[string]string{}
	take := func(name, key string, value any) {
		if s := findSetting(key); s != nil && s.take(&Config{}, value) {
			set[key], from[key] = value, name
			return
		}
		o.noteIgnored(name, fmt.Sprint(value))
	}
	for _, pair := range environ {
		switch name, value, _ := strings.Cut(pair, "="); name {
		case nvitopGPU:
			take(name, "gpu_util_thresh", textValue(value))
		case nvitopMemory:
			take(name, "mem_util_thresh", textValue(value))
		case nvitopTheme:
			switch mode := modes[value]; {
			case mode.key != "theme":
				o.noteIgnored(name, value)
			case from["theme"] == "": // the words of NVITOP_MONITOR_MODE take precedence
				take(name, mode.key, mode.value)
			}
		case nvitopModes:
			for word := range strings.SplitSeq(value, ",") {
				if mode, known := modes[strings.TrimSpace(word)]; known {
					take(name, mode.key, mode.value)
				} else {
					o.noteIgnored(name, word)
				}
			}
		}
	}
	return &layer{values: set, origin: func(key string) string { return from[key] }}, nil
}

// noteIgnored notes a word without a meaning here.
func (o *Origins) noteIgnored(name, word string) {
	const most, mostWords = 40, 8
	if len(o.Ignored) < mostWords {
		o.Ignored = append(o.Ignored, fmt.Sprintf("%q in %s", text.Cut(word, most), name))
	}
}
