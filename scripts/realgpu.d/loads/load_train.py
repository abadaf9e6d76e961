"""A program of torch that trains on the first GPU, with workers that load its data. usage: load_train.py busy|blocked

Blocked, it trains for some steps and then waits in next_batch for data that never comes."""

import os
import signal
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

STEPS = 20  # before a blocked program waits


class Noise(Dataset):
    def __len__(self):
        return 1 << 30

    def __getitem__(self, place):
        if sys.argv[1] == "blocked" and place >= STEPS * 64:
            time.sleep(3600)
        return torch.randn(512)


def compiled(model):
    """Returns the model compiled, if it can be here."""
    try:
        fast = torch.compile(model)
        fast(torch.randn(64, 512, device="cuda")).sum().backward()
        return fast, "compiled"
    except Exception as err:  # no compiler, no Triton
        print(f"not compiled: {err}", file=sys.stderr)
        return model, "eager"


def next_batch(batches):
    return next(batches)


def train_loop(model, optimizer, batches):
    step = 0
    while True:
        loss = model(next_batch(batches).cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if step == STEPS // 2:
            print("ready", os.getpid(), flush=True)


def main():
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    model = torch.nn.Sequential(torch.nn.Linear(512, 4096), torch.nn.ReLU(), torch.nn.Linear(4096, 512)).cuda()
    fast, how = compiled(model)
    print("how", how, flush=True)
    batches = iter(DataLoader(Noise(), batch_size=64, num_workers=2))
    train_loop(fast, torch.optim.SGD(model.parameters(), lr=1e-3), batches)


if __name__ == "__main__":
    main()
