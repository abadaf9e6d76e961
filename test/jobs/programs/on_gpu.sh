#!/bin/sh
# on_gpu.sh PROGRAM…: runs a rank. The fake NVML puts a process on the GPU of its SLURM_LOCALID, which is here that of the job.
local=${OMPI_COMM_WORLD_LOCAL_RANK:-${LOCAL_RANK:-${SLURM_LOCALID:-0}}}
SLURM_LOCALID=$(echo "${CUDA_VISIBLE_DEVICES:-0,1,2,3}" | cut -d, -f$((local + 1)))
export SLURM_LOCALID
exec "$@"
