// Checks of the numbers of a GPU: settings, counters, fields, GPM.
#include "check.h"
#include <string.h>

static nvmlReturn_t field(nvmlDevice_t device, unsigned id, unsigned long long *value)
{
	nvmlFieldValue_t f = {.fieldId = id, .scopeId = ~0u};
	EXPECT(FN(nvmlDeviceGetFieldValues)(device, 1, &f) == NVML_SUCCESS);
	*value = f.valueType == NVML_VALUE_TYPE_UNSIGNED_INT ? f.value.uiVal : f.value.ullVal;
	return f.nvmlReturn;
}

// grown is how much a field grows in a time.
static unsigned long long grown(nvmlDevice_t device, unsigned id, long ms)
{
	unsigned long long before = 0, after = 0;
	EXPECT(field(device, id, &before) == NVML_SUCCESS);
	sleep_ms(ms);
	EXPECT(field(device, id, &after) == NVML_SUCCESS && after >= before);
	return after - before;
}

static bool near(unsigned long long value, unsigned long long lowest, unsigned long long highest) { return value >= lowest && value <= highest; }

static void check_model(void)
{
	unsigned value = 0, period = 0, pending = 0, failed = 0;
	int major = 0, minor = 0;
	unsigned long long errors = 9;
	nvmlBAR1Memory_t bar1;
	nvmlEnableState_t on, next;
	nvmlPstates_t pstate;
	nvmlDriverModel_t model;
	char text[96];

	play("util 80\n");
	EXPECT(FN(nvmlDeviceGetEncoderUtilization)(gpu(0), &value, &period) == NVML_SUCCESS && value == 0 && period > 0);
	EXPECT(FN(nvmlDeviceGetBAR1MemoryInfo)(gpu(0), &bar1) == NVML_SUCCESS && bar1.bar1Used + bar1.bar1Free == bar1.bar1Total);
	EXPECT(FN(nvmlDeviceGetTemperatureThreshold)(gpu(0), NVML_TEMPERATURE_THRESHOLD_SHUTDOWN, &value) == NVML_SUCCESS && value == 92);
	EXPECT(FN(nvmlDeviceGetFanSpeed)(gpu(0), &value) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetPowerManagementDefaultLimit)(gpu(0), &value) == NVML_SUCCESS && value == 400000);
	EXPECT(FN(nvmlDeviceGetPowerManagementLimitConstraints)(gpu(0), &period, &value) == NVML_SUCCESS && value == 400000);
	EXPECT(FN(nvmlDeviceGetPerformanceState)(gpu(0), &pstate) == NVML_SUCCESS && pstate == NVML_PSTATE_0);
	EXPECT(FN(nvmlDeviceGetMaxClockInfo)(gpu(0), NVML_CLOCK_SM, &value) == NVML_SUCCESS && value == 1410);
	EXPECT(FN(nvmlDeviceGetClockInfo)(gpu(0), NVML_CLOCK_VIDEO, &value) == NVML_SUCCESS && value == 1269);
	EXPECT(FN(nvmlDeviceGetCurrPcieLinkGeneration)(gpu(0), &value) == NVML_SUCCESS && value == 4);
	EXPECT(FN(nvmlDeviceGetMaxPcieLinkWidth)(gpu(0), &value) == NVML_SUCCESS && value == 16);
	EXPECT(FN(nvmlDeviceGetPcieReplayCounter)(gpu(0), &value) == NVML_SUCCESS && value == 0);
	EXPECT(FN(nvmlDeviceGetDriverModel)(gpu(0), &model, &model) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetNvLinkState)(gpu(0), 11, &on) == NVML_SUCCESS && on == NVML_FEATURE_ENABLED);
	EXPECT(FN(nvmlDeviceGetNvLinkState)(gpu(0), 12, &on) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetEccMode)(gpu(0), &on, &next) == NVML_SUCCESS && on == NVML_FEATURE_ENABLED);
	EXPECT(FN(nvmlDeviceGetRetiredPagesPendingStatus)(gpu(0), &on) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetRemappedRows)(gpu(0), &value, &period, &pending, &failed) == NVML_SUCCESS && !value && !failed);
	EXPECT(FN(nvmlDeviceGetTotalEccErrors)(gpu(0), NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_AGGREGATE_ECC, &errors) == NVML_SUCCESS && !errors);
	EXPECT(FN(nvmlDeviceGetPersistenceMode)(gpu(0), &on) == NVML_SUCCESS && on == NVML_FEATURE_ENABLED);
	EXPECT(FN(nvmlDeviceGetDisplayMode)(gpu(0), &on) == NVML_SUCCESS && on == NVML_FEATURE_DISABLED);
	EXPECT(FN(nvmlDeviceGetCudaComputeCapability)(gpu(0), &major, &minor) == NVML_SUCCESS && major == 8 && minor == 0);
	EXPECT(FN(nvmlDeviceGetVbiosVersion)(gpu(0), text, sizeof text) == NVML_SUCCESS && strlen(text) == 14);
	EXPECT(FN(nvmlDeviceGetSerial)(gpu(0), text, sizeof text) == NVML_SUCCESS);
}

