// The start of every function of the API.
#ifndef CALL_H
#define CALL_H

#include "fakenvml.h"

// begin_call reads the scenario and returns whether the function may go on: not if the library is not initialized or the
// scenario makes the function fail. It sleeps if the scenario makes the function slow.
nvmlReturn_t begin_call(const char *function);

// begin_device does the same for a call on a device, and on success sets out to the current values of the GPU.
nvmlReturn_t begin_device(const char *function, nvmlDevice_t device, struct gpu *out);

// current_processes calls processes_now with the lock held.
int current_processes(const struct gpu *gpu, struct process *out);

nvmlReturn_t put_text(char *to, unsigned length, const char *text);

#define BEGIN_CALL()                                            \
	do {                                                    \
		nvmlReturn_t begun = begin_call(__func__);      \
		if (begun != NVML_SUCCESS)                      \
			return begun;                           \
	} while (0)

// BEGIN_DEVICE declares gpu.
#define BEGIN_DEVICE(device)                                                     \
	struct gpu gpu;                                                          \
	do {                                                                     \
		nvmlReturn_t begun = begin_device(__func__, (device), &gpu);     \
		if (begun != NVML_SUCCESS)                                       \
			return begun;                                            \
	} while (0)

#define REQUIRE(pointer)                                     \
	do {                                                 \
		if (!(pointer))                              \
			return NVML_ERROR_INVALID_ARGUMENT;  \
	} while (0)

#endif
