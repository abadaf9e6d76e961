package nvnodetop

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Each tag has the numbers of the snapshots that came while it was active, and nothing of a node that is silent.
func TestCollector(t *testing.T) {
	snapshot := func(util, cpu float64) *schema.Snapshot {
		return &schema.Snapshot{Nodes: []schema.Node{
			{Name: "n1", State: schema.NodeReporting, Host: schema.Metrics{schema.CPUPercent: cpu},
				GPUs: []schema.GPU{{UUID: "GPU-a", Metrics: schema.Metrics{schema.UtilPercent: util}}, {Key: "index:1"}}},
			{Name: "n2", State: "silent", Host: schema.Metrics{schema.CPUPercent: 99}},
		}}
	}
	var c Collector
	c.Add(snapshot(1, 1))
	c.Deactivate()
	c.Activate("run")
	c.Add(snapshot(20, 5))
	c.Activate("epoch")
	c.Add(snapshot(90, 7))
	c.Add(snapshot(70, 9))
	c.Deactivate()
	c.Add(snapshot(40, 3))
	gpu, host := Series{"n1", "GPU-a", schema.UtilPercent}, Series{"n1", "", schema.CPUPercent}
	for tag, want := range map[string][2]Stat{
		"run":   {{55, 20, 90, 40, 4}, {6, 3, 9, 3, 4}},
		"epoch": {{80, 70, 90, 70, 2}, {8, 7, 9, 9, 2}},
	} {
		got := c.Collect(tag)
		if len(got) != 2 || got[gpu] != want[0] || got[host] != want[1] {
			t.Errorf("%s: %v, want %v", tag, got, want)
		}
	}
	c.Activate("epoch")
	c.Deactivate("run")
	c.Add(snapshot(0, 0))
	if got := c.Collect("epoch"); len(got) != 0 || len(c.Collect("none")) != 0 || c.Collect("run")[gpu].N != 4 {
		t.Errorf("after all have ended: %v", got)
	}
}
