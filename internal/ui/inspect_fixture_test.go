package ui

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// inspectShots are the pages about one process.
func inspectShots() []shot {
	first := func(v *view) { v.chooseNode("gpu-n02", 1) }
	return []shot{
		{name: "environ", snap: fixture, view: first, typed: "5jejjjjjj", told: says(environFixture)},
		{name: "environ-search", snap: fixture, view: first, typed: "5jes/L O", told: says(environFixture)},
		{name: "environ-refused", snap: fixture, view: first, typed: "5e",
			told: says(wire.Reply{Error: "process 901220 belongs to bob: you can only read the environment of your " +
				"own processes"})},
		{name: "environ-asking", snap: fixture, view: first, typed: "5e"},
		{name: "details", snap: fixture, view: first, typed: "5jvj", told: says(inspectedFixture)},
		{name: "details-search", snap: fixture, view: first, typed: "5jv/scratch", told: says(inspectedFixture)},
		{name: "metrics", snap: fixture, view: first, typed: "5jj\r", told: says(detailsFixture), later: watch(40)},
		{name: "metrics-gone", snap: goneFixture, view: first, later: func(v *view, s *part.Scene) {
			now := s.Snap
			s.Snap = fixture()
			v.resolveSelection(s)
			for _, k := range []tea.KeyPressMsg{{Code: '5', Text: "5"}, {Code: tea.KeyDown}, {Code: tea.KeyDown},
				{Code: tea.KeyEnter}} {
				if !v.passMessage(k, s).Taken {
					v.handleGlobalKey(k, s)
				}
				v.resolveSelection(s)
			}
			watch(100)(v, s)
			s.Snap = now
			v.resolveSelection(s)
		}},
		{name: "copy-menu", snap: fixture, view: first, typed: "5yj"},
	}
}

// says is the answer to whatever is asked.
func says(r wire.Reply) func(nav.Ask) nav.Result {
	return func(a nav.Ask) nav.Result { return nav.Result{Ask: a, Reply: r} }
}

// goneFixture is fixture a second later, without a process of gpu-n02.
func goneFixture() *cluster.Snapshot {
	s := fixture()
	n := s.Nodes["gpu-n02"]
	n.Processes = slices.DeleteFunc(n.Processes, func(p wire.Process) bool { return p.PID == 358808 })
	n.ListedAt = n.ListedAt.Add(time.Second)
	return s
}

// see shows another gpu-n02 for a moment.
func see(v *view, s *part.Scene, n *cluster.Node) {
	now := s.Snap
	snap := *now
	snap.Nodes = map[string]*cluster.Node{}
	for name, node := range now.Nodes {
		snap.Nodes[name] = node
	}
	snap.Nodes["gpu-n02"] = n
	s.Snap = &snap
	v.resolveSelection(s)
	s.Snap = now
	v.process().Wants(s)
}

// watch lets so many lists of gpu-n02 arrive, and then the one of the fixture.
func watch(lists int) func(v *view, s *part.Scene) {
	return func(v *view, s *part.Scene) {
		r := rand.New(rand.NewPCG(4, 2))
		for i := lists; i > 0; i-- {
			n := *s.Snap.Nodes["gpu-n02"]
			n.ListedAt = n.ListedAt.Add(-time.Duration(i) * 3 * time.Second)
			n.Processes = slices.Clone(n.Processes)
			for k := range n.Processes {
				p := &n.Processes[k]
				p.SMPercent, p.CPUPercent, p.MemPercent = ptr(70+r.IntN(30)), ptr(95+10*r.Float64()), ptr(40+r.IntN(20))
				p.ElapsedSec = ptr(*p.ElapsedSec - int64(3*i))
			}
			see(v, s, &n)
		}
		n := *s.Snap.Nodes["gpu-n02"]
		see(v, s, &n)
		v.resolveSelection(s)
	}
}

