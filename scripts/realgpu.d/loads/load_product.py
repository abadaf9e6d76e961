"""A product of two matrices in bf16 on the first GPU, again and again. It counts products."""

import collections
import signal
import sys
import time

import torch

SIZE = 8192
AT_ONCE = 10  # products between two looks


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    a, b = (torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    c = torch.empty_like(a)
    torch.matmul(a, b, out=c)
    torch.cuda.synchronize()
    print("ready", flush=True)
    done, said, waiting = 0, 0.0, collections.deque()
    while True:
        for _ in range(AT_ONCE):
            torch.matmul(a, b, out=c)
        event = torch.cuda.Event()
        event.record()
        waiting.append(event)
        if len(waiting) < 3:  # there is always work ahead
            continue
        waiting.popleft().synchronize()
        done += AT_ONCE
        now = time.monotonic()
        if now - said > 0.1:
            print("done", done, now, flush=True)
            said = now


main()
