package mask

import (
	"maps"
	"regexp"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// A node may send any text as a version, a class or the name of a variable. The text stays if it looks like one, or is
// in one of our lists.

// shape is the form of a text that may stay.
type shape struct{ *regexp.Regexp }

func shapeOf(pattern string) shape { return shape{regexp.MustCompile(pattern)} }

var (
	version  = shapeOf(`^\d+(\.\d+)*`) // of a kernel, without additions of the site
	release  = shapeOf(`^(devel|v?\d+\.\d+\.\d+)`)
	platform = shapeOf(`^(linux|darwin)/[a-z0-9]{3,7}$`)
	address  = shapeOf(`^[0-9A-Fa-f:.]{1,20}$`)
	class    = shapeOf(`^[a-z]+(_[a-z]+)*$`)
	ended    = shapeOf(`^[A-Z]+(_[A-Z]+)*$`)
	variable = shapeOf(`^[A-Z]+(_[A-Z]+)*$`)
	step     = shapeOf(`^(\d{1,6}|batch|extern|interactive)$`)
	cpus     = shapeOf(`^[\d,-]+$`)
	letter   = shapeOf(`^[A-Za-z]$`)
	kind     = shapeOf(`^[CGM](\+[CGM])*$`)
	function = shapeOf(`^nvml[A-Z][A-Za-z0-9_]*$`)
	gpus     = shapeOf(`^(NVIDIA|Tesla|Quadro|GeForce|GRID|TITAN) [A-Za-z0-9 .()-]+$`)
	jobID    = shapeOf(`^\d+`)
	tasks    = shapeOf(`^([_+]\d+|_\[[\d,:%-]+\])$`)
)

// matchText returns the part of a text with this shape.
func (s shape) matchText(text string) string { return s.FindString(text) }

// replaceNumber replaces SLURM's number of a job, which would lead to its user. The numbers of an array's task and of a
// component stay.
func (m *Mask) replaceNumber(id string) string {
	number := jobID.matchText(id)
	if number == "" {
		return m.replaceName("number", "%d", id)
	}
	return m.replaceName("number", "%d", number) + tasks.matchText(id[len(number):])
}

// collectors are what is read on a node, by the names that a probe uses.
var collectors = func() map[string]bool {
	all := map[string]bool{"processes": true, "job_memory": true, "host": true, "gpu": true, "xids": true}
	for _, scope := range []metric.Scope{metric.GPU, metric.Host} {
		for id := range metric.All(scope) {
			all[id.Row().Label], all[id.Row().Key] = true, true
		}
	}
	return all
}()

// collectorName returns the name of a reading, or of a function of the driver.
func collectorName(name string) string {
	if collectors[name] || name == "" || function.matchText(name) != "" {
		return name
	}
	return "other"
}

// reasons are NVML's reasons for missing metrics.
var reasons = map[string]bool{
	"Not Supported": true, "Function Not Found": true, "Insufficient Permissions": true, "Not Found": true,
	"Invalid Argument": true, "Timeout": true,
	"Unknown Error": true, "GPU is lost": true, "No data": true, "In use by another client": true,
	"Insufficient Size": true,
}

// absentMetrics returns the metrics that a GPU lacks, by reason.
func absentMetrics(of map[string][]string) map[string][]string {
	if of == nil {
		return nil
	}
	out := map[string][]string{}
	for _, reason := range slices.Sorted(maps.Keys(of)) {
		said := reason
		if !reasons[reason] {
			said = "other"
		}
		for _, key := range of[reason] {
			if metric.Known(key, metric.GPU) || key == wire.AbsentXids {
				out[said] = append(out[said], key)
			}
		}
	}
	return out
}
