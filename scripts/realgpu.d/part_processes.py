"""Processes: their memory, utilization and type beside nvidia-smi, with allocations that are known."""

import loads
import metrics
import ours
from run import wait_for
from theirs import Tools

HELD = (("held", 1024, []), ("forked", 2048, ["fork"]), ("ends", 512, []))  # MiB
CONTEXT = 2048  # MiB that the context of a program takes at most


def do(run):
    tools, serve = Tools(run), ours.Serve(run, 0.5)
    held = [(name, mib, loads.start(run, "hold", mib, *more)) for name, mib, more in HELD]
    pids = {load.pid for _, _, load in held}
    document = None

    def listed():
        """Says whether all hold what they allocate: a program is listed as soon as it has a context."""
        nonlocal document
        document = serve.document()
        used = {p["pid"]: p.get("gpu_memory_bytes") or 0 for p in of_gpu(document)}
        return all(used.get(load.pid, 0) >= mib * metrics.MIB for _, mib, load in held)

    wait_for(listed, 8)
    run.save("ours.json", str(document))
    theirs, busy = ask(run, tools)
    mine = {p["pid"]: p for p in of_gpu(document)}
    if not pids & (set(mine) | set(theirs)):
        run.skip("processes", f"the driver names others, or none, as in a container: {sorted(theirs) or 'none'}",
                 sorted(mine) or "none")
        return
    for name, mib, load in held:
        pid = load.pid
        compare(run, f"{name}, {mib} MiB", mib * metrics.MIB, mine.get(pid, {}), theirs.get(pid), busy.get(pid))
    others = set(theirs) - set(mine)
    run.same("processes that only nvidia-smi lists", sorted(others) or "none", "none")
    gone = held[-1][2]
    gone.end()
    left = wait_for(lambda: gone.pid not in {p["pid"] for p in of_gpu(serve.document())}, 5)
    run.same("the one that ended", "gone" if left else "still there", "gone")


def of_gpu(document):
    """Returns our processes on the first GPU."""
    node = ours.node(document)
    return [p for p in node.get("processes", []) if p.get("gpu") == node["gpus"][0].get("index")]


def ask(run, tools):
    """Returns the memory of processes in bytes, and what pmon says of them: their type and SM percent."""
    memory, busy = {}, {}
    if not tools.smi:
        return memory, busy
    query = [tools.smi, "-i", "0", "--query-compute-apps=pid,used_gpu_memory", "--format=csv,noheader"]
    said = run.call(query, 20, "apps.csv")
    for line in said.stdout.splitlines():
        pid, _, used = line.partition(", ")
        if pid.isdigit():
            memory[int(pid)] = float(used.split()[0]) * metrics.MIB if used[:1].isdigit() else None
    said = run.call([tools.smi, "pmon", "-i", "0", "-c", "1", "-s", "u"], 20, "pmon.txt")
    for line in said.stdout.splitlines():
        words = line.split()
        if len(words) > 3 and words[0] == "0" and words[1].isdigit():
            busy[int(words[1])] = words[2], words[3]
    return memory, busy


def compare(run, name, allocated, mine, theirs, busy):
    """Compares a process with its allocation, and with nvidia-smi."""
    used = mine.get("gpu_memory_bytes")
    run.judge(f"{name}: memory", used, allocated, allocated + CONTEXT * metrics.MIB, "bytes")
    if theirs is not None:
        run.judge(f"{name}: memory beside nvidia-smi", used, theirs, theirs, "bytes", metrics.MIB)
    kind, percent = busy or ("", "")
    if kind:
        run.same(f"{name}: type", mine.get("type", "absent"), kind)
        expected = float(percent) if percent.isdigit() else 0.0
        run.judge(f"{name}: SM", mine.get("sm_percent", 0), max(0, expected - 5), expected + 5, "%")
