"""A rank of a job of mpi4py: mpi.py WHAT VICTIM DIRECTORY. Open MPI polls while it waits."""

import sys
import time

from mpi4py import MPI

import names


def sleeps():
    time.sleep(10**6)


def evaluate():
    for _ in range(10**6):
        sum(range(1000))
        time.sleep(0.01)


def computes():
    while True:
        sum(range(10_000_000))


def exchange(world):
    world.allreduce(1.0)


def main():
    what, victim, directory = sys.argv[1:]
    world = MPI.COMM_WORLD
    names.name("train_mpi")
    for step in range(10**9):
        if step == 10 and world.rank == int(victim):
            open(f"{directory}/troubled", "w").close()
            globals()[what]()
        time.sleep(0.01)
        exchange(world)


main()
