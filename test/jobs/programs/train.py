"""A rank of a job that trains with PyTorch.

train.py HOW WHAT VICTIM DIRECTORY: from step 10 on, the rank VICTIM (or each, if it is "all") does WHAT, a function of
working.py or hung.py, and says so by a file in DIRECTORY. HOW ranks wait for each other: "manual" adds up each gradient
with all_reduce, "ddp" is DistributedDataParallel, "item" looks at the result as a GPU's program does: it polls in C.
"""

import datetime
import itertools
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset

import hung
import working
from names import name

START, BATCH = 10, 4
RANK = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0)))
SIZE = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))


class Job:
    """What a trouble may look at."""

    def __init__(self, how, what, victim, directory):
        self.how, self.directory, self.rank = how, directory, RANK
        self.model = torch.nn.Linear(8, 8)
        trouble = getattr(working, what, None) or getattr(hung, what)
        self.trouble = trouble if victim in ("all", str(RANK)) else None
        self.others = getattr(trouble, "others", None)  # what the others do meanwhile
        self.where = getattr(trouble, "where", "step")

    def begins(self):
        """Tell the test that the trouble begins."""
        open(f"{self.directory}/troubled", "w").close()

    def at(self, where):
        """Do what the rank is to do at a place of the program."""
        if self.where == where:
            if self.trouble:
                self.begins()
                self.trouble(self)
            elif self.others:
                self.others(self)


class Shards(Dataset):
    def __init__(self, job):
        self.job = job

    def __len__(self):
        return 10**9

    def __getitem__(self, index):
        if self.job.trouble and self.job.where == "loader" and index >= START * BATCH:
            self.job.begins()
            self.job.trouble(self.job)
        return torch.ones(8)


def name_worker(_):
    name("pt_data_worker")


def batches(job):
    workers = 1 if job.trouble and job.where == "loader" else 0
    return iter(DataLoader(Shards(job), BATCH, num_workers=workers, worker_init_fn=name_worker))


def load_batch(job, data, step):
    if step >= START:
        job.at("step")
    time.sleep(0.01)
    return next(data)


def train_step(job, model, batch):
    model(batch).sum().backward()
    if job.how == "manual":
        for p in model.parameters():
            dist.all_reduce(p.grad)
    elif job.how == "item":
        work = dist.all_reduce(model.weight.grad, async_op=True)
        any(iter(work.is_completed, True))


def connect(job):
    job.at("connect")
    os.environ.setdefault("MASTER_ADDR", os.environ.get("HEAD", "localhost"))
    os.environ.setdefault("MASTER_PORT", str(20000 + int(os.environ.get("SLURM_JOB_ID", 0)) % 10000))
    dist.init_process_group("gloo", rank=RANK, world_size=SIZE, timeout=datetime.timedelta(hours=1))


def main():
    job = Job(*sys.argv[1:])
    if "TITLE" in os.environ:
        import setproctitle

        setproctitle.setproctitle("train: " + "x" * 4000)
    name("train.py")
    torch.set_num_threads(1)
    connect(job)
    model = DistributedDataParallel(job.model) if job.how == "ddp" else job.model
    data = batches(job)
    for step in itertools.count():
        if job.where == "end" and job.trouble and step >= START:
            job.begins()
            return job.trouble(job)
        train_step(job, model, load_batch(job, data, step))


if __name__ == "__main__":
    main()
