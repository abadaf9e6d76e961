"""Copies memory of the host to the first GPU, or back, again and again. It counts bytes. load_transfer.py to|from"""

import ctypes
import sys

import load_cuda as cuda

SIZE = 256 << 20
AT_ONCE = 8

cuda.use_first()
host, memory = cuda.allocate_host(SIZE), cuda.allocate(SIZE)


def step():
    for _ in range(AT_ONCE):
        if sys.argv[1] == "to":
            cuda.call("cuMemcpyHtoDAsync_v2", memory, host, ctypes.c_size_t(SIZE), None)
        else:
            cuda.call("cuMemcpyDtoHAsync_v2", host, memory, ctypes.c_size_t(SIZE), None)
    cuda.synchronize()


cuda.repeat(step, SIZE * AT_ONCE)
