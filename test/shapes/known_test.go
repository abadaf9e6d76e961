package shapes

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// Known are the shapes that are still judged wrongly, with the reason. A test fails when one of them is judged right,
// so that none stays here.
var Known = map[string]string{
	"m04 no cause before":  "a GPU that always had a quarter more to do looks the same",
	"p16 two, 1.6x before": "the lighter of two that always differed may have less to do by design",
	"q04 slow teacher":     "GPUs of two roles on one node are in no common step, so none is compared",
}

// RightNotes are shapes of which a note of that kind is right, each kind with the reason. A note about any other shape
// is false, unless the shape wants or allows its kind.
var RightNotes = map[cluster.Kind][]string{
	// the memory is measured
	cluster.KindMemoryFull: {"v42 epochs", "v43 replays", "v44 reserved"},
	cluster.KindImbalance: {"n33 ends well", "n34 stages of a workflow", "n96 ends in shards",
		"w12 leak to the end"},
	// GPUs without a program, or whose part has ended
	cluster.KindIdle: {"f33 two equal programs", "g12 killed shard", "n28 growing start", "n44 offline batch",
		"n74 one seed ends", "n83 evaluator", "v06 trials after training"},
	cluster.KindRankGone: {"g11 dies, and is awaited later", "h44 shards", "n01 shards with loaders", "n05 NAMD",
		"n08 embedding", "n116 stalls, then ends", "n75 torchrun over shards", "n76 PCIe shards", "n96 ends in shards"},
	// the longest pause until then
	cluster.KindJobIdle: {"e02 saves while others idle", "h22 notebook", "h30 first pause 90 s",
		"h32 checkpoints of 180 s", "n13 federated", "n26 slow writers", "n33 ends well", "n62 slow file system",
		"n96 ends in shards", "s11 one serves", "v06 trials after training"},
	cluster.KindStalled: {"g34 goes on", "h30 first pause 90 s", "h31 first pause 150 s", "w15 long hang ends"},
	// all wait for one rank, and the note says that it is at work, or that nobody has seen the job work
	cluster.KindJobHang: {"e01 saves alone", "e04 tokenizes the next part", "e07 another rank writes",
		"u10 long checkpoint", "u11 tokenizing", "u13 gathers shards"},
	// one GPU works while others wait, and the note says why that may be; or it always had less to do than they
	cluster.KindLag: {"e05 light evaluation", "e06 evaluation and scoring", "e08 one of 2 evaluates",
		"g16 after long pauses", "h04 parameter server", "h07 rank-0 evaluation", "h07b long rank-0 evaluation",
		"h81 rank 0 evaluates", "n110 seldom looked at", "n42 speculative decoding", "n54 evaluation as it begins",
		"n67b draft model", "n89 unlisted", "n92 light parameter server", "r15 output servers",
		"u12 long evaluation on a rank"},
	// SLURM does not say it
	cluster.KindOwner: {"n13 MIG", "n66 MIG"},
	// its steps do take longer
	cluster.KindStepSlower: {"f05 one node of 4", "f06 one node of 2", "f07d bound node", "f13 wandering",
		"f36 busy node of 2", "g06 node of 8", "g40 1.34x without counters", "m01 a quarter",
		"m09 a third of each minute", "n67 tired loaders", "n69 narrow network", "q04 slow teacher", "w09 slow host of 2",
		"w10 slow node of 4", "w11 slow node over TCP", "x10 heat, again and again"},
}

// NoShape are the kinds of problems that no shape wants, by the reason. Each has samples in internal/health.
var NoShape = map[string][]cluster.Kind{
	"the driver says it, whatever the job does": {cluster.KindNoDriver, cluster.KindOldDriver, cluster.KindSlow,
		cluster.KindFault, cluster.KindLost, cluster.KindUnusable, cluster.KindHang, cluster.KindECC, cluster.KindSlowdown,
		cluster.KindRecovery, cluster.KindXid, cluster.KindRemapFailed, cluster.KindRemap, cluster.KindNoSpares,
		cluster.KindRetired, cluster.KindECCGrowing, cluster.KindNVLinkDown, cluster.KindNVLink, cluster.KindFabric,
		cluster.KindFabricIll, cluster.KindOtherClique, cluster.KindMemoryHot, cluster.KindGPUHot, cluster.KindNoCompute,
		cluster.KindPCIe, cluster.KindPCIeReplays, cluster.KindPersistence},
	"the connection or SLURM says it": {cluster.KindConnecting, cluster.KindSilence, cluster.KindMissing,
		cluster.KindHidden, cluster.KindWrongCgroup, cluster.KindOwner, cluster.KindMixed, cluster.KindClockSkew},
	"shapes have no disk, no memory of the host and nobody else's processes": {cluster.KindDisk,
		cluster.KindHostMemory, cluster.KindLeftOver, cluster.KindStranger},
	"shapes have no log but a count of steps": {cluster.KindLogSilent, cluster.KindTooLong},
}

// Each kind of problem is found in a shape, or has a reason in NoShape.
func TestEveryKindHasAShape(t *testing.T) {
	left := map[cluster.Kind]bool{}
	for _, kind := range say.Kinds() {
		left[kind] = true
	}
	for _, s := range append(All(), More()...) {
		for _, w := range s.Want {
			for _, kind := range w.Kinds {
				delete(left, kind)
			}
		}
	}
	for _, unshaped := range NoShape {
		for _, kind := range unshaped {
			if !left[kind] {
				t.Errorf("%s has a shape, or is no kind, or is twice in NoShape: remove it there", kind)
			}
			delete(left, kind)
		}
	}
	for kind := range left {
		t.Errorf("no shape wants %s: play a job that has it, and jobs that only look like it; NoShape has the kinds of "+
			"which no job can tell", kind)
	}
}
