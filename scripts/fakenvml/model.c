// The model of a healthy GPU in a training job. Its values are consistent (power, temperature and clocks follow the load)
// and depend only on host name, GPU index and time, so that all processes see the same values at the same time.
#define _GNU_SOURCE
#include "fakenvml.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	STEP_S = 3,            // the load changes this often
	CHECKPOINT_EVERY_S = 300,
	CHECKPOINT_S = 9,
	SM_IDLE_MHZ = 210,
	MIB_RESERVED = 600,
	MEM_HOTTER_C = 8,
	PCIE_PER_LOAD = 15, // PCIe in MB/s for each percent of load
	NVLINK_PER_LOAD_TENTHS = 8, // NVLink in GB/s
};

// hash mixes a text and a number into 32 well spread bits.
static uint32_t hash(const char *text, uint32_t salt)
{
	uint32_t h = 2166136261u ^ salt * 2654435761u;
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	h ^= h >> 15;
	h *= 2246822519u;
	return h ^ h >> 13;
}

static const char *host(void)
{
	static char name[65];
	if (!*name)
		gethostname(name, sizeof name - 1);
	return name;
}

static unsigned base_load(int index) { return 78 + hash(host(), (uint32_t)index) % 15; }

static unsigned model_load(int index)
{
	time_t now = time(NULL);
	if (now % CHECKPOINT_EVERY_S < CHECKPOINT_S)
		return 4 + hash(host(), (uint32_t)(index + now)) % 10;
	return base_load(index) + hash(host(), (uint32_t)(index * 7919 + now / STEP_S)) % 8;
}

static void write_uuid(int index, char *out)
{
	uint32_t a = hash(host(), (uint32_t)index + 100), b = hash(host(), (uint32_t)index + 200),
		 c = hash(host(), (uint32_t)index + 300);
	snprintf(out, NAME_SIZE, "GPU-%08x-%04x-%04x-%04x-%08x%04x", a, b & 0xffff, b >> 16, c & 0xffff, a ^ c, c >> 16);
}

static unsigned long long model_clock(const struct gpu *g, unsigned load)
{
	const unsigned long long hardware = nvmlClocksThrottleReasonHwSlowdown | nvmlClocksThrottleReasonHwThermalSlowdown |
					    nvmlClocksThrottleReasonHwPowerBrakeSlowdown;
	if (load == 0)
		return SM_IDLE_MHZ;
	if (g->now.clock_sm_max == ABSENT)
		return ABSENT;
	return g->throttle & hardware ? g->now.clock_sm_max / 2 : g->now.clock_sm_max;
}

// set_numbers sets the numbers of the scenario, and else those of the model that do not depend on the load.
static void set_numbers(const struct gpu_settings *set, struct numbers *now)
{
#define X(key, a100, h100) now->key = set->given.key ? set->number.key : (set->hopper ? (h100) : (a100));
	NUMBERS(X)
#undef X
}

// follow sets the numbers that depend on the load and that the scenario does not set.
static void follow(const struct gpu_settings *set, unsigned load, uint32_t own, struct gpu *g)
{
	unsigned watts_idle = g->hopper ? 70 : 60, milliwatts_each = g->hopper ? 6000 : 3300;
	struct numbers *now = &g->now;
#define FOLLOW(key, value)                            \
	do {                                          \
		if (!set->given.key)                  \
			now->key = (value);           \
	} while (0)
	FOLLOW(util, load);
	FOLLOW(util_memory, load * 6 / 10);
	FOLLOW(memory_used, now->memory_total * (60 + own % 32) / 100);
	FOLLOW(temperature, 30 + load * 35 / 100 + own % 5);
	FOLLOW(memory_temperature, now->temperature == ABSENT ? ABSENT : now->temperature + MEM_HOTTER_C);
	g->power_mw = (unsigned long long)watts_idle * 1000 + load * milliwatts_each + own % 1000;
	if (set->given.power)
		g->power_mw = now->power == ABSENT ? ABSENT : now->power * 1000;
	FOLLOW(pstate, load > 0 ? 0 : 8);
	FOLLOW(clock_sm, model_clock(g, load));
	FOLLOW(clock_graphics, now->clock_sm);
	FOLLOW(clock_video, now->clock_sm == ABSENT ? ABSENT : now->clock_sm * 9 / 10);
	FOLLOW(pcie_tx, load * PCIE_PER_LOAD);
	FOLLOW(pcie_rx, load * PCIE_PER_LOAD * 2);
	FOLLOW(nvlink_tx, load * NVLINK_PER_LOAD_TENTHS / 10);
	FOLLOW(nvlink_rx, load * NVLINK_PER_LOAD_TENTHS / 10);
	FOLLOW(numa_node, (unsigned long long)g->index / 4);
	FOLLOW(ecc_aggregate, now->ecc);
	FOLLOW(ecc_corrected_aggregate, now->ecc_corrected);
	if (g->hopper) {
		FOLLOW(gpm_graphics, load);
		FOLLOW(gpm_sm, load * 9 / 10);
		FOLLOW(gpm_occupancy, load * 4 / 10);
		FOLLOW(gpm_tensor, load * 5 / 10);
		FOLLOW(gpm_dram, load * 6 / 10);
	}
}

