"""A part of the run: its rows, its files, and the programs that it starts."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import table


class Missing(Exception):
    """A tool or a device that a comparison needs is missing: the reason, for a skipped row."""


class Failed(Exception):
    """nvnodetop did not do what it should: the reason, for a wrong row."""


class Run:
    """What a part needs. It writes rows to what was the standard output, one a line, as main.py reads them."""

    def __init__(self, part, settings):
        self.part = part
        self.out = Path(settings["out"])
        self.program = settings["program"]
        self.loads = settings["loads"]
        self.no_torch = settings["no_torch"]
        self.children = []
        self.rows = os.fdopen(os.dup(1), "w", buffering=1)
        os.dup2(2, 1)  # a module of others may print something
        self.saved = {}

    def row(self, what, ours, theirs, verdict, why=""):
        row = table.Row(self.part, what, str(ours), str(theirs), verdict, why)
        self.rows.write(json.dumps(row.__dict__) + "\n")
        return verdict

    def skip(self, what, why, ours="", theirs=""):
        self.row(what, ours, theirs, table.SKIPPED, str(why))

    def same(self, what, ours, theirs, right=None):
        """Adds a row that is right if both sides are equal, or for another reason."""
        right = ours == theirs if right is None else right
        return self.row(what, ours, theirs, table.EQUAL if right else table.WRONG)

    def measured(self, what, ours="", theirs=""):
        self.row(what, ours, theirs, table.MEASURED)

    def judge(self, what, value, low, high, unit="", step=0.0, why=""):
        """Adds a row about a value that should lie between two others."""
        verdict = table.between(low, high, value, step)
        expected = table.number(low) if low == high else f"{table.number(low)} to {table.number(high)}"
        return self.row(what, f"{table.number(value)} {unit}".strip(), f"{expected} {unit}".strip(), verdict,
                        why if verdict == table.WRONG else "")

    def save(self, name, data):
        """Keeps a raw output as a file of the directory; a second one of the name gets a number."""
        n = self.saved[name] = self.saved.get(name, 0) + 1
        stem, dot, end = name.rpartition(".")
        name = name if n == 1 else f"{stem}-{n}{dot}{end}"
        path = self.out / f"{self.part}-{name}"
        path.write_bytes(data if isinstance(data, bytes) else str(data).encode())
        return path

    def start(self, args, **more):
        """Starts a program that ends with the part at the latest."""
        more.setdefault("stdin", subprocess.DEVNULL)
        child = subprocess.Popen([str(a) for a in args], **more)
        self.children.append(child)
        return child

    def call(self, args, timeout, keep=None, **more):
        """Runs a program to its end, and returns it with its output as text."""
        child = self.start(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        name = " ".join([os.path.basename(str(args[0]))] + [str(a) for a in args[1:3]])
        try:
            out, err = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            stop(child)
            raise Missing(f"{name} had not ended after {timeout} s") from None
        if keep:
            self.save(keep, out)
        return subprocess.CompletedProcess(args, child.returncode, out.decode(errors="replace"),
                                           err.decode(errors="replace"))

    def end(self):
        for child in reversed(self.children):
            stop(child)


def stop(child, patience=3):
    """Ends a child: it is asked first."""
    if child.poll() is None:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(patience)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def tool(name):
    """Returns the path of a program, or says that it is missing."""
    path = shutil.which(name)
    if path is None:
        raise Missing(f"there is no {name} on PATH")
    return path


def module(name):
    """Imports a module, or says why it cannot be."""
    try:
        return __import__(name, fromlist=["_"])
    except Exception as err:  # a broken installation raises anything
        raise Missing(f"Python has no {name} here: {type(err).__name__}: {err}") from None


def wait_for(holds, timeout, pause=0.1):
    """Waits until holds() returns something, and returns that, or what it returned last."""
    late = time.monotonic() + timeout
    while True:
        got = holds()
        if got or time.monotonic() > late:
            return got
        time.sleep(pause)


def main(part, do):
    """Runs a part in this process. A failure of its own is a wrong row."""
    run = Run(part, json.loads(os.environ["REALGPU_SETTINGS"]))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        do(run)
    except Missing as err:
        run.skip(f"the rest of {part}", err)
    except Failed as err:
        run.row(f"the rest of {part}", "", "", table.WRONG, str(err))
    except Exception as err:
        import traceback

        where = traceback.extract_tb(err.__traceback__)[-1]
        run.row(f"the rest of {part}", "", "", table.WRONG,
                f"the script failed: {type(err).__name__}: {err} ({os.path.basename(where.filename)}:{where.lineno})")
    finally:
        run.end()