var environFixture = wire.Reply{Environ: &wire.Environ{Variables: []string{
	"WORLD_SIZE=32", "WANDB_API_KEY=4f1c0de5ba5eba11deadc0dedecafbad0000demo", "TORCH_NCCL_ASYNC_ERROR_HANDLING=1",
	"SLURM_STEP_ID=0", "SLURM_PROCID=11",
	"SLURM_NODELIST=gpu-n[01-04]", "SLURM_LOCALID=3", "SLURM_JOB_NAME=llama-70b", "SLURM_JOB_ID=48211",
	"SLURM_JOB_GPUS=0,1,2,3,4,5,6,7",
	"SLURM_CPUS_PER_TASK=16", "RANK=11", "MY_SESSION=ghp_0123456789abcdefghij0123456789",
	"PATH=/home/alice/miniforge3/envs/llm/bin:/opt/slurm/bin:/usr/local/cuda-12.4/bin:/usr/local/bin:/usr/bin:/usr/local/sbin:/usr/sbin",
	"OMP_NUM_THREADS=1", "NCCL_SOCKET_IFNAME=ib0", "NCCL_IB_HCA=mlx5_0,mlx5_1,mlx5_4,mlx5_5", "NCCL_DEBUG=WARN",
	"MASTER_PORT=29400", "MASTER_ADDR=gpu-n01",
	"LOCAL_WORLD_SIZE=8", "LOCAL_RANK=3", "CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7",
	"BASH_FUNC_module%%=() {  eval $(modulecmd bash $*)\n}", "EMPTY=", "LANG=en_US.UTF-8",
}}}

// hostileEnviron is what a node should never send.
var hostileEnviron = wire.Reply{Environ: &wire.Environ{Truncated: true, Variables: []string{
	"", "=", "A\x1b[2J\x07=\x1b]52;c;ZXZpbA==\x07\x9b31m\u202eevil\r\n", "B=" + strings.Repeat("模型", 500),
	"C=" + strings.Repeat("x", 5000), strings.Repeat("N", 3000) + "=1", "D=\xff\xfe",
}}}

// inspectedFixture is all that a node tells about a process, as a hostile one might send it in part.
var inspectedFixture = wire.Reply{Inspected: &wire.InspectedProcess{
	Arguments: []string{"python", "train.py", "--name", "a b\x1b[2J"}, Terminal: "pts/3",
	UIDs: []int{1001, 1001, 1001, 1001}, GIDs: []int{100, 100, 100, 100}, Nice: new(0), Priority: new(20),
	Policy: "other", IOPriority: "none", LastCPU: new(24), CPUAffinity: "24-31", UserSeconds: new(30_102.5),
	SystemSeconds: new(811.25), DiskWaitSeconds: new(12.0), VoluntarySwitches: new(uint64(912_001)),
	InvoluntarySwitches: new(uint64(88)), MinorFaults: new(uint64(2_000_000)), MajorFaults: new(uint64(7)),
	Memory: &wire.MemoryUse{
		VMS: 80 << 30, RSS: 31 << 30, Peak: 33 << 30, Shared: 2 << 30, Text: 3 << 20, Data: 40 << 30,
	},
	Limits: []wire.InspectedLimit{{Name: "Max open files", Soft: new(uint64(1024)), Hard: new(uint64(524288)), Unit: "files"},
		{Name: "Max locked memory", Unit: "bytes"}},
	Threads: []wire.InspectedThread{{ID: 358808, Name: "python", State: "R", LastCPU: 24, UserSeconds: 29_000},
		{ID: 358809, Name: "pt_data_pin\x07", State: "S", LastCPU: 25, UserSeconds: 11.5}},
	Files: &wire.Descriptors{Count: 9, Sockets: 2, Pipes: 1, Others: 4, Files: []wire.OpenFile{
		{FD: 1, Path: "/home/alice/llama/slurm-48211.out", Mode: "wa", Position: 4096},
		{FD: 41, Path: "/scratch/alice/tokens/00172.bin", Mode: "r", Position: 402_653_184}}},
	Connections: []wire.InspectedConnection{{FD: 50, Protocol: "tcp", Local: "10.1.0.2:40112", Remote: "10.1.0.1:29400",
		Status: "ESTABLISHED"}},
	More: map[string]int{"threads": 94}, Absent: map[string]string{"io": "permission denied"},
}}

var detailsFixture = wire.Reply{Process: &wire.Details{
	Parent: 358790, State: "R", Threads: 96, User: "alice", Name: "python",
	Executable: "/home/alice/miniforge3/envs/llm/bin/python3.11", Directory: "/home/alice/llama",
	Arguments: []string{"python", "-u", "train.py", "--config", "configs/llama70b.yaml", "--tp", "8", "--pp", "4",
		"--data", "/scratch/alice/tokens\x1b[2J"},
}}
