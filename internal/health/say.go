package health

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Words are a finding as each place says it. None names the node or the GPU: Finding does.
type Words struct {
	Label
	Flag     string // of a node-view row, without its age: "!THERM", "!PWR", "ECC:2"; "" for none
	Long     string // overview, where there is room: "slowed by heat, 87°C"
	Short    string // overview, narrow: "heat 87°C"
	Brief    string // of a failure: Short without its details
	Sentence string // whole, for the health section: "Slowed by heat: 87°C, SM clock 1215 of 1980 MHz."
	Hint     string // what to do; may be empty
}

// Label is what can be said of a kind of finding without a look at the evidence.
type Label struct {
	Letter  byte      // of an overview cell: X E T P; 0: none
	AgeFlag bool      // the flag is followed by its age: "!THERM 40s"
	Group   [2]string // how row 1 counts it: {"node refused", "nodes refused"}
}

// wording is how one kind is said.
type wording struct {
	Label
	was string // what is left to say when it is over
	say func(*Words, evidence)
}

var wordings = map[cluster.Kind]wording{
	cluster.KindConnecting: {Label{Group: [2]string{"connecting", "connecting"}}, "connecting", connecting},
	cluster.KindFailed:     {Label{Group: [2]string{"node failed", "nodes failed"}}, "", failed},
	cluster.KindStale:      {Label{Group: [2]string{"node silent", "nodes silent"}}, "", stale},
	cluster.KindNoDriver:   {Label{Group: [2]string{"node without NVML", "nodes without NVML"}}, "no NVML", withoutDriver},
	cluster.KindOldDriver:  {Label{Group: [2]string{"old driver", "old drivers"}}, "old driver", withOldDriver},
	cluster.KindFault:      {Label{Group: [2]string{"collector failing", "collectors failing"}}, "collector failing", collectorFailing},
	cluster.KindLost:       {Label{'X', false, [2]string{"GPU lost", "GPUs lost"}}, "lost", gpuLost},
	cluster.KindECC:        {Label{'E', false, [2]string{"memory error", "memory errors"}}, "memory errors", ecc},
	cluster.KindThermal:    {Label{'T', true, [2]string{"throttled", "throttled"}}, "slowed by heat", thermal},
	cluster.KindPowerBrake: {Label{'P', true, [2]string{"power brake", "power brakes"}}, "power brake", powerBrake},
	cluster.KindSlowdown:   {Label{'T', true, [2]string{"throttled", "throttled"}}, "slowed by the hardware", slowdown},
}

// groups says how row 1 counts nodes by the class of their failure; those of other classes have failed.
var groups = map[reach.Class][2]string{
	reach.ClassAdopt: {"node refused", "nodes refused"}, reach.ClassAuth: {"node refused", "nodes refused"}, reach.ClassDenied: {"node refused", "nodes refused"},
	reach.ClassRefused: {"node unreachable", "nodes unreachable"}, reach.ClassNoRoute: {"node unreachable", "nodes unreachable"},
	reach.ClassLoginHangs: {"login hung", "logins hung"}, reach.ClassProbeLate: {"probe not started", "probes not started"},
	reach.ClassDriverHangs: {"driver hung", "drivers hung"},
	reach.ClassTimeout:     {"node unreachable", "nodes unreachable"}, reach.ClassFrozen: {"node unreachable", "nodes unreachable"},
	reach.ClassUnknownHost:    {"unknown host", "unknown hosts"},
	reach.ClassHostKeyChanged: {"host key changed", "host keys changed"}, reach.ClassHostKeyUnknown: {"host key unknown", "host keys unknown"},
	reach.ClassSilent: {"node silent", "nodes silent"}, reach.ClassClosed: {"node lost", "nodes lost"}, reach.ClassProbeKilled: {"probe killed", "probes killed"},
}

