"""A worker of Dask: dask_job.py WHAT DIRECTORY. The first one also runs the scheduler and gives out tasks."""

import os
import subprocess
import sys
import time

from names import name

WHAT, DIRECTORY = sys.argv[1:]
SCHEDULER = f"{DIRECTORY}/scheduler.json"


def hold(n):
    for _ in range(10**6):
        time.sleep(0.05)


def give():
    """Give a task to each worker, and wait for the results."""
    from distributed import Client

    with Client(scheduler_file=SCHEDULER) as client:
        client.wait_for_workers(2)
        tasks = client.map(hold, range(2)) if WHAT == "task" else []
        open(f"{DIRECTORY}/troubled", "w").close()
        client.gather(tasks)
        time.sleep(10**6)


def main():
    if os.environ["SLURM_PROCID"] == "0":
        subprocess.Popen(["dask-scheduler", "--no-dashboard", "--scheduler-file", SCHEDULER])
        if os.fork() == 0:
            name("client")
            give()
    while not os.path.exists(SCHEDULER):
        time.sleep(0.2)
    sys.modules["setproctitle"] = None  # Dask would change the name
    name("train_dask")
    from distributed.cli.dask_worker import main as work

    sys.argv = ["dask-worker", "--no-nanny", "--no-dashboard", "--nthreads", "1", "--scheduler-file", SCHEDULER]
    work()


if __name__ == "__main__":
    main()
