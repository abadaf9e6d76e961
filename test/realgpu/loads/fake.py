"""Loads that change the scenario of the fake NVML, in place of those that need a GPU. What each is called is what it does."""

import fcntl
import json
import os
import signal
import time

SCENARIO = os.environ["FAKENVML_SCENARIO"]
CONTEXT = 400  # MiB that a program has beside what it allocates
IDLE = 1000  # MiB in use without a program


def change(pid, load):
    """Adds what a process does to the scenario, or takes it away (None): {"lines": [...], "mib": N, "sm": N}."""
    with open(SCENARIO + ".lock", "r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        path = SCENARIO + ".loads"
        loads = json.load(open(path)) if os.path.exists(path) else {}
        loads[str(pid)] = load
        loads = {pid: load for pid, load in loads.items() if load}
        write(path, json.dumps(loads))
        with open(SCENARIO + ".base") as f:
            text = f.read()
        used = IDLE
        for pid, load in loads.items():
            text += "".join(line + "\n" for line in load.get("lines", []))
            if "mib" in load:
                text += f"proc 0 {pid} {load['mib']} compute {load.get('sm', 0)}\n"
                used += load["mib"]
        write(SCENARIO, text + f"memory_used {used}\n")


def write(path, text):
    fresh = f"{path}.{os.getpid()}"
    with open(fresh, "w") as f:
        f.write(text)
    os.chmod(fresh, 0o666)
    os.rename(fresh, path)


def end_with(pid):
    def over(*_):
        change(pid, None)
        os._exit(0)

    signal.signal(signal.SIGTERM, over)


def say(*words):
    print(*words, flush=True)


def repeat(load, per_second):
    """Works until it is asked to end, and says how much it has done."""
    end_with(os.getpid())
    change(os.getpid(), load)
    say("ready")
    begun = time.monotonic()
    while True:
        now = time.monotonic()
        say("done", (now - begun) * per_second, now)
        time.sleep(0.1)


def hold(pid, mib):
    end_with(pid)
    change(pid, {"mib": int(mib) + CONTEXT})
    say("ready", pid)
    while True:
        time.sleep(60)
