"""The loads: programs that do something known on the first GPU. REALGPU_LOADS names a directory with others."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from run import Missing, tool, wait_for

HERE = Path(__file__).resolve().parent / "loads"
READY = 50  # seconds; torch is slow to import


class Load:
    """A program that says "ready" when it works, and now and then "done COUNT SECONDS", on the monotonic clock."""

    def __init__(self, run, name, args, **more):
        self.run, self.name = run, name
        self.lines, self.done = [], []
        self.log = open(run.out / f"{run.part}-{name}-{time.monotonic_ns()}.log", "wb")
        self.child = run.start(args, stdout=subprocess.PIPE, stderr=self.log, **more)
        self.pid = self.child.pid
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            words = line.decode(errors="replace").split()
            if words[:1] == ["done"]:
                self.done.append((float(words[2]), float(words[1])))
            elif words:
                self.lines.append(words)

    def says(self, word, timeout=READY):
        """Returns the words that follow a word of the program, once it has said it."""
        found = wait_for(lambda: next((w[1:] for w in self.lines if w[0] == word), None) is not None
                         or self.child.poll() is not None, timeout, 0.02)
        said = next((w[1:] for w in self.lines if w[0] == word), None)
        if said is None:
            self.end()
            end = Path(self.log.name).read_text(errors="replace").strip().splitlines()[-1:]
            raise Missing(f"the load {self.name} {'ended' if found else 'was not ready'}: {' '.join(end)[:200]}")
        return said

    def ready(self):
        """Waits until it works, and returns it. The process on the GPU may be a child."""
        said = self.says("ready")
        if said:
            self.pid = int(said[0])
        return self

    def rate(self, since, until):
        """Returns how much it did per second between two moments; None: it was not seen."""
        seen = [(t, n) for t, n in self.done if since <= t <= until]
        if len(seen) < 2 or seen[-1][0] - seen[0][0] < 0.3:
            return None
        return (seen[-1][1] - seen[0][1]) / (seen[-1][0] - seen[0][0])

    def end(self):
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(5)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()


def command(run, name):
    """Returns the command of a load."""
    if run.loads:
        path = Path(run.loads) / name
        if not os.access(path, os.X_OK):
            raise Missing(f"there is no {name} in REALGPU_LOADS")
        return [path]
    if name == "product" and run.no_torch:
        return [compiled(run, "product.cu")]
    if name in ("train", "nccl", "grow") and run.no_torch:
        raise Missing(run.no_torch)
    return [sys.executable, HERE / f"load_{name}.py"]  # a copy.py would hide that of Python


def compiled(run, name):
    """Returns a program of CUDA, which nvcc compiles."""
    try:
        nvcc = tool("nvcc")
    except Missing as err:
        raise Missing(f"{run.no_torch}, and {err}") from None
    program = run.out / Path(name).stem
    if not program.exists():
        said = run.call([nvcc, "-O3", "-arch=native", "-o", program, HERE / name], 60, "nvcc.txt")
        if said.returncode:
            raise Missing(f"nvcc cannot compile {name}: {said.stderr.strip()[:200]}")
    return program


def launch(run, name, *args, **more):
    """Starts a load, and returns it at once."""
    return Load(run, name, [*command(run, name), *args], **more)


def start(run, name, *args, **more):
    """Starts a load, and returns it once it works."""
    return launch(run, name, *args, **more).ready()
