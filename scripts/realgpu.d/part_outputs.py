"""Outputs: track, scalars, available, list, record and replay beside the tools that people would use otherwise."""

import csv
import json
import os
import shutil
import signal

import loads
import metrics
import ours
import table
from run import Failed, Missing, module, wait_for
from theirs import Tools

ALLOCATED, SECONDS = 2048, 4  # MiB, and for how long
LINES = 4  # of scalars, one a second
CONTEXT = 2048 * metrics.MIB  # that a program of CUDA needs at most


def do(run):
    tools = Tools(run)
    for part in (track, scalars, available, listed, record):
        try:
            part(run, tools)
        except Missing as err:
            run.skip(part.__name__, err)
        except Failed as err:
            run.row(part.__name__, "", "", table.WRONG, str(err))


def track(run, tools):
    """Compares `track` with torch.cuda.max_memory_allocated and with time."""
    report, clock, said = (run.out / f"outputs-{name}" for name in ("track.json", "time.txt", "grow.txt"))
    command = [*loads.command(run, "grow"), ALLOCATED, SECONDS]
    timer = shutil.which("time")
    if timer:
        command = [timer, "-o", clock, "-f", "%M %e", *command]
    tracked = [run.program, "track", "--format", "json", "--interval", "0.25", "--output", report, "--", *command]
    with open(said, "wb") as out:
        status = run.start(tracked, stdout=out, stderr=out).wait()
    words = said.read_text().split()
    if status or "allocated" not in words:
        raise Missing(f"the program under track ended with status {status}: {' '.join(words)[:200]}")
    got = json.loads(report.read_text())
    allocated = int(words[words.index("allocated") + 1])
    used = (got["max_gpu_ram"].get("combined") or 0) * 1e9
    if not used:
        run.skip("track: GPU memory", "the driver lists no process of this command, as in a container")
    else:
        run.judge("track: GPU memory beside max_memory_allocated", used, allocated, allocated + CONTEXT, "bytes")
    if not timer:
        run.skip("track: memory and time", "there is no time on PATH")
        return
    kib, seconds = (float(n) for n in clock.read_text().split()[-2:])
    rss = got["max_ram"]["combined"]["total_rss"] * 1e9
    # time has the largest process, and track all of them at once; between two samples memory grows unseen
    run.judge("track: memory beside time", rss, 0.8 * kib * 1024, 1.1 * kib * 1024 + (64 << 20), "bytes")
    run.judge("track: time beside time", got["compute_time"]["time"] * 3600, seconds - 0.1, seconds + 2, "s")


def scalars(run, tools):
    """Lets the real TensorBoard read what scalars writes, and compares it with the CSV of the same run."""
    events, file = run.out / "outputs-scalars", run.out / "outputs-scalars.csv"
    child = run.start([run.program, "scalars", "--tensorboard", events, "--csv", file, "--interval", "1", *ours.HERE])
    wait_for(lambda: len(lines_of(file)) >= LINES, 15)
    child.send_signal(signal.SIGINT)
    child.wait(10)
    rows = lines_of(file)
    run.same("scalars: lines of the CSV", len(rows), f"{LINES} or more", len(rows) >= LINES)
    total = ours.gpu(ours.document(run)).get("memory_total_bytes")
    if rows and total and "memory_used_percent" in rows[-1] and "memory_used_bytes" in rows[-1]:
        share = 100 * float(rows[-1]["memory_used_bytes"]) / total
        run.judge("scalars: memory_used_percent", float(rows[-1]["memory_used_percent"]), share, share, "%", 0.01)
    reader = module("tensorboard.backend.event_processing.event_accumulator").EventAccumulator
    tags = {}
    for folder, _, names in os.walk(events):
        if names:
            accumulator = reader(folder, size_guidance={"scalars": 0})
            accumulator.Reload()
            for tag in accumulator.Tags()["scalars"]:
                tags[tag] = accumulator.Scalars(tag)
    run.save("tags.txt", "\n".join(sorted(tags)))
    for key in ("util_percent", "memory_used_bytes", "power_watts", "energy_joules"):
        ends = f"gpu0/{key}", f"rank0/{key}"
        series = next((points for tag, points in tags.items() if tag.endswith(ends)), None)
        if series is None:
            run.row(f"scalars: {key}", "", f"no such tag among {len(tags)}", table.WRONG)
            continue
        written = [float(row[key]) for row in rows if row[key]]
        read = [event.value for event in series]
        near = len(written) == len(read) and all(abs(a - b) <= 1e-6 * abs(a) for a, b in zip(written, read))
        run.same(f"scalars: {key}", f"{len(written)} in the CSV, the last {last(written)}",
                 f"{len(read)} in TensorBoard, the last {last(read)}", near)


