// Handles: which GPU one stands for, and how long it is good for.
#define _GNU_SOURCE
#include "call.h"
#include <stdint.h>

enum { INDEX_BITS = 8 };

// A handle is never NULL, and the same in every process: index + 1, and above it how many times the GPU was lost for good.
static intptr_t generation[MAX_GPUS];
static bool spoiled[MAX_GPUS]; // the handles of this generation are

nvmlDevice_t handle_of(int index)
{
	return (nvmlDevice_t){(void *)(generation[index] << INDEX_BITS | (index + 1))};
}

int index_of(nvmlDevice_t device)
{
	return (int)((intptr_t)device.handle & ((1 << INDEX_BITS) - 1)) - 1;
}

bool handle_is_good(const struct scenario *s, nvmlDevice_t device)
{
	int index = index_of(device);
	const struct gpu_settings *g = &s->gpus[index];
	if (g->lost && g->sticky)
		spoiled[index] = true;
	return !g->lost && !g->absent && !spoiled[index] && device.handle == handle_of(index).handle;
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
