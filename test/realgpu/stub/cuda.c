// cuda.c: as much of libcuda as the loads of scripts/realgpu call. It does nothing, and what it does not know is missing.
#include <stdlib.h>

#define NOTHING(name) int name(void) { return 0; }
NOTHING(cuInit)
NOTHING(cuDeviceGet)
NOTHING(cuDevicePrimaryCtxRetain)
NOTHING(cuCtxSetCurrent)
NOTHING(cuMemAlloc_v2)
NOTHING(cuMemsetD8_v2)
NOTHING(cuMemcpyDtoDAsync_v2)
NOTHING(cuMemcpyHtoDAsync_v2)
NOTHING(cuMemcpyDtoHAsync_v2)
NOTHING(cuCtxSynchronize)
NOTHING(cuModuleLoadData)
NOTHING(cuModuleGetFunction)
NOTHING(cuLaunchKernel)

int cuMemAllocHost_v2(void **memory, size_t size) { return !(*memory = malloc(size)); }

int cuGetErrorName(int result, const char **name)
{
	(void)result;
	*name = "CUDA_STUB";
	return 0;
}