// LabelOf is what can be said of a finding without a look at the evidence.
func LabelOf(f *cluster.Finding) Label {
	l := wordings[f.Kind].Label
	if f.Class != "" {
		l.Group = cmp.Or(groups[f.Class], wordings[cluster.KindFailed].Group)
	}
	return l
}

// Say puts a finding of the Snapshot into words. Of what is over, only that is said: the evidence is gone.
func Say(s *cluster.Snapshot, f *cluster.Finding) Words {
	how := wordings[f.Kind]
	w := Words{Label: LabelOf(f)}
	if !f.Holds() {
		was := cmp.Or(how.was, w.Group[0])
		over := fmt.Sprintf("over for %ds", max(0, int(s.At.Sub(f.Over)/time.Second)))
		w.Short, w.Long = was, was+", "+over
		w.Sentence = sentence(was + ", " + over)
		return w
	}
	if how.say != nil {
		how.say(&w, evidenceOf(s, f))
	}
	return w
}

// evidence is what the Snapshot has on a finding. Its pointers are never nil.
type evidence struct {
	node  *cluster.Node
	hello *wire.Hello
	gpu   *cluster.GPU
}

func evidenceOf(s *cluster.Snapshot, f *cluster.Finding) evidence {
	e := evidence{node: s.Nodes[f.Node], hello: &wire.Hello{}, gpu: &cluster.GPU{}}
	if e.node == nil {
		e.node = &cluster.Node{}
	}
	if e.node.Hello != nil {
		e.hello = e.node.Hello
	}
	for i := range e.node.GPUs {
		if e.node.GPUs[i].Number == f.GPU {
			e.gpu = &e.node.GPUs[i]
		}
	}
	return e
}

func connecting(w *Words, e evidence) {
	stage := "waiting for its turn"
	if steps := e.node.Steps; len(steps) > 0 {
		now := steps[len(steps)-1].Stage
		stage = cmp.Or(stageDoing[now], string(now))
	}
	w.Long, w.Short, w.Sentence = "connecting: "+stage, stage, "Connecting: "+stage+"."
}

// stageDoing says what a node that connects is about. A stage that has no words here is called by its name.
var stageDoing = map[reach.Stage]string{
	"name": "looking up its name", "TCP": "dialing", "ssh": "ssh handshake", "host key": "checking its host key",
	"login": "authenticating", "probe": "starting the probe", "driver": "asking the driver", "stream": "waiting for the first report",
}

func failed(w *Words, e evidence) {
	why := e.node.Failure
	if why == nil {
		return
	}
	w.Long, w.Short, w.Brief = why.Summary(), why.Summary(), why.Short
	w.Sentence = sentence(cmp.Or(why.Meaning, why.Summary()))
	if words := text.FirstLine(why.Words); words != "" && !strings.Contains(w.Sentence, words) {
		w.Sentence += fmt.Sprintf(" It said: %q.", words)
	}
	if len(why.Hints) > 0 {
		w.Hint = why.Hints[0]
	}
}

