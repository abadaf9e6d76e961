"""What a rank does that only looks stuck: it works, or waits for work."""

import http.server
import os
import pdb
import queue
import socket
import subprocess
import sys
import threading
import time

import torch
import torch.distributed as dist

from names import name
from ways import at, fifo, fork, trickle


def none(job):
    """Train, as the others."""


def waits_in_step(job):
    """Wait 50 ms in each step, as for a GPU."""
    time.sleep(0.05)


@at("loader")
def slow_storage(job):
    time.sleep(0.12)


@at("loader")
def slow_decode(job):
    """Decode an image in one call, for seconds."""
    sum(map(abs, range(30_000_000)))


@at("loader")
def tokenizer(job):
    """Tokenize a book that is too long."""
    words = "the quick brown fox " * 2000
    for _ in range(1000):
        words.split()


@at("loader")
def streams_shard(job):
    """Read a shard in one call from storage that gives 64 KiB at a time."""
    with open(trickle(job, 0.2), "rb") as shard:
        shard.read()


def barrier(job):
    dist.barrier()


@at("step", others=barrier)
def evaluate(job):
    """Evaluate on one rank, with short waits, as for a GPU."""
    for _ in range(10**6):
        forward(job)
        time.sleep(0.01)


def forward(job):
    with torch.no_grad():
        return job.model(torch.ones(4, 8)).sum()


@at("step", others=barrier)
def evaluate_on_cpu(job):
    """Evaluate on one rank, in one long call."""
    torch.set_num_threads(1)
    a = torch.ones(600, 600)
    for _ in range(10**6):
        a = torch.linalg.svd(a + torch.rand(600, 600))[0]


@at("step", others=barrier)
def evaluate_rarely(job):
    """Evaluate batches of which each takes more than a second."""
    for _ in range(10**6):
        forward(job)
        time.sleep(0.7)


@at("step", others=barrier)
def first_batch(job):
    """Build the index of a data set from many small files."""
    for n in range(10**6):
        path = f"{job.directory}/{n % 50}.idx"
        with open(path, "w") as out:
            out.write("x" * 1000)
        time.sleep(0.03)


@at("step", others=barrier)
def checkpoint(job):
    """Write a checkpoint in one call, to slow storage."""
    with open(trickle(job, 0.2, drain=True), "wb", buffering=0) as out:
        torch.save({"x": torch.zeros(200_000_000, dtype=torch.uint8)}, out)


@at("step", others=barrier)
def checkpoint_in_thread(job):
    """Wait for a thread that writes a checkpoint."""
    thread = threading.Thread(target=checkpoint, args=(job,))
    thread.start()
    thread.join()


@at("step", others=barrier)
def checkpoint_in_process(job):
    """Wait for a process that writes a checkpoint."""
    os.waitpid(fork(lambda: checkpoint(job)), 0)


@at("step", others=barrier)
def downloads(job):
    """Read a file that comes from a server, some bytes each second."""
    server, client = socket.socketpair()

    def serve():
        while True:
            server.send(b"x" * 1000)
            time.sleep(0.5)

    fork(serve)
    left = 10**9
    while left:
        left -= len(client.recv(left, socket.MSG_WAITALL))


@at("step", others=barrier)
def compiles(job):
    """Compile a kernel: the compiler is a child that computes."""
    subprocess.run([sys.executable, "-c", "while True: pass"], check=True)


@at("step", others=barrier)
def unpacks(job):
    """Unpack a data set: a child that reads and writes."""
    subprocess.run(["sh", "-c", 'while :; do cat /etc/passwd >"$0"; sleep 0.1; done', f"{job.directory}/unpacked"],
                   check=True)


@at("step", others=barrier)
def prepares_in_pool(job):
    """Wait for workers that prepare a data set."""
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(2, initializer=rename) as pool:
        pool.map(prepare, range(100000), chunksize=1)


def rename():
    name("worker")


def prepare(n):
    time.sleep(0.05)
    return n


def polls_lock(job):
    """Wait for a lock of a file, as filelock does, that rank 3 has."""
    import filelock

    with filelock.FileLock(f"{job.directory}/lock"):
        pass


@at("step", others=polls_lock)
def prepares_under_lock(job):
    """Prepare the data set for all, who wait for the lock."""
    import filelock

    with filelock.FileLock(f"{job.directory}/lock"):
        for n in range(10**6):
            prepare(n)


def accumulates(job):
    """Accumulate gradients for long: no rank waits for another one."""
    micro = 2000 if job.rank == 3 else 1000
    for _ in range(micro):
        job.model(torch.ones(4, 8)).sum().backward()
        time.sleep(0.04)


def long_kernel(job):
    """Wait for a kernel that takes long: .item() polls, in C."""
    until = time.monotonic() + 300
    any(iter(lambda: time.monotonic() > until, False))


@at("step", others=barrier)
def debugger_steps(job):
    """Debug one rank: somebody types the next command every second."""
    out, into = os.pipe()

    def types():
        while True:
            os.write(into, b"next\n")
            time.sleep(1)

    fork(types)
    debug(pdb.Pdb(stdin=os.fdopen(out), stdout=open(os.devnull, "w"), nosigint=True))


def debug(debugger):
    debugger.set_trace()
    n = 0
    while True:
        n += 1
        n -= 1


def waits_for_requests(job):
    dist.broadcast_object_list([None], src=3)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)


@at("step", others=waits_for_requests)
def serves(job):
    """Serve a model: the others wait for what the requests bring."""
    http.server.ThreadingHTTPServer(("", 0), Handler).serve_forever()


@at("step", others=waits_for_requests)
def serves_asyncio(job):
    """Serve a model with asyncio, as uvicorn does."""
    import asyncio

    async def serve():
        server = await asyncio.start_server(lambda r, w: None, "", 0)
        await server.serve_forever()

    asyncio.run(serve())


def restarts(job):
    """Die once: torchrun starts all ranks again, which import and connect anew."""
    try:
        open(f"{job.directory}/restarted", "x").close()
    except FileExistsError:
        return imports_slowly(job)
    os._exit(1)


def worker_loop(job):
    """Work in a thread, while the main thread waits for ever, as in workers of Ray and Dask."""
    tasks = queue.Queue()

    def run_tasks():
        while True:
            tasks.get()()

    threading.Thread(target=run_tasks, daemon=True).start()
    tasks.put(lambda: [prepare(n) for n in range(10**6)])
    threading.Event().wait()


@at("connect")
def imports_slowly(job):
    """Import modules from slow storage, before the ranks know each other."""
    for _ in range(10**6):
        os.listdir("/usr/lib/python3/dist-packages")
        time.sleep(0.05)


@at("connect")
def loads_weights(job):
    """Load weights in one call from slow storage, before the ranks know each other."""
    with open(trickle(job, 0.2), "rb") as weights:
        weights.read()


@at("step", others=barrier)
def waits_for_license(job):
    """Ask a server again and again until it has a place."""
    with open(fifo(job, "license"), "rb", buffering=0) as server:
        os.set_blocking(server.fileno(), False)
        while not server.read(1):
            time.sleep(1)


@at("step", others=barrier)
def gathers_statistics(job):
    """Query a data base: many short queries, one result."""
    import sqlite3

    with sqlite3.connect(":memory:") as base:
        base.execute("create table t (x)")
        for n in range(10**6):
            base.execute("insert into t values (?)", (n,))
            time.sleep(0.02)
