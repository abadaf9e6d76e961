// Handles: which GPU or instance one stands for, and how long it is good for.
#define _GNU_SOURCE
#include "call.h"
#include <stdint.h>

// A handle is never NULL, and the same in every process: index + 1, GPU instance + 1 (0: the whole GPU), compute instance, and above
// them how many times the GPU was lost for good.
enum { GI_AT = 8, CI_AT = 16, GENERATION_AT = 24 };
static intptr_t generation[MAX_GPUS];
static bool spoiled[MAX_GPUS]; // the handles of this generation are

nvmlDevice_t handle_of(int index)
{
	return (nvmlDevice_t){(void *)(generation[index] << GENERATION_AT | (index + 1))};
}

nvmlDevice_t instance_handle(int index, const struct instance *instance)
{
	intptr_t bits = (intptr_t)handle_of(index).handle | (intptr_t)(instance->gi + 1) << GI_AT | (intptr_t)instance->ci << CI_AT;
	return (nvmlDevice_t){(void *)bits};
}

int index_of(nvmlDevice_t device)
{
	return (int)((intptr_t)device.handle & 0xff) - 1;
}

// whole is the handle of the GPU of an instance.
static nvmlDevice_t whole(nvmlDevice_t device)
{
	return (nvmlDevice_t){(void *)((intptr_t)device.handle & ~(intptr_t)0xffff00)};
}

bool is_instance(nvmlDevice_t device) { return ((intptr_t)device.handle >> GI_AT & 0xff) != 0; }

const struct instance *instance_of(const struct scenario *s, nvmlDevice_t device)
{
	const struct gpu_settings *g = &s->gpus[index_of(device)];
	for (int i = 0; g->mig && i < g->instance_count; i++)
		if (instance_handle(index_of(device), &g->instances[i]).handle == device.handle)
			return &g->instances[i];
	return NULL;
}

bool handle_is_good(const struct scenario *s, nvmlDevice_t device)
{
	int index = index_of(device);
	const struct gpu_settings *g = &s->gpus[index];
	if (g->lost && g->sticky)
		spoiled[index] = true;
	return !g->lost && !g->absent && !spoiled[index] && whole(device).handle == handle_of(index).handle;
}

int gpu_at(const struct scenario *s, unsigned place)
{
	for (int i = 0; i < s->count; i++)
		if (!s->gpus[i].absent && place-- == 0)
			return i;
	return -1;
}

unsigned place_of(const struct scenario *s, int index)
{
	unsigned place = 0;
	for (int i = 0; i < index; i++)
		place += !s->gpus[i].absent;
	return place;
}

void renew_handle(const struct scenario *s, int index)
{
	if (spoiled[index] && !s->gpus[index].lost) {
		spoiled[index] = false;
		generation[index]++;
	}
}
