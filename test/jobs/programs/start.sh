#!/bin/bash
# start.sh HOW WHAT WHO DIRECTORY: starts the ranks of a job in its batch script.
how=$1 what=$2 who=$3 dir=$4 here=$(dirname "$0") python=/usr/bin/python3
HEAD=$(hostname)
export HEAD GLOO_SOCKET_IFNAME=eth0 OMP_NUM_THREADS=1
# The jobs of a user may share a node.
port=$((20000 + SLURM_JOB_ID % 10000))
each() { srun --kill-on-bad-exit=0 "$here/on_gpu.sh" "$@"; }
case $how in
manual | ddp | item) each $python "$here/train.py" "$how" "$what" "$who" "$dir" ;;
titled) TITLE=1 each $python "$here/train.py" manual "$what" "$who" "$dir" ;;
container) each bwrap --dev-bind / / --unshare-pid --proc /proc $python "$here/train.py" manual "$what" "$who" "$dir" ;;
torchrun)
	# Python 3.11 lists no flags that are 0: the torchrun of Debian 12 needs others.
	srun -N2 -n2 --kill-on-bad-exit=0 torchrun --nnodes=2 --nproc_per_node=2 --max_restarts=3 --redirects=1 --tee=1 --rdzv_backend=c10d \
		--rdzv_endpoint="$HEAD:$port" --no_python "$here/on_gpu.sh" $python "$here/train.py" ddp "$what" "$who" "$dir"
	;;
mpi) mpirun --bind-to none "$here/on_gpu.sh" $python "$here/mpi.py" "$what" "$who" "$dir" ;;
dask) srun -N2 -n2 "$here/on_gpu.sh" $python "$here/dask_job.py" "$what" "$dir" ;;
notebook) srun -N1 -n1 "$here/on_gpu.sh" $python "$here/notebook.py" "$what" "$dir" ;;
*) echo "start.sh: unknown way $how" >&2; exit 2 ;;
esac
