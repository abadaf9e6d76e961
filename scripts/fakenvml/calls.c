// What every call begins with: the lock, the rules of the scenario, the GPU; and initialization, which calls need.
#define _GNU_SOURCE
#include "call.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
enum { LOOK_MS = 100 };

static int initialized; // number of Inits minus Shutdowns

static bool rule_matches(const struct rule *rule, const char *function, int gpu)
{
	if (rule->gpu >= 0 && rule->gpu != gpu)
		return false;
	size_t length = strlen(rule->function);
	if (length > 0 && rule->function[length - 1] == '*')
		return !strncmp(rule->function, function, length - 1);
	return !strcmp(rule->function, function);
}

// apply_rules returns how the function must fail, and adds to slow_ms how long it must take.
static nvmlReturn_t apply_rules(const struct scenario *s, const char *function, int gpu, unsigned *slow_ms)
{
	nvmlReturn_t result = NVML_SUCCESS;
	for (int i = 0; i < s->rule_count; i++)
		if (rule_matches(&s->rules[i], function, gpu)) {
			*slow_ms += s->rules[i].slow_ms;
			if (s->rules[i].result != NVML_SUCCESS)
				result = s->rules[i].result;
		}
	return result;
}

static void sleep_ms(unsigned ms)
{
	struct timespec rest = {ms / 1000, (long)(ms % 1000) * 1000000};
	while (ms > 0 && nanosleep(&rest, &rest))
		;
}

// take_time returns after ms, or when the scenario no longer makes the function that slow.
static void take_time(const char *function, int gpu, unsigned ms)
{
	for (unsigned slept = 0; slept < ms;) {
		unsigned nap = ms - slept < LOOK_MS ? ms - slept : LOOK_MS, slow_ms = 0;
		sleep_ms(nap);
		slept += nap;
		pthread_mutex_lock(&lock);
		apply_rules(scenario_now(), function, gpu, &slow_ms);
		pthread_mutex_unlock(&lock);
		if (slow_ms < ms)
			ms = slow_ms;
	}
}

// check decides with the lock held. A slow call does not hold the lock while it sleeps.
static nvmlReturn_t check(const char *function, const nvmlDevice_t *device, struct gpu *out, unsigned *slow_ms)
{
	if (!initialized)
		return NVML_ERROR_UNINITIALIZED;
	const struct scenario *s = scenario_now();
	if (s->broken)
		return NVML_ERROR_INVALID_ARGUMENT;
	int index = device ? index_of(*device) : -1;
	if (device && (index < 0 || index >= s->count))
		return NVML_ERROR_INVALID_ARGUMENT;
	nvmlReturn_t result = apply_rules(s, function, index, slow_ms);
	if (result != NVML_SUCCESS || !device)
		return result;
	if (!handle_is_good(s, *device))
		return NVML_ERROR_GPU_IS_LOST;
	const struct instance *instance = is_instance(*device) ? instance_of(s, *device) : NULL;
	if (is_instance(*device) && !instance)
		return NVML_ERROR_INVALID_ARGUMENT; // it has been destroyed
	gpu_now(s, index, out);
	if (instance)
		instance_now(instance, out);
	return NVML_SUCCESS;
}

static nvmlReturn_t begin(const char *function, const nvmlDevice_t *device, struct gpu *out)
{
	unsigned slow_ms = 0;
	pthread_mutex_lock(&lock);
	nvmlReturn_t result = check(function, device, out, &slow_ms);
	pthread_mutex_unlock(&lock);
	take_time(function, device ? index_of(*device) : -1, slow_ms);
	return result;
}

nvmlReturn_t begin_call(const char *function) { return begin(function, NULL, NULL); }

nvmlReturn_t begin_any(const char *function, nvmlDevice_t device, struct gpu *out)
{
	return begin(function, &device, out);
}

nvmlReturn_t begin_device(const char *function, nvmlDevice_t device, struct gpu *out)
{
	nvmlReturn_t result = begin_any(function, device, out);
	return result == NVML_SUCCESS && out->is_instance ? NVML_ERROR_NOT_SUPPORTED : result;
}

const struct scenario *enter(void)
{
	pthread_mutex_lock(&lock);
	return scenario_now();
}

void leave(void) { pthread_mutex_unlock(&lock); }

int current_processes(const struct gpu *gpu, struct process *out)
{
	int n = processes_now(enter(), gpu, out);
	leave();
	return n;
}

unsigned process_record(void)
{
	unsigned size = enter()->process_record;
	leave();
	return size;
}

nvmlReturn_t put_number(unsigned *to, unsigned long long value)
{
	REQUIRE(to);
	if (value == ABSENT)
		return NVML_ERROR_NOT_SUPPORTED;
	*to = (unsigned)value;
	return NVML_SUCCESS;
}

nvmlReturn_t put_long(unsigned long long *to, unsigned long long value)
{
	REQUIRE(to);
	if (value == ABSENT)
		return NVML_ERROR_NOT_SUPPORTED;
	*to = value;
	return NVML_SUCCESS;
}

nvmlReturn_t put_text(char *to, unsigned length, const char *text)
{
	REQUIRE(to);
	if (strlen(text) >= length)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	strcpy(to, text);
	return NVML_SUCCESS;
}

// Initialization

static nvmlReturn_t initialize(const char *function)
{
	unsigned slow_ms = 0;
	pthread_mutex_lock(&lock);
	const struct scenario *s = scenario_now();
	nvmlReturn_t result = s->broken ? NVML_ERROR_INVALID_ARGUMENT : s->init;
	if (result == NVML_SUCCESS)
		result = apply_rules(s, function, -1, &slow_ms);
	if (result == NVML_SUCCESS)
		initialized++;
	pthread_mutex_unlock(&lock);
	take_time(function, -1, slow_ms);
	return result;
}

nvmlReturn_t nvmlInit_v2(void) { return initialize(__func__); }
nvmlReturn_t nvmlInit(void) { return initialize(__func__); }

nvmlReturn_t nvmlInitWithFlags(unsigned flags)
{
	(void)flags;
	return initialize(__func__);
}

nvmlReturn_t nvmlShutdown(void)
{
	BEGIN_CALL();
	pthread_mutex_lock(&lock);
	if (initialized == 1 && waiting() > 0) {
		// A real driver takes the memory away under the thread that waits.
		fprintf(stderr, "fakenvml: nvmlShutdown while nvmlEventSetWait is running\n");
		abort();
	}
	initialized--;
	pthread_mutex_unlock(&lock);
	return NVML_SUCCESS;
}
