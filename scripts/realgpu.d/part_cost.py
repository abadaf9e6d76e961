"""Cost: CPU time, memory and driver calls of the probe, and what a load loses by it."""

import os
import shutil
import statistics
import time

import loads
import ours
import shim
from run import Failed, Missing

REPORTS, INTERVAL = 16, 0.25
SKIPPED = 4  # the first reports read everything
ROUNDS, TURN = 3, {None: 2.0, 0.25: 2.5, 3.0: 4.0}  # seconds of each turn, by the interval of the reports
LISTED = 12  # functions
LOSS = 0.5  # percent that the load may lose


def do(run):
    serve = ours.Serve(run, 3)
    time.sleep(4)
    run.measured("nvnodetop serve: memory", memory_of(serve.child.pid))
    run.started = started(run, serve)
    serve.child.terminate()
    calls(run, "idle")
    alone(run)
    effect(run)


def started(run, serve):
    """Returns a copy of the probe that the program starts: a release has another one inside."""
    copy = run.out / "cost-probe"
    try:
        shutil.copyfile(f"/proc/{serve.probe()}/exe", copy)
    except OSError as err:
        raise Failed(f"nvnodetop serve has no probe: {err}") from None
    copy.chmod(0o755)
    return copy


def cpu_ns(pid):
    """Returns the CPU time of all threads of a process."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat") as f:
            total += int(f.read().split()[0])
    return total


def memory_of(pid):
    resident, peak = ours.memory(pid)
    return f"{resident / 2**20:.1f} MiB, at most {peak / 2**20:.1f} MiB"


def alone(run):
    """Measures a probe that lists processes in each report."""
    probe = ours.Probe(run, run.started, INTERVAL)
    probe.reports(SKIPPED)
    before = cpu_ns(probe.child.pid)
    reports = probe.reports(REPORTS)
    each = (cpu_ns(probe.child.pid) - before) / REPORTS / 1e6
    resident = memory_of(probe.child.pid)
    probe.end()
    took = [r.get("took_ms", 0) for r in reports]
    run.measured("the probe: CPU time of a report", f"{each:.2f} ms")
    run.measured("the probe: a reading of the GPU takes", f"{statistics.median(took):.0f} ms, at most {max(took)} ms")
    run.measured("the probe: memory", resident)
    size = os.path.getsize(run.started)
    own = "the program itself: a release has a smaller one" if size == os.path.getsize(run.program) else ""
    run.measured("the probe: the file", f"{size / 1e6:.1f} MB", own)


def calls(run, state):
    """Counts and times the driver calls of a probe. Under a load only those that take most are listed."""
    try:
        env, file = shim.build(run, state)
    except Missing as err:
        run.skip("driver calls", err)
        return
    probe = ours.Probe(run, run.started, INTERVAL, env)
    reports = probe.reports(REPORTS)
    probe.end()
    times, failed = shim.read(file)
    counted, last = 0, 0
    for report in reports:  # a value that has not changed is left out
        last = report["host"].get("nvml_calls", last)
        counted += last
    made = sum(len(t) for name, t in times.items() if name not in ("nvmlErrorString", "nvmlEventSetWait_v2"))
    # What the probe did after its last report, it has not counted; and a wait for events is seen when it ends.
    waits = len(times.get("nvmlEventSetWait_v2", ())) + 1
    run.judge(f"{state}: nvml_calls of all reports", counted, made - 2 * last, made + waits, "calls")
    run.measured(f"{state}: driver calls of a report", last, f"{len(times)} functions in all")
    slowest = sorted(times.items(), key=lambda item: -sum(item[1]))
    for name, took in slowest if state == "idle" else slowest[:LISTED]:
        median, p99 = shim.quantiles(took)
        run.measured(f"{state}: {name}", f"{len(took)} calls", f"median {median:.1f} µs, p99 {p99:.1f} µs")
    for code, names in sorted(failed.items()):
        run.measured(f"{state}: answer {code}", ", ".join(sorted(names)))


def effect(run):
    """Compares what a load does with and without a probe beside it, in turns."""
    load = loads.start(run, "product")
    calls(run, "load")
    rates = {interval: [] for interval in TURN}
    for _ in range(1 if run.loads else ROUNDS):  # a fake load is steady
        for interval, seconds in TURN.items():
            probe = ours.Probe(run, run.started, interval) if interval else None
            if probe:
                probe.reports(1)
            since = time.monotonic()
            time.sleep(seconds)
            rate = load.rate(since, time.monotonic())
            if probe:
                probe.end()
            if rate:
                rates[interval].append(rate)
    load.end()
    if not all(rates.values()):
        run.skip("the load beside a probe", "it did not say how much it did")
        return
    usual = statistics.median(rates[None])
    noise = 100 * (max(rates[None]) - min(rates[None])) / usual
    run.measured("the load alone", "", f"{usual:.1f} per second, {noise:.2f} % between its turns")
    for interval in (0.25, 3.0):
        loss = 100 * (1 - statistics.median(rates[interval]) / usual)
        what = f"what the load loses by reports every {interval} s"
        if noise > LOSS and loss > LOSS:
            run.skip(what, f"alone it varies by {noise:.2f} %, which hides less than that", f"{loss:.2f} %")
        else:
            run.judge(what, loss, -max(LOSS, noise), LOSS, "%")
