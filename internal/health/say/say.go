// Package say has the words of the findings of package health: a row per kind of problem. Finding takes the evidence (a
// temperature, a clock) from the Snapshot when a finding is displayed. Strings from nodes are already safe to display.
package say

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Words are the text of a finding, in several lengths. They do not repeat the node or the GPU of the Finding.
type Words struct {
	Label
	Flag     string // in the row of a GPU, without the age: "!THERM", "!PWR", "ECC:2"; "" for none
	Long     string // in the overview, where there is room: "thermal throttling, 87°C"
	Short    string // in a narrow overview: "thermal 87°C"
	Brief    string // of a failure: Short without its details
	Sentence string // complete, for the list of problems: "Thermal throttling: 87°C, SM clock 1215 of 1980 MHz."
	Hint     string // what to do; may be empty
}

// Label is the name of a kind of finding. It needs no evidence.
type Label struct {
	Letter  byte   // in an overview cell: X E T P N L I; 0: none
	AgeFlag bool   // the age follows the flag: "!THERM 40s"
	One     string // after the name of the node or GPU: "login refused"
	Many    string // after a count: "logins refused"
}

// wording is the text of one kind.
type wording struct {
	Label
	was string // its name after it is cleared
	say func(*Words, evidence)
}

var wordings = map[cluster.Kind]wording{
	cluster.KindConnecting: {Label{One: "connecting", Many: "nodes connecting"}, "connecting", connecting},
	cluster.KindFailed:     {Label{One: "failed", Many: "nodes failed"}, "", failed},
	cluster.KindSilence:    {Label{One: "no node answers", Many: "jobs without answers"}, "no node answered", silence},
	cluster.KindStale:      {Label{One: "not responding", Many: "nodes not responding"}, "", stale},
	cluster.KindNoDriver: {Label{One: "NVIDIA driver not working", Many: "nodes without a working driver"},
		"NVIDIA driver not working", withoutDriver},
	cluster.KindOldDriver: {Label{One: "driver too old", Many: "drivers too old"}, "driver too old", withOldDriver},
	cluster.KindSlow:      {Label{One: "driver slow", Many: "nodes with a slow driver"}, "driver slow", slowDriver},
	cluster.KindFault: {Label{One: "some metrics unavailable", Many: "nodes missing metrics"},
		"metrics unavailable", unreadable},
	cluster.KindMissing:    {Label{'X', false, "GPU missing", "nodes missing GPUs"}, "GPU missing", gpuMissing},
	cluster.KindHidden:     {Label{'X', false, "GPUs hidden", "nodes with hidden GPUs"}, "GPUs hidden", gpusHidden},
	cluster.KindLost:       {Label{'X', false, "lost", "GPUs lost"}, "GPU lost", gpuLost},
	cluster.KindUnusable:   {Label{'X', false, "unusable", "GPUs unusable"}, "GPU unusable", gpuUnusable},
	cluster.KindHang:       {Label{'X', false, "hung", "GPUs hung"}, "GPU hung", gpuHangs},
	cluster.KindECC:        {Label{'E', false, "ECC errors", "GPUs with ECC errors"}, "ECC errors", ecc},
	cluster.KindThermal:    {Label{'T', true, "thermal", "GPUs throttled"}, "thermal throttling", thermal},
	cluster.KindPowerBrake: {Label{'P', true, "power brake", "GPUs under power brake"}, "power brake", powerBrake},
	cluster.KindSlowdown:   {Label{'T', true, "HW slowdown", "GPUs throttled"}, "hardware slowdown", slowdown},

	cluster.KindRecovery: {Label{'X', false, "recovery needed", "GPUs that need recovery"}, "recovery action",
		recovery},
	cluster.KindXid: {Label{'X', true, "Xid", "GPUs with Xids"}, "Xid", sayXid},
	cluster.KindRemapFailed: {Label{'E', false, "remap failed", "GPUs with failed remaps"}, "row remapping failed",
		remappingFailed},
	cluster.KindRemap: {Label{'E', false, "remap pending", "GPUs with pending remaps"}, "row remapping",
		remapping},
	cluster.KindNoSpares: {Label{'E', false, "no spare rows", "GPUs without spare rows"}, "no spare rows",
		withoutSpares},
	cluster.KindRetired: {Label{'E', false, "retired pages", "GPUs with retired pages"}, "retired pages",
		retiredPages},
	cluster.KindECCGrowing: {Label{'E', false, "new ECC errors", "GPUs with new ECC errors"}, "new ECC errors",
		eccGrowing},
	cluster.KindNVLinkDown: {Label{'N', false, "NVLink down", "GPUs with NVLinks down"}, "NVLink down", nvlinkDown},
	cluster.KindNVLink: {Label{'N', true, "NVLink errors", "GPUs with NVLink errors"}, "NVLink errors",
		nvlinkErrors},
	cluster.KindFabric: {Label{'X', false, "no NVLink fabric", "GPUs without their NVLink fabric"},
		"NVLink fabric", fabric},
	cluster.KindFabricIll: {Label{'N', false, "NVLink fabric degraded", "GPUs with a degraded NVLink fabric"},
		"NVLink fabric degraded", fabricDegraded},
	cluster.KindOtherClique: {Label{'N', false, "other NVLink clique", "GPUs in another NVLink clique"},
		"other NVLink clique", differentClique},
	cluster.KindMemoryHot: {Label{'T', true, "memory too hot", "GPUs with hot memory"}, "memory too hot",
		memoryTooHot},
	cluster.KindGPUHot: {Label{'T', true, "too hot", "GPUs too hot"}, "GPU too hot", tooHot},
	cluster.KindNoCompute: {Label{'X', false, "compute prohibited", "GPUs with compute prohibited"},
		"compute mode prohibited", computeProhibited},
	cluster.KindPCIe: {Label{'N', false, "PCIe slow", "GPUs with a slow PCIe link"}, "slow PCIe link",
		pcieNarrow},
	cluster.KindPCIeReplays: {Label{'N', true, "PCIe replays", "GPUs with PCIe replays"}, "PCIe replays", pcieReplays},
	cluster.KindMemoryFull: {Label{One: "memory full", Many: "GPUs with full memory"}, "GPU memory full",
		memoryNearlyFull},
	cluster.KindPersistence: {Label{One: "persistence off", Many: "nodes without persistence"}, "persistence mode off",
		persistenceOff},
	cluster.KindDisk: {Label{One: "disk full", Many: "nodes with full disks"}, "disk nearly full", diskFull},
	cluster.KindHostMemory: {Label{One: "host memory full", Many: "nodes with full memory"}, "host memory nearly full",
		hostMemory},
	cluster.KindWrongCgroup: {Label{One: "other cgroup", Many: "sessions in another job's cgroup"},
		"in the cgroup of another job", otherCgroup},
	cluster.KindOwner: {Label{One: "owner not known", Many: "nodes with GPUs of unknown owners"},
		"owner not known", ownerUnknown},
	cluster.KindMixed: {Label{One: "other driver or model", Many: "nodes with other hardware or driver"},
		"other driver or model", mixed},
	cluster.KindLeftOver: {Label{One: "left-over process", Many: "nodes with left-over processes"},
		"left-over process", leftBehind},
	cluster.KindStranger: {Label{One: "foreign process", Many: "nodes with foreign processes"}, "foreign process",
		stranger},
	cluster.KindClockSkew: {Label{One: "clock wrong", Many: "nodes with clock skew"}, "clock wrong", clockSkew},

	cluster.KindRankGone: {Label{'X', false, "rank gone", "GPUs whose rank is gone"}, "rank gone", rankGone},
	cluster.KindLag:      {Label{'L', true, "lags", "GPUs lag"}, "lagged", lag},
	cluster.KindLinkUnused: {Label{'N', true, "NVLink unused", "GPUs that do not use NVLink"}, "NVLink unused",
		linkUnused},
	cluster.KindStepSlower: {Label{One: "slower than before", Many: "jobs slower than before"}, "slower than before",
		stepSlower},
	cluster.KindStalled:  {Label{One: "stood still", Many: "jobs that stood still"}, "stood still", stalled},
	cluster.KindLowClock: {Label{'T', true, "low clock", "GPUs with a low clock"}, "low clock", lowClock},
	cluster.KindIdle:     {Label{'I', true, "idle", "GPUs idle"}, "idle", idleGPU},
	cluster.KindJobIdle:  {Label{One: "all GPUs idle", Many: "jobs idle"}, "all GPUs idle", idleJob},
	cluster.KindJobHang: {Label{One: "job seems to hang", Many: "jobs seem to hang"}, "the job seemed to hang",
		hangingJob},
	cluster.KindImbalance: {Label{One: "uses more memory", Many: "GPUs use more memory"},
		"more memory in use than on other GPUs", imbalance},
}

