// The parts of the fake NVML: scenario.c and settings.c read how the node differs from a healthy one, model.c and counters.c compute
// the current values of a GPU, processes.c finds its processes, handles.c knows what a handle stands for, and the other files
// implement NVML's functions.
#ifndef FAKENVML_H
#define FAKENVML_H

#include <stdbool.h>

// The header's own macros would turn nvmlInit into nvmlInit_v2; a library has to define both.
#define NVML_NO_UNVERSIONED_FUNC_DEFS
// The library exports what the header declares; everything else is hidden (-fvisibility=hidden).
#pragma GCC visibility push(default)
#include <nvml.h>
#pragma GCC visibility pop

// DRIVER is the major version of the driver whose library this is: it lacks the functions of newer ones.
#ifndef DRIVER
#define DRIVER 9999
#endif

enum { MAX_GPUS = 16, MAX_RULES = 64, MAX_PROCESSES = 256, MAX_INSTANCES = 7, MAX_XIDS = 64, NAME_SIZE = 96 };

enum process_type { COMPUTE, GRAPHICS, MPS };

enum { NO_INSTANCE = -1 };

struct process {
	int gpu;
	unsigned pid;
	unsigned long long memory; // bytes, or NVML_VALUE_NOT_AVAILABLE
	enum process_type type;
	unsigned sm;               // percent
	int gi, ci;                // of its MIG instance, or NO_INSTANCE
};

// The numbers of a GPU that a scenario can set, with those of the two models. ABSENT: this GPU does not have it. MODEL: it follows the load.
#define ABSENT (~0ULL)
#define MODEL ABSENT
#define NUMBERS(X)                                                                              \
	/* load in percent, memory in MiB */                                                    \
	X(util, MODEL, MODEL) X(util_memory, MODEL, MODEL)                                      \
	X(util_encoder, 0, 0) X(util_decoder, 0, 0) X(util_jpeg, 0, 0) X(util_ofa, 0, 0)        \
	X(memory_total, 81920, 81559) X(memory_used, MODEL, MODEL)                              \
	X(bar1_total, 131072, 131072) X(bar1_used, 6, 6)                                        \
	/* temperatures in degrees, fan in percent, power in W, clocks in MHz */                \
	X(temperature, MODEL, MODEL) X(memory_temperature, MODEL, MODEL)                        \
	X(temperature_slowdown, 89, 89) X(temperature_shutdown, 92, 92)                         \
	X(temperature_gpu_max, 85, 85) X(temperature_memory_max, 95, 95)                        \
	X(fan, ABSENT, ABSENT)                                                                  \
	X(power, MODEL, MODEL) X(power_limit, 400, 700)                                         \
	X(power_limit_default, 400, 700) X(power_limit_max, 400, 700)                           \
	X(pstate, MODEL, MODEL)                                                                 \
	X(clock_sm, MODEL, MODEL) X(clock_sm_max, 1410, 1980)                                   \
	X(clock_mem, 1593, 2619) X(clock_mem_max, 1593, 2619)                                   \
	X(clock_graphics, MODEL, MODEL) X(clock_graphics_max, 1410, 1980)                       \
	X(clock_video, MODEL, MODEL) X(clock_video_max, 1290, 1545)                             \
	X(persistence, 1, 1) X(compute_mode, 0, 0) X(display_mode, 0, 0) X(display_active, 0, 0) \
	/* PCIe in MB/s, NVLink in GB/s */                                                      \
	X(pcie_gen, 4, 5) X(pcie_gen_max, 4, 5) X(pcie_width, 16, 16) X(pcie_width_max, 16, 16) \
	X(pcie_tx, MODEL, MODEL) X(pcie_rx, MODEL, MODEL) X(pcie_replays, 0, 0)                 \
	X(nvlink_links, 12, 18) X(nvlink_tx, MODEL, MODEL) X(nvlink_rx, MODEL, MODEL)           \
	X(nvlink_crc, 0, 0) X(nvlink_replays, 0, 0) X(nvlink_recoveries, 0, 0)                  \
	X(fabric_state, ABSENT, 3) X(fabric_status, 0, 0) X(numa_node, MODEL, MODEL)            \
	X(fabric_domain, 0, 0) X(fabric_clique, 0, 0) X(fabric_health, 0, 0)                    \
	/* errors */                                                                            \
	X(ecc_mode, 1, 1) X(ecc, 0, 0) X(ecc_corrected, 0, 0)                                   \
	X(ecc_aggregate, MODEL, MODEL) X(ecc_corrected_aggregate, MODEL, MODEL)                 \
	X(recovery, 0, 0) X(banks_without_spares, 0, 0)                                         \
	/* GPM, in percent */                                                                   \
	X(gpm_graphics, ABSENT, MODEL) X(gpm_sm, ABSENT, MODEL) X(gpm_occupancy, ABSENT, MODEL) \
	X(gpm_tensor, ABSENT, MODEL) X(gpm_dram, ABSENT, MODEL)

