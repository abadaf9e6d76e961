// The start of every function of the API.
#ifndef CALL_H
#define CALL_H

#include "fakenvml.h"
#include <stddef.h>

// begin_call reads the scenario and returns whether the function may go on: not if the library is not initialized or the
// scenario makes the function fail. It sleeps if the scenario makes the function slow.
nvmlReturn_t begin_call(const char *function);

// begin_any does the same for a call on a GPU or an instance, and on success sets out to its current values. begin_device refuses
// instances, which most functions do not support.
nvmlReturn_t begin_any(const char *function, nvmlDevice_t device, struct gpu *out);
nvmlReturn_t begin_device(const char *function, nvmlDevice_t device, struct gpu *out);

// enter and leave hold the library's lock, under which alone a scenario may be used.
const struct scenario *enter(void);
void leave(void);

// current_processes calls processes_now with the lock held.
int current_processes(const struct gpu *gpu, struct process *out);

// process_record is how many bytes version 3 of the lists writes for a process.
unsigned process_record(void);

// Of the GPUs that are there, NVML counts places; these are called under the lock.
nvmlDevice_t handle_of(int index);
nvmlDevice_t instance_handle(int index, const struct instance *instance);
int index_of(nvmlDevice_t device);
bool is_instance(nvmlDevice_t device);
const struct instance *instance_of(const struct scenario *s, nvmlDevice_t device); // NULL: there is no such instance
int gpu_at(const struct scenario *s, unsigned place); // -1: none
unsigned place_of(const struct scenario *s, int index);

// handle_is_good is false for a GPU that is lost or absent, and for a handle from before it was lost for good.
bool handle_is_good(const struct scenario *s, nvmlDevice_t device);

// renew_handle makes handle_of give a new handle if the old one is spoiled and the GPU is back.
void renew_handle(const struct scenario *s, int index);

// waiting is how many threads wait for events; called under the lock.
int waiting(void);

nvmlReturn_t put_text(char *to, unsigned length, const char *text);
// put_number and put_long refuse what the GPU does not have.
nvmlReturn_t put_number(unsigned *to, unsigned long long value);
nvmlReturn_t put_long(unsigned long long *to, unsigned long long value);

#define BEGIN_CALL()                                            \
	do {                                                    \
		nvmlReturn_t begun = begin_call(__func__);      \
		if (begun != NVML_SUCCESS)                      \
			return begun;                           \
	} while (0)

// BEGIN_DEVICE and BEGIN_ANY declare gpu.
#define BEGIN_WITH(begin, device)                                           \
	struct gpu gpu;                                                     \
	do {                                                                \
		nvmlReturn_t begun = begin(__func__, (device), &gpu);       \
		if (begun != NVML_SUCCESS)                                  \
			return begun;                                       \
	} while (0)
#define BEGIN_DEVICE(device) BEGIN_WITH(begin_device, device)
#define BEGIN_ANY(device) BEGIN_WITH(begin_any, device)

#define REQUIRE(pointer)                                     \
	do {                                                 \
		if (!(pointer))                              \
			return NVML_ERROR_INVALID_ARGUMENT;  \
	} while (0)

#endif
