"""Names of processes."""

import ctypes


def name(process):
    """Name this process. The fake NVML puts those named train… on GPUs."""
    ctypes.CDLL(None).prctl(15, process.encode(), 0, 0, 0)