// everyNames are the names of problems that hold for every GPU of a node: after the node's name, and after a count of
// nodes.
var everyNames = map[cluster.Kind]struct{ one, many string }{
	cluster.KindHang:       {"all GPUs hung", "nodes with all GPUs hung"},
	cluster.KindFabric:     {"no NVLink fabric", "nodes without their NVLink fabric"},
	cluster.KindNVLinkDown: {"NVLink down on all GPUs", "nodes with NVLinks down on all GPUs"},
}

// labels are the labels of failures, by class. Other classes have the label of KindFailed.
var labels = map[reach.Class]Label{
	reach.ClassAdopt: refused, reach.ClassAuth: refused, reach.ClassDenied: refused,
	reach.ClassRefused: unreachable, reach.ClassNoRoute: unreachable, reach.ClassTimeout: unreachable,
	reach.ClassFrozen:         unreachable,
	reach.ClassLoginHangs:     {One: "login hung", Many: "logins hung"},
	reach.ClassProbeLate:      {One: "probe not started", Many: "probes not started"},
	reach.ClassDriverHangs:    {One: "driver hung", Many: "drivers hung"},
	reach.ClassReplaced:       {One: "driver replaced", Many: "drivers replaced"},
	reach.ClassUnknownHost:    {One: "unknown host", Many: "unknown hosts"},
	reach.ClassHostKeyChanged: {One: "host key changed", Many: "host keys changed"},
	reach.ClassHostKeyUnknown: {One: "host key unknown", Many: "host keys unknown"},
	reach.ClassSilent:         {One: "not responding", Many: "nodes not responding"},
	reach.ClassClosed:         {One: "connection lost", Many: "connections lost"},
	reach.ClassNotWatched:     {One: "not watched", Many: "nodes not watched"},
	reach.ClassProbeKilled:    {One: "probe was killed", Many: "probes killed"},
}

