"""Ranks: stacks of a program that trains, busy and blocked, and NCCL's RAS of a real communicator."""

import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import loads
import ours
import table
from run import Failed, Missing, wait_for

RAS = os.environ.get("NCCL_RAS_ADDR", "localhost:28028")
ASKED = b"CLIENT PROTOCOL 2\nTIMEOUT 5\nSET FORMAT json\nVERBOSE STATUS\n"
NCCL = "NCCL's RAS"
OTHER_USER = 65534  # nobody: as root the probe asks no RAS, since it would speak as every user


def do(run):
    run.user, run.home = {}, None
    try:
        with_user(run)
        compare(run)
    finally:
        run.end()
        if run.home:
            shutil.rmtree(run.home, ignore_errors=True)


def compare(run):
    """Starts all programs at once, since torch is slow to begin, and looks at them together."""
    wanted = {"busy": ("train", "busy"), "blocked": ("train", "blocked"), NCCL: ("nccl", 0, 1, free_port())}
    launched, running = {}, {}
    for what, args in wanted.items():
        try:
            launched[what] = loads.launch(run, *args, **run.user)
        except Missing as err:
            run.skip(what, err)
    for what, load in launched.items():
        try:
            running[what] = load.ready()
        except Missing as err:
            run.skip(what, err)
    if not running:
        return
    time.sleep(3)
    raw = ask(run) if NCCL in running else None
    said = stacks(run)
    for state, frames in (("busy", ["train_loop"]), ("blocked", ["next_batch", "train_loop"])):
        if state in running:
            stacks_of(run, state, running[state], frames, said)
    if NCCL in running:
        nccl(run, running[NCCL], raw, said.get("nccl"))
    for load in running.values():
        load.end()
    if NCCL in running and not run.loads:
        two_ranks(run)


def with_user(run):
    """Finds out as which user programs run, and where that user finds them."""
    if os.geteuid() != 0:
        return
    run.home = Path(tempfile.mkdtemp(prefix="realgpu-"))
    os.chmod(run.home, 0o755)
    program = run.home / "nvnodetop"
    shutil.copy2(run.program, program)
    program.chmod(program.stat().st_mode | stat.S_IRUSR | stat.S_IXOTH | stat.S_IROTH)
    copy = run.home / "loads"
    shutil.copytree(run.loads or loads.HERE, copy)
    cache = run.home / "home"
    cache.mkdir()
    os.chown(cache, OTHER_USER, OTHER_USER)
    user = {"user": OTHER_USER, "group": OTHER_USER, "extra_groups": [], "cwd": str(cache),
            "env": {**os.environ, "HOME": str(cache), "USER": "nobody"}}
    python = ["/usr/bin/env", "python3"] if run.loads else [sys.executable]
    command = [*python, "-c", "" if run.loads or run.no_torch else "import torch; torch.zeros(1).cuda()"]
    try:
        said = run.call(command, 40, **user)
        why = said.stderr.strip().splitlines()[-1:] if said.returncode else []
    except (OSError, Missing) as err:
        why = [str(err)]
    if why:
        run.skip("another user than root", f"user {OTHER_USER} cannot run the programs here: {why[0]}"[:200])
        return
    run.user, run.program = user, str(program)
    if run.loads:
        run.loads = str(copy)
    else:
        loads.HERE = copy


def stacks(run):
    """Returns what `nvnodetop stacks` says. An old NCCL is asked too, since the job is ours."""
    command = [run.program, "stacks", "--json", "--old-nccl", *ours.HERE]
    said = run.call(command, 45, "stacks.json", **run.user)
    try:
        return json.loads(said.stdout)
    except ValueError:
        raise Failed(f"nvnodetop stacks (status {said.returncode}): {said.stderr.strip()[:300]}") from None


