"""Allocates memory of the first GPU with torch for a while, and says how much that was. load_grow.py MIB SECONDS"""

import sys
import time

import torch

print("ready", flush=True)
memory = torch.ones(int(sys.argv[1]) << 20, device="cuda", dtype=torch.uint8)
torch.cuda.synchronize()
time.sleep(float(sys.argv[2]))
print("allocated", torch.cuda.max_memory_allocated(), flush=True)
