package health

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// xid is an entry of the catalog of Xids.
type xid struct {
	name     string // in plain words, after "Xid 79: "
	whose    origin
	severity cluster.Severity
	hint     string
	follows  bool // it is a consequence of something else, and alone no alert
}

// origin says where an Xid mostly comes from.
type origin string

// Origins of Xids.
const (
	ofProgram  origin = "Mostly an error of the program."
	ofHardware origin = "Mostly a fault of the hardware."
	ofDriver   origin = "Mostly a fault of the driver or its firmware."
	ofLink     origin = "Mostly a fault of a link, of its other end or of a switch."
	ofEither   origin = "An error of the program or a fault of the hardware."
)

// Hints that several Xids share.
const (
	restart     = "restart the program; if it comes back on this GPU only, report it to your admins"
	debug       = "run the program with compute-sanitizer; if it is always this GPU, report it to your admins"
	needsReset  = "this GPU needs a reset: move the job and report it to your admins"
	needsBoot   = "the node must be rebooted: move the job and report it to your admins"
	askAdmins   = "report it to your admins"
	watch       = "no action needed now; if it repeats, report it to your admins"
	suspectData = "results from this GPU may be corrupt: restart from a checkpoint and report it to your admins"
	suspectLink = "do not trust collectives on this node: move the job and report it to your admins"
	firstInJob  = "often follows a fault of another GPU: look for the first Xid in the job"
)

// xids is NVIDIA's catalog of Xids for Ampere and later (Analyzing Xid Errors with the Xid Catalog), in plain words.
var xids = map[uint64]xid{
	8:   {"the GPU stopped processing for a program", ofProgram, cluster.Warning, restart, false},
	11:  {"invalid or corrupted push buffer", ofEither, cluster.Warning, restart, false},
	13:  {"exception in the SMs, such as an illegal address or instruction", ofProgram, cluster.Warning, debug, false},
	31:  {"GPU memory page fault: illegal address in a kernel", ofProgram, cluster.Warning, debug, false},
	32:  {"invalid or corrupted push buffer", ofEither, cluster.Warning, restart, false},
	39:  {"copy engine exception", ofEither, cluster.Warning, restart, false},
	40:  {"copy engine exception", ofEither, cluster.Warning, restart, false},
	41:  {"copy engine exception", ofEither, cluster.Warning, restart, false},
	43:  {"the GPU stopped processing for a program", ofProgram, cluster.Warning, "see the program's own log for its first error", false},
	44:  {"fault in a context switch", ofDriver, cluster.Note, watch, false},
	45:  {"a program was removed from the GPU", ofEither, cluster.Note, "", true},
	46:  {"the GPU stopped processing", ofHardware, cluster.Critical, needsReset, false},
	48:  {"uncorrectable memory error", ofHardware, cluster.Critical, suspectData, false},
	54:  {"auxiliary power is not connected", ofHardware, cluster.Critical, askAdmins, false},
	62:  {"the micro-controller of the GPU halted", ofHardware, cluster.Critical, needsReset, false},
	63:  {"a memory row will be remapped, or a page retired", ofHardware, cluster.Note, "no action: a spare row is used after the next reset", false},
	64:  {"a memory row could not be remapped", ofHardware, cluster.Critical, "this GPU needs a reset, and probably a replacement: report it to your admins", false},
	66:  {"illegal access by the driver", ofDriver, cluster.Note, watch, false},
	68:  {"video decoder exception", ofProgram, cluster.Warning, restart, false},
	69:  {"graphics engine class error", ofProgram, cluster.Warning, restart, false},
	74:  {"NVLink error", ofLink, cluster.Critical, suspectLink, false},
	79:  {"the GPU has fallen off the bus", ofHardware, cluster.Critical, needsBoot, false},
	92:  {"many corrected memory errors", ofHardware, cluster.Note, watch, false},
	94:  {"contained memory error: only one program was hit", ofHardware, cluster.Warning, "restart the program; other programs and GPUs are not affected", false},
	95:  {"uncontained memory error: every program on the GPU was hit", ofHardware, cluster.Critical, needsReset, false},
	109: {"a context switch timed out: a kernel did not yield", ofProgram, cluster.Warning, "end the program; if that does not help, the GPU needs a reset: report it to your admins", false},
	110: {"security fault", ofHardware, cluster.Critical, needsReset, false},
	119: {"the firmware of the GPU does not answer", ofDriver, cluster.Critical, "nvidia-smi may hang too; " + needsReset, false},
	120: {"error in the firmware of the GPU", ofDriver, cluster.Critical, needsReset, false},
	121: {"corrected error on the link to the CPU", ofLink, cluster.Note, watch, false},
	126: {"copy engine exception", ofEither, cluster.Warning, restart, false},
	136: {"a link could not be trained", ofLink, cluster.Critical, needsReset, false},
	137: {"NVLink privilege error", ofEither, cluster.Warning, firstInJob, false},
	140: {"unrecovered memory error", ofHardware, cluster.Critical, needsReset, false},
	143: {"the GPU could not be initialized", ofHardware, cluster.Critical, needsReset, false},
	144: {"NVLink error", ofLink, cluster.Critical, suspectLink, false},
	145: {"NVLink error", ofLink, cluster.Critical, suspectLink, false},
	146: {"NVLink error", ofLink, cluster.Critical, suspectLink, false},
	147: {"NVLink error", ofLink, cluster.Critical, suspectLink, false},
	148: {"NVLink error", ofLink, cluster.Critical, suspectLink, false},
	149: {"NVLink error", ofLink, cluster.Critical, suspectLink, false},
	150: {"NVLink error", ofLink, cluster.Critical, suspectLink, false},
	151: {"key rotation error", ofDriver, cluster.Warning, askAdmins, false},
	154: {"the driver's recovery action has changed", ofDriver, cluster.Note, "", true},
	155: {"software-defined NVLink error", ofLink, cluster.Critical, needsReset, false},
	156: {"a resource of the GPU was retired", ofHardware, cluster.Warning, needsReset, false},
	157: {"a resource of the GPU could not be retired", ofHardware, cluster.Critical, needsReset, false},
	158: {"fatal timeout of the GPU", ofHardware, cluster.Critical, needsReset, false},
	160: {"a memory channel was retired", ofHardware, cluster.Note, watch, false},
	161: {"a memory channel could not be retired", ofHardware, cluster.Warning, askAdmins, false},
	167: {"fatal PCIe timeout", ofHardware, cluster.Critical, needsBoot, false},
	171: {"uncorrectable error in the GPU's memory", ofHardware, cluster.Critical, suspectData, false},
	172: {"uncorrectable error in the GPU's SRAM", ofHardware, cluster.Critical, suspectData, false},
}