static void describe(const struct gpu_settings *set, int index, struct gpu *out)
{
	memset(out, 0, sizeof *out);
	out->index = index;
	strcpy(out->model, *set->model ? set->model : set->hopper ? "NVIDIA H100 80GB HBM3" : "NVIDIA A100-SXM4-80GB");
	write_uuid(index, out->uuid);
	out->mig = set->mig;
	out->hopper = set->hopper;
	out->memory_reserved = MIB_RESERVED;
	out->links_down = set->links_down;
	out->retired_given = set->retired_given;
	memcpy(out->retired, set->retired, sizeof out->retired);
	memcpy(out->remapped, set->remapped, sizeof out->remapped);
	memcpy(out->instances, set->instances, sizeof out->instances);
	out->instance_count = set->instance_count;
}

unsigned long long instance_used(int gpu, const struct instance *i)
{
	return i->memory * (50 + hash(host(), (uint32_t)(gpu * 1000 + i->gi * 10 + i->ci)) % 40) / 100;
}

static void look(const struct scenario *scenario, int index, unsigned load, struct gpu *out)
{
	const struct gpu_settings *set = &scenario->gpus[index];
	uint32_t own = hash(host(), (uint32_t)index + 9);
	describe(set, index, out);
	if (set->given.util && set->number.util != ABSENT)
		load = (unsigned)set->number.util;
	set_numbers(set, &out->now);
	out->throttle = set->throttle_given ? set->throttle : load == 0 ? nvmlClocksEventReasonGpuIdle : 0;
	follow(set, load, own, out);
	if (out->instance_count > 0 && !set->given.memory_used) {
		out->now.memory_used = 0;
		for (int i = 0; i < out->instance_count; i++)
			out->now.memory_used += instance_used(index, &out->instances[i]);
	}
}

void gpu_now(const struct scenario *scenario, int index, struct gpu *out)
{
	look(scenario, index, model_load(index), out);
	count(out);
}

void mean_now(int index, struct gpu *out)
{
	static struct scenario healthy;
	look(&healthy, index, base_load(index), out);
}

// instance_now: an instance has memory, an identity and processes of its own.
void instance_now(const struct instance *instance, struct gpu *out)
{
	char whole[NAME_SIZE], profile[32];
	uint32_t a = hash(out->uuid, (uint32_t)(instance->gi * 256 + instance->ci)), b = hash(out->uuid, (uint32_t)instance->memory + a);
	out->is_instance = true;
	out->instance = *instance;
	strcpy(whole, out->model);
	snprintf(profile, sizeof profile, "%ug.%ugb", instance->slices % 10, (unsigned)(instance->memory + 512) / 1024);
	snprintf(out->model, NAME_SIZE, "%.50s MIG %s", whole, profile);
	snprintf(out->uuid, NAME_SIZE, "MIG-%08x-%04x-5%03x-8%03x-%08x%04x", a, b & 0xffff, b >> 20, a & 0xfff, a ^ b, b >> 16);
	out->now.memory_total = instance->memory;
	out->now.memory_used = instance_used(out->index, instance);
	out->memory_reserved = 0;
}
