package health

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

const (
	a100 = "NVIDIA A100-SXM4-80GB"
	h100 = "NVIDIA H100 80GB HBM3"

	up12, up18 = 1<<12 - 1, 1<<18 - 1
)

// board is a node on which all GPUs belong to one job.
type board struct {
	world
	cards []wire.Card
}

func newBoard(count int, model string, change ...func(i int, c *wire.Card)) board {
	b := board{world: world{store.New(3*time.Second, Rules(Defaults()))}}
	job := cluster.Job{ID: "1", Number: "1", Nodes: []string{"a"}, Minors: map[string][]int{},
		Configured: map[string]int{"a": count}}
	for i := range count {
		job.Minors["a"] = append(job.Minors["a"], i)
		card := wire.Card{Index: i, UUID: fmt.Sprint("GPU-", i), Minor: new(i), Name: model}
		for _, c := range change {
			c(i, &card)
		}
		b.cards = append(b.cards, card)
	}
	b.Apply(cluster.Event{At: at(0), Discovery: &cluster.Discovery{Answered: at(0), Jobs: []cluster.Job{job}}})
	b.Apply(cluster.Event{At: at(0), Node: "a", Try: &cluster.Try{Interval: 3 * time.Second}})
	b.hello(wire.Hello{Driver: "550.54", GPUs: b.cards})
	return b
}

// run reports every 3 s from one time to another, with these metrics for each GPU, and returns the last findings.
func (b board) run(from, to float64, numbers func(i int) m) []string {
	return b.runGPUs(from, to, func(i int) wire.GPU { return wire.GPU{Values: metric.Make(numbers(i))} })
}

func (b board) runGPUs(from, to float64, gpu func(i int) wire.GPU) (said []string) {
	for sec := from; sec <= to; sec += 3 {
		var r wire.Report
		for i := range b.cards {
			g := gpu(i)
			g.Index = i
			if g.HangsMS > 0 {
				g.HangsMS += int64((sec - from) * 1000)
			}
			r.GPUs = append(r.GPUs, g)
		}
		b.report(sec, r)
	}
	f, words := b.findings(to)
	for i := range f {
		said = append(said, fmt.Sprintf("%v %s %d: %s", f[i].Severity, f[i].Kind, f[i].GPU, words[i].Sentence))
	}
	return said
}

