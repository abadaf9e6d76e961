package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// swThermalAfter is how long the software's thermal slowdown lasts before it is worth a word: short ones are the driver at its work.
const swThermalAfter = 30 * time.Second

// conditions are the kinds that hold in one sample of one GPU.
func conditions(g *wire.GPU) []Kind {
	if g.Lost != "" {
		return []Kind{KindLost}
	}
	var out []Kind
	if g.ECCUncorrected != nil && *g.ECCUncorrected > 0 {
		out = append(out, KindECC)
	}
	if g.Throttle == nil {
		return out
	}
	t := *g.Throttle
	if t&(wire.ThrottleHWThermal|wire.ThrottleSWThermal) != 0 {
		out = append(out, KindThermal)
	}
	if t&wire.ThrottleHWPowerBrake != 0 {
		out = append(out, KindPowerBrake)
	}
	if t&wire.ThrottleHWSlowdown != 0 && t&(wire.ThrottleHWThermal|wire.ThrottleHWPowerBrake) == 0 {
		out = append(out, KindSlowdown)
	}
	return out
}

// findings is all that is wrong with a job at now, worst first, newest first among equals.
func findings(job *Job, nodes map[string]*Node, now time.Time) []Finding {
	var out []Finding
	for _, name := range job.Nodes {
		n := nodes[name]
		out = append(out, nodeFindings(job, n)...)
		if n.State != NodeStreaming && n.State != NodeStale {
			continue
		}
		for i := range n.GPUs {
			if g := &n.GPUs[i]; job.Owns(n, g) {
				out = append(out, gpuFindings(n, g, now)...)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), b.Since.Compare(a.Since), cmp.Compare(a.Node, b.Node), cmp.Compare(a.GPU, b.GPU))
	})
	return out
}

func nodeFindings(job *Job, n *Node) []Finding {
	base := Finding{Node: n.Name, GPU: -1, Since: n.Since}
	switch n.State {
	case NodeConnecting:
		return []Finding{connecting(base, n)}
	case NodeFailed:
		return []Finding{failed(base, n.Failure)}
	case NodeStale:
		return []Finding{stale(base, n)}
	case NodeStreaming:
		return append(driverFindings(base, job, n), faultFindings(base, n)...)
	}
	return nil
}

func connecting(f Finding, n *Node) Finding {
	f.Kind, f.Severity, f.Group = KindConnecting, Waiting, [2]string{"connecting", "connecting"}
	stage := "waiting for its turn"
	if len(n.Steps) > 0 {
		stage = stageDoing[n.Steps[len(n.Steps)-1].Stage]
	}
	f.Long, f.Short = "connecting: "+stage, stage
	f.Sentence = "Connecting: " + stage + "."
	return f
}

// stageDoing says what a node that connects is about.
var stageDoing = map[reach.Stage]string{
	reach.StageName: "looking up its name", reach.StageTCP: "dialing", reach.StageSSH: "ssh handshake", reach.StageHostKey: "checking its host key",
	reach.StageLogin: "authenticating", reach.StageProbe: "starting the probe", reach.StageDriver: "asking the driver", reach.StageStream: "waiting for the first report",
}

// failureGroups says how row 1 counts failed nodes; classes that are not here count as "failed".
var failureGroups = map[reach.Class][2]string{
	reach.ClassAdopt: {"node refused", "nodes refused"}, reach.ClassAuth: {"node refused", "nodes refused"}, reach.ClassDenied: {"node refused", "nodes refused"},
	reach.ClassRefused: {"node unreachable", "nodes unreachable"}, reach.ClassNoRoute: {"node unreachable", "nodes unreachable"},
	reach.ClassTimeout: {"node unreachable", "nodes unreachable"}, reach.ClassFrozen: {"node unreachable", "nodes unreachable"},
	reach.ClassUnknownHost:    {"unknown host", "unknown hosts"},
	reach.ClassHostKeyChanged: {"host key changed", "host keys changed"}, reach.ClassHostKeyUnknown: {"host key unknown", "host keys unknown"},
	reach.ClassSilent: {"node silent", "nodes silent"}, reach.ClassClosed: {"node lost", "nodes lost"}, reach.ClassProbeKilled: {"probe killed", "probes killed"},
}

