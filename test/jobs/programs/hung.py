"""What a rank does that hangs: it never goes on by itself."""

import ctypes
import fcntl
import os
import pdb
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy
import torch
import torch.distributed as dist

from ways import at, fifo, fork

FOREVER = 10**6


@at("loader")
def reads_shard(job):
    """Read from storage that does not answer."""
    with open(fifo(job), "rb") as shard:
        shard.read()


@at("loader")
def frozen_disk(job):
    """Write to a file system which is going to stand still."""
    with open(f"/run/frozen/cache-{os.getpid()}", "wb", buffering=0) as cache:
        while True:
            cache.write(b"x")
            time.sleep(0.01)


@at("loader")
def lock_after_fork(job):
    """Wait for a lock that another thread had when the process was forked."""
    lock = threading.Lock()
    lock.acquire()
    tokenize(lock)


def tokenize(lock):
    with lock:
        pass


def sleeps(job):
    time.sleep(FOREVER)


def stopped(job):
    os.kill(os.getpid(), signal.SIGSTOP)


def debugger(job):
    """Wait in pdb for a command."""
    pdb.Pdb(stdin=open(fifo(job, "tty")), stdout=open(os.devnull, "w"), nosigint=True).set_trace()
    return job


def asks(job):
    """Wait for an answer of the user."""
    sys.stdin = open(fifo(job, "tty"))
    input()


def regular_expression(job):
    """Match for years, with the GIL held."""
    re.match("(a+)+$", "a" * 64 + "b")


def svd(job):
    a = numpy.ones((400, 400))
    while True:
        numpy.linalg.svd(a)


def loops(job):
    while True:
        pass


def gil_in_thread(job):
    """Wait for a thread that sleeps in C, and has the GIL."""
    threading.Thread(target=lambda: ctypes.PyDLL(None).sleep(FOREVER), daemon=True).start()


def broadcasts(job):
    """Call another collective than the others."""
    dist.broadcast(torch.ones(1), src=0)


@at("connect")
def never_connects(job):
    """Download from a server that does not answer, before the ranks know each other."""
    download(socket.socketpair())


def download(pair):
    pair[0].recv(1)


@at("connect")
def sleeps_before_connecting(job):
    time.sleep(FOREVER)


def store_key(job):
    """Wait for a key that nobody sets."""
    dist.distributed_c10d._get_default_store().get("nobody")


def child_never_ends(job):
    subprocess.run(["cat", fifo(job)], check=True, stdout=subprocess.DEVNULL)


def child_is_waited_for(job):
    os.waitpid(fork(lambda: time.sleep(FOREVER)), 0)


def pool_lost_a_worker(job):
    """Wait for the result of a worker that has died."""
    import multiprocessing

    from working import rename

    with multiprocessing.get_context("fork").Pool(1, initializer=rename) as pool:
        pool.map(sleeps, [None])


def file_lock_polled(job):
    """Poll a lock of a file that a dead program has left."""
    import filelock

    filelock.SoftFileLock(left(job)).acquire()


def left(job):
    path = f"{job.directory}/left"
    open(path, "w").close()
    return path


def build_lock_polled(job):
    """Poll the lock of torch's extensions that a dead program has left."""
    from torch.utils.file_baton import FileBaton

    FileBaton(left(job)).wait()


def file_lock(job):
    """Wait for a lock of a file, in the kernel."""
    path = left(job)
    ready, says = os.pipe()

    def hold():
        fcntl.flock(os.open(path, os.O_RDWR), fcntl.LOCK_EX)
        os.write(says, b"x")
        time.sleep(FOREVER)

    fork(hold)
    os.read(ready, 1)
    fcntl.flock(os.open(path, os.O_RDWR), fcntl.LOCK_EX)


@at("end")
def thread_outlives_program(job):
    """End with an exception, while a thread goes on."""
    threading.Thread(target=upload).start()
    raise ValueError("Target size (torch.Size([4])) must be the same as input size (torch.Size([4, 8]))")


def upload():
    pair = socket.socketpair()
    pair[0].recv(1)


@at("end")
def uploads_at_exit(job):
    import atexit

    atexit.register(upload)


def deadlock(job):
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


def waits_for_event(job):
    threading.Event().wait()


def empty_queue(job):
    queue.Queue().get()


def joins_thread(job):
    thread = threading.Thread(target=upload, daemon=True)
    thread.start()
    thread.join()


def process_lock(job):
    """Wait for a semaphore of multiprocessing that nobody gives back."""
    import multiprocessing

    lock = multiprocessing.get_context("fork").Lock()
    lock.acquire()
    lock.acquire()


def accepts(job):
    socket.create_server(("", 0)).accept()


def receives(job):
    download(socket.socketpair())


def full_pipe(job):
    """Print into a pipe that nobody reads."""
    with open(fifo(job, "out"), "w", buffering=1) as out:
        while True:
            print("step 1, loss 0.5", file=out)


def asyncio_future(job):
    """Await what nobody sets."""
    import asyncio

    async def gather_results():
        await asyncio.get_running_loop().create_future()

    asyncio.run(gather_results())


def pipe_to_child(job):
    """Wait for an answer of a child that does not give one."""
    child = subprocess.Popen(["sleep", str(FOREVER)], stdout=subprocess.PIPE)
    child.stdout.read()
