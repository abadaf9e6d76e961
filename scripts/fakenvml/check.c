// check.c: opens a fake NVML as a program would and checks its answers. `check` runs it.
// Usage: check LIBRARY DRIVER SCENARIO-FILE
#include "check.h"

#include <dlfcn.h>
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The layouts in go-nvml on 64-bit Linux.
_Static_assert(sizeof(nvmlUtilization_t) == 8, "nvmlUtilization_t");
_Static_assert(sizeof(nvmlMemory_t) == 24, "nvmlMemory_t");
_Static_assert(sizeof(nvmlMemory_v2_t) == 40, "nvmlMemory_v2_t");
_Static_assert(sizeof(nvmlPciInfo_t) == 68, "nvmlPciInfo_t");
_Static_assert(sizeof(nvmlProcessInfo_v1_t) == 16, "nvmlProcessInfo_v1_t");
_Static_assert(sizeof(nvmlProcessInfo_t) == 24, "nvmlProcessInfo_t");
_Static_assert(sizeof(nvmlProcessUtilizationSample_t) == 32, "nvmlProcessUtilizationSample_t");
_Static_assert(sizeof(nvmlTemperature_t) == 12, "nvmlTemperature_t");
_Static_assert(sizeof(nvmlFieldValue_t) == 40, "nvmlFieldValue_t");

void *library;
static const char *scenario_path;
static int failures;

void expect(bool holds, const char *file, int line, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	failures++;
}

void *require(const char *name)
{
	void *symbol = dlsym(library, name);
	if (!symbol)
		errx(1, "%s is missing", name);
	return symbol;
}

void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

void replace_scenario(const char *text)
{
	char fresh[4096];
	snprintf(fresh, sizeof fresh, "%s.new", scenario_path);
	FILE *file = fopen(fresh, "w");
	if (!file)
		err(1, "%s", fresh);
	fputs(text, file);
	fclose(file);
	if (rename(fresh, scenario_path))
		err(1, "%s", scenario_path);
}

void play(const char *text)
{
	replace_scenario(text);
	sleep_ms(150);
}

nvmlDevice_t gpu(unsigned index)
{
	nvmlDevice_t device = {NULL};
	EXPECT(FN(nvmlDeviceGetHandleByIndex_v2)(index, &device) == NVML_SUCCESS);
	return device;
}

static void check_healthy(void)
{
	char name[96], uuid[96], again[96];
	unsigned count = 0, value = 0;
	nvmlUtilization_t load;
	nvmlMemory_t memory;
	nvmlDevice_t same;
	nvmlPciInfo_t pci;

	play("# nothing\n");
	EXPECT(FN(nvmlDeviceGetCount_v2)(&count) == NVML_SUCCESS && count == 4);
	EXPECT(FN(nvmlDeviceGetName)(gpu(0), name, sizeof name) == NVML_SUCCESS);
	EXPECT(!strcmp(name, "NVIDIA A100-SXM4-80GB"));
	EXPECT(FN(nvmlDeviceGetUUID)(gpu(1), uuid, sizeof uuid) == NVML_SUCCESS && strlen(uuid) == 40);
	EXPECT(FN(nvmlDeviceGetUUID)(gpu(2), again, sizeof again) == NVML_SUCCESS && strcmp(uuid, again));
	EXPECT(FN(nvmlDeviceGetHandleByUUID)(uuid, &same) == NVML_SUCCESS && same.handle == gpu(1).handle);
	EXPECT(FN(nvmlDeviceGetPciInfo_v3)(gpu(1), &pci) == NVML_SUCCESS && !strcmp(pci.busId, "00000000:17:00.0"));
	EXPECT(FN(nvmlDeviceGetUtilizationRates)(gpu(0), &load) == NVML_SUCCESS && load.gpu <= 100);
	EXPECT(FN(nvmlDeviceGetMemoryInfo)(gpu(0), &memory) == NVML_SUCCESS);
	EXPECT(memory.total == 81920ULL << 20 && memory.used + memory.free == memory.total);
	EXPECT(FN(nvmlDeviceGetPowerUsage)(gpu(0), &value) == NVML_SUCCESS && value < 400000);
	EXPECT(FN(nvmlDeviceGetUUID)(gpu(0), uuid, 8) == NVML_ERROR_INSUFFICIENT_SIZE);
	EXPECT(FN(nvmlDeviceGetHandleByIndex_v2)(4, &same) == NVML_ERROR_INVALID_ARGUMENT);
	EXPECT(!strcmp(FN(nvmlErrorString)(NVML_ERROR_GPU_IS_LOST), "GPU is lost"));
}