func (b board) expect(t *testing.T, said []string, want ...string) {
	t.Helper()
	if strings.Join(said, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
}

// links has the metrics of a GPU with the links of the mask up.
func links(count int, up uint64) m {
	return m{metric.NVLinks: float64(count), metric.NVLinkUp: float64(up)}
}

func inFabric(numbers m) m {
	numbers[metric.FabricState], numbers[metric.FabricStatus] = 3, 0
	return numbers
}

func withMode(c *wire.Card) { c.MIG = true }

// Boards with correct links, or with links that nobody can judge, have no finding.
func TestHealthyBoards(t *testing.T) {
	same := func(numbers m) func(int) m { return func(int) m { return numbers } }
	for name, tc := range map[string]struct {
		b       board
		numbers func(i int) m
	}{
		"8 A100":             {newBoard(8, a100), same(links(12, up12))},
		"8 A100 in MIG mode": {newBoard(8, a100, func(_ int, c *wire.Card) { withMode(c) }), same(links(12, 0))},
		"8 H100 in MIG mode": {newBoard(8, h100, func(_ int, c *wire.Card) { withMode(c) }),
			same(inFabric(links(18, 0)))},
		"8 H100, one in MIG mode": {newBoard(8, h100, func(i int, c *wire.Card) { c.MIG = i == 3 }),
			func(i int) m { return inFabric(links(18, up18*uint64(min(1, max(i-3, 3-i))))) }},
		"some links up in MIG mode": {newBoard(8, h100, func(_ int, c *wire.Card) { withMode(c) }),
			same(inFabric(links(18, 0x3F)))},
		"4 A100, links to one in MIG": {newBoard(4, a100, func(i int, c *wire.Card) { c.MIG = i == 0 }),
			func(i int) m { return links(12, []uint64{0, 0xFF, 0xF0F, up12}[i]) }},
		"MIG mode not known": {newBoard(8, a100, func(_ int, c *wire.Card) { c.MIGUnknown = true }),
			same(links(12, 0))},
		"H100 PCIe with bridges":     {newBoard(8, "NVIDIA H100 PCIe"), same(links(18, 0xFFF))},
		"A100 PCIe without bridges":  {newBoard(8, "NVIDIA A100 80GB PCIe"), same(links(12, 0))},
		"A100 PCIe with bridges":     {newBoard(8, "NVIDIA A100 80GB PCIe"), same(links(12, 0xFF))},
		"4 A100 of a partition":      {newBoard(4, a100), same(links(12, 0x3F))},
		"one A100 of a partition":    {newBoard(1, a100), same(links(12, 0))},
		"one H100 of a partition":    {newBoard(1, h100), same(inFabric(links(18, 0)))},
		"V100 with links to nowhere": {newBoard(4, "Tesla V100-SXM2-32GB"), same(links(6, 0x1F))},
		"H100 NVL":                   {newBoard(8, "NVIDIA H100 NVL"), same(links(12, up12))},
		"8 H100":                     {newBoard(8, h100), same(inFabric(links(18, up18)))},
		"no NVLink":                  {newBoard(8, "NVIDIA L40S"), same(m{})},
		"GPUs of two kinds": {newBoard(3, a100,
			func(i int, c *wire.Card) { c.Name = []string{a100, "Tesla T4", a100}[i] }),
			func(i int) m { return []m{links(12, up12), {}, links(12, up12)}[i] }},
		"hot, below its limits": {newBoard(8, h100),
			same(m{metric.Temperature: 88, metric.Slowdown: 89, metric.MemoryTemperature: 95,
				metric.MemoryMaxOperating: 95, metric.ComputeMode: 0})},
		"one process at a time":          {newBoard(8, h100), same(m{metric.ComputeMode: 3})},
		"fabric status of no completion": {newBoard(8, h100), same(m{metric.FabricState: 3})},
	} {
		t.Run(name, func(t *testing.T) {
			said := tc.b.run(1, 301, tc.numbers)
			tc.b.expect(t, slices.DeleteFunc(said,
				func(s string) bool { return strings.HasPrefix(s, "note owner_unknown") }))
		})
	}
}

// After a reboot the GPUs take a minute to register with the fabric, and the links come up one after the other.
func TestNodeThatBoots(t *testing.T) {
	b := newBoard(8, h100)
	b.expect(t, b.run(1, 60, func(int) m { return m{metric.FabricState: 1, metric.NVLinks: 18, metric.NVLinkUp: 0} }))
	b.expect(t, b.run(61, 118, func(int) m {
		return m{metric.FabricState: 2, metric.NVLinks: 18, metric.NVLinkUp: 0x3F}
	}))
	b.expect(t, b.run(121, 400, func(int) m { return inFabric(links(18, up18)) }))
}

func TestFabric(t *testing.T) {
	const fails = "CUDA fails with error 802, system not yet initialized."
	for name, tc := range map[string]struct {
		count   int
		numbers func(i int) m
		want    []string
	}{
		"in progress": {8, func(int) m { return m{metric.FabricState: 2, metric.Util: 0} },
			[]string{"critical nvlink_fabric -1: The 8 GPUs of the node are not registered with the NVLink fabric " +
				"(in progress): " + fails}},
		"not started": {8, func(int) m { return m{metric.FabricState: 1} },
			[]string{"critical nvlink_fabric -1: The 8 GPUs of the node are not registered with the NVLink fabric " +
				"(not started): " + fails}},
		"failed": {8, func(int) m { return m{metric.FabricState: 3, metric.FabricStatus: 999} },
			[]string{"critical nvlink_fabric -1: The 8 GPUs of the node are not registered with the NVLink fabric " +
				"(status 999): " + fails}},
		"with its links down": {8, func(int) m {
			return m{metric.FabricState: 2, metric.NVLinks: 18, metric.NVLinkUp: 0}
		},
			[]string{"critical nvlink_fabric -1: The 8 GPUs of the node are not registered with the NVLink fabric " +
				"(in progress): " + fails}},
		"while programs run": {8, func(int) m { return m{metric.FabricState: 2, metric.Util: 97} },
			[]string{"warning nvlink_fabric -1: The 8 GPUs of the node are not registered with the NVLink fabric (in " +
				"progress): programs that start now may fail with CUDA error 802."}},
		"one GPU": {8, func(i int) m { return m{metric.FabricState: []float64{3, 2}[max(0, i-6)]} },
			[]string{"critical nvlink_fabric 7: This GPU is not registered with the NVLink fabric (in progress): " +
				fails}},
		"alone on the node": {1, func(int) m { return m{metric.FabricState: 2} },
			[]string{"critical nvlink_fabric 0: This GPU is not registered with the NVLink fabric (in progress): " +
				fails}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBoard(tc.count, h100)
			b.expect(t, b.run(1, 118, tc.numbers))
			b.expect(t, b.run(121, 124, tc.numbers), tc.want...)
		})
	}
}

