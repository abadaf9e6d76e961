"""Runs the parts one after the other, each in a process of its own with a time limit, and prints the table."""

import argparse
import ctypes
import datetime
import importlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import metrics
import run
import table

# The parts in their order: the time limit of each in seconds, and what it is about. With the first look at torch they
# take 6 minutes at most.
PARTS = {
    "readings": (55, "each metric beside nvidia-smi and pynvml, idle and under a load"),
    "activity": (50, "tensor cores, memory, PCIe, NVLink and energy under loads that are known"),
    "processes": (20, "memory, utilization and type of processes that are known"),
    "events": (20, "a program with an illegal address: its Xid, and the findings"),
    "cost": (65, "CPU time, memory and driver calls of the probe, and what the load loses by it"),
    "ranks": (75, "stacks of a program that trains, and NCCL's RAS"),
    "outputs": (35, "track, scalars, available, list, record and replay"),
    "names": (10, "the values as the driver writes them"),
}
SLOWER = 4  # times the limit, with the loads of a test: its machine does other things too
TORCH = 30  # seconds
HERE = Path(__file__).resolve().parent


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/realgpu", allow_abbrev=False,
                                     description="scripts/realgpu --help of the script itself says more")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--program", type=Path)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--metrics", action="store_true")
    args = parser.parse_args()
    args.only = [part for part in args.only.split(",") if part]
    unknown = [part for part in args.only if part not in PARTS]
    if unknown or not args.only:
        parser.error(f"there is no part {','.join(unknown)!r}; the parts are {' '.join(PARTS)}")
    if args.program and not (args.program.is_file() and os.access(args.program, os.X_OK)):
        parser.error(f"{str(args.program)!r} is no program")
    if args.out and args.out.exists() and (not args.out.is_dir() or any(args.out.iterdir())):
        parser.error(f"{str(args.out)!r} is not an empty directory")
    return args


def find_program(args, out):
    """Returns the program: the one named, one that is built, or one that Go builds now."""
    built = HERE.parent.parent / "bin/nvnodetop"
    found = args.program or (built if os.access(built, os.X_OK) else None) or shutil.which("nvnodetop")
    if found:
        return Path(found).resolve()
    if not shutil.which("go"):
        print("scripts/realgpu: there is no nvnodetop: name one with --program, or build it with scripts/build",
              file=sys.stderr)
        sys.exit(2)
    print("scripts/realgpu: builds nvnodetop", file=sys.stderr)
    build = ["go", "build", "-pgo=off", "-o", out / "nvnodetop", "./cmd/nvnodetop"]
    subprocess.run(build, cwd=HERE.parent.parent, check=True)
    return (out / "nvnodetop").resolve()


def run_part(part, limit, settings):
    """Runs a part, and returns its rows. What it has started ends with it."""
    env = {**os.environ, "REALGPU_SETTINGS": json.dumps(settings), "PYTHONUNBUFFERED": "1",
           "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    rows = []
    child = subprocess.Popen([sys.executable, HERE / "main.py", "--part", part], stdout=subprocess.PIPE,
                             stdin=subprocess.DEVNULL, env=env, start_new_session=True)

    def read():
        for line in child.stdout:
            if line.endswith(b"\n"):  # otherwise it was ended in the middle of a row
                rows.append(table.Row(**json.loads(line)))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    why = ""
    try:
        child.wait(limit)
    except subprocess.TimeoutExpired:
        why = f"it had not ended after {limit} s"
    except KeyboardInterrupt:
        why = "interrupted"
    finally:
        end(child)
    reader.join(5)
    rows = list(rows)
    if not why and child.returncode != 0:
        why = f"it ended with status {child.returncode}"
    if why:
        rows.append(table.Row(part, f"the rest of {part}", "", "", table.WRONG, why))
    return rows, why == "interrupted"


def end(child):
    """Ends a part and its process group, which the part has for itself."""
    run.stop(child)
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def has_driver():
    try:
        return bool(shutil.which("nvidia-smi") or ctypes.CDLL("libnvidia-ml.so.1"))
    except OSError:
        return False


def why_no_torch():
    """Returns why Python has no torch that reaches the GPU; empty: it has."""
    look = "import torch; assert torch.cuda.is_available(), 'torch finds no GPU'"
    try:
        said = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, timeout=TORCH)
    except subprocess.TimeoutExpired:
        return f"torch was not imported within {TORCH} s"
    return said.stderr.strip().splitlines()[-1] if said.returncode else ""


def first_line(command):
    """Returns the first line that a program prints, or why there is none."""
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as err:
        return str(err)
    return (said.stdout.strip() or said.stderr.strip() or f"{command[0]} says nothing").splitlines()[0]


def machine(program):
    """Returns the title of the table: the GPU, the driver, and what was compared with what."""
    version = first_line([program, "--version"])
    gpu = first_line(["nvidia-smi", "--query-gpu=name,driver_version,count", "--format=csv,noheader"])
    date = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %z")
    system = f"Linux {platform.release()} {platform.machine()}, Python {platform.python_version()}"
    return f"# {gpu}\n\n{version}, {date}, {system}"


def main():
    args = arguments()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)  # what was started ends, as with Ctrl-C
    if args.metrics:
        print("\n".join(metrics.describe()))
        return 0
    out = (args.out or Path(f"realgpu-{datetime.datetime.now():%Y%m%d-%H%M%S}")).resolve()
    out.mkdir(parents=True, exist_ok=True)
    program = find_program(args, out)
    settings = {"out": str(out), "program": str(program), "loads": os.environ.get("REALGPU_LOADS", "")}
    if settings["loads"]:
        print(f"scripts/realgpu: the loads are those of {settings['loads']} (REALGPU_LOADS)", file=sys.stderr)
    if not has_driver():
        print("nothing was compared: this machine has neither nvidia-smi nor NVML (libnvidia-ml.so.1)")
        return 1
    settings["no_torch"] = "" if settings["loads"] else why_no_torch()
    title, rows = machine(program), []
    print(title, flush=True)
    for part in args.only:
        limit, about = PARTS[part]
        limit *= SLOWER if settings["loads"] else 1
        print(f"\n## {part}: {about}\n", *table.HEAD, sep="\n", flush=True)
        got, stopped = run_part(part, limit, settings)
        rows += got
        print("\n".join(line for row in got for line in table.lines(row)), flush=True)
        if stopped:
            break
    said = table.summary(rows)
    (out / "table.md").write_text("\n".join([*table.markdown(rows, title), "", said, ""]))
    print(f"\n{said}\nThe table and the raw outputs are in {out}", flush=True)
    return 0 if table.is_good(rows) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--part"]:
        run.main(sys.argv[2], importlib.import_module(f"part_{sys.argv[2]}").do)
        sys.exit(0)
    sys.exit(main())
