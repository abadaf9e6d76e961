package site

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Rank is a process of a program: its node and directory, its number among all processes, its number on the node, and
// how many there are.
type Rank struct {
	Node, Directory    string
	Rank, Local, World int
}

// Environ returns the environment of a process of a user's job.
func Environ(user string, job *cluster.Job, r Rank) []string {
	devices := strings.Trim(strings.ReplaceAll(fmt.Sprint(job.Minors[r.Node]), " ", ","), "[]")
	return []string{
		"SHELL=/bin/bash", "USER=" + user, "LOGNAME=" + user, "HOME=/home/" + user, "PWD=" + r.Directory,
		"LANG=en_US.UTF-8", "TMPDIR=/tmp",
		"PATH=/home/" + user + "/venv/bin:/opt/cuda/bin:/opt/slurm/bin:/usr/local/bin:/usr/bin:/bin",
		"LD_LIBRARY_PATH=/opt/cuda/lib64:/opt/nccl/lib", "VIRTUAL_ENV=/home/" + user + "/venv",
		"SLURM_JOB_ID=" + job.Number, "SLURM_JOB_NAME=" + job.Name, "SLURM_JOB_PARTITION=" + job.Partition,
		"SLURM_JOB_USER=" + user,
		fmt.Sprint("SLURM_JOB_NUM_NODES=", len(job.Nodes)), "SLURMD_NODENAME=" + r.Node, "SLURM_STEP_ID=0",
		fmt.Sprint("SLURM_NODEID=", slices.Index(job.Nodes, r.Node)), "CUDA_VISIBLE_DEVICES=" + devices,
		fmt.Sprint("RANK=", r.Rank), fmt.Sprint("LOCAL_RANK=", r.Local), fmt.Sprint("WORLD_SIZE=", r.World),
		"MASTER_ADDR=" + job.Nodes[0], "MASTER_PORT=29500",
		"NCCL_DEBUG=WARN", "NCCL_SOCKET_IFNAME=ib0", "NCCL_IB_HCA=mlx5", "OMP_NUM_THREADS=12",
		"PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
		"HF_HOME=/scratch/" + user + "/hf", "WANDB_PROJECT=" + job.Name,
		"WANDB_API_KEY=4f1c0de5ba5eba11deadc0dedecafbad0000demo",
	}
}
