package signs

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// XidEntry is an entry of the catalog of Xids.
type XidEntry struct {
	Name     string // in plain words, after "Xid 79: "
	Whose    faultOrigin
	Action   action // the first action in NVIDIA's catalog
	Severity cluster.Severity
	Hint     string
	Follows  bool // it follows from something else, and is no alert by itself
}

// faultOrigin is the usual source of an Xid.
type faultOrigin string

// Origins of Xids.
const (
	ofProgram  faultOrigin = "Usually an error of the program."
	ofHardware faultOrigin = "Usually a fault of the hardware."
	ofDriver   faultOrigin = "Usually a fault of the driver or its firmware."
	ofLink     faultOrigin = "Usually a fault of a link, of its other end or of a switch."
	ofEither   faultOrigin = "An error of the program or a fault of the hardware."
	ofNobody   faultOrigin = "Not a fault."
)

// action is the action that NVIDIA's catalog asks for, in words after "NVIDIA: ".
type action string

// Actions of the catalog. Some Xids have none.
const (
	noAction     action = ""
	ignore       action = "no action"
	restartApp   action = "restart the program"
	resetGPU     action = "reset the GPU"
	restartNode  action = "restart the node"
	restartVM    action = "restart the virtual machine"
	askSupport   action = "contact support"
	checkPower   action = "check the mechanical parts"
	updateAll    action = "update software and firmware"
	workflow48   action = "follow the workflow for Xid 48"
	workflowLink action = "follow the workflow for NVLink errors"
	otherXid     action = "follow the other Xid"
	recoverGPU   action = "take the recovery action that it names"
	checkUVM     action = "check unified memory"
)

// Hints that several Xids share.
const (
	restart     = "restart the program; if it comes back on this GPU only, report it to your admins"
	debug       = "run the program with compute-sanitizer; if it is always this GPU, report it to your admins"
	needsReset  = "this GPU needs a reset: move the job and report it to your admins"
	needsBoot   = "the node must be rebooted: move the job and report it to your admins"
	askAdmins   = "report it to your admins"
	moveJob     = "move the job and report it to your admins"
	watch       = "if it repeats, report it to your admins"
	nothingToDo = "nothing for you to do"
	SuspectData = "results from this GPU may be corrupt: restart from a checkpoint and report it to your admins"
	suspectLink = "do not trust collectives on this node: move the job and report it to your admins"
	firstInJob  = "often follows a fault of another GPU: look for the first Xid in the job"
	ownLog      = "see the program's own log for its first error"
)

// Entries that several codes share: one code for each engine of a kind.
var (
	pushBuffer = XidEntry{"invalid or corrupted push buffer", ofEither, restartApp, cluster.Warning, restart, false}
	copyEngine = XidEntry{"copy engine exception", ofEither, restartApp, cluster.Warning, restart, false}
	decoder    = XidEntry{"video decoder exception", ofEither, restartApp, cluster.Warning, restart, false}
	jpeg       = XidEntry{"JPEG decoder error", ofEither, restartApp, cluster.Warning, restart, false}
	opticFlow  = XidEntry{"optical flow accelerator exception", ofEither, restartApp, cluster.Warning, restart, false}
	firmware   = XidEntry{"driver firmware error", ofDriver, ignore, cluster.Note, watch, false}
	byDriver   = XidEntry{"illegal access by the driver", ofDriver, ignore, cluster.Note, watch, false}
	testMail   = XidEntry{"test message of the board's management bus", ofNobody, ignore, cluster.Note, nothingToDo, false}
	nvlink5    = XidEntry{"NVLink error", ofLink, workflowLink, cluster.Critical, suspectLink, false}
	ofDLA      = XidEntry{"error of the deep learning accelerator", ofDriver, ignore, cluster.Note, watch, false}
	smoothing  = XidEntry{"change in power smoothing", ofHardware, noAction, cluster.Note, nothingToDo, false}
	secureLink = XidEntry{"NVLink error in confidential computing", ofLink, noAction, cluster.Warning, askAdmins, false}
)