def stacks_of(run, state, load, frames, said):
    """Compares the frames of a program with those that it must be in."""
    groups = [g for g in said["groups"] if any(r["pid"] == load.pid for r in g["ranks"])]
    if not groups:
        run.row(f"{state}: PID {load.pid}", "not among the ranks", "a rank", table.WRONG, "; ".join(said["said"]))
        return
    names = [f["function"] for f in groups[0].get("frames", [])]
    missing = [f for f in frames if f not in names]
    run.row(f"{state}: frames of the main thread", " < ".join(names) or "none", " and ".join(frames),
            table.WRONG if missing else table.EQUAL)
    run.measured(f"{state}: in short", groups[0]["summary"])
    if state == "blocked":
        run.judge("blocked: ranks that have moved", groups[0].get("moved"), 0, 0)
    how = next((words[1] for words in load.lines if words[0] == "how"), "")
    if how:
        run.measured(f"{state}: the model", "", how)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def nccl(run, load, raw, verdict):
    """Looks at the answer of RAS, and at what nvnodetop makes of it."""
    version = next((words[1] for words in load.lines if words[0] == "version"), "")
    run.measured("NCCL", "", version or "it did not say its version")
    if raw is not None:
        greeting = raw.split(b"\n", 1)[0].decode(errors="replace")
        run.same("RAS: greeting", "SERVER PROTOCOL", greeting, greeting.startswith("SERVER PROTOCOL "))
        document(run, raw, version)
    if run.user or os.geteuid():
        judge(run, raw, verdict, version)
    else:
        run.skip("RAS: the verdict of nvnodetop", "as root the probe asks no RAS")


def ask(run):
    """Returns the bytes of RAS's answer, which are kept as a fixture."""

    def connect():
        try:
            return socket.create_connection(("localhost", int(RAS.rpartition(":")[2])), 2)
        except OSError:
            return None

    connection = wait_for(connect, 5, 0.5)
    if connection is None:
        run.skip("RAS: the answer", f"nobody listens at {RAS}: NCCL before 2.24, or NCCL_RAS_ENABLE=0")
        return None
    with connection:
        connection.settimeout(15)
        connection.sendall(ASKED)
        raw = b""
        try:
            while len(raw) < 64 << 20:
                piece = connection.recv(1 << 16)
                if not piece:
                    break
                raw += piece
        except socket.timeout:
            run.row("RAS: the end of the answer", "", "not within 15 s", table.WRONG)
    run.save("ras.bin", raw)
    return raw


def document(run, raw, version):
    """Looks whether the answer has a document, and what it says about the version."""
    begin = raw.find(b"{")
    try:
        said = json.loads(raw[begin:]) if begin >= 0 else None
    except ValueError as err:
        run.row("RAS: JSON", "", str(err), table.WRONG)
        return
    if said is None:
        run.skip("RAS: JSON", "this NCCL answers with text (before 2.28.7)", theirs=raw.decode(errors="replace")[:200])
        return
    run.measured("RAS: JSON", "", f"keys {', '.join(said)}")
    found = re.search(r'"nccl_version": *"([^"]+)"', raw.decode(errors="replace"))
    if found and version:
        run.same("RAS: version", version, found[1], found[1].startswith(version))


def judge(run, raw, verdict, version):
    """Compares what nvnodetop says about the job with a job that moves."""
    what = "RAS: the verdict of nvnodetop"
    if raw is None:
        run.skip(what, "there is no RAS")
        return
    if verdict is None:
        run.row(what, "none", "an answer", table.WRONG)
        return
    text = f"{verdict['state']}: {' '.join(verdict['said'])}"
    if verdict["state"] == "unclear" and b"{" not in raw:
        run.skip(what, "the text of an old NCCL does not tell whether a job moves", text, version)
        return
    if b'"size": 1,' in raw:  # for one rank NCCL only copies, and counts nothing
        run.same(what, text, "unclear: one rank", verdict["state"] == "unclear")
    else:
        run.same(what, text, "the job moves", verdict["state"] == "moving")
    if verdict.get("nccl_version"):
        ours_of = verdict["nccl_version"]
        run.same("RAS: the version of nvnodetop", ours_of, version, ours_of.startswith(version))


def two_ranks(run):
    """Tries two ranks on one GPU, and says what NCCL says."""
    port = free_port()
    ranks = [run.start([*loads.command(run, "nccl"), rank, 2, port], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       **run.user) for rank in range(2)]
    try:
        out, _ = ranks[0].communicate(timeout=12)
    except subprocess.TimeoutExpired:
        for rank in ranks:
            rank.terminate()
        out, _ = ranks[0].communicate(timeout=5)
    run.save("two-ranks.txt", out)
    lines = [line.strip() for line in out.decode(errors="replace").splitlines() if line.strip()]
    told = [line for line in lines if "NCCL" in line or "Duplicate" in line]
    run.measured("two ranks on one GPU", "", (told or lines or ["nothing"])[-1])