def lines_of(file):
    """Returns the lines of the CSV about the first GPU."""
    if not file.exists():
        return []
    with open(file, newline="") as f:
        return [row for row in csv.DictReader(f) if row.get("gpu") == "0"]


def last(values):
    return table.number(values[-1]) if values else "none"


def free_gpus(run, tools):
    """Returns the GPUs that nvidia-smi says are free, by the rule of available."""
    said = run.call([tools.smi, "--query-gpu=index,memory.used,memory.total", "--format=csv,noheader,nounits"], 20)
    free = []
    for line in said.stdout.splitlines():
        index, used, total = (cell.split()[0] for cell in line.split(", "))
        if float(used) <= 0.2 * float(total):
            free.append(index)
    return free


def available(run, tools):
    """Compares `available` with the memory that nvidia-smi shows, idle and busy."""
    if not tools.smi:
        raise Missing(tools.missing["nvidia-smi"])
    total = ours.gpu(ours.document(run)).get("memory_total_bytes", 0)
    for state in ("idle", "busy"):
        load = loads.start(run, "hold", int(0.3 * total / metrics.MIB)) if state == "busy" else None
        said = run.call([run.program, "available", *ours.HERE], 30)
        free = free_gpus(run, tools)
        got = [g for g in said.stdout.strip().split(",") if g]
        run.same(f"available, {state}", ",".join(got) or "none", ",".join(free) or "none")
        run.same(f"available, {state}: exit status", said.returncode, 0 if free else 1)
        if load:
            load.end()


def listed(run, tools):
    """Compares the table for scripts with nvidia-smi."""
    said = run.call([run.program, "list", "--json=gpustat", *ours.HERE], 30, "list.json")
    gpu = json.loads(said.stdout)["gpus"][0]
    fields = {"memory.used": 1, "memory.total": 1, "temperature.gpu": 2, "enforced.power.limit": 1}
    cells = tools.query(tools.fields(fields))
    for key, step in fields.items():
        theirs = cells.get(key, "").split()
        if theirs and theirs[0].replace(".", "").isdigit():
            number = float(theirs[0])
            run.judge(f"list: {key}", gpu[key], number, number, theirs[-1], step)
        else:
            run.skip(f"list: {key}", f"nvidia-smi says {cells.get(key, 'nothing')}", gpu.get(key))


def record(run, tools):
    """Compares the end of a recording with a document of the moment after it."""
    file = run.out / "outputs-recording.nvr"
    seconds = 12 if run.loads else 5  # the machine of a test is slow to connect
    said = run.call([run.program, "record", "--max-time", f"{seconds}s", *ours.HERE, file, "1"], 30)
    if said.returncode:
        run.row("record", f"status {said.returncode}", said.stderr.strip()[:200], table.WRONG)
        return
    replayed = ours.gpu(json.loads(run.call([run.program, "replay", "--json", file], 20, "replay.json").stdout))
    now = ours.gpu(ours.document(run))
    for m in metrics.GPU:
        if not m.moves and (m.key in now or m.key in replayed) and m.part == "readings":
            value, theirs = replayed.get(m.key, "absent"), now.get(m.key, "absent")
            run.same(f"replay: {m.key}", value, theirs)
    moving = [m.key for m in metrics.GPU if m.moves and (m.key in now) != (m.key in replayed)]
    run.same("replay: metrics that one of both lacks", ", ".join(moving) or "none", "none")