func TestDeadSwitch(t *testing.T) {
	const points = " down on each, which points to an NVSwitch."
	t.Run("8 A100, from the start", func(t *testing.T) {
		b := newBoard(8, a100)
		b.expect(t, b.run(1, 7, func(int) m { return links(12, up12&^(1<<5)) }),
			"warning nvlink_down -1: NVLink down, 11/12 up on all 8 GPUs of the node: link 5 is"+points)
	})
	t.Run("4 A100, while watching", func(t *testing.T) {
		b := newBoard(4, a100)
		b.expect(t, b.run(1, 7, func(int) m { return links(12, up12) }))
		b.expect(t, b.run(10, 16, func(int) m { return links(12, up12&^0xC00) }),
			"warning nvlink_down -1: NVLink down, 10/12 up on all 4 GPUs of the node: links 10 and 11 are"+points)
		s := b.Snapshot(at(16))
		f, n := s.Jobs[0].Findings[0], s.Nodes["a"]
		for i := range n.GPUs {
			if !f.Of(&n.GPUs[i]) {
				t.Errorf("it is not about GPU%d", i)
			}
		}
		if w := say.Finding(s, &f); w.Flag != "NVLINK 10/12" || w.Letter != 'N' ||
			w.Short != "NVLink down on all GPUs, 10/12 up" || w.One != "NVLink down on all GPUs" ||
			w.Many != "nodes with NVLinks down on all GPUs" {
			t.Errorf("%+v", w)
		}
	})
	t.Run("8 H100", func(t *testing.T) {
		b := newBoard(8, h100)
		b.expect(t, b.run(1, 7, func(int) m { return inFabric(links(18, up18&^0xF)) }),
			"warning nvlink_down -1: NVLink down, 14/18 up on all 8 GPUs of the node: links 0-3 are"+points)
	})
	t.Run("one GPU more", func(t *testing.T) {
		b := newBoard(3, h100)
		b.expect(t, b.run(1, 7, func(i int) m { return inFabric(links(18, up18&^1&^uint64(i/2<<7))) }),
			"warning nvlink_down 0: NVLink down, 17/18 up: link 0 is down.",
			"warning nvlink_down 1: NVLink down, 17/18 up: link 0 is down.",
			"warning nvlink_down 2: NVLink down, 16/18 up: links 0 and 7 are down.")
	})
	t.Run("between 2 GPUs", func(t *testing.T) {
		b := newBoard(2, a100)
		b.expect(t, b.run(1, 7, func(int) m { return links(12, up12) }))
		b.expect(t, b.run(10, 16, func(int) m { return links(12, up12&^1) }),
			"warning nvlink_down 0: NVLink down, 11/12 up: link 0 is down.",
			"warning nvlink_down 1: NVLink down, 11/12 up: link 0 is down.")
	})
	t.Run("a driver that is loaded again", func(t *testing.T) {
		b := newBoard(4, a100)
		with := func(numbers m, energy float64) m { numbers[metric.Energy] = energy; return numbers }
		b.expect(t, b.run(1, 7, func(int) m { return with(links(12, up12), 5000) }))
		b.expect(t, b.run(10, 16, func(int) m { return with(links(12, 0x3F), 1) })) // the links of another partition
	})
}

// The first GPU that loses a link has a finding of its own. When the others follow, one finding covers all of them;
// when all recover, one finding is cleared.
func TestSwitchAfterALink(t *testing.T) {
	b := newBoard(4, h100)
	b.expect(t, b.run(1, 13, func(i int) m { return inFabric(links(18, up18&^uint64(i/3<<2))) }),
		"warning nvlink_down 3: NVLink down, 17/18 up: link 2 is down.")
	s := b.Snapshot(at(13))
	if w := say.Finding(s, &s.Jobs[0].Findings[0]); w.One != "NVLink down" || w.Short != w.One+", 17/18 up" {
		t.Errorf("in a row it is %q, at the top %q", w.Short, w.One)
	}
	b.expect(t, b.run(16, 28, func(int) m { return inFabric(links(18, up18&^4)) }),
		"warning nvlink_down -1: NVLink down, 17/18 up on all 4 GPUs of the node: link 2 is down on each, which points to "+
			"an "+
			"NVSwitch.")
	b.expect(t, b.run(31, 34, func(int) m { return inFabric(links(18, up18)) }),
		"warning nvlink_down -1: NVLink down, cleared 6s ago.")
}