func sentence(s string) string {
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

func stale(w *Words, e evidence) {
	if e.node.Failure != nil {
		failed(w, e)
		return
	}
	w.Long, w.Short = "silent", "silent"
	w.Sentence = "No report for more than 3 polls; the connection still looks open."
	w.Hint = "wait up to 30s: the connection is being checked"
}

func withoutDriver(w *Words, e evidence) {
	w.Long, w.Short = "no NVML: "+e.hello.Fault, "no NVML"
	w.Sentence, w.Hint = driverSentence(e.hello)
}

func driverSentence(h *wire.Hello) (what, hint string) {
	switch h.FaultID {
	case wire.FaultNoLibrary:
		return "The NVIDIA library is not on this node: " + h.Fault + ".", "libnvidia-ml.so.1 comes with the driver: is this a GPU node? tell the site"
	case wire.FaultMismatch:
		return "Driver and library are of different versions: " + h.Fault + ".", "the driver was updated under a running kernel: the site must reload it or reboot the node"
	case wire.FaultNoDriver:
		return "The NVIDIA driver does not answer: " + h.Fault + ".", "nvidia-smi on the node will say the same: tell the site"
	case wire.FaultNoNVML:
		return "This build of nvnodetop has no NVML in it (it was built without cgo).", "build it with CGO_ENABLED=1 and a C compiler, or use a release"
	}
	return "NVML cannot be used: " + h.Fault + ".", "nvidia-smi on the node will say more"
}

func withOldDriver(w *Words, e evidence) {
	w.Long, w.Short = "old driver "+e.hello.Driver, "old driver"
	w.Sentence = fmt.Sprintf("Driver %s lacks %d of the calls that nvnodetop knows: the columns that need them are empty.", e.hello.Driver, len(e.hello.Missing))
}

func collectorFailing(w *Words, e evidence) {
	if len(e.node.Faults) == 0 {
		return
	}
	first := e.node.Faults[0]
	w.Long, w.Short = first.Collector+" cannot be read", first.Collector+" fails"
	w.Sentence = fmt.Sprintf("The probe cannot read %s: %s.", first.Collector, first.Error)
}

func gpuLost(w *Words, e evidence) {
	w.Flag, w.Long, w.Short = "LOST", "lost", "lost"
	w.Sentence = "NVML says of it: " + e.gpu.Lost + "."
	if e.gpu.Unplaced {
		w.Sentence = fmt.Sprintf("A GPU whose number is not known (index %d for NVML) is lost: %s.", e.gpu.Index, e.gpu.Lost)
	}
	w.Hint = "it is gone until the node restarts: move the job off this node and tell the site"
}

func ecc(w *Words, e evidence) {
	count, known := e.gpu.Get(metric.ECCUncorrected)
	if !known {
		return
	}
	n := int64(count)
	w.Flag, w.Long, w.Short = fmt.Sprintf("ECC:%d", n), fmt.Sprintf("ECC %d uncorrected", n), fmt.Sprintf("ECC %d", n)
	w.Sentence = fmt.Sprintf("%d uncorrected memory errors since the driver was loaded.", n)
	if n == 1 {
		w.Sentence = "1 uncorrected memory error since the driver was loaded."
	}
	w.Hint = "data of programs on this GPU is in doubt: restart from a checkpoint if it was hit, tell the site"
}

func thermal(w *Words, e evidence) {
	w.Flag, w.Long, w.Short = "!THERM", "slowed by heat"+e.temperature(", "), "heat"+e.temperature(" ")
	w.Sentence = "Slowed by heat" + e.temperature(": ") + e.clocks() + "."
	w.Hint = "cooling of that slot: tell the site"
}

func powerBrake(w *Words, e evidence) {
	w.Flag, w.Long, w.Short = "!PWR", "power brake", "brake"
	w.Sentence = "The power supply pulls the brake" + e.clocks() + "."
	w.Hint = "a fault of the node or the rack, not of the job: tell the site"
}

func slowdown(w *Words, e evidence) {
	w.Flag, w.Long, w.Short = "!SLOW", "slowed by the hardware", "hw slow"
	w.Sentence = "Slowed by the hardware for a reason that the driver does not name" + e.clocks() + "."
	w.Hint = "if it stays, tell the site"
}

// temperature is the GPU's behind some words, nothing where it is not known.
func (e evidence) temperature(before string) string {
	celsius, known := e.gpu.Get(metric.Temperature)
	if !known {
		return ""
	}
	return fmt.Sprintf("%s%.0f°C", before, celsius)
}

func (e evidence) clocks() string {
	now, known := e.gpu.Get(metric.SMClock)
	most, told := e.gpu.Get(metric.SMClockMax)
	switch {
	case !known:
		return ""
	case !told:
		return fmt.Sprintf(", SM clock %.0f MHz", now)
	}
	return fmt.Sprintf(", SM clock %.0f of %.0f MHz", now, most)
}
