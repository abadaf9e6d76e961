"""Holds memory of the first GPU. usage: load_hold.py MIB [fork], where a child of this process holds it"""

import os
import signal
import sys
import time


def hold():
    import load_cuda as cuda  # after the fork: CUDA does not survive one

    cuda.use_first()
    cuda.allocate(int(sys.argv[1]) << 20)  # the driver frees it when the process ends
    cuda.say("ready", os.getpid())
    while True:
        time.sleep(60)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
if sys.argv[2:] == ["fork"]:
    child = os.fork()
    if child:
        signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
        os.waitpid(child, 0)
        sys.exit(0)
hold()
