"""A rank of a job that trains: each step it loads a batch and adds it up with all others, over sockets.

train.py WHAT VICTIM DIRECTORY: from step 20 on, the rank VICTIM does WHAT, a function of Trouble, and says so by a file
in DIRECTORY. "$RASD -dir DIRECTORY -pid PID" answers for NCCL, if RASD is set.
"""

import ctypes
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time

RANK, SIZE = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
PORT = 20000 + int(os.environ["SLURM_JOB_ID"]) % 10000
DISK = "/run/frozen"  # of testcluster's fault "disk"


class Trouble:
    """What a rank may do in place of loading a batch."""

    def none(self):
        pass

    def data(self):
        """Wait for a worker process that writes to a file system which is going to stand still."""
        out, into = os.pipe()
        if os.fork() == 0:
            name("loader")
            with open(DISK + "/shard-0317.tar", "wb", buffering=0) as shard:
                while True:
                    shard.write(b"x")
                    os.write(into, b"x")
                    time.sleep(0.01)
        while True:
            _try_get_data(out)

    def sleep(self):
        time.sleep(10**6)

    def stopped(self):
        os.kill(os.getpid(), signal.SIGSTOP)

    def killed(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def loop(self):
        sum(itertools.repeat(0))  # in C, with the GIL

    def deadlock(self):
        """Hold a lock and wait for that of a thread, which waits for ours."""
        mine, its = threading.Lock(), threading.Lock()

        def write_log():
            with its:
                time.sleep(0.2)
                mine.acquire()

        mine.acquire()
        threading.Thread(target=write_log, daemon=True).start()
        time.sleep(0.1)
        its.acquire()

    def evaluate(self):
        until = time.monotonic() + 30
        while time.monotonic() < until:
            score = 0
            for i in range(20000):
                score += i * i


def name(process):
    """Name this process. The fake NVML puts those named train… on GPUs."""
    ctypes.CDLL(None).prctl(15, process.encode(), 0, 0, 0)


def _try_get_data(pipe):
    os.read(pipe, 1)


def serve():
    """Add up: answer all once all have sent, and never again once one is gone."""
    with socket.create_server(("", PORT), backlog=SIZE) as server:
        ranks = [server.accept()[0] for _ in range(SIZE)]
        while all(rank.recv(1) for rank in ranks):
            for rank in ranks:
                rank.send(b"x")
        time.sleep(10**6)


def connect():
    while True:
        try:
            return socket.create_connection((os.environ["HEAD"], PORT))
        except OSError:
            time.sleep(0.1)


def all_reduce(group):
    """Wait for the others, and for ever if rank 0 is gone, which adds up."""
    try:
        group.send(b"x")
        if group.recv(1):
            return
    except OSError:
        pass
    time.sleep(10**6)


def load_batch(step, what):
    if step >= 20:
        getattr(Trouble(), what)()
    time.sleep(0.01)


def train_step(step, what, group):
    load_batch(step, what)
    time.sleep(0.01)
    all_reduce(group)


def main():
    what, victim, directory = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    name("train.py")
    if "RASD" in os.environ:
        # No child: one that answers would look as if it worked for the rank.
        subprocess.run(["sh", "-c", '"$@" &', "sh", os.environ["RASD"], "-dir", directory, "-pid", str(os.getpid())])
    if RANK == 0:
        threading.Thread(target=serve, daemon=True).start()
    group = connect()
    for step in itertools.count():
        if step == 20 and RANK == victim:
            open(f"{directory}/troubled", "w").close()
        train_step(step, what if RANK == victim else "none", group)


main()
