package uitest

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// TroubledFixture is fixture with a past: a GPU that lags, a node that was silent for a while, one that has joined
// late, one that never did.
func TroubledFixture() *cluster.Snapshot {
	s := Fixture()
	n := s.Nodes["gpu-n02"]
	for i := range n.GPUs {
		util := UtilOf(&n.GPUs[i])
		for k := 200; k < 214; k++ {
			util[k] = history.Gap
		}
		SetUtil(&n.GPUs[i], util)
	}
	late := NodeOf(rand.New(rand.NewPCG(3, 3)), "gpu-n03", 8)
	for i := range late.GPUs {
		util := UtilOf(&late.GPUs[i])
		for k := range 150 {
			util[k] = history.Gap
		}
		SetUtil(&late.GPUs[i], util)
	}
	s.Nodes["gpu-n03"] = late
	job := &s.Jobs[0]
	job.Reporting, job.GPUsSeen = 3, 24
	job.Findings = []cluster.Finding{
		{Kind: cluster.KindFailed, Class: reach.ClassAdopt, Severity: cluster.Critical, Since: Ago(3 * time.Minute),
			Node: "gpu-n04", GPU: -1},
		{Kind: cluster.KindThermal, Severity: cluster.Warning, Since: Ago(40 * time.Second), Node: "gpu-n01", GPU: 5},
		{Kind: cluster.KindECC, Severity: cluster.Warning, Since: Ago(8 * time.Minute), Node: "gpu-n02", GPU: 3},
	}
	job.Cleared = []cluster.Finding{
		{Kind: cluster.KindStale, Severity: cluster.Warning, Since: Ago(110 * time.Second), Over: Ago(76 * time.Second),
			Node: "gpu-n02", GPU: -1},
		{Kind: cluster.KindPowerBrake, Severity: cluster.Warning, Since: Ago(6 * time.Minute),
			Over: Ago(5 * time.Minute), Node: "gpu-n01", GPU: 2},
		{Kind: cluster.KindConnecting, Severity: cluster.Waiting, Since: Ago(6 * time.Minute),
			Over: Ago(270 * time.Second), Node: "gpu-n03", GPU: -1},
	}
	return Keyed(s)
}

// StatesFixture has every state that a GPU's row can be in, on a node that has gone silent.
func StatesFixture() *cluster.Snapshot {
	s := Fixture()
	r := rand.New(rand.NewPCG(7, 7))
	n := NodeOf(r, "gpu-n01", 8)
	n.State, n.Age, n.Arrived, n.Since = cluster.NodeStale, 12*time.Second, Ago(12*time.Second), Ago(3*time.Second)
	gap := UtilOf(&n.GPUs[1])
	for i := 225; i < 237; i++ {
		gap[i] = history.Gap
	}
	SetUtil(&n.GPUs[1], gap)
	n.GPUs[0].Card.Values.Set(metric.Slowdown, math.NaN())
	Set(n.GPUs[0].GPU, Values{"temp": 85})
	Forget(&n.GPUs[2], "GPU is lost")
	Unset(n.GPUs[3].GPU, "util", "bandwidth")
	n.GPUs[3].Card.MIG = true
	SetUtil(&n.GPUs[3], nil)
	Unset(n.GPUs[4].GPU, "power", "temp")
	Set(n.GPUs[5].GPU, Values{"ecc": 2})
	Set(n.GPUs[6].GPU, Values{"sm": 990})
	Set(n.GPUs[7].GPU, Values{"used": 81000})
	s.Nodes["gpu-n01"] = n
	s.Jobs[0].GPUsSeen, s.Jobs[0].Reporting = 8, 1
	s.Jobs[0].Findings = []cluster.Finding{
		{Kind: cluster.KindLost, Severity: cluster.Critical, Since: Ago(12 * time.Second), Node: "gpu-n01", GPU: 2},
		{Kind: cluster.KindStale, Severity: cluster.Warning, Since: Ago(3 * time.Second), Node: "gpu-n01", GPU: -1},
		{Kind: cluster.KindECC, Severity: cluster.Warning, Since: Ago(2 * time.Hour), Node: "gpu-n01", GPU: 5},
		{Kind: cluster.KindPowerBrake, Severity: cluster.Warning, Since: Ago(3 * time.Minute), Node: "gpu-n01", GPU: 6},
	}
	return Keyed(s)
}

// NoGPUsFixture is a node whose probe cannot use NVML.
func NoGPUsFixture() *cluster.Snapshot {
	s := Fixture()
	n := s.Nodes["gpu-n01"]
	n.GPUs, n.Processes = nil, nil
	n.Hello.Fault, n.Hello.FaultID = "Driver/library version mismatch", wire.FaultMismatch
	return s
}

// OldFixture has a GPU without NVLink, GPM and newer engines, and with errors.
func OldFixture() *cluster.Snapshot {
	s := Fixture()
	g := &s.Nodes["gpu-n02"].GPUs[3]
	Lacking(g, "Not Supported", metric.NVLinkTX, metric.NVLinkRX, metric.NVLinkUp, metric.NVLinks, metric.NVLinkCRC,
		metric.NVLinkReplays, metric.NVLinkRecoveries,
		metric.SMActive, metric.SMOccupancy, metric.TensorActive, metric.DRAMActive, metric.JPEG, metric.OFA,
		metric.MemoryTemperature,
		metric.RemappedCorrectable, metric.RemappedUncorrectable, metric.RemapPending, metric.RemapFailed)
	g.Card.Name, g.Card.Capability = "Tesla V100-PCIE-32GB", "7.0"
	for id, v := range map[metric.ID]float64{metric.PCIeGenMax: 3, metric.MemoryTotal: 32768 * mib} {
		g.Card.Values.Set(id, v)
	}
	for id, v := range map[metric.ID]float64{metric.PCIeGen: 1, metric.MemoryUsed: 30211 * mib,
		metric.RetiredUncorrectable: 3, metric.RetiredPending: 1} {
		g.Values.Set(id, v)
	}
	Remember(g, UtilOf(g))
	s.Nodes["gpu-n02"].Xids = []cluster.Xid{{At: Ago(35 * 60e9), Code: 63, Key: g.Key},
		{At: Ago(4 * 60e9), Code: 48, Key: g.Key}, {At: Ago(4 * 60e9), Code: 94, Key: g.Key}}
	s.Jobs[0].Findings = append(s.Jobs[0].Findings, cluster.Finding{Kind: cluster.KindPCIe, Severity: cluster.Warning,
		Since: Ago(8 * 60e9), Node: "gpu-n02", GPU: 3})
	return Keyed(s)
}
