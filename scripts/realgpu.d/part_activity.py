"""Activity: what GPM, the byte counters and the energy counter say under loads that are known."""

import time

import loads
import ours
import table
from run import Missing
from theirs import Dmon, Tools

GPM = {"sm_active_percent": 2, "sm_occupancy_percent": 3, "tensor_active_percent": 5, "dram_active_percent": 10}
WARM, LOOK = 2.0, 3.0  # seconds of a load before it is looked at, and of the look
IDLE = 5  # percent

# What is expected of our numbers under a load, in percent.
EXPECTED = {
    "product": {"tensor_active_percent": (80, 100), "sm_active_percent": (90, 100), "util_percent": (95, 100)},
    "copy": {"dram_active_percent": (80, 100), "tensor_active_percent": (0, IDLE)},
}


def do(run):
    tools, serve = Tools(run), ours.Serve(run, 0.5)
    look(run, tools, serve, "idle", None, {key: (0, IDLE) for key in GPM})
    for name, expected in EXPECTED.items():
        try:
            load = loads.start(run, name)
        except Missing as err:
            run.skip(name, err)
            continue
        look(run, tools, serve, name, load, expected)
        load.end()
    for way, key in (("to", "pcie_rx_bytes_per_second"), ("from", "pcie_tx_bytes_per_second")):
        try:
            load = loads.start(run, "transfer", way)
        except Missing as err:
            run.skip(key, err)
            continue
        seen, since, until = watch(serve)
        moved = load.rate(since, until)
        if moved is None:
            run.skip(key, "the load did not say how much it has copied")
        else:  # packets have headers; reads are asked for with packets of their own
            run.judge(f"transfer {way} the GPU: {key}", mean(seen, key), 0.9 * moved, 1.3 * moved, "bytes/s")
        load.end()
    links(run, seen_gpu=serve.gpu())


def watch(serve):
    """Returns what we show during a look at a load that runs, and when that was."""
    time.sleep(WARM)
    since = time.monotonic()
    seen = serve.watch(LOOK, pause=0.5)
    return seen, since, time.monotonic()


def mean(seen, key):
    values = [gpu[key] for _, gpu in seen if key in gpu]
    return sum(values) / len(values) if values else None


def look(run, tools, serve, name, load, expected):
    """Compares our mean with what the load must do, and with what dmon says meanwhile."""
    dmon = None
    if tools.smi:
        ids = ",".join(str(n) for n in GPM.values())
        dmon = Dmon(run, tools.smi, int(WARM + LOOK), "-s", "u", "--gpm-metrics", ids)
    seen, since, until = watch(serve)
    columns = list(dmon.columns(f"{name}-dmon.txt").values())[-len(GPM):] if dmon else []
    for key, (low, high) in expected.items():
        value = mean(seen, key)
        if value is None and load is None:
            run.skip(f"{name}: {key}", "absent: no GPM on this GPU, or the driver does not give it")
        else:
            run.judge(f"{name}: {key}", value, low, high, "%", why="the load is known to do more, or less")
    for (key, _), cells in zip(GPM.items(), columns if len(columns) == len(GPM) else []):
        theirs = [float(c) for c in cells[1:]]  # the first has no interval before it
        if theirs:
            average = sum(theirs) / len(theirs)
            run.judge(f"{name}: {key}, beside dmon", mean(seen, key), max(0, average - 5), average + 5, "%")
    if tools.smi and len(columns) != len(GPM):
        run.skip(f"{name}: GPM of dmon", "this nvidia-smi gives none")
    if load:
        energy(run, name, seen)
        done = load.rate(since, until)
        if done is not None:
            run.measured(f"{name}: the load itself", "", f"{table.number(done)} per second")


def energy(run, name, seen):
    """Compares the energy that was used with the power in the same time."""
    keys = "energy_joules", "power_watts"
    used = [(t, *(gpu[key] for key in keys)) for t, gpu in seen if all(key in gpu for key in keys)]
    if len(used) < 3:
        run.skip(f"{name}: energy", "absent")
        return
    joules = used[-1][1] - used[0][1]
    integral = sum((t2 - t1) * (w1 + w2) / 2 for (t1, _, w1), (t2, _, w2) in zip(used, used[1:]))
    run.judge(f"{name}: energy beside the integral of the power", joules, 0.95 * integral, 1.05 * integral, "J")


def links(run, seen_gpu):
    """Nothing crosses NVLink without a second GPU that works with this one."""
    key = "nvlink_tx_bytes_per_second"
    if seen_gpu.get("nvlink_links") and not run.loads:
        run.judge("NVLink at rest", seen_gpu.get(key), 0, 1e8, "bytes/s")
    run.skip("NVLink under a load", "the loads use one GPU", table.number(seen_gpu.get(key)))