struct numbers {
#define X(key, a100, h100) unsigned long long key;
	NUMBERS(X)
#undef X
};

// An instance of a GPU in MIG mode.
struct instance {
	int gi, ci;
	unsigned slices;
	unsigned long long memory; // MiB
};

struct gpu_settings {
	char model[NAME_SIZE]; // empty: that of the model
	bool lost, sticky, absent, mig, hopper;
	struct numbers given, number; // given: not 0 if the scenario sets it
	bool throttle_given, retired_given;
	unsigned long long throttle; // bits of nvmlClocksEventReason…
	unsigned long long links_down; // bits
	unsigned retired[3];           // after single-bit errors, after double-bit errors, pending
	unsigned remapped[4];          // after corrected errors, after uncorrected errors, pending, failed
	struct instance instances[MAX_INSTANCES];
	int instance_count;
};

// A rule makes one function fail or slow, on one GPU or (gpu < 0) everywhere.
struct rule {
	int gpu;
	char function[NAME_SIZE]; // may end in '*'
	nvmlReturn_t result;
	unsigned slow_ms;
};

struct xid {
	int gpu;
	unsigned long long code, sequence;
};

struct scenario {
	bool broken; // has a line that is not understood
	int count;
	nvmlReturn_t init;
	char driver[NAME_SIZE], cuda[NAME_SIZE];
	struct gpu_settings gpus[MAX_GPUS];
	struct rule rules[MAX_RULES];
	int rule_count;
	unsigned process_record; // bytes of a process in version 3 of the lists
	bool processes_given;
	struct process processes[MAX_PROCESSES];
	int process_count;
	struct xid xids[MAX_XIDS];
	int xid_count;
};

// Counters that grow with time, in bytes, mJ and ns.
struct counters {
	double energy, pcie_tx, pcie_rx, nvlink_tx, nvlink_rx;
	double power_policy, thermal_policy, sync_boost, sw_thermal, hw_thermal, power_brake;
};

// The current values of a GPU, or of an instance of it.
struct gpu {
	int index;
	bool mig, hopper;
	char model[NAME_SIZE], uuid[NAME_SIZE];
	struct numbers now;
	unsigned long long memory_reserved, power_mw; // memory in MiB
	unsigned long long throttle, links_down;
	bool retired_given;
	unsigned retired[3], remapped[4];
	struct counters counters;
	struct instance instances[MAX_INSTANCES];
	int instance_count;
	bool is_instance; // this is `instance` of the GPU
	struct instance instance;
};

// set_one_gpu reads a setting of a GPU.
bool set_one_gpu(struct gpu_settings *g, const char *key, char *value);

// read_number reads a number that is not negative.
bool read_number(const char *text, unsigned long long *value);
bool copy_text(char *to, const char *from);

// scenario_path is the file of the scenario.
const char *scenario_path(void);

// scenario_now returns the current scenario. It checks the file at most every RECHECK_MS and reads it when it has changed.
// Not safe for concurrent use; the result is valid until the next call.
enum { RECHECK_MS = 100 };
const struct scenario *scenario_now(void);
unsigned driver_major(const struct scenario *s);

// gpu_now computes the current values of GPU index, and instance_now those of its instance.
void gpu_now(const struct scenario *scenario, int index, struct gpu *out);
void instance_now(const struct instance *instance, struct gpu *out);

// instance_used is the memory that is used of an instance, in MiB.
unsigned long long instance_used(int gpu, const struct instance *instance);

// mean_now is what the counters of a GPU have grown by in each second since boot, before anybody looked.
void mean_now(int index, struct gpu *out);

// count brings the counters of a GPU up to now and copies them into it. count_all does so for all before a scenario changes, and
// restart_counters sets them to 0.
void count(struct gpu *gpu);
void count_all(const struct scenario *scenario);
void restart_counters(void);

// deliver_xids tells the event sets what a scenario has that the one before had not. Both are called under the lock.
void deliver_xids(const struct scenario *before, const struct scenario *now);

// processes_now fills out (of MAX_PROCESSES) with the processes of one GPU, or of an instance, and returns their number. Without `proc`
// lines in the scenario these are the node's gpuwork… and train… processes; /proc is read at most once a second.
// Not safe for concurrent use.
int processes_now(const struct scenario *scenario, const struct gpu *gpu, struct process *out);

#endif