// XidCatalog is NVIDIA's catalog of Xids for Ampere and later (Analyzing Xid Errors with the Xid Catalog), in plain
// words. It has every code with a meaning or an action of its own there. An Xid for which NVIDIA asks for no action is
// a note, except 43, which a program did not survive. Codes from 173 on are newer than the catalog that was read: their
// names come from nverror.h, a header of the open kernel modules.
var XidCatalog = map[uint64]XidEntry{
	8:  {"the GPU stopped processing for a program", ofProgram, restartApp, cluster.Warning, restart, false},
	11: pushBuffer,
	13: {"exception in the SMs, such as an illegal address or instruction", ofProgram, restartApp, cluster.Warning,
		debug, false},
	14: {"test error of the driver", ofNobody, ignore, cluster.Note, nothingToDo, false},
	25: pushBuffer,
	31: {"GPU memory page fault: illegal address in a kernel", ofProgram, restartApp, cluster.Warning, debug, false},
	32: pushBuffer,
	37: firmware,
	38: firmware,
	39: copyEngine,
	40: copyEngine,
	41: copyEngine,
	43: {"the GPU stopped processing for a program", ofProgram, ignore, cluster.Warning, ownLog, false},
	44: {"fault in a context switch", ofDriver, ignore, cluster.Note, watch, false},
	45: {"a program was removed from the GPU", ofEither, otherXid, cluster.Note, "", true},
	46: {"the GPU stopped processing", ofHardware, resetGPU, cluster.Critical, needsReset, false},
	48: {"uncorrectable memory error", ofHardware, workflow48, cluster.Critical, SuspectData, false},
	54: {"auxiliary power is not connected", ofHardware, checkPower, cluster.Critical, askAdmins, false},
	60: {"video processor exception", ofEither, restartApp, cluster.Warning, restart, false},
	62: {"the micro-controller of the GPU halted", ofHardware, resetGPU, cluster.Critical, needsReset, false},
	63: {"a memory row will be remapped, or a page retired", ofHardware, ignore, cluster.Note,
		"a spare row is used after the next reset", false},
	64: {"a memory row could not be remapped", ofHardware, resetGPU, cluster.Critical,
		"this GPU needs a reset, and probably a replacement: report it to your admins", false},
	66: byDriver,
	67: byDriver,
	68: decoder,
	69: {"graphics engine class error", ofProgram, restartApp, cluster.Warning, restart, false},
	70: copyEngine,
	71: copyEngine,
	72: copyEngine,
	74: {"NVLink error", ofLink, workflowLink, cluster.Critical, suspectLink, false},
	75: copyEngine,
	76: copyEngine,
	77: copyEngine,
	78: {"a virtual GPU could not be started", ofDriver, updateAll, cluster.Warning, askAdmins, false},
	79: {"the GPU has fallen off the bus", ofHardware, restartNode, cluster.Critical, needsBoot, false},
	80: {"corrupted data sent to the GPU", ofEither, restartApp, cluster.Warning, restart, false},
	82: jpeg,
	83: decoder,
	84: decoder,
	85: copyEngine,
	86: opticFlow,
	88: decoder,
	89: decoder,
	92: {"many corrected memory errors", ofHardware, ignore, cluster.Note, watch, false},
	93: {"wear limit of the InfoROM exceeded", ofDriver, ignore, cluster.Note, watch, false},
	94: {"contained memory error: only one program was hit", ofHardware, restartApp, cluster.Warning,
		"restart the program; other programs and GPUs are not affected", false},
	95: {"uncontained memory error: every program on the GPU was hit", ofHardware, resetGPU, cluster.Critical,
		needsReset, false},
	96:  decoder,
	97:  decoder,
	98:  decoder,
	99:  jpeg,
	100: jpeg,
	101: jpeg,
	102: jpeg,
	103: jpeg,
	104: jpeg,
	105: jpeg,
	106: testMail,
	107: testMail,
	108: {"NVLink remote translation error", ofEither, ignore, cluster.Note, firstInJob, false},
	109: {"a context switch timed out: a kernel did not yield", ofProgram, resetGPU, cluster.Warning,
		"end the program; if that does not help, the GPU needs a reset: report it to your admins", false},
	110: {"security fault", ofHardware, resetGPU, cluster.Critical, needsReset, false},
	119: {"the firmware of the GPU does not answer", ofDriver, resetGPU, cluster.Critical, "nvidia-smi may hang too; " +
		needsReset, false},
	120: {"error in the firmware of the GPU", ofDriver, resetGPU, cluster.Critical, needsReset, false},
	121: {"corrected error on the link to the CPU", ofLink, ignore, cluster.Note, watch, false},
	126: copyEngine,
	127: copyEngine,
	128: copyEngine,
	129: copyEngine,
	130: copyEngine,
	131: copyEngine,
	132: copyEngine,
	133: copyEngine,
	134: copyEngine,
	135: copyEngine,
	136: {"a link could not be trained", ofLink, resetGPU, cluster.Critical, needsReset, false},
	137: {"NVLink privilege error", ofEither, ignore, cluster.Note, firstInJob, false},
	139: opticFlow,
	140: {"unrecovered memory error", ofHardware, resetGPU, cluster.Critical, needsReset, false},
	141: {"CUDA fast path error", ofDriver, ignore, cluster.Note, watch, false},
	142: {"video encoder error", ofEither, askSupport, cluster.Warning, restart, false},
	143: {"the GPU could not be initialized", ofHardware, resetGPU, cluster.Critical, needsReset, false},
	144: nvlink5,
	145: nvlink5,
	146: nvlink5,
	147: nvlink5,
	148: nvlink5,
	149: nvlink5,
	150: nvlink5,
	151: {"key rotation error", ofDriver, restartVM, cluster.Warning, askAdmins, false},
	152: ofDLA,
	153: ofDLA,
	154: {"the driver's recovery action has changed", ofDriver, recoverGPU, cluster.Note, "", true},
	155: {"software-defined NVLink error", ofLink, resetGPU, cluster.Critical, needsReset, false},
	156: {"a resource of the GPU was retired", ofHardware, resetGPU, cluster.Warning, needsReset, false},
	157: {"a resource of the GPU could not be retired", ofHardware, ignore, cluster.Note, watch, false},
	158: {"fatal timeout of the GPU", ofHardware, resetGPU, cluster.Critical, needsReset, false},
	159: {"error in a transfer between CPU and GPU memory", ofEither, checkUVM, cluster.Warning, firstInJob, false},
	160: {"a memory channel was retired", ofHardware, ignore, cluster.Note, watch, false},
	161: {"a memory channel could not be retired", ofHardware, ignore, cluster.Note, watch, false},
	162: smoothing,
	163: smoothing,
	164: {"the power smoothing hardware wears out", ofHardware, noAction, cluster.Note, watch, false},
	165: {"the power smoothing hardware is worn out", ofHardware, noAction, cluster.Note, askAdmins, false},
	166: secureLink,
	167: {"fatal PCIe timeout", ofHardware, noAction, cluster.Critical, needsBoot, false},
	168: {"errors in a protected region of the GPU's memory", ofHardware, noAction, cluster.Warning, askAdmins, false},
	169: {"the security micro-controller of the GPU halted", ofHardware, noAction, cluster.Warning, askAdmins, false},
	170: secureLink,
	171: {"uncorrectable error in the GPU's memory", ofHardware, noAction, cluster.Critical, SuspectData, false},
	172: {"uncorrectable error in the GPU's SRAM", ofHardware, noAction, cluster.Critical, SuspectData, false},
	173: {"fatal failure of the link to the CPU", ofLink, noAction, cluster.Critical, moveJob, false},
	174: {"a program was ended", ofProgram, noAction, cluster.Warning, ownLog, false},
	175: {"error of the memory subsystem", ofHardware, noAction, cluster.Critical, needsReset, false},
	176: {"too many corrected PCIe errors", ofHardware, noAction, cluster.Warning, askAdmins, false},
}

// NewestXid is the highest code of this copy of the catalog. Release is the driver that its codes come from, with the
// date.
const (
	NewestXid  = 176
	XidRelease = "driver 595.45.04, March 2026"
)

// IsNewerXid reports whether a code is newer than this copy of the catalog.
func IsNewerXid(code uint64) bool { return code > NewestXid }

// XidOf returns the entry of a code.
func XidOf(code uint64) XidEntry {
	if x, known := XidCatalog[code]; known {
		return x
	}
	if IsNewerXid(code) {
		return XidEntry{Name: fmt.Sprintf("newer than the Xids that nvnodetop knows, up to %d (%s)", NewestXid, XidRelease),
			Severity: cluster.Warning, Hint: "see NVIDIA's Xid catalog; " + askAdmins}
	}
	return XidEntry{Name: "see NVIDIA's Xid catalog", Severity: cluster.Warning, Hint: askAdmins}
}
