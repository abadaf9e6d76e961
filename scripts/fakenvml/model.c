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
	IDLE_W = 60,
	SM_IDLE_MHZ = 210,
	SM_BUSY_MHZ = 1410,
	MEM_MHZ = 1593,
	MIB_RESERVED = 600,
	MEM_HOTTER_C = 8,
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

static unsigned long long or_model(struct setting setting, unsigned long long model)
{
	return setting.set ? setting.value : model;
}

static void write_uuid(int index, char *out)
{
	uint32_t a = hash(host(), (uint32_t)index + 100), b = hash(host(), (uint32_t)index + 200),
		 c = hash(host(), (uint32_t)index + 300);
	snprintf(out, NAME_SIZE, "GPU-%08x-%04x-%04x-%04x-%08x%04x", a, b & 0xffff, b >> 16, c & 0xffff, a ^ c, c >> 16);
}

static unsigned model_clock(unsigned util, unsigned long long throttle)
{
	const unsigned long long hardware = nvmlClocksThrottleReasonHwSlowdown | nvmlClocksThrottleReasonHwThermalSlowdown |
					    nvmlClocksThrottleReasonHwPowerBrakeSlowdown;
	if (util == 0)
		return SM_IDLE_MHZ;
	return throttle & hardware ? SM_BUSY_MHZ / 2 : SM_BUSY_MHZ;
}

// model_energy is the energy of the mean load since boot. It never falls, not even when a scenario changes the load.
static unsigned long long model_energy(int index)
{
	struct timespec up;
	clock_gettime(CLOCK_BOOTTIME, &up);
	unsigned long long watts = IDLE_W + base_load(index) * 33 / 10;
	return watts * ((unsigned long long)up.tv_sec * 1000 + (unsigned long long)up.tv_nsec / 1000000);
}

void gpu_now(const struct scenario *scenario, int index, struct gpu *out)
{
	const struct gpu_settings *set = &scenario->gpus[index];
	uint32_t own = hash(host(), (uint32_t)index + 9);

	memset(out, 0, sizeof *out);
	out->index = index;
	strcpy(out->model, set->model);
	write_uuid(index, out->uuid);
	out->mig = set->mig;

	out->util = (unsigned)or_model(set->util, model_load(index));
	out->util_memory = (unsigned)or_model(set->util_memory, out->util * 6 / 10);
	out->temperature = (unsigned)or_model(set->temperature, 30 + out->util * 35 / 100 + own % 5);
	out->memory_temperature = (unsigned)or_model(set->memory_temperature, out->temperature + MEM_HOTTER_C);
	out->power_mw = (unsigned)or_model(set->power, 0) * 1000;
	if (!set->power.set)
		out->power_mw = IDLE_W * 1000 + out->util * 3300 + own % 1000;
	out->power_limit_mw = (unsigned)or_model(set->power_limit, 400) * 1000;

	out->throttle = or_model(set->throttle, out->util == 0 ? nvmlClocksEventReasonGpuIdle : 0);
	out->clock_sm = (unsigned)or_model(set->clock_sm, model_clock(out->util, out->throttle));
	out->clock_mem = (unsigned)or_model(set->clock_mem, MEM_MHZ);
	out->ecc = or_model(set->ecc, 0);
	out->ecc_corrected = or_model(set->ecc_corrected, 0);
	out->energy_mj = model_energy(index);

	unsigned long long total_mib = or_model(set->memory_total, 81920);
	out->memory_total = total_mib << 20;
	out->memory_reserved = (unsigned long long)MIB_RESERVED << 20;
	out->memory_used = or_model(set->memory_used, total_mib * (60 + own % 32) / 100) << 20;
}
