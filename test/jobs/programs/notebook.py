"""A kernel of Jupyter: notebook.py WHAT DIRECTORY. It waits for its next cell, or runs one."""

import os
import sys
import time

from names import name

WHAT, DIRECTORY = sys.argv[1:]
CONNECTION = f"{DIRECTORY}/kernel.json"

CELL = """
import time

def train_cell():
    for step in range(10**6):
        time.sleep(0.05)

%s
"""


def use():
    """Run cells, as a notebook does."""
    from jupyter_client import BlockingKernelClient

    while not os.path.exists(CONNECTION):
        time.sleep(0.2)
    client = BlockingKernelClient(connection_file=CONNECTION)
    time.sleep(1)
    client.load_connection_file()
    client.start_channels()
    client.wait_for_ready()
    client.execute(CELL % ("train_cell()" if WHAT == "cell" else ""))
    time.sleep(1)
    open(f"{DIRECTORY}/troubled", "w").close()
    time.sleep(10**6)


def main():
    if os.fork() == 0:
        name("client")
        use()
    name("train_kernel")
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(argv=["-f", CONNECTION])


if __name__ == "__main__":
    main()