func TestCallsHangForAll(t *testing.T) {
	hung := func(ms int64, call string) wire.GPU { return wire.GPU{HangsMS: ms, Call: call, AgeMS: ms} }
	const hint = "; calls hang for 3 of 8 GPUs of the node."
	for name, tc := range map[string]struct {
		gpu  func(i int) wire.GPU
		want []string
	}{
		"all": {func(i int) wire.GPU { return hung(22_000-250*int64(i), "power") },
			[]string{"critical gpu_hang -1: All GPUs hung: driver calls hang for all 8 GPUs of the node (power, 25s)."}},
		"different calls": {func(i int) wire.GPU { return hung(22_000, []string{"power", "memory"}[i%2]) },
			[]string{"critical gpu_hang -1: All GPUs hung: driver calls hang for all 8 GPUs of the node (25s)."}},
		"some begin": {func(i int) wire.GPU { return hung(8000-int64(i)*800, "power") },
			[]string{"critical gpu_hang -1: All GPUs hung: driver calls hang for all 8 GPUs of the node (power, 11s)."}},
		"one": {func(i int) wire.GPU {
			if i == 2 {
				return hung(22_000, "power")
			}
			return wire.GPU{}
		}, []string{"critical gpu_hang 2: GPU hung: a driver call (power) has not returned for 25s; the other 7 " +
			"GPUs of the node answer."}},
		"three": {func(i int) wire.GPU {
			if i < 3 {
				return hung(22_000, "")
			}
			return wire.GPU{}
		}, []string{"critical gpu_hang 0: GPU hung: a driver call has not returned for 25s" + hint,
			"critical gpu_hang 1: GPU hung: a driver call has not returned for 25s" + hint,
			"critical gpu_hang 2: GPU hung: a driver call has not returned for 25s" + hint}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBoard(8, h100)
			b.expect(t, b.runGPUs(1, 4, tc.gpu), tc.want...)
		})
	}
	t.Run("one after the other", func(t *testing.T) {
		b := newBoard(2, h100)
		b.expect(t, b.runGPUs(1, 31, func(i int) wire.GPU {
			return wire.GPU{HangsMS: int64(1-i) * 1000, Call: "power"}
		}),
			"critical gpu_hang 0: GPU hung: a driver call (power) has not returned for 31s; the other GPU of the "+
				"node answers.")
		b.expect(t, b.runGPUs(34, 40, func(i int) wire.GPU {
			return wire.GPU{HangsMS: int64(1-i)*30_000 + 5000, Call: "power"}
		}), "critical gpu_hang -1: All GPUs hung: driver calls hang for both GPUs of the node (power, 41s).")
	})
}

func TestTooHot(t *testing.T) {
	hot := func(throttle float64) func(int) m {
		return func(int) m {
			return m{metric.Temperature: 94, metric.Slowdown: 92, metric.MemoryTemperature: 103,
				metric.MemoryMaxOperating: 95, metric.Throttle: throttle}
		}
	}
	const core = "warning gpu_hot 0: GPU too hot: 94°C, above its slowdown temperature of 92°C, and the driver " +
		"reports no slowdown."
	b := newBoard(1, h100)
	b.expect(t, b.run(1, 28, hot(wire.ThrottleSWPowerCap)), core)
	b.expect(t, b.run(31, 34, hot(wire.ThrottleSWPowerCap)),
		"warning memory_hot 0: GPU memory too hot: 103°C, its maximum is 95°C.", core)
	b = newBoard(1, h100)
	b.expect(t, b.run(1, 61, hot(wire.ThrottleHWThermal)),
		"warning thermal 0: Thermal throttling: 94°C, memory 103 of at most 95°C.")
	b = newBoard(1, h100)
	b.expect(t, b.run(1, 61, func(int) m {
		return m{metric.Temperature: 92, metric.Slowdown: 92, metric.MemoryTemperature: 95,
			metric.MemoryMaxOperating: 95}
	}))
}

func TestComputeMode(t *testing.T) {
	b := newBoard(2, h100)
	b.expect(t, b.run(1, 1, func(i int) m { return m{metric.ComputeMode: float64(3 - i)} }),
		"warning compute_mode 1: Compute prohibited by the compute mode: no CUDA program can start on this GPU.")
}
