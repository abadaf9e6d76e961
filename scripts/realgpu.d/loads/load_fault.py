"""Runs a kernel that writes to an address that nobody has, on the first GPU. It says when."""

import ctypes
import os
import time

import load_cuda as cuda

# The driver compiles it for the GPU.
KERNEL = b"""
.version 6.0
.target sm_70
.address_size 64
.visible .entry wild()
{
	.reg .u64 %a;
	.reg .u32 %v;
	mov.u64 %a, 4096;
	mov.u32 %v, 1;
	st.global.u32 [%a], %v;
	ret;
}
"""

cuda.use_first()
module, function = ctypes.c_void_p(), ctypes.c_void_p()
cuda.call("cuModuleLoadData", ctypes.byref(module), KERNEL)
cuda.call("cuModuleGetFunction", ctypes.byref(function), module, b"wild")
cuda.say("ready", os.getpid())
cuda.say("wrote", time.monotonic())
cuda.call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, None, None)
said = ctypes.c_char_p()
cuda.lib.cuGetErrorName(cuda.lib.cuCtxSynchronize(), ctypes.byref(said))
cuda.say("failed", said.value.decode() if said.value else "unknown")
time.sleep(10)  # the driver's event comes while the process is still there
