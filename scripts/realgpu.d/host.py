"""What the kernel says of this machine, read here once more."""

import os
import time

TICK = os.sysconf("SC_CLK_TCK")


def read():
    """Returns the metrics of the node that stand still long enough to be compared."""
    values = {}
    with open("/proc/stat") as f:
        ticks = [int(n) / TICK for n in f.readline().split()[1:]]
    user, nice, system, idle, iowait, irq, softirq = ticks[:7]
    values.update(cpu_user_seconds=user + nice, cpu_system_seconds=system + irq + softirq, cpu_idle_seconds=idle,
                  cpu_iowait_seconds=iowait)
    with open("/proc/loadavg") as f:
        values.update(zip(("load1", "load5", "load15"), map(float, f.read().split()[:3])))
    with open("/proc/meminfo") as f:
        kib = {name: int(rest.split()[0]) * 1024 for name, _, rest in (line.partition(":") for line in f)}
    values.update(memory_used_bytes=kib["MemTotal"] - kib["MemAvailable"], memory_total_bytes=kib["MemTotal"],
                  memory_buffers_bytes=kib["Buffers"], memory_cached_bytes=kib["Cached"],
                  memory_shared_bytes=kib["Shmem"],
                  memory_slab_bytes=kib["Slab"], swap_used_bytes=kib["SwapTotal"] - kib["SwapFree"],
                  swap_total_bytes=kib["SwapTotal"])
    for name, path in (("disk", "/"), ("tmp", "/tmp")):
        disk = os.statvfs(path)
        values[f"{name}_free_bytes"] = disk.f_bavail * disk.f_frsize
        values[f"{name}_total_bytes"] = disk.f_blocks * disk.f_frsize
    values["uptime_seconds"] = time.clock_gettime(time.CLOCK_BOOTTIME)
    return values


def step(key, value):
    """Returns by how much a reading in between may leave the two around it: other programs run meanwhile."""
    if key.endswith("_total_bytes"):
        return 0
    if key.startswith("load"):
        return 2
    if key.endswith("_bytes"):
        return max(256 << 20, 0.02 * value)
    return 1
