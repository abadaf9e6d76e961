"""A rank of torch.distributed with NCCL on the first GPU, which sums again and again. load_nccl.py RANK WORLD PORT"""

import os
import signal
import sys
import time

import torch
import torch.distributed


def main():
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    rank, world, port = (int(word) for word in sys.argv[1:4])
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(world), LOCAL_RANK="0")
    torch.cuda.set_device(0)
    torch.distributed.init_process_group("nccl", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    values = torch.ones(1 << 20, device="cuda")
    torch.distributed.all_reduce(values)
    torch.cuda.synchronize()
    print("version", ".".join(str(n) for n in torch.cuda.nccl.version()), flush=True)
    print("ready", os.getpid(), flush=True)
    while True:
        torch.distributed.all_reduce(values)
        torch.cuda.synchronize()
        time.sleep(0.05)


main()