static void check_set(void)
{
	unsigned value = 0, more = 0, pending = 0, failed = 0;
	unsigned long long errors = 0;
	nvmlEnableState_t on;
	nvmlMemory_t memory;
	nvmlRowRemapperHistogramValues_t banks;

	play("gpu 1 fan 47\ngpu 1 util_encoder 12\ngpu 1 pcie_gen 1\ngpu 1 pcie_width 8\ngpu 1 pcie_replays 17\ngpu 1 nvlink_links 4\ngpu 1 pcie_rx 3\n"
	     "gpu 1 nvlink_down 1,3\ngpu 1 nvlink_crc 5\ngpu 1 nvlink_recoveries 2\ngpu 1 ecc 3\ngpu 1 ecc_aggregate 9\ngpu 1 remap 1 2 1 0\n"
	     "gpu 1 banks_without_spares 3\n"
	     "gpu 1 retired 3 2 1\ngpu 1 persistence 0\ngpu 1 display_active 1\ngpu 1 power n/a\ngpu 1 memory_total n/a\ngpu 2 ecc_mode 0\n"
	     "gpu 3 clock_sm_max n/a\ngpu 3 throttle hw_thermal\n");
	EXPECT(FN(nvmlDeviceGetFanSpeed)(gpu(1), &value) == NVML_SUCCESS && value == 47);
	EXPECT(FN(nvmlDeviceGetEncoderUtilization)(gpu(1), &value, &more) == NVML_SUCCESS && value == 12);
	EXPECT(FN(nvmlDeviceGetCurrPcieLinkGeneration)(gpu(1), &value) == NVML_SUCCESS && value == 1);
	EXPECT(FN(nvmlDeviceGetCurrPcieLinkWidth)(gpu(1), &value) == NVML_SUCCESS && value == 8);
	EXPECT(FN(nvmlDeviceGetPcieReplayCounter)(gpu(1), &value) == NVML_SUCCESS && value == 17);
	EXPECT(FN(nvmlDeviceGetPcieThroughput)(gpu(1), NVML_PCIE_UTIL_RX_BYTES, &value) == NVML_SUCCESS && value == 3000);
	EXPECT(FN(nvmlDeviceGetPcieThroughput)(gpu(1), NVML_PCIE_UTIL_COUNT, &value) == NVML_ERROR_INVALID_ARGUMENT);
	EXPECT(FN(nvmlDeviceGetNvLinkState)(gpu(1), 3, &on) == NVML_SUCCESS && on == NVML_FEATURE_DISABLED);
	EXPECT(FN(nvmlDeviceGetNvLinkState)(gpu(1), 2, &on) == NVML_SUCCESS && on == NVML_FEATURE_ENABLED);
	EXPECT(field(gpu(1), NVML_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL, &errors) == NVML_SUCCESS && errors == 5);
	EXPECT(field(gpu(1), NVML_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL, &errors) == NVML_SUCCESS && errors == 2);
	EXPECT(FN(nvmlDeviceGetTotalEccErrors)(gpu(1), NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_AGGREGATE_ECC, &errors) == NVML_SUCCESS && errors == 9);
	EXPECT(FN(nvmlDeviceGetTotalEccErrors)(gpu(2), NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC, &errors) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetRemappedRows)(gpu(1), &value, &more, &pending, &failed) == NVML_SUCCESS && value == 1 && more == 2 && pending == 1 && !failed);
	EXPECT(FN(nvmlDeviceGetRowRemapperHistogram)(gpu(1), &banks) == NVML_SUCCESS && banks.none == 3 && banks.max == 637);
	value = 0;
	EXPECT(FN(nvmlDeviceGetRetiredPages)(gpu(1), NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR, &value, NULL) == NVML_ERROR_INSUFFICIENT_SIZE);
	EXPECT(value == 2);
	EXPECT(FN(nvmlDeviceGetRetiredPagesPendingStatus)(gpu(1), &on) == NVML_SUCCESS && on == NVML_FEATURE_ENABLED);
	EXPECT(FN(nvmlDeviceGetPersistenceMode)(gpu(1), &on) == NVML_SUCCESS && on == NVML_FEATURE_DISABLED);
	EXPECT(FN(nvmlDeviceGetDisplayMode)(gpu(1), &on) == NVML_SUCCESS && on == NVML_FEATURE_DISABLED);
	EXPECT(FN(nvmlDeviceGetDisplayActive)(gpu(1), &on) == NVML_SUCCESS && on == NVML_FEATURE_ENABLED);
	EXPECT(FN(nvmlDeviceGetPowerUsage)(gpu(1), &value) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetMemoryInfo)(gpu(1), &memory) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetMemoryInfo)(gpu(0), &memory) == NVML_SUCCESS);
	EXPECT(FN(nvmlDeviceGetClockInfo)(gpu(3), NVML_CLOCK_SM, &value) == NVML_ERROR_NOT_SUPPORTED);
	EXPECT(FN(nvmlDeviceGetClockInfo)(gpu(3), NVML_CLOCK_VIDEO, &value) == NVML_ERROR_NOT_SUPPORTED);
}

