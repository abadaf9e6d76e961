package say

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

func connectingNode(w *Words, e evidence) {
	if e.node.Failure != nil { // nobody waits any longer
		failedNode(w, e)
		return
	}
	stage := "queued"
	if steps := e.node.Steps; len(steps) > 0 {
		now := steps[len(steps)-1].Stage
		stage = cmp.Or(stageDoing[now], string(now))
	}
	w.Long, w.Short, w.Sentence = "connecting: "+stage, stage, "Connecting: "+stage+"."
}

// stageDoing describes the stages of an attempt. Other stages are called by their names.
var stageDoing = map[reach.Stage]string{
	"name": "resolving host name", "TCP": "connecting to port 22", "ssh": "SSH handshake",
	"shell":    "waiting for the login shell",
	"host key": "checking host key",
	"login":    "authenticating", "probe": "starting probe", "driver": "querying driver",
	"stream": "waiting for first report",
}

func failedNode(w *Words, e evidence) {
	why := e.node.Failure
	if why == nil {
		return
	}
	w.Long, w.Short, w.Brief = why.Summary(), why.Summary(), why.Short
	w.Sentence = Sentence(describeFailure(why))
	if len(why.Hints) > 0 {
		w.Hint = why.Hints[0]
	}
}

// describeFailure names the failed part, with the error message: `login refused: "no active jobs" (pam_slurm_adopt)`.
func describeFailure(f *reach.Failure) string {
	words := reasonLine(f.Words)
	switch {
	case words == "" || strings.Contains(f.Summary(), words):
		return f.Summary()
	case f.Cause != "":
		return fmt.Sprintf("%s: %q", f.Summary(), words)
	case f.Detail != "":
		return fmt.Sprintf("%s: %q (%s)", f.Short, words, f.Detail)
	}
	return fmt.Sprintf("%s: %q", f.Short, words)
}

// reasonLine returns the line of an error message that has the reason: the one of pam_slurm_adopt, otherwise the first.
func reasonLine(words string) string {
	const adopt = "pam_slurm_adopt: "
	if _, reason, found := strings.Cut(words, adopt); found {
		words = reason
	}
	return text.FirstLine(words)
}

func staleNode(w *Words, e evidence) {
	if e.node.Failure != nil {
		failedNode(w, e)
		return
	}
	w.Long, w.Short = "not responding", "not responding"
	w.Sentence = "No report for " + formatDuration(e.node.Age) + "; the connection is still open."
	w.Hint = "wait up to 30s: the connection is being checked"
}

// silentNodes describes a silence in one sentence for all nodes.
func silentNodes(w *Words, e evidence) {
	w.Long, w.Short = "no node answers", "no node answers"
	s := e.silence
	w.Sentence = "No node has answered for " + formatDuration(e.at.Sub(s.From)) +
		": this host was suspended or busy, or the network between it and the nodes is down."
	w.Hint = "if that does not pass, try ssh to one of the nodes"
	if !s.Over.IsZero() {
		w.Sentence = fmt.Sprintf("%d nodes have not answered yet since all fell silent at %s; the others answer again.",
			s.Nodes, s.From.Format(time.TimeOnly))
		w.Hint = ""
	}
}

func withoutDriver(w *Words, e evidence) {
	w.Long, w.Short = "NVIDIA driver not working", "no driver"
	if e.hello.Fault == "" { // a newer Hello has no fault, and no report has arrived yet
		w.Sentence = "NVIDIA driver not working."
		return
	}
	w.Long += ": " + e.hello.Fault
	w.Sentence, w.Hint = driverSentence(e.hello)
}

func driverSentence(h *wire.Hello) (what, hint string) {
	what, hint = "NVML is not usable", "try nvidia-smi on the node"
	switch h.FaultID {
	case wire.FaultNoLibrary:
		what, hint = "NVIDIA library not found",
			"libnvidia-ml.so.1 comes with the driver: is this a GPU node? report it to your admins"
	case wire.FaultMismatch:
		what, hint = "Driver/library version mismatch",
			"the driver was updated without a reload: your admins must reload it or reboot the node"
	case wire.FaultNoDriver:
		what, hint = "NVIDIA driver not responding",
			"nvidia-smi on the node should fail the same way: report it to your admins"
	case wire.FaultHangs:
		what, hint = "NVIDIA driver hung", "nvidia-smi on the node should hang too: report it to your admins"
	case wire.FaultNoNVML:
		return "This nvnodetop was built without NVML support (no cgo).",
			"rebuild with CGO_ENABLED=1 and a C compiler, or use a release"
	}
	if strings.EqualFold(h.Fault, what) {
		return Sentence(what), hint
	}
	return Sentence(what + ": " + h.Fault), hint
}

func withOldDriver(w *Words, e evidence) {
	w.Long, w.Short = "driver "+e.hello.Driver+" too old", "driver too old"
	if lacks := len(e.hello.Missing); lacks == 1 {
		w.Sentence = fmt.Sprintf("Driver %s does not support 1 NVML call; its column is empty.", e.hello.Driver)
	} else {
		w.Sentence = fmt.Sprintf("Driver %s does not support %d NVML calls; those columns are empty.", e.hello.Driver,
			lacks)
	}
}

func slowDriver(w *Words, e evidence) {
	w.Long, w.Short = "driver slow", "driver slow"
	w.Sentence = "The driver cannot keep up: it is polled every " + formatTwoDigits(e.node.Interval) + "."
	if e.node.Took > e.node.Interval {
		w.Long = "driver slow, " + formatTwoDigits(e.node.Took)
		w.Sentence = "The driver takes " + formatTwoDigits(e.node.Took) + " to answer but is polled every " +
			formatTwoDigits(e.node.Interval) + "."
	}
	w.Hint = "if nvidia-smi on the node is slow too, report it to your admins"
}

// unreadableMetrics names the metrics that cannot be read, of the node or of one GPU.
func unreadableMetrics(w *Words, e evidence) {
	of := e.gpu
	if of.Key == "" {
		of = nil
	}
	faults := faultsOf(e.node, of)
	if len(faults) == 0 {
		return
	}
	if of != nil {
		w.Hint = "try nvidia-smi on the node"
	}
	var names, whys []string
	for _, f := range faults {
		names = append(names, f.Collector)
		if !slices.Contains(whys, f.Error) {
			whys = append(whys, f.Error)
		}
	}
	w.Long, w.Short = strings.Join(names, ", ")+" unavailable", "no "+names[0]
	w.Sentence = Sentence(w.Long + ": " + strings.Join(whys, "; "))
}

// faultsOf returns the faults of one GPU, or those of the node itself if g is nil.
func faultsOf(n *cluster.Node, g *cluster.GPU) []wire.Fault {
	return slices.DeleteFunc(slices.Clone(n.Faults), func(f wire.Fault) bool { return !signs.IsOf(&f, g) })
}
