"""A library between the probe and NVML that writes down each call: its function, its time and its result."""

import ctypes
import os
import re
import statistics

from run import Missing, tool

NAME = re.compile(rb"\0(nvml[A-Z]\w+)(?=\0)")

# A call has at most six arguments, all of them integers or pointers, so one wrapper fits all functions.
SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long word;
typedef word call(word, word, word, word, word, word);
static const char *names[] = {%s};
static call *real[sizeof names / sizeof *names];
static int out;

__attribute__((constructor)) static void find(void)
{
	void *library = dlopen("%s", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	out = open("%s", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (!library || out < 0)
		_exit(70);
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		real[i] = (call *)dlsym(library, names[i]);
}

static word timed(unsigned i, word a, word b, word c, word d, word e, word f)
{
	struct timespec from, to;
	char line[128];
	clock_gettime(CLOCK_MONOTONIC, &from);
	word result = real[i](a, b, c, d, e, f);
	clock_gettime(CLOCK_MONOTONIC, &to);
	long ns = (to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec;
	if (write(out, line, (size_t)snprintf(line, sizeof line, "%%s %%ld %%d\n", names[i], ns, (int)result)) < 0)
		_exit(71);
	return result;
}
#define CALL(i, name) word name(word a, word b, word c, word d, word e, word f) { return timed(i, a, b, c, d, e, f); }
%s
"""


def build(run, name):
    """Builds it, and returns the environment with which a probe loads it, and the file that the calls come into."""
    compiler = tool("gcc")
    library, path = real_library()
    with open(path, "rb") as f:
        names = sorted({name.decode() for name in NAME.findall(f.read())})
    names = [name for name in names if hasattr(library, name)]
    where = run.out / f"{run.part}-calls-{name}"
    where.mkdir()
    calls = where / "calls.txt"
    quoted = ", ".join(f'"{name}"' for name in names)
    wrappers = "\n".join(f"CALL({i}, {name})" for i, name in enumerate(names))
    (where / "shim.c").write_text(SOURCE % (quoted, path, calls, wrappers))
    target = where / "libnvidia-ml.so.1"
    said = run.call([compiler, "-O2", "-shared", "-fPIC", "-o", target, where / "shim.c", "-ldl"], 30)
    if said.returncode:
        raise Missing(f"gcc cannot compile the library that times calls: {said.stderr.strip()[:200]}")
    search = [str(where), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    return {"LD_LIBRARY_PATH": ":".join(search)}, calls


def real_library():
    """Returns the path of the NVML that programs here load."""
    try:
        library = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError as err:
        raise Missing(f"no NVML: {err}") from None
    with open("/proc/self/maps") as f:
        path = next(line.split()[-1] for line in f if "libnvidia-ml" in line)
    return library, path


def quantiles(values):
    """Returns the median of times in ns and the one that 99 % do not exceed, in µs."""
    values = sorted(values)
    return statistics.median(values) / 1000, values[min(len(values) - 1, int(0.99 * len(values)))] / 1000


def read(path):
    """Returns the times of the calls by function, and the results that were no success."""
    times, failed = {}, {}
    with open(path) as f:
        for line in f:
            name, ns, result = line.split()
            times.setdefault(name, []).append(int(ns))
            if result != "0" and name != "nvmlErrorString":
                failed.setdefault(int(result), set()).add(name)
    return times, failed
