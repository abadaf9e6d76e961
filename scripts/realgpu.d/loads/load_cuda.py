"""The driver's interface of CUDA by ctypes: a load needs no torch and no compiler."""

import ctypes
import signal
import sys
import time

try:
    lib = ctypes.CDLL("libcuda.so.1")
except OSError as err:
    sys.exit(f"no driver of CUDA: {err}")


def call(name, *args):
    """Calls a function, and ends the program if it fails."""
    result = getattr(lib, name)(*args)
    if result != 0:
        said = ctypes.c_char_p()
        lib.cuGetErrorName(result, ctypes.byref(said))
        sys.exit(f"{name}: {said.value.decode() if said.value else result}")


def use_first():
    """Makes the first GPU that of this process."""
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)


def allocate(size):
    """Returns memory of the GPU that is in use."""
    memory = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))
    call("cuMemsetD8_v2", memory, ctypes.c_ubyte(1), ctypes.c_size_t(size))
    synchronize()
    return memory


def allocate_host(size):
    """Returns memory of the host that the GPU reads directly."""
    memory = ctypes.c_void_p()
    call("cuMemAllocHost_v2", ctypes.byref(memory), ctypes.c_size_t(size))
    ctypes.memset(memory, 1, size)
    return memory


def synchronize():
    call("cuCtxSynchronize")


def say(*words):
    print(*words, flush=True)


def repeat(step, amount):
    """Does a step again and again, and says how much it has done by now, until it is asked to end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    done, said = 0, 0.0
    say("ready")
    while True:
        step()
        done += amount
        now = time.monotonic()
        if now - said > 0.1:
            say("done", done, now)
            said = now
