// The counters of a GPU that grow with time. Each process counts for itself, from the values that it sees whenever it asks. What was
// before its first look is taken to be the mean load since boot.
#define _GNU_SOURCE
#include "fakenvml.h"
#include <time.h>

static struct counters counters[MAX_GPUS];
static double counted_s[MAX_GPUS]; // when a GPU was last counted; 0: never

static double uptime_s(void)
{
	struct timespec up;
	clock_gettime(CLOCK_BOOTTIME, &up);
	return (double)up.tv_sec + (double)up.tv_nsec / 1e9;
}

// rate is how much a number adds per second; what the GPU does not have adds nothing.
static double rate(unsigned long long value, double unit) { return value == ABSENT ? 0 : (double)value * unit; }

// add lets the values of a GPU act for some time.
static void add(struct counters *c, const struct gpu *gpu, double seconds)
{
	const unsigned long long sw_thermal = nvmlClocksEventReasonSwThermalSlowdown,
				 hw_thermal = nvmlClocksThrottleReasonHwThermalSlowdown;
	const struct { double *counter; unsigned long long reasons; } held[] = {
		{&c->power_policy, nvmlClocksEventReasonSwPowerCap}, {&c->thermal_policy, sw_thermal | hw_thermal},
		{&c->sync_boost, nvmlClocksEventReasonSyncBoost}, {&c->sw_thermal, sw_thermal}, {&c->hw_thermal, hw_thermal},
		{&c->power_brake, nvmlClocksThrottleReasonHwPowerBrakeSlowdown},
	};
	for (unsigned i = 0; i < sizeof held / sizeof *held; i++)
		if (gpu->throttle & held[i].reasons)
			*held[i].counter += seconds * 1e9;
	c->energy += seconds * rate(gpu->power_mw, 1);
	c->pcie_tx += seconds * rate(gpu->now.pcie_tx, 1e6);
	c->pcie_rx += seconds * rate(gpu->now.pcie_rx, 1e6);
	c->nvlink_tx += seconds * rate(gpu->now.nvlink_tx, 1e9);
	c->nvlink_rx += seconds * rate(gpu->now.nvlink_rx, 1e9);
}

void count(struct gpu *gpu)
{
	double now = uptime_s(), *then = &counted_s[gpu->index];
	struct counters *c = &counters[gpu->index];
	if (*then == 0) {
		struct gpu mean;
		mean_now(gpu->index, &mean);
		add(c, &mean, now);
		*then = now;
	}
	add(c, gpu, now - *then);
	*then = now;
	gpu->counters = *c;
}

void count_all(const struct scenario *scenario)
{
	struct gpu gpu;
	for (int i = 0; i < scenario->count; i++)
		gpu_now(scenario, i, &gpu);
}

void restart_counters(void)
{
	double now = uptime_s();
	for (int i = 0; i < MAX_GPUS; i++) {
		counters[i] = (struct counters){0};
		counted_s[i] = now;
	}
}