// check_counters: they grow with what the GPU does, and begin again with another driver only.
static void check_counters(unsigned driver)
{
	unsigned long long before = 0, after = 0;

	play("power 200\npcie_tx 1000\nnvlink_tx 50\ngpu 1 throttle sw_power_cap,hw_thermal\n");
	EXPECT(near(grown(gpu(0), NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, 200), 38000, 60000));
	EXPECT(near(grown(gpu(0), NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX, 200), 9000000, 15000000)); // KiB
	EXPECT(grown(gpu(0), NVML_FI_DEV_PERF_POLICY_POWER, 50) == 0);
	EXPECT(near(grown(gpu(1), NVML_FI_DEV_PERF_POLICY_POWER, 50), 45000000, 200000000));
	if (driver >= 530)
		EXPECT(near(grown(gpu(0), NVML_FI_DEV_PCIE_COUNT_TX_BYTES, 200), 190000000, 300000000));
	EXPECT(field(gpu(0), NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, &before) == NVML_SUCCESS);
	play("power 1\n");
	EXPECT(field(gpu(0), NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, &after) == NVML_SUCCESS && after >= before);
	play("driver 999.1\npower 1\n");
	EXPECT(field(gpu(0), NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, &after) == NVML_SUCCESS && after < 10000);
}

// check_fields: the newest ones exist in the newest library, and some have other numbers since driver 580.
static void check_fields(unsigned driver)
{
	unsigned long long value = 0;
	bool newest = driver > 550;
	play("gpu 0 recovery 2\ngpu 0 throttle hw_thermal\n");
	EXPECT((field(gpu(0), NVML_FI_DEV_GET_GPU_RECOVERY_ACTION, &value) == NVML_SUCCESS) == newest);
	EXPECT((field(gpu(0), 252, &value) == NVML_SUCCESS) == newest);
	EXPECT(field(gpu(0), 270, &value) == NVML_ERROR_NOT_SUPPORTED);
	if (newest)
		EXPECT(grown(gpu(0), 252, 30) > 0 && grown(gpu(0), 251, 30) == 0);
	play("gpu 0 throttle hw_thermal\ndriver 580.65.06\n");
	EXPECT(field(gpu(0), 252, &value) == NVML_ERROR_NOT_SUPPORTED);
	if (newest)
		EXPECT(grown(gpu(0), 270, 30) > 0);
}

static void check_hopper(unsigned driver)
{
	unsigned links = 0;
	int major = 0, minor;
	nvmlEnableState_t on;
	char name[96];
	play("hopper\n");
	EXPECT(FN(nvmlDeviceGetName)(gpu(0), name, sizeof name) == NVML_SUCCESS && strstr(name, "H100"));
	EXPECT(FN(nvmlDeviceGetCudaComputeCapability)(gpu(0), &major, &minor) == NVML_SUCCESS && major == 9);
	while (links < NVML_NVLINK_MAX_LINKS && FN(nvmlDeviceGetNvLinkState)(gpu(0), links, &on) == NVML_SUCCESS)
		links++;
	EXPECT(links == 18);
	if (driver >= 545) {
		nvmlGpuFabricInfoV_t fabric = {.version = nvmlGpuFabricInfo_v2};
		EXPECT(FN(nvmlDeviceGetGpuFabricInfoV)(gpu(0), &fabric) == NVML_SUCCESS);
		EXPECT(fabric.state == NVML_GPU_FABRIC_STATE_COMPLETED && fabric.status == NVML_SUCCESS);
		EXPECT(!fabric.clusterUuid[0] && !fabric.cliqueId && !fabric.healthMask);
		play("hopper\nfabric_domain 7\nfabric_clique 5\nfabric_health 0xa9\n");
		EXPECT(FN(nvmlDeviceGetGpuFabricInfoV)(gpu(0), &fabric) == NVML_SUCCESS);
		EXPECT(fabric.clusterUuid[15] == 7 && fabric.cliqueId == 5 && fabric.healthMask == 0xa9);
	}
}

