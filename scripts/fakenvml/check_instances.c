// Checks of MIG instances and of events.
#include "check.h"
#include <err.h>
#include <pthread.h>
#include <string.h>

static nvmlDevice_t instance(unsigned index)
{
	nvmlDevice_t found = {NULL};
	EXPECT(FN(nvmlDeviceGetMigDeviceHandleByIndex)(gpu(1), index, &found) == NVML_SUCCESS);
	return found;
}

static void check_parent(void)
{
	unsigned mode = 0, pending = 0, count = 0;
	nvmlUtilization_t load;
	nvmlDevice_t none;
	nvmlEnableState_t on;

	EXPECT(FN(nvmlDeviceGetMigMode)(gpu(1), &mode, &pending) == NVML_SUCCESS && mode == NVML_DEVICE_MIG_ENABLE);
	EXPECT(FN(nvmlDeviceGetMaxMigDeviceCount)(gpu(1), &count) == NVML_SUCCESS && count == 7);
	EXPECT(FN(nvmlDeviceGetMigDeviceHandleByIndex)(gpu(1), 2, &none) == NVML_ERROR_NOT_FOUND);
	EXPECT(FN(nvmlDeviceGetMigDeviceHandleByIndex)(gpu(0), 0, &none) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetUtilizationRates)(gpu(1), &load) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetNvLinkState)(gpu(1), 0, &on) == NVML_SUCCESS && on == NVML_FEATURE_DISABLED);
	EXPECT(FN(nvmlDeviceGetNvLinkState)(gpu(0), 0, &on) == NVML_SUCCESS && on == NVML_FEATURE_ENABLED);
}

static void check_identity(void)
{
	char name[96], uuid[96], other[96];
	unsigned gi = 0, ci = 9, yes = 0;
	nvmlDevice_t parent;
	nvmlDeviceAttributes_t attributes;

	EXPECT(FN(nvmlDeviceGetName)(instance(0), name, sizeof name) == NVML_SUCCESS && !strcmp(name, "NVIDIA A100-SXM4-80GB MIG 2g.20gb"));
	EXPECT(FN(nvmlDeviceGetUUID)(instance(0), uuid, sizeof uuid) == NVML_SUCCESS && !strncmp(uuid, "MIG-", 4) && strlen(uuid) == 40);
	EXPECT(FN(nvmlDeviceGetUUID)(instance(1), other, sizeof other) == NVML_SUCCESS && strcmp(uuid, other));
	EXPECT(FN(nvmlDeviceGetGpuInstanceId)(instance(0), &gi) == NVML_SUCCESS && gi == 3);
	EXPECT(FN(nvmlDeviceGetComputeInstanceId)(instance(0), &ci) == NVML_SUCCESS && ci == 0);
	EXPECT(FN(nvmlDeviceIsMigDeviceHandle)(instance(0), &yes) == NVML_SUCCESS && yes);
	EXPECT(FN(nvmlDeviceIsMigDeviceHandle)(gpu(1), &yes) == NVML_SUCCESS && !yes);
	EXPECT(FN(nvmlDeviceGetGpuInstanceId)(gpu(1), &gi) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetDeviceHandleFromMigDeviceHandle)(instance(1), &parent) == NVML_SUCCESS && parent.handle == gpu(1).handle);
	EXPECT(FN(nvmlDeviceGetAttributes_v2)(instance(0), &attributes) == NVML_SUCCESS && attributes.memorySizeMB == 20096);
}

static void check_use(unsigned driver)
{
	unsigned value = 0, count = 4;
	nvmlMemory_t memory;
	nvmlUtilization_t load;
	nvmlProcessInfo_v2_t infos[4];

	EXPECT(FN(nvmlDeviceGetMemoryInfo)(instance(0), &memory) == NVML_SUCCESS && memory.total == 20096ULL << 20);
	EXPECT(memory.used > 0 && memory.used < memory.total);
	EXPECT(FN(nvmlDeviceGetUtilizationRates)(instance(0), &load) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetTemperature)(instance(0), NVML_TEMPERATURE_GPU, &value) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetComputeRunningProcesses_v2)(instance(0), &count, infos) == NVML_SUCCESS && count == 1);
	EXPECT(infos[0].pid == 41 && infos[0].gpuInstanceId == 3 && infos[0].computeInstanceId == 0);
	count = 4;
	EXPECT(FN(nvmlDeviceGetComputeRunningProcesses_v2)(gpu(1), &count, infos) == NVML_SUCCESS && count == 2);
	EXPECT(infos[1].pid == 42 && infos[1].gpuInstanceId == 5);
	if (driver < 520)
		return;
	nvmlGpmSample_t sample;
	EXPECT(FN(nvmlGpmSampleAlloc)(&sample) == NVML_SUCCESS);
	EXPECT(FN(nvmlGpmMigSampleGet)(gpu(1), 3, sample) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlGpmMigSampleGet)(gpu(1), 4, sample) == NVML_ERROR_INVALID_ARGUMENT);
	EXPECT(FN(nvmlGpmSampleFree)(sample) == NVML_SUCCESS);
}

void check_instances(unsigned driver)
{
	char name[96];
	play("gpu 1 mig 3:0:20096 5:0:10048:1\nproc 1 41 100 compute 0 3:0\nproc 1 42 100 compute 0 5:0\n");
	check_parent();
	check_identity();
	check_use(driver);

	nvmlDevice_t kept = instance(1), gone = instance(0);
	play("gpu 1 mig 5:0:10048\n");
	EXPECT(FN(nvmlDeviceGetName)(gone, name, sizeof name) == NVML_ERROR_INVALID_ARGUMENT);
	EXPECT(FN(nvmlDeviceGetName)(kept, name, sizeof name) == NVML_SUCCESS && instance(0).handle == kept.handle);
}

static nvmlReturn_t waited;
static nvmlEventData_t event;

static void *wait_for_event(void *set)
{
	waited = FN(nvmlEventSetWait_v2)(*(nvmlEventSet_t *)set, &event, 5000);
	return NULL;
}

void check_events(void)
{
	nvmlEventSet_t set;
	pthread_t thread;
	unsigned long long types = 0;

	play("xid 1 31\n");
	EXPECT(FN(nvmlDeviceGetSupportedEventTypes)(gpu(1), &types) == NVML_SUCCESS && types & nvmlEventTypeXidCriticalError);
	EXPECT(FN(nvmlEventSetCreate)(&set) == NVML_SUCCESS);
	EXPECT(FN(nvmlDeviceRegisterEvents)(gpu(1), nvmlEventTypeXidCriticalError, set) == NVML_SUCCESS);
	EXPECT(FN(nvmlEventSetWait_v2)(set, &event, 10) == NVML_ERROR_TIMEOUT); // what was before is past
	if (pthread_create(&thread, NULL, wait_for_event, &set))
		errx(1, "cannot start a thread");
	sleep_ms(100);
	replace_scenario("xid 1 31\nxid 0 48\nxid 1 79\n");
	pthread_join(thread, NULL);
	EXPECT(waited == NVML_SUCCESS && event.eventData == 79 && event.device.handle == gpu(1).handle);
	play("xid 1 31\nxid 1 79 2\n");
	EXPECT(FN(nvmlEventSetWait_v2)(set, &event, 10) == NVML_SUCCESS && event.eventData == 79);
	EXPECT(FN(nvmlEventSetWait_v2)(set, &event, 10) == NVML_ERROR_TIMEOUT);
	EXPECT(FN(nvmlEventSetFree)(set) == NVML_SUCCESS);
}
