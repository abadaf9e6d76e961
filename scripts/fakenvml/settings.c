// The settings of one GPU in a scenario. README.md lists them.
#define _GNU_SOURCE
#include "fakenvml.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool copy_text(char *to, const char *from)
{
	if (!*from || strlen(from) >= NAME_SIZE)
		return false;
	strcpy(to, from);
	return true;
}

bool read_number(const char *text, unsigned long long *value)
{
	char *end;
	*value = strtoull(text, &end, 0);
	return *text && *text != '-' && !*end;
}

static const struct { const char *name; unsigned long long bit; } throttle_names[] = {
	{"none", 0},
	{"idle", nvmlClocksEventReasonGpuIdle},
	{"app_clocks", nvmlClocksEventReasonApplicationsClocksSetting},
	{"sw_power_cap", nvmlClocksEventReasonSwPowerCap},
	{"hw_slowdown", nvmlClocksThrottleReasonHwSlowdown},
	{"sync_boost", nvmlClocksEventReasonSyncBoost},
	{"sw_thermal", nvmlClocksEventReasonSwThermalSlowdown},
	{"hw_thermal", nvmlClocksThrottleReasonHwThermalSlowdown},
	{"hw_power_brake", nvmlClocksThrottleReasonHwPowerBrakeSlowdown},
	{"display_clocks", nvmlClocksEventReasonDisplayClockSetting},
};

static bool throttle_bit(const char *word, unsigned long long *bit)
{
	for (size_t i = 0; i < sizeof throttle_names / sizeof *throttle_names; i++)
		if (!strcmp(word, throttle_names[i].name)) {
			*bit = throttle_names[i].bit;
			return true;
		}
	return read_number(word, bit);
}

// set_throttle reads names or numbers separated by commas.
static bool set_throttle(struct gpu_settings *g, char *text)
{
	g->throttle_given = true;
	g->throttle = 0;
	for (char *word; (word = strsep(&text, ",")) != NULL;) {
		unsigned long long bit;
		if (!throttle_bit(word, &bit))
			return false;
		g->throttle |= bit;
	}
	return true;
}

// set_links_down reads numbers of links separated by commas, or none.
static bool set_links_down(struct gpu_settings *g, char *text)
{
	g->links_down = 0;
	if (!strcmp(text, "none"))
		return true;
	for (char *word; (word = strsep(&text, ",")) != NULL;) {
		unsigned long long link;
		if (!read_number(word, &link) || link >= NVML_NVLINK_MAX_LINKS)
			return false;
		g->links_down |= 1ULL << link;
	}
	return true;
}

// set_counts reads n numbers.
static bool set_counts(unsigned *to, int n, char *text)
{
	unsigned long long value;
	for (int i = 0; i < n; i++) {
		char *word = strsep(&text, " \t");
		if (!word || !read_number(word, &value))
			return false;
		to[i] = (unsigned)value;
	}
	return !text;
}

// add_instance reads GI:CI:MIB[:SLICES].
static bool add_instance(struct gpu_settings *g, const char *text)
{
	struct instance new = {0};
	int used = 0, fields = sscanf(text, "%d:%d:%llu%n:%u%n", &new.gi, &new.ci, &new.memory, &used, &new.slices, &used);
	if (fields < 3 || text[used] || g->instance_count == MAX_INSTANCES || new.gi < 0 || new.gi > 254 || new.ci < 0 || new.ci > 255)
		return false;
	if (fields == 3) // an eighth of the memory is one slice; the seventh slice has the last two
		new.slices = new.memory >= 70000 ? 7 : (unsigned)(new.memory + 5119) / 10240;
	g->instances[g->instance_count++] = new;
	return true;
}

// set_mig: `mig`, or `mig` with the instances.
static bool set_mig(struct gpu_settings *g, char *text)
{
	g->mig = true;
	g->instance_count = 0;
	for (char *word; (word = strsep(&text, " \t")) != NULL;)
		if (*word && !add_instance(g, word))
			return false;
	return true;
}

static const struct { const char *key; size_t at; } numbers[] = {
#define X(key, a100, h100) {#key, offsetof(struct numbers, key)},
	NUMBERS(X)
#undef X
};

// set_number reads a number, or n/a for one that the GPU does not have.
static bool set_number(struct gpu_settings *g, size_t at, const char *text)
{
	unsigned long long *value = (unsigned long long *)((char *)&g->number + at);
	*(unsigned long long *)((char *)&g->given + at) = 1;
	if (strcmp(text, "n/a"))
		return read_number(text, value);
	*value = ABSENT;
	return true;
}

bool set_one_gpu(struct gpu_settings *g, const char *key, char *value)
{
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!strcmp(key, numbers[i].key))
			return set_number(g, numbers[i].at, value);
	if (!strcmp(key, "throttle"))
		return set_throttle(g, value);
	if (!strcmp(key, "nvlink_down"))
		return set_links_down(g, value);
	if (!strcmp(key, "retired"))
		return g->retired_given = set_counts(g->retired, 3, value);
	if (!strcmp(key, "remap"))
		return set_counts(g->remapped, 4, value);
	if (!strcmp(key, "model"))
		return copy_text(g->model, value);
	if (!strcmp(key, "lost")) {
		g->lost = true;
		g->sticky = !strcmp(value, "sticky");
		return g->sticky || !*value;
	}
	if (!strcmp(key, "absent"))
		return g->absent = true;
	if (!strcmp(key, "hopper"))
		return g->hopper = true;
	if (!strcmp(key, "mig"))
		return set_mig(g, value);
	return false;
}
