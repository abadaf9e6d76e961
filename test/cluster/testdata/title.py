"""Sets a title, as setproctitle does: the C library gets a new copy of the environment, and the memory of the arguments
and of the first environment gets the title, with zeros behind it ("zeros") or one ("one")."""

import ctypes, os, sys, time

for name, value in list(os.environ.items()):
    os.environ[name] = value
fields = open("/proc/self/stat").read().rpartition(")")[2].split()
begin, arguments, end = int(fields[45]), int(fields[46]), int(fields[48])
title = b"x" * (arguments - begin) + b"A=1"
if sys.argv[1] == "zeros":
    ctypes.memset(begin, 0, end - begin)
if sys.argv[1] != "none":
    ctypes.memmove(begin, title + b"\0", len(title) + 1)
ctypes.CDLL(None).prctl(15, b"train", 0, 0, 0)


def wait():
    time.sleep(1e6)


wait()