static void check_settings(void)
{
	nvmlUtilization_t load;
	unsigned temperature = 0, power = 0, clock = 0;
	nvmlFieldValue_t fields[2] = {{.fieldId = NVML_FI_DEV_MEMORY_TEMP}, {.fieldId = 9999}};
	unsigned long long reasons = 0, errors = 0;

	play("util 55\ngpu 2 util 12\ngpu 2 temperature 91\ngpu 2 memory_temperature 77\ngpu 2 power 123\n"
	     "gpu 2 throttle hw_thermal,hw_power_brake\ngpu 2 ecc 7 # uncorrected\n");
	EXPECT(FN(nvmlDeviceGetUtilizationRates)(gpu(1), &load) == NVML_SUCCESS && load.gpu == 55);
	EXPECT(FN(nvmlDeviceGetUtilizationRates)(gpu(2), &load) == NVML_SUCCESS && load.gpu == 12);
	EXPECT(FN(nvmlDeviceGetTemperature)(gpu(2), NVML_TEMPERATURE_GPU, &temperature) == NVML_SUCCESS);
	EXPECT(temperature == 91);
	EXPECT(FN(nvmlDeviceGetFieldValues)(gpu(2), 2, fields) == NVML_SUCCESS && fields[0].nvmlReturn == NVML_SUCCESS);
	EXPECT(fields[0].valueType == NVML_VALUE_TYPE_UNSIGNED_INT && fields[0].value.uiVal == 77);
	EXPECT(fields[1].nvmlReturn == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetPowerUsage)(gpu(2), &power) == NVML_SUCCESS && power == 123000);
	EXPECT(FN(nvmlDeviceGetCurrentClocksThrottleReasons)(gpu(2), &reasons) == NVML_SUCCESS && reasons == 0xc0);
	EXPECT(FN(nvmlDeviceGetClockInfo)(gpu(2), NVML_CLOCK_SM, &clock) == NVML_SUCCESS && clock == 705);
	EXPECT(FN(nvmlDeviceGetTotalEccErrors)(gpu(2), NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC, &errors) ==
	       NVML_SUCCESS);
	EXPECT(errors == 7);
}

static void check_failures(void)
{
	nvmlDevice_t lost = gpu(3), none;
	unsigned value;
	nvmlUtilization_t load;

	play("gpu 3 lost\nunsupported nvmlDeviceGetPowerUsage\ngpu 1 fail nvmlDeviceGetUtil* 4\n");
	EXPECT(FN(nvmlDeviceGetHandleByIndex_v2)(3, &none) == NVML_ERROR_GPU_IS_LOST);
	EXPECT(FN(nvmlDeviceGetUtilizationRates)(lost, &load) == NVML_ERROR_GPU_IS_LOST);
	EXPECT(FN(nvmlDeviceGetPowerUsage)(gpu(0), &value) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetUtilizationRates)(gpu(1), &load) == NVML_ERROR_NO_PERMISSION);
	EXPECT(FN(nvmlDeviceGetUtilizationRates)(gpu(0), &load) == NVML_SUCCESS);

	play("utl 55\n");
	EXPECT(FN(nvmlDeviceGetUtilizationRates)(lost, &load) == NVML_ERROR_INVALID_ARGUMENT);

	play("init 18\n");
	EXPECT(FN(nvmlInit_v2)() == NVML_ERROR_LIB_RM_VERSION_MISMATCH);
}