func failed(f Finding, why *reach.Failure) Finding {
	f.Kind, f.Class, f.Severity = KindFailed, why.Class, Critical
	f.Group = failureGroup(why.Class)
	f.Long, f.Short = why.Summary, why.Summary
	f.Sentence, f.Hint = failureSentence(why), firstOf(why.Hints)
	return f
}

func failureGroup(c reach.Class) [2]string {
	if g, ok := failureGroups[c]; ok {
		return g
	}
	return [2]string{"node failed", "nodes failed"}
}

// failureSentence is the meaning of a failure with the other side's own last words.
func failureSentence(why *reach.Failure) string {
	s := sentence(cmp.Or(why.Meaning, why.Summary))
	if words := firstLine(why.Words); words != "" && !strings.Contains(s, words) {
		s += fmt.Sprintf(" It said: %q.", words)
	}
	return s
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

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func stale(f Finding, n *Node) Finding {
	f.Kind, f.Severity, f.Group = KindStale, Warning, [2]string{"node silent", "nodes silent"}
	f.Long, f.Short = "silent", "silent"
	if n.Failure == nil {
		f.Class = reach.ClassSilent
		f.Sentence = "Nothing came for more than 3 polls; the ssh connection is not known to be broken."
		f.Hint = "if it stays, a call into the driver hangs: try nvidia-smi on the node"
		return f
	}
	f.Class, f.Group = n.Failure.Class, failureGroup(n.Failure.Class)
	f.Long, f.Short = n.Failure.Summary, n.Failure.Summary
	f.Sentence, f.Hint = failureSentence(n.Failure), firstOf(n.Failure.Hints)
	return f
}

func driverFindings(f Finding, job *Job, n *Node) []Finding {
	if minors, known := job.Minors[n.Name]; known && len(minors) == 0 {
		return nil // the job has no GPU there: nothing is amiss without a driver
	}
	switch {
	case n.Hello.Fault != "":
		f.Kind, f.Severity, f.Group = KindNoDriver, Critical, [2]string{"node without NVML", "nodes without NVML"}
		f.Long, f.Short = "no NVML: "+n.Hello.Fault, "no NVML"
		f.Sentence, f.Hint = driverSentence(n.Hello)
	case len(n.Hello.Missing) > 0:
		f.Kind, f.Severity, f.Group = KindOldDriver, Note, [2]string{"old driver", "old drivers"}
		f.Long, f.Short = "old driver "+n.Hello.Driver, "old driver"
		f.Sentence = fmt.Sprintf("Driver %s lacks %d of the calls that nvnodetop knows: the columns that need them are empty.", n.Hello.Driver, len(n.Hello.Missing))
	default:
		return nil
	}
	return []Finding{f}
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

func faultFindings(f Finding, n *Node) []Finding {
	if len(n.Faults) == 0 {
		return nil
	}
	f.Kind, f.Severity, f.Group = KindFault, Note, [2]string{"collector failing", "collectors failing"}
	first := n.Faults[0]
	f.Long, f.Short = first.Collector+" cannot be read", first.Collector+" fails"
	f.Sentence = fmt.Sprintf("The probe cannot read %s: %s.", first.Collector, first.Error)
	return []Finding{f}
}

func gpuFindings(n *Node, g *GPU, now time.Time) []Finding {
	var out []Finding
	for _, kind := range gpuKinds {
		since, holds := g.Since[kind]
		if !holds {
			continue
		}
		f := Finding{Kind: kind, Severity: Warning, Since: since, Node: n.Name, GPU: g.Number}
		name := fmt.Sprintf("GPU%d", g.Number)
		switch kind {
		case KindLost:
			lost(&f, name, g)
		case KindECC:
			ecc(&f, name, g)
		case KindThermal:
			if *g.Throttle&wire.ThrottleHWThermal == 0 && now.Sub(since) < swThermalAfter {
				continue
			}
			thermal(&f, name, g)
		case KindPowerBrake:
			powerBrake(&f, name, g)
		case KindSlowdown:
			if n.Arrived.Sub(since) == 0 {
				continue // one sample may be a change of clocks
			}
			slowdown(&f, name, g)
		}
		out = append(out, f)
	}
	return out
}

// gpuKinds are what can be wrong with a GPU, worst first.
var gpuKinds = []Kind{KindLost, KindECC, KindThermal, KindPowerBrake, KindSlowdown}

func lost(f *Finding, name string, g *GPU) {
	f.Severity, f.Letter, f.Flag, f.Group = Critical, 'X', "LOST", [2]string{"GPU lost", "GPUs lost"}
	f.Long, f.Short = name+" lost", name+" lost"
	f.Sentence = "NVML says of it: " + g.Lost + "."
	if g.Unplaced {
		f.Sentence = fmt.Sprintf("A GPU whose number is not known (index %d for NVML) is lost: %s.", g.Index, g.Lost)
	}
	f.Hint = "it is gone until the node restarts: move the job off this node and tell the site"
}

func ecc(f *Finding, name string, g *GPU) {
	n := *g.ECCUncorrected
	f.Letter, f.Flag, f.Group = 'E', fmt.Sprintf("ECC:%d", n), [2]string{"memory error", "memory errors"}
	f.Long, f.Short = fmt.Sprintf("%s ECC %d uncorrected", name, n), fmt.Sprintf("%s ECC %d", name, n)
	f.Sentence = fmt.Sprintf("%d uncorrected memory errors since the driver was loaded.", n)
	if n == 1 {
		f.Sentence = "1 uncorrected memory error since the driver was loaded."
	}
	f.Hint = "data of programs on this GPU is in doubt: restart from a checkpoint if it was hit, tell the site"
}

func thermal(f *Finding, name string, g *GPU) {
	f.Letter, f.Flag, f.AgeFlag, f.Group = 'T', "!THERM", true, [2]string{"throttled", "throttled"}
	f.Long, f.Short = name+" slowed by heat"+temperature(", ", g), name+" heat"+temperature(" ", g)
	f.Sentence = "Slowed by heat" + temperature(": ", g) + clocks(g) + "."
	f.Hint = "cooling of that slot: tell the site"
}

func powerBrake(f *Finding, name string, g *GPU) {
	f.Letter, f.Flag, f.AgeFlag, f.Group = 'P', "!PWR", true, [2]string{"power brake", "power brakes"}
	f.Long, f.Short = name+" power brake", name+" brake"
	f.Sentence = "The power supply pulls the brake" + clocks(g) + "."
	f.Hint = "a fault of the node or the rack, not of the job: tell the site"
}

func slowdown(f *Finding, name string, g *GPU) {
	f.Letter, f.Flag, f.AgeFlag, f.Group = 'T', "!SLOW", true, [2]string{"throttled", "throttled"}
	f.Long, f.Short = name+" slowed by the hardware", name+" hw slow"
	f.Sentence = "Slowed by the hardware for a reason that the driver does not name" + clocks(g) + "."
	f.Hint = "if it stays, tell the site"
}

func temperature(before string, g *GPU) string {
	if g.TempC == nil {
		return ""
	}
	return fmt.Sprintf("%s%d°C", before, *g.TempC)
}

func clocks(g *GPU) string {
	switch {
	case g.SMMHz == nil:
		return ""
	case g.Card.SMMax == nil:
		return fmt.Sprintf(", SM clock %d MHz", *g.SMMHz)
	}
	return fmt.Sprintf(", SM clock %d of %d MHz", *g.SMMHz, *g.Card.SMMax)
}
