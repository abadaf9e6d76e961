package uitest

import (
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Says is the answer to whatever is asked.
func Says(r wire.Reply) func(nav.Ask) nav.Result {
	return func(a nav.Ask) nav.Result { return nav.Result{Ask: a, Reply: r} }
}

// GoneFixture is fixture a second later, without a process of gpu-n02.
func GoneFixture() *cluster.Snapshot {
	s := Fixture()
	n := s.Nodes["gpu-n02"]
	n.Processes = slices.DeleteFunc(n.Processes, func(p wire.Process) bool { return p.PID == 358808 })
	n.ListedAt = n.ListedAt.Add(time.Second)
	return s
}

// EnvironFixture is what a node answers about an environment.
var EnvironFixture = wire.Reply{Environ: &wire.Environ{Variables: []string{
	"WORLD_SIZE=32", "WANDB_API_KEY=4f1c0de5ba5eba11deadc0dedecafbad0000demo", "TORCH_NCCL_ASYNC_ERROR_HANDLING=1",
	"SLURM_STEP_ID=0", "SLURM_PROCID=11",
	"SLURM_NODELIST=gpu-n[01-04]", "SLURM_LOCALID=3", "SLURM_JOB_NAME=llama-70b", "SLURM_JOB_ID=48211",
	"SLURM_JOB_GPUS=0,1,2,3,4,5,6,7",
	"SLURM_CPUS_PER_TASK=16", "RANK=11", "MY_SESSION=ghp_0123456789abcdefghij0123456789",
	"PATH=/home/alice/miniforge3/envs/llm/bin:/opt/slurm/bin:/usr/local/cuda-12.4/bin:/usr/local/bin:/usr/bin" +
		":/usr/local/sbin:/usr/sbin",
	"OMP_NUM_THREADS=1", "NCCL_SOCKET_IFNAME=ib0", "NCCL_IB_HCA=mlx5_0,mlx5_1,mlx5_4,mlx5_5", "NCCL_DEBUG=WARN",
	"MASTER_PORT=29400", "MASTER_ADDR=gpu-n01",
	"LOCAL_WORLD_SIZE=8", "LOCAL_RANK=3", "CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7",
	"BASH_FUNC_module%%=() {  eval $(modulecmd bash $*)\n}", "EMPTY=", "LANG=en_US.UTF-8",
}}}

// HostileEnviron is what a node should never send.
var HostileEnviron = wire.Reply{Environ: &wire.Environ{Truncated: true, Variables: []string{
	"", "=", "A\x1b[2J\x07=\x1b]52;c;ZXZpbA==\x07\x9b31m\u202eevil\r\n", "B=" + strings.Repeat("模型", 500),
	"C=" + strings.Repeat("x", 5000), strings.Repeat("N", 3000) + "=1", "D=\xff\xfe",
}}}

// InspectedFixture is all that a node tells about a process, as a hostile one might send it in part.
var InspectedFixture = wire.Reply{Inspected: &wire.InspectedProcess{
	Arguments: []string{"python", "train.py", "--name", "a b\x1b[2J"}, Terminal: "pts/3",
	UIDs: []int{1001, 1001, 1001, 1001}, GIDs: []int{100, 100, 100, 100}, Nice: new(0), Priority: new(20),
	Policy: "other", IOPriority: "none", LastCPU: new(24), CPUAffinity: "24-31", UserSeconds: new(30_102.5),
	SystemSeconds: new(811.25), DiskWaitSeconds: new(12.0), VoluntarySwitches: new(uint64(912_001)),
	InvoluntarySwitches: new(uint64(88)), MinorFaults: new(uint64(2_000_000)), MajorFaults: new(uint64(7)),
	Memory: &wire.MemoryUse{
		VMS: 80 << 30, RSS: 31 << 30, Peak: 33 << 30, Shared: 2 << 30, Text: 3 << 20, Data: 40 << 30,
	},
	Limits: []wire.InspectedLimit{{Name: "Max open files", Soft: new(uint64(1024)), Hard: new(uint64(524288)),
		Unit: "files"},
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

// DetailsFixture is what it answers about a process.
var DetailsFixture = wire.Reply{Process: &wire.Details{
	Parent: 358790, State: "R", Threads: 96, User: "alice", Name: "python",
	Executable: "/home/alice/miniforge3/envs/llm/bin/python3.11", Directory: "/home/alice/llama",
	Arguments: []string{"python", "-u", "train.py", "--config", "configs/llama70b.yaml", "--tp", "8", "--pp", "4",
		"--data", "/scratch/alice/tokens\x1b[2J"},
}}
