// Events: sets of GPUs, and the Xids that a scenario gives them.
#define _GNU_SOURCE
#include "call.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SETS = 16, LOG = 256 };

struct nvmlEventSet_st {
	bool used;
	bool registered[MAX_GPUS];
	unsigned next; // event that it gets next
};

static struct nvmlEventSet_st sets[MAX_SETS];
static struct xid events[LOG]; // a ring
static unsigned event_count;
static int waiters;

int waiting(void) { return waiters; }

void deliver_xids(const struct scenario *before, const struct scenario *now)
{
	for (int i = 0; i < now->xid_count; i++) {
		bool known = false;
		for (int j = 0; j < before->xid_count; j++)
			known = known || !memcmp(&now->xids[i], &before->xids[j], sizeof now->xids[i]);
		if (!known)
			events[event_count++ % LOG] = now->xids[i];
	}
}

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set)
{
	BEGIN_CALL();
	REQUIRE(set);
	enter();
	nvmlReturn_t result = NVML_ERROR_INSUFFICIENT_RESOURCES;
	for (int i = 0; i < MAX_SETS && result != NVML_SUCCESS; i++)
		if (!sets[i].used) {
			sets[i] = (struct nvmlEventSet_st){.used = true, .next = event_count};
			set->handle = &sets[i];
			result = NVML_SUCCESS;
		}
	leave();
	return result;
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set)
{
	BEGIN_CALL();
	REQUIRE(set.handle);
	enter();
	set.handle->used = false;
	leave();
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *types)
{
	BEGIN_DEVICE(device);
	return put_long(types, nvmlEventTypeSingleBitEccError | nvmlEventTypeDoubleBitEccError | nvmlEventTypePState | nvmlEventTypeClock |
				       nvmlEventTypeXidCriticalError);
}

nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set)
{
	BEGIN_DEVICE(device);
	REQUIRE(set.handle);
	enter();
	set.handle->registered[gpu.index] = types & nvmlEventTypeXidCriticalError;
	leave();
	return NVML_SUCCESS;
}

// next_event takes the next event of the GPUs of a set.
static bool next_event(struct nvmlEventSet_st *set, nvmlEventData_t *data)
{
	bool found = false;
	enter();
	while (!found && set->next < event_count) {
		const struct xid *event = &events[set->next++ % LOG];
		if (!set->registered[event->gpu])
			continue;
		*data = (nvmlEventData_t){
			.device = handle_of(event->gpu),
			.eventType = nvmlEventTypeXidCriticalError,
			.eventData = event->code,
			.gpuInstanceId = ~0u,
			.computeInstanceId = ~0u,
		};
		found = true;
	}
	leave();
	return found;
}

static long long now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

// watch_scenario opens an inotify of the directory of the scenario, so that a thread that waits sleeps as one in a real driver does.
static int watch_scenario(void)
{
	char directory[256];
	snprintf(directory, sizeof directory, "%s", scenario_path());
	char *slash = strrchr(directory, '/');
	if (slash)
		*slash = '\0';
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd >= 0)
		inotify_add_watch(fd, slash ? directory : ".", IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE);
	return fd;
}

static void wait_for_change(int fd, long long ms)
{
	char buffer[4096];
	struct pollfd change = {.fd = fd, .events = POLLIN};
	if (poll(&change, 1, (int)ms) <= 0)
		return;
	while (read(fd, buffer, sizeof buffer) > 0)
		;
	poll(NULL, 0, RECHECK_MS + 10); // the scenario is not looked at more often
}

static nvmlReturn_t wait_for_event(const char *function, nvmlEventSet_t set, nvmlEventData_t *data, unsigned timeout_ms)
{
	nvmlReturn_t result = begin_call(function);
	if (result != NVML_SUCCESS)
		return result;
	REQUIRE(set.handle && data);
	enter();
	waiters++;
	leave();
	int fd = watch_scenario();
	long long end = now_ms() + timeout_ms;
	result = NVML_ERROR_TIMEOUT;
	for (;;) {
		if (next_event(set.handle, data)) {
			result = NVML_SUCCESS;
			break;
		}
		long long left = end - now_ms();
		if (left <= 0)
			break;
		wait_for_change(fd, left);
	}
	close(fd);
	enter();
	waiters--;
	leave();
	return result;
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data, unsigned timeout_ms)
{
	return wait_for_event(__func__, set, data, timeout_ms);
}

nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t *data, unsigned timeout_ms)
{
	return wait_for_event(__func__, set, data, timeout_ms);
}
