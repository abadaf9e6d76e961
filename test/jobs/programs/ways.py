"""What working.py and hung.py share."""

import os
import time

from names import name


def at(where, others=None):
    """Say where a trouble is, and what the other ranks do meanwhile."""

    def mark(trouble):
        trouble.where, trouble.others = where, others
        return trouble

    return mark


def fifo(job, name="shard-0317.tar"):
    """Make a pipe with a name, which both sides can open, and return its name."""
    path = f"{job.directory}/{job.rank}-{os.getpid()}-{name}"
    os.mkfifo(path)
    os.open(path, os.O_RDWR)
    return path


def fork(do):
    """Do something in a child, which is no rank."""
    pid = os.fork()
    if pid == 0:
        name("helper")
        try:
            do()
        finally:
            os._exit(0)
    return pid


def trickle(job, every, drain=False):
    """Make a file that gives (or takes) 64 KiB at a time."""
    path = fifo(job)
    fd = os.open(path, os.O_RDWR)

    def pump():
        while True:
            if drain:
                os.read(fd, 1 << 16)
            else:
                os.write(fd, b"x" * (1 << 15))
            time.sleep(every)

    if os.fork() == 0:  # a grandchild, which belongs to nobody: storage is no process of the job
        if os.fork() == 0:
            name("storage")
            pump()
        os._exit(0)
    os.wait()
    return path