var (
	refused     = Label{One: "login refused", Many: "logins refused"}
	unreachable = Label{One: "unreachable", Many: "nodes unreachable"}
)

// LabelOf returns the label of a finding.
func LabelOf(f *cluster.Finding) Label {
	l := wordings[f.Kind].Label
	switch {
	case f.Class != "":
		l = cmp.Or(labels[f.Class], wordings[cluster.KindFailed].Label)
	case f.Every:
		l.One, l.Many = everyNames[f.Kind].one, everyNames[f.Kind].many
	case f.Kind == cluster.KindFault && f.Key != "":
		l.Many = "GPUs missing metrics"
	case f.Kind == cluster.KindLag && f.Key == "":
		l = Label{One: "a different GPU is slow each time", Many: "jobs whose slow GPU changes"}
	case f.Kind == cluster.KindLag && f.Compared != nil && f.Compared.How == cluster.Alone:
		l.Letter, l.One, l.Many = 0, "awaited", "GPUs awaited"
	case f.Kind == cluster.KindLag && f.Severity < cluster.Warning:
		l.Letter = 0
	case f.Kind == cluster.KindRankGone && f.Severity < cluster.Critical:
		l.Letter, l.One, l.Many = 0, "rank ended", "GPUs whose rank has ended"
	case f.Kind == cluster.KindMissing && f.Severity < cluster.Critical:
		l.One, l.Many = "GPU not listed", "nodes with unlisted GPUs"
	case f.Severity == cluster.Note:
		l.Letter = 0 // the cell is well
	}
	return l
}

