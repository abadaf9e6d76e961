"""Copies memory of the first GPU to other memory of it, again and again. It counts bytes that are read or written."""

import ctypes

import load_cuda as cuda

SIZE = 2 << 30
AT_ONCE = 8

cuda.use_first()
source, target = cuda.allocate(SIZE), cuda.allocate(SIZE)


def step():
    for _ in range(AT_ONCE):
        cuda.call("cuMemcpyDtoDAsync_v2", target, source, ctypes.c_size_t(SIZE), None)
    cuda.synchronize()


cuda.repeat(step, 2 * SIZE * AT_ONCE)