static void check_gpm(void)
{
	static nvmlGpmMetricsGet_t get;
	static const unsigned ids[] = {NVML_GPM_METRIC_GRAPHICS_UTIL, NVML_GPM_METRIC_SM_OCCUPANCY, NVML_GPM_METRIC_PCIE_TX_PER_SEC, 9999};
	nvmlGpmSupport_t support = {.version = NVML_GPM_SUPPORT_VERSION};

	play("hopper\npcie_tx 1000\ngpm_occupancy 33\ngpm_graphics 90\ngpu 1 gpm_graphics n/a\n");
	EXPECT(FN(nvmlGpmQueryDeviceSupport)(gpu(0), &support) == NVML_SUCCESS && support.isSupportedDevice);
	for (unsigned on = 0; on < 2; on++) {
		EXPECT(FN(nvmlGpmSampleAlloc)(&get.sample1) == NVML_SUCCESS && FN(nvmlGpmSampleAlloc)(&get.sample2) == NVML_SUCCESS);
		EXPECT(FN(nvmlGpmSampleGet)(gpu(on), get.sample1) == NVML_SUCCESS);
		sleep_ms(120);
		EXPECT(FN(nvmlGpmSampleGet)(gpu(on), get.sample2) == NVML_SUCCESS);
		get.version = NVML_GPM_METRICS_GET_VERSION;
		get.numMetrics = 4;
		for (unsigned i = 0; i < 4; i++)
			get.metrics[i].metricId = ids[i];
		EXPECT(FN(nvmlGpmMetricsGet)(&get) == NVML_SUCCESS);
		EXPECT(get.metrics[0].nvmlReturn == (on ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS) && (on || get.metrics[0].value == 90));
		EXPECT(get.metrics[1].nvmlReturn == NVML_SUCCESS && get.metrics[1].value == 33);
		EXPECT(get.metrics[2].nvmlReturn == NVML_SUCCESS && get.metrics[2].value > 940 && get.metrics[2].value < 970); // MiB/s
		EXPECT(get.metrics[3].nvmlReturn == NVML_ERROR_NOT_SUPPORTED);
		EXPECT(FN(nvmlGpmSampleFree)(get.sample1) == NVML_SUCCESS && FN(nvmlGpmSampleFree)(get.sample2) == NVML_SUCCESS);
	}
	play("");
	EXPECT(FN(nvmlGpmQueryDeviceSupport)(gpu(0), &support) == NVML_SUCCESS && !support.isSupportedDevice);
}

// check_newer: the structures of the newer functions.
static void check_newer(unsigned driver)
{
	nvmlMemory_v2_t memory = {.version = nvmlMemory_v2};
	play("memory_used 1000\ntemperature 77\n");
	EXPECT(FN(nvmlDeviceGetMemoryInfo_v2)(gpu(0), &memory) == NVML_SUCCESS && memory.used == 1000ULL << 20);
	EXPECT(memory.used + memory.free + memory.reserved == memory.total);
	memory.version = 2;
	EXPECT(FN(nvmlDeviceGetMemoryInfo_v2)(gpu(0), &memory) == NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
	if (driver >= 550) {
		nvmlTemperature_t temperature = {.version = nvmlTemperature_v1, .sensorType = NVML_TEMPERATURE_GPU};
		EXPECT(FN(nvmlDeviceGetTemperatureV)(gpu(0), &temperature) == NVML_SUCCESS && temperature.temperature == 77);
	}
	nvmlProcessInfo_v2_t infos[3];
	unsigned processes = 3;
	// The records of 535.54 are wide without being told so.
	char scenario[256] = "proc 0 7 1 compute 1\nproc 0 8 1 compute 1\nproc 0 9 1 compute 1\n";
	if (driver != 535)
		strcat(scenario, "procrecord 32\n");
	play(scenario);
	EXPECT(FN(nvmlDeviceGetComputeRunningProcesses_v3)(gpu(0), &processes, infos) == NVML_SUCCESS && processes == 3);
	EXPECT(infos[0].pid == 7 && infos[1].pid == 0 && infos[2].pid != 9);
}

void check_readings(unsigned driver)
{
	check_model();
	check_set();
	check_counters(driver);
	check_fields(driver);
	check_hopper(driver);
	if (driver >= 510)
		check_newer(driver);
	if (driver >= 520)
		check_gpm();
}