// Finding returns the text of a finding in the Snapshot. A cleared finding has no evidence any more: its text is only
// its name.
func Finding(s *cluster.Snapshot, f *cluster.Finding) Words {
	how := wordings[f.Kind]
	w := Words{Label: LabelOf(f)}
	if !f.Holds() {
		was := cmp.Or(how.was, w.One)
		cleared := was + ", cleared " + span(s.At.Sub(f.Over)) + " ago"
		w.Short, w.Long, w.Sentence = "cleared: "+was, cleared, Sentence(cleared)
		return w
	}
	if how.say != nil {
		e := evidenceOf(s, f)
		how.say(&w, e)
		asked(&w, e, f.Kind)
		advised(&w, e, f.Kind)
	}
	return w
}

// Times says how often a finding that holds has begun, and when it was last over: " 3 times since 18:00:00, last over
// at 18:05:10."; "" of the first time, and of Xids, whose sentence says it.
func Times(f *cluster.Finding) string {
	times, since := f.Times+f.Earlier.Times, f.Since
	if times < 2 || f.Last.IsZero() || !f.Holds() || f.Kind == cluster.KindXid {
		return ""
	}
	if f.Earlier.Times > 0 {
		since = f.Earlier.Since
	}
	return fmt.Sprintf(" %d times since %s, last over at %s.", times, since.Format(time.TimeOnly),
		f.Last.Format(time.TimeOnly))
}

// evidence is the data of a finding in the Snapshot. Its pointers are never nil.
type evidence struct {
	node  *cluster.Node
	hello *wire.Hello
	gpu   *cluster.GPU // the zero GPU if the finding is about the node
	job   *cluster.Job

	common *cluster.Common

	discovery *cluster.Discovery
	nodes     map[string]*cluster.Node
	compared  *cluster.Comparison
	silence   *cluster.Silence
	stacks    *rankstacks.Verdict // of the job's ranks, since it stands; nil: they were not asked
	severity  cluster.Severity    // of the finding
	every     bool                // it is about all GPUs of the node, of which gpu is one
	since     time.Time           // likewise
	at        time.Time           // of the Snapshot
}

// nothing is no evidence.
var nothing = evidence{
	node: &cluster.Node{}, hello: &wire.Hello{}, gpu: &cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}},
	job:    &cluster.Job{},
	common: &cluster.Common{}, discovery: &cluster.Discovery{}, compared: &cluster.Comparison{},
	silence: &cluster.Silence{},
}

func evidenceOf(s *cluster.Snapshot, f *cluster.Finding) evidence {
	e := nothing
	e.at, e.nodes, e.discovery = s.At, s.Nodes, &s.Discovery
	e.severity, e.since, e.every = f.Severity, f.Since, f.Every
	if f.Compared != nil {
		e.compared = f.Compared
	}
	if f.Silence != nil {
		e.silence = f.Silence
	}
	if d := s.Stacks[f.Job]; d != nil && !d.Time.Before(f.Since) {
		e.stacks = d
	}
	if n := s.Nodes[f.Node]; n != nil {
		e.node = n
	}
	if e.node.Hello != nil {
		e.hello = e.node.Hello
	}
	for i := range e.node.GPUs {
		if g := &e.node.GPUs[i]; f.Of(g) {
			e.gpu = g
		}
	}
	for i := range s.Jobs {
		if s.Jobs[i].ID == f.Job {
			e.job, e.common = &s.Jobs[i].Job, &s.Jobs[i].Common
		}
	}
	return e
}

// Sentence returns s with a capital letter and a full stop.
func Sentence(s string) string {
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// span formats a duration: "40s", "5m".
func span(d time.Duration) string {
	switch s := max(0, int(d/time.Second)); {
	case s >= 7200:
		return fmt.Sprintf("%dh", s/3600)
	case s >= 120:
		return fmt.Sprintf("%dm", s/60)
	default:
		return fmt.Sprintf("%ds", s)
	}
}

// fine formats a duration with two digits if it is below 10 s: "0.25s", "1.5s", "3s".
func fine(d time.Duration) string {
	if d >= 10*time.Second {
		return span(d)
	}
	return fmt.Sprintf("%.2gs", d.Seconds())
}