static void check_slow(void)
{
	struct timespec before, after;
	unsigned value;
	nvmlDevice_t device = gpu(0);

	play("slow nvmlDeviceGetPowerUsage 200\n");
	clock_gettime(CLOCK_MONOTONIC, &before);
	EXPECT(FN(nvmlDeviceGetPowerUsage)(device, &value) == NVML_SUCCESS);
	clock_gettime(CLOCK_MONOTONIC, &after);
	EXPECT((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 >= 199);
}

static void *slow_call(void *device)
{
	unsigned value;
	EXPECT(FN(nvmlDeviceGetPowerUsage)(*(nvmlDevice_t *)device, &value) == NVML_SUCCESS);
	return NULL;
}

// check_released: a call that hangs returns when the scenario lets it, and other calls go on meanwhile.
static void check_released(void)
{
	pthread_t thread;
	unsigned value;
	nvmlDevice_t slow = gpu(1);

	play("gpu 1 slow nvmlDeviceGetPowerUsage 600000\n");
	if (pthread_create(&thread, NULL, slow_call, &slow))
		errx(1, "cannot start a thread");
	EXPECT(FN(nvmlDeviceGetPowerUsage)(gpu(0), &value) == NVML_SUCCESS);
	play("");
	pthread_join(thread, NULL);
}

// check_absent: what is not there leaves a hole in the minor numbers, and none in the places.
static void check_absent(void)
{
	unsigned count = 0, minor = 0, index = 9;
	nvmlDevice_t last = gpu(3);

	play("gpu 1 absent\n");
	EXPECT(FN(nvmlDeviceGetCount_v2)(&count) == NVML_SUCCESS && count == 3);
	EXPECT(FN(nvmlDeviceGetMinorNumber)(gpu(1), &minor) == NVML_SUCCESS && minor == 2);
	EXPECT(FN(nvmlDeviceGetIndex)(gpu(1), &index) == NVML_SUCCESS && index == 1);
	EXPECT(FN(nvmlDeviceGetMinorNumber)(last, &minor) == NVML_SUCCESS && minor == 3);
	EXPECT(FN(nvmlDeviceGetHandleByIndex_v2)(3, &last) == NVML_ERROR_INVALID_ARGUMENT);
	play("");
	EXPECT(FN(nvmlDeviceGetCount_v2)(&count) == NVML_SUCCESS && count == 4);
}

// check_sticky: a handle of a GPU that was lost for good stays dead when the GPU is back; the next one is good.
static void check_sticky(void)
{
	unsigned value;
	nvmlDevice_t old = gpu(2), fresh;

	play("gpu 2 lost sticky\n");
	EXPECT(FN(nvmlDeviceGetPowerUsage)(old, &value) == NVML_ERROR_GPU_IS_LOST);
	EXPECT(FN(nvmlDeviceGetHandleByIndex_v2)(2, &fresh) == NVML_ERROR_GPU_IS_LOST);
	play("");
	EXPECT(FN(nvmlDeviceGetPowerUsage)(old, &value) == NVML_ERROR_GPU_IS_LOST);
	fresh = gpu(2);
	EXPECT(FN(nvmlDeviceGetPowerUsage)(fresh, &value) == NVML_SUCCESS);
	EXPECT(FN(nvmlDeviceGetPowerUsage)(old, &value) == NVML_ERROR_GPU_IS_LOST);
	play("gpu 2 lost\n");
	EXPECT(FN(nvmlDeviceGetPowerUsage)(fresh, &value) == NVML_ERROR_GPU_IS_LOST);
	play("");
	EXPECT(FN(nvmlDeviceGetPowerUsage)(fresh, &value) == NVML_SUCCESS);
}

static void check_processes(void)
{
	nvmlProcessInfo_v2_t infos[4];
	nvmlProcessUtilizationSample_t samples[4];
	unsigned count = 0;

	play("proc 1 4242 2048 compute 30\nproc 1 4243 n/a compute 10\nproc 1 4244 10 graphics 5\n");
	EXPECT(FN(nvmlDeviceGetComputeRunningProcesses_v2)(gpu(1), &count, NULL) == NVML_ERROR_INSUFFICIENT_SIZE);
	EXPECT(count == 2);
	count = 4;
	EXPECT(FN(nvmlDeviceGetComputeRunningProcesses_v2)(gpu(1), &count, infos) == NVML_SUCCESS && count == 2);
	EXPECT(infos[0].pid == 4242 && infos[0].usedGpuMemory == 2048ULL << 20 && infos[0].gpuInstanceId == ~0u);
	EXPECT(infos[1].pid == 4243 && infos[1].usedGpuMemory == (unsigned long long)NVML_VALUE_NOT_AVAILABLE);
	count = 4;
	EXPECT(FN(nvmlDeviceGetGraphicsRunningProcesses_v2)(gpu(1), &count, infos) == NVML_SUCCESS && count == 1);
	count = 0;
	EXPECT(FN(nvmlDeviceGetComputeRunningProcesses_v2)(gpu(0), &count, NULL) == NVML_SUCCESS && count == 0);
	count = 0;
	EXPECT(FN(nvmlDeviceGetProcessUtilization)(gpu(1), NULL, &count, 0) == NVML_ERROR_INSUFFICIENT_SIZE);
	EXPECT(count == 3);
	EXPECT(FN(nvmlDeviceGetProcessUtilization)(gpu(1), samples, &count, 0) == NVML_SUCCESS);
	EXPECT(samples[0].pid == 4242 && samples[0].smUtil == 30);
	EXPECT(FN(nvmlDeviceGetProcessUtilization)(gpu(0), NULL, &count, 0) == NVML_ERROR_NOT_FOUND);
}

// check_variant: a library has the functions that its driver had.
static void check_variant(unsigned driver)
{
	static const struct { unsigned since; const char *name; } newer[] = {
		{460, "nvmlDeviceGetMPSComputeRunningProcesses_v2"}, {510, "nvmlDeviceGetMemoryInfo_v2"},
		{510, "nvmlDeviceGetComputeRunningProcesses_v3"}, {510, "nvmlDeviceGetGraphicsRunningProcesses_v3"},
		{510, "nvmlDeviceGetMPSComputeRunningProcesses_v3"}, {520, "nvmlGpmMetricsGet"}, {525, "nvmlDeviceGetGpuFabricInfo"},
		{530, "nvmlDeviceGetJpgUtilization"}, {530, "nvmlDeviceGetOfaUtilization"}, {535, "nvmlDeviceGetCurrentClocksEventReasons"},
		{545, "nvmlDeviceGetGpuFabricInfoV"}, {545, "nvmlDeviceGetNumaNodeId"}, {550, "nvmlDeviceGetTemperatureV"},
	};
	for (size_t i = 0; i < sizeof newer / sizeof *newer; i++)
		expect(!dlsym(library, newer[i].name) == (driver < newer[i].since), __FILE__, __LINE__, newer[i].name);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		errx(2, "usage: check LIBRARY DRIVER SCENARIO-FILE");
	scenario_path = argv[3];
	setenv("FAKENVML_SCENARIO", scenario_path, 1);
	library = dlopen(argv[1], RTLD_LAZY);
	if (!library)
		errx(1, "%s", dlerror());

	unsigned count;
	EXPECT(FN(nvmlDeviceGetCount_v2)(&count) == NVML_ERROR_UNINITIALIZED);
	EXPECT(FN(nvmlInit_v2)() == NVML_SUCCESS);
	check_healthy();
	check_settings();
	check_slow();
	check_released();
	check_processes();
	check_absent();
	check_sticky();
	unsigned driver = (unsigned)strtoul(argv[2], NULL, 10);
	check_variant(driver);
	check_readings(driver);
	check_instances(driver);
	check_events();
	play("");
	check_failures();
	play("");
	EXPECT(FN(nvmlShutdown)() == NVML_SUCCESS);
	EXPECT(FN(nvmlDeviceGetCount_v2)(&count) == NVML_ERROR_UNINITIALIZED);
	return failures > 0;
}
