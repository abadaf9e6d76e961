package capacity

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// recordedNodes is output of scontrol about nodes.
func recordedNodes(t testing.TB) []byte {
	t.Helper()
	out, err := os.ReadFile("../testdata/show-node.txt")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestParseNodesRecorded(t *testing.T) {
	a100 := func(used int, known bool) []notation.GPUType {
		return []notation.GPUType{{Name: "a100", Total: 4, Used: used, Known: known}}
	}
	want := []SuppliedGPUs{
		// without -d, where GPUs are not accounted for
		{Name: "node01", States: []string{"MIXED"}, Types: a100(0, false)},
		{Name: "node04", States: []string{"IDLE", "DRAIN"}, Reason: "testing drain [root@2026-11-20T18:22:34]",
			Types: a100(0, false)},
		{Name: "node02", States: []string{"MIXED"}, Types: a100(4, true), InUse: []int{0, 1, 2, 3}},
	}
	if diff := cmp.Diff(want, parseNodes(recordedNodes(t))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseNodes(t *testing.T) {
	for text, want := range map[string]string{ // total and used of each type
		"   Gres=gpu:a100:4(S:0-1)\n   GresUsed=gpu:a100:2(IDX:0,3)\n":                                      "a100 4 2",
		"   Gres=gpu:a100:2(S:0),gpu:a100:2(S:1),nic:1\n   GresUsed=gpu:a100:3(IDX:0-2),nic:0\n":            "a100 4 3",
		"   Gres=gpu:a100:4,gpu:v100:1\n   GresUsed=gpu:a100:0(IDX:N/A),gpu:v100:1(IDX:4)\n":                "a100 4 0, v100 1 1",
		"   Gres=gpu:4\n   GresUsed=gpu:(null):1(IDX:2)\n":                                                  " 4 1",
		"   Gres=gpu:4\n   GresUsed=gpu:1\n":                                                                " 4 1",
		"   Gres=gpu:4\n   GresUsed=gpu:9\n":                                                                " 4 4",
		"   Gres=gpu:a100_3g.20gb:2(S:0)\n   GresUsed=gpu:a100_3g.20gb:1(IDX:0)\n":                          "a100_3g.20gb 2 1",
		"   Gres=gpu:a100:2,shard:a100:16\n   GresUsed=gpu:a100:0(IDX:N/A),shard:a100:3(3/8,0/8)\n":         "a100 2 1",
		"   Gres=gpu:a100:2,shard:16\n   GresUsed=gpu:a100:0(IDX:N/A),shard:3(3/8,0/8)\n":                   "a100 2 1",
		"   Gres=gpu:a:1,gpu:b:1,shard:8\n   GresUsed=gpu:a:0(IDX:N/A),gpu:b:0,shard:1(0/4,1/4)\n":          "a 1 ?, b 1 ?",
		"   Gres=gpu:a100:4,shard:a100:16\n   GresUsed=gpu:a100:2(IDX:0-1),shard:a100:0(-/4,-/4,0/4,0/4)\n": "a100 4 2",
		"   Gres=gpu:a100:4,shard:a100:16\n   GresUsed=gpu:a100:1(IDX:2),shard:a100:5(2/4,3/4,-/4,0/4)\n":   "a100 4 3",
		// what has shares in use is not told
		"   Gres=gpu:4,mps:400\n   GresUsed=gpu:1,mps:50\n   CfgTRES=gres/gpu=4\n   AllocTRES=gres/gpu=1\n": " 4 ?",
		// only the types are accounted for, or one of them
		"   Gres=gpu:a100:4,gpu:v100:1\n   CfgTRES=gres/gpu:a100=4,gres/gpu:v100=1\n   AllocTRES=gres/gpu:v100=1\n": "a100 4 0, v100 1 1",
		"   Gres=gpu:a100:4,gpu:v100:1\n   CfgTRES=gres/gpu:a100=4\n   AllocTRES=gres/gpu:a100=2\n":                 "a100 4 ?, v100 1 ?",
		"   Gres=gpu:a100:4\n   CfgTRES=cpu=32,gres/gpu=4,gres/gpu:a100=4\n   " +
			"AllocTRES=cpu=1,gres/gpu=2,gres/gpu:a100=2\n": "a100 4 2",
		"   Gres=gpu:a100:4\n   CfgTRES=cpu=32,gres/gpu=4\n   AllocTRES=cpu=1,gres/gpu=3\n": "a100 4 3",
		"   Gres=gpu:a100:4\n   CfgTRES=cpu=32,gres/gpu=4\n   AllocTRES=\n":                 "a100 4 0",
		"   Gres=gpu:a100:4,gpu:v100:1\n   CfgTRES=gres/gpu=5\n   AllocTRES=gres/gpu=3\n":   "a100 4 ?, v100 1 ?",
		"   Gres=gpu:a100:4\n   CfgTRES=cpu=32\n   AllocTRES=cpu=1\n":                       "a100 4 ?",
		"   Gres=gpu:a100:4\n   GresUsed=gpu:a100:x\n":                                      "a100 4 ?",
		"   Gres=gpu:a100:4\n   Comment=x GresUsed=gpu:a100:2\n   Comment=y\n":              "a100 4 ?",
		"   Gres=(null)\n   GresUsed=\n":                                                    "",
		"   Gres=gpu:a100\n":                                                                "",
		"   Gres=gpu:-1\n":                                                                  "",
		// twice
		"   Gres=gpu:4\n\nNodeName=n1 Arch=x\n   Gres=gpu:4\n": "",
		"   Gres=nic:2\n": "",
	} {
		nodes := parseNodes([]byte("NodeName=n1 Arch=x86_64 \n" + text))
		var got []string
		for _, n := range nodes {
			for _, typ := range n.Types {
				used := "?"
				if typ.Known {
					used = string(rune('0' + typ.Used))
				}
				got = append(got, typ.Name+" "+string(rune('0'+typ.Total))+" "+used)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{ // texts of admins, and the reason
		"   Reason=bad DIMM State=IDLE [root@x]\n          see\nticket\n   Comment=y":        "bad DIMM State=IDLE [root@x] see ticket",
		"   Comment=a\n   Reason=b\n   Gres=gpu:9\n   State=DOWN\nNodeName=n1 z\n   Extra=c": "",
	} {
		nodes := parseNodes([]byte("NodeName=n1 Arch=x\n   Gres=gpu:4\n   State=IDLE ThreadsPerCore=1\n" + text + "\n\n"))
		if len(nodes) != 1 || nodes[0].Reason != want || nodes[0].Types[0].Total != 4 ||
			!slices.Equal(nodes[0].States, []string{"IDLE"}) {
			t.Errorf("%q: %+v", text, nodes)
		}
	}
	for text, want := range map[string][3]any{ // states, silent, full
		"   CPUAlloc=32 CPUEfctv=32 CPUTot=64 CPULoad=1\n   State=ALLOCATED+PLANNED ThreadsPerCore=1\n": {"ALLOCATED PLANNED", false, true},
		"   CPUAlloc=31 CPUEfctv=32 CPUTot=64 CPULoad=1\n   State=MIXED* ThreadsPerCore=1\n": {"MIXED", true,
			false},
		"   CPUAlloc=64 CPUTot=64 CPULoad=N/A\n   State=DOWN*+DRAIN\n": {"DOWN DRAIN",
			true, true},
		"   RealMemory=256000 AllocMem=256000 FreeMem=1 Sockets=2\n   State=IDLE~ Owner=N/A\n": {"IDLE", false,
			true},
		"   RealMemory=256000 AllocMem=254000 FreeMem=1 Sockets=2\n   CoreSpecCount=1 CPUSpecList=0 MemSpecLimit=2000\n": {
			"", false, true},
		"   RealMemory=256000 AllocMem=0 FreeMem=1 Sockets=2\n   OS=Linux State=DOWN\n   State=IDLE\n": {"IDLE", false,
			false},
	} {
		n := parseNodes([]byte("NodeName=n1 \n   Gres=gpu:1\n" + text))[0]
		if got := [3]any{strings.Join(n.States, " "), n.Silent, n.Full}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// The parts of these lines were recorded: partitions, their state, GRES and node lists.
const partitionLines = "CLUSTER: c1\ngpu*|up|gpu:a100:4|node[01-03,07-12]\ngpu*|up|(null)|login\ngpu*|up|gpu:a100:4(S:0-1)|node[13-16]\ndebug|down|gpu:a100:4|node[01-03,07-12]\ncpu|up|(null)|c[1-2]\n"

func TestParsePartitions(t *testing.T) {
	partitions, lists, err := parsePartitions([]byte(partitionLines))
	if err != nil {
		t.Fatal(err)
	}
	nine := []string{"node01", "node02", "node03", "node07", "node08", "node09", "node10", "node11", "node12"}
	want := []SuppliedPartition{
		{Name: "gpu", Default: true, State: "up",
			Nodes: slices.Concat(nine, []string{"node13", "node14", "node15", "node16"})},
		{Name: "debug", State: "down", Nodes: nine},
	}
	if diff := cmp.Diff(want, partitions); diff != "" ||
		!slices.Equal(lists, []string{"node[01-03,07-12]", "node[13-16]"}) {
		t.Errorf("lists %q; (-want +got):\n%s", lists, diff)
	}
	for _, bad := range []string{"gpu|up|gpu:4\n", "gpu|up|gpu:4|n[1-\n", "gpu|up|gpu:4|-x\n", "|up|gpu:4|n1\n",
		"sinfo: warning\n", strings.Repeat("gpu|up|gpu:4|n[1-65536]\n", 17)} {
		if _, _, err := parsePartitions([]byte(bad)); err == nil {
			t.Errorf("%.40q is understood", bad)
		}
	}
}

// scontrol prints a node as often as it is named, and such a node is left out.
func TestPartitionsOverlap(t *testing.T) {
	_, lists, err := parsePartitions([]byte("gpu|up|gpu:4|n[1-3]\nall|up|gpu:4|n[1-4]\nlow|up|gpu:4|n[2-3]\nx|up|gpu:4|n5\n"))
	if want := []string{"n[1-3]", "n4", "n5"}; err != nil || !slices.Equal(lists, want) {
		t.Errorf("asks for %q, %v, want %q", lists, err, want)
	}
}

func TestAskSupply(t *testing.T) {
	var asked []string
	run := func(_ context.Context, argv ...string) (stdout, stderr []byte, err error) {
		asked = append(asked, strings.Join(argv, " "))
		switch argv[0] {
		case "sinfo":
			return []byte(partitionLines), []byte("nvnodetop dropped SLURM_CLUSTERS=a,b\n"), nil
		case "squeue":
			return []byte(jobLines), nil, nil
		}
		return recordedNodes(t), nil, errors.New("exit status 1") // some of the nodes are gone
	}
	s, err := AskSupply(t.Context(), run)
	if err == nil && !strings.HasPrefix(s.Note, `SLURM_CLUSTERS="a,b" names several clusters`) {
		t.Errorf("note %q", s.Note)
	}
	if err != nil || len(s.Partitions) != 2 || len(s.Jobs) != 4 || s.NoJobs != nil || len(s.Nodes) != 3 ||
		s.Nodes[1].Name != "node02" {
		t.Errorf("%+v, %v", s, err)
	}
	if want := []string{"sinfo --noheader --format=%P|%a|%G|%N",
		"scontrol -d show node node[01-03,07-12],node[13-16]",
		"squeue --noheader --format=%i|%u|%P|%S|%e|%b|%N"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	_, err = AskSupply(t.Context(), func(_ context.Context, argv ...string) (stdout, stderr []byte, err error) {
		return []byte(partitionLines), nil, nil
	})
	if err == nil || err.Error() != "scontrol failed: unexpected output: no node with GPUs" {
		t.Errorf("an scontrol that is not understood: %v", err)
	}
	for said, want := range map[string]error{"sinfo: fatal: Could not establish a configuration source": command.ErrNoSlurm,
		"Unable to contact slurm controller": nil} {
		_, err := AskSupply(t.Context(), func(context.Context, ...string) ([]byte, []byte, error) {
			return nil, []byte(said), errors.New("exit status 1")
		})
		if f, failed := errors.AsType[*reach.Failure](err); want != nil && !errors.Is(err, want) || want == nil &&
			(!failed || f.Short != "slurmctld not responding") {
			t.Errorf("%s: %v", said, err)
		}
	}
	if _, err := AskSupply(t.Context(), func(context.Context, ...string) ([]byte, []byte, error) {
		return nil, nil,
			exec.ErrNotFound
	}); !errors.Is(err, command.ErrNoSlurm) {
		t.Errorf("without sinfo: %v", err)
	}
}

// A site can hide its nodes.
func TestHiddenNodes(t *testing.T) {
	_, err := AskSupply(t.Context(), func(context.Context, ...string) ([]byte, []byte, error) {
		return nil, []byte("slurm_load_node: Access/permission denied\n"), errors.New("exit status 1")
	})
	f, failed := errors.AsType[*reach.Failure](err)
	if !failed || f.Short != "SLURM hides the nodes from you" || !strings.Contains(f.Meaning, "PrivateData") {
		t.Errorf("%+v", err)
	}
}

// Without an answer about jobs, the counts still stand.
func TestNoJobs(t *testing.T) {
	s, err := AskSupply(t.Context(), func(_ context.Context, argv ...string) ([]byte, []byte, error) {
		switch argv[0] {
		case "sinfo":
			return []byte(partitionLines), nil, nil
		case "squeue":
			return nil, []byte("squeue: error: slow down"), errors.New("exit status 1")
		}
		return recordedNodes(t), nil, nil
	})
	if err != nil || len(s.Nodes) != 3 || s.Jobs != nil || s.NoJobs == nil ||
		!strings.Contains(s.NoJobs.Error(), "slow down") {
		t.Errorf("%+v, %v", s, err)
	}
}

// These lines were recorded, but for the second, and those from 4 on.
const jobLines = "CLUSTER: c1\n1|alice|gpu|2026-11-23T16:14:40|2026-11-23T17:14:40|gres:gpu:4|node[01-02]\n" +
	"2_[3]|bob|gpu|2026-11-23T16:14:40|N/A|gres/gpu:a100:2,gres/nic:1|node03\n" +
	"3+1|carol|cpu|N/A|N/A|N/A|\n" +
	"4|dave|gpu|N/A|N/A|N/A|node04\n6|dave|gpu|N/A|N/A|N/A|\n7|erin|gpu|N/A|N/A|N/A|(null)\n"

// A job with nodes counts, whatever its state is called. One that waits does not.
func TestParseJobs(t *testing.T) {
	jobs, err := parseJobs([]byte(jobLines))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 23, 16, 14, 40, 0, time.UTC).Local()
	want := []SuppliedJob{
		{ID: "1", User: "alice", Partition: "gpu", Start: at, End: at.Add(time.Hour),
			Nodes:   []string{"node01", "node02"},
			PerNode: 4},
		{ID: "2_[3]", User: "bob", Partition: "gpu", Start: at, Nodes: []string{"node03"}, PerNode: 2},
		{ID: "4", User: "dave", Partition: "gpu", Nodes: []string{"node04"}},
		{ID: "7", User: "erin", Partition: "gpu"},
	}
	if diff := cmp.Diff(want, jobs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	jobs, err = parseJobs([]byte("4|alice|gpu|2026-11-23T16:14:40|NONE|N/A|node01\n"))
	if err != nil || len(jobs) != 1 || !jobs[0].Unlimited || !jobs[0].End.IsZero() {
		t.Errorf("without a limit: %+v, %v", jobs, err)
	}
	jobs, err = parseJobs([]byte("squeue: warning\n" + jobLines + "8|dave\n"))
	if diff := cmp.Diff(want, jobs); diff != "" || err == nil || err.Error() != `"squeue: warning\n"` {
		t.Errorf("among lines that are no jobs: %v (-want +got):\n%s", err, diff)
	}
}

func FuzzParseNodes(f *testing.F) {
	f.Add(recordedNodes(f))
	f.Add([]byte("NodeName=n1\n   Gres=gpu:(null):4\n   GresUsed=gpu:(null):1(IDX:2),shard:3(1/2,)\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		seen := map[string]bool{}
		for _, n := range parseNodes(out) {
			if !notation.IsHost(n.Name) || seen[n.Name] || len(n.Types) == 0 {
				t.Fatalf("node %+v", n)
			}
			seen[n.Name] = true
			for _, typ := range n.Types {
				if typ.Used < 0 || typ.Total <= 0 || typ.Used > typ.Total {
					t.Fatalf("GPUs %+v", typ)
				}
			}
		}
	})
}

func FuzzParsePartitions(f *testing.F) {
	f.Add([]byte(partitionLines))
	f.Fuzz(func(t *testing.T, out []byte) {
		partitions, lists, err := parsePartitions(out)
		if err != nil && (partitions != nil || lists != nil) {
			t.Fatal("an error and partitions")
		}
		for _, p := range partitions {
			if notation.CheckHosts(p.Nodes) != nil || p.Name == "" && !p.Default {
				t.Fatalf("partition %+v", p)
			}
		}
	})
}
