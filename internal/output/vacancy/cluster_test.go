package vacancy

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

func TestCluster(t *testing.T) {
	c := capacity.Of(&capacity.Supply{
		Partitions: []capacity.SuppliedPartition{
			{Name: "gpu", Default: true, State: "up", Nodes: []string{"n1", "n2", "n3", "n4", "n5", "n6", "n1"}},
			{Name: "old", State: "down", Nodes: []string{"n1", "nosuch", "n7"}},
		},
		Nodes: []capacity.SuppliedGPUs{
			{Name: "n1", States: []string{"MIXED"},
				Types: []notation.GPUType{{Name: "a100", Total: 4, Used: 1, Known: true},
					{Name: "v100", Total: 2, Known: true}}},
			{Name: "n2", States: []string{"IDLE", "DRAIN"}, Reason: "fan\x1b[31m [root@2026-11-23T16:20:11]",
				Types: []notation.GPUType{{Name: "a100", Total: 4, Known: true}}},
			{Name: "n3", States: []string{"ALLOCATED"}, Full: true,
				Types: []notation.GPUType{{Name: "a100", Total: 4, Used: 3, Known: true}}},
			{Name: "n4", States: []string{"MIXED"}, Silent: true, Types: []notation.GPUType{{Total: 8, Known: true}}},
			{Name: "n5", States: []string{"MIXED"}, Types: []notation.GPUType{{Name: "a100", Total: 4}}},
			{Name: "n6", States: []string{"IDLE", "PLANNED"},
				Types: []notation.GPUType{{Name: "a100", Total: 4, Known: true}}},
			{Name: "n7", States: []string{"IDLE"}, Types: []notation.GPUType{{Name: "v100", Total: 4, Used: 1, Known: true}}},
		},
		Jobs: []capacity.SuppliedJob{
			{ID: "7", User: "alice", Nodes: []string{"n1", "n3"}, PerNode: 1},
			{ID: "9", User: "bob", Nodes: []string{"n3"}}, {ID: "8", User: "carol", Nodes: []string{"n1", "nosuch"}},
		},
	}, now)
	var out bytes.Buffer
	if err := Cluster(&out, c, plain); err != nil {
		t.Fatal(err)
	}
	want := `PARTITION  TYPE  FREE  USED  OUT  TOTAL  STATE
---------  ----  ----  ----  ---  -----  -----------
all nodes  gpu      0     0    8      8
all nodes  a100     7     4    9     20
all nodes  v100     2     1    3      6
gpu        gpu      0     0    8      8  up, default
gpu        a100     7     4    9     20  up, default
gpu        v100     2     0    0      2  up, default
old        a100     0     1    3      4  down
old        v100     0     1    5      6  down

NODE  TYPE  FREE  USED  OUT  TOTAL  STATE                  USERS      JOBS  PARTITIONS  REASON
----  ----  ----  ----  ---  -----  ---------------------  ---------  ----  ----------  ------
n1    a100     3     1    0      4  mixed                  alice      7     gpu,old
n1    v100     2     0    0      2  mixed                  alice      7     gpu,old
n2    a100     0     0    4      4  drain+idle                              gpu         fan
n3    a100     0     3    1      4  allocated              alice,bob  7,9   gpu
n4    gpu      0     0    8      8  mixed, not responding                   gpu
n5    a100     0     0    4      4  mixed                                   gpu
n6    a100     4     0    0      4  idle+planned                            gpu
n7    v100     0     1    3      4  idle                                    old

1 of 5 GPUs in use have no job that SLURM shows you (PrivateData)
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	out.Reset()
	if err := c.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var d capacity.Cluster
	if err := json.Unmarshal(out.Bytes(), &d); err != nil || len(d.Nodes) != 7 || d.Hidden != 1 ||
		!strings.HasPrefix(d.Nodes[1].Reason, "fan") || d.Nodes[1].ReasonBy != "root" ||
		!d.Nodes[1].ReasonAt.Equal(time.Date(2026, 11, 23, 16, 20, 11, 0, time.UTC)) ||
		strings.Contains(out.String(), "u001b") {
		t.Errorf("%v in %s", err, out.String())
	}
	out.Reset()
	if err := Cluster(&out, capacity.Of(&capacity.Supply{}, now), plain); err != nil ||
		out.String() != "SLURM shows you no node with GPUs\n" {
		t.Errorf("%v, %q", err, out.String())
	}
}