// xidOf returns the entry of a code.
func xidOf(code uint64) xid {
	if x, known := xids[code]; known {
		return x
	}
	return xid{name: "see NVIDIA's Xid catalog", severity: cluster.Warning, hint: askAdmins}
}

// XidName returns an Xid in plain words.
func XidName(code uint64) string { return xidOf(code).name }

// together is how long after an Xid others on the node are its consequences.
const together = time.Minute

// cause is an Xid with those that followed from it.
type cause struct {
	cluster.Xid
	last  time.Time // it came again
	times int
	then  []uint64
}

// causes returns the Xids of a node that are no consequence of another one. Within a minute the first is the cause of the others, unless
// one of them is worse, or is as bad on another GPU.
func causes(n *cluster.Node) []cause {
	var out []cause
	events := slices.Clone(n.Xids)
	slices.SortStableFunc(events, func(a, b cluster.Xid) int { return a.At.Compare(b.At) })
	for _, x := range events {
		if again := slices.IndexFunc(out, func(c cause) bool { return c.Key == x.Key && c.Code == x.Code }); again >= 0 {
			out[again].last = x.At
			out[again].times++
			continue
		}
		if c := causeOf(x, out); c != nil {
			if !slices.Contains(c.then, x.Code) {
				c.then = append(c.then, x.Code)
			}
		} else if !xidOf(x.Code).follows {
			out = append(out, cause{Xid: x, last: x.At, times: 1})
		}
	}
	return out
}

// causeOf returns the last of these causes that brought an Xid; nil if none did.
func causeOf(x cluster.Xid, of []cause) *cause {
	for i := len(of) - 1; i >= 0; i-- {
		if of[i].brought(x) {
			return &of[i]
		}
	}
	return nil
}

// brought reports whether an Xid is a consequence of this one.
func (c *cause) brought(x cluster.Xid) bool {
	what := xidOf(x.Code).severity
	return x.At.Sub(c.last) <= together && what <= xidOf(c.Code).severity && (c.Key == x.Key || what < cluster.Critical)
}

// causeOn returns the worst cause on a GPU, of equal ones the last.
func causeOn(n *cluster.Node, g *cluster.GPU) (cause, bool) {
	var worst cause
	for _, c := range causes(n) {
		if c.Key == g.Key && (worst.times == 0 || xidOf(c.Code).severity >= xidOf(worst.Code).severity) {
			worst = c
		}
	}
	return worst, worst.times > 0
}

// hasXid returns a rule that holds if the worst Xid of the GPU is that severe.
func hasXid(severity cluster.Severity) func(subject) bool {
	return func(s subject) bool {
		if len(s.Node.Xids) == 0 {
			return false
		}
		c, found := causeOn(s.Node, s.GPU)
		return found && xidOf(c.Code).severity == severity
	}
}

func sayXid(w *Words, e evidence) {
	c, found := causeOn(e.node, e.gpu)
	if !found {
		return
	}
	what := xidOf(c.Code)
	w.Flag, w.Short = fmt.Sprintf("XID:%d", c.Code), fmt.Sprintf("Xid %d", c.Code)
	w.Long, w.Hint = w.Short+": "+what.name, what.hint
	w.Sentence = w.Long + ", " + span(e.at.Sub(c.last)) + " ago"
	if c.times > 1 {
		w.Sentence += fmt.Sprintf(", %d times since %s", c.times, c.At.Format(time.TimeOnly))
	}
	if len(c.then) > 0 {
		w.Sentence += "; then Xid " + xidList(c.then)
	}
	w.Sentence += "."
	if what.whose != "" {
		w.Sentence += " " + string(what.whose)
	}
}

func xidList(codes []uint64) string {
	words := make([]string, len(codes))
	for i, code := range codes {
		words[i] = fmt.Sprint(code)
	}
	return strings.Join(words, ", ")
}
