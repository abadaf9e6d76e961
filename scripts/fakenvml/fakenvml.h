// The parts of the fake NVML: scenario.c reads how the node differs from a healthy one, model.c computes the current values
// of a GPU, processes.c finds its processes, and system.c, metrics.c and process_calls.c implement NVML's functions.
#ifndef FAKENVML_H
#define FAKENVML_H

#include <stdbool.h>

// The header's own macros would turn nvmlInit into nvmlInit_v2; a library has to define both.
#define NVML_NO_UNVERSIONED_FUNC_DEFS
// The library exports what the header declares; everything else is hidden (-fvisibility=hidden).
#pragma GCC visibility push(default)
#include <nvml.h>
#pragma GCC visibility pop

enum { MAX_GPUS = 16, MAX_RULES = 64, MAX_PROCESSES = 256, NAME_SIZE = 96 };

enum process_type { COMPUTE, GRAPHICS, MPS };

struct process {
	int gpu;
	unsigned pid;
	unsigned long long memory; // bytes, or NVML_VALUE_NOT_AVAILABLE
	enum process_type type;
	unsigned sm; // percent
};

// A setting that the scenario does not name follows the model.
struct setting {
	bool set;
	unsigned long long value;
};

struct gpu_settings {
	char model[NAME_SIZE];
	bool lost, sticky, absent, mig;
	struct setting memory_total, memory_used; // MiB
	struct setting util, util_memory;         // percent
	struct setting temperature;               // °C
	struct setting memory_temperature;        // likewise
	struct setting power, power_limit;        // W
	struct setting clock_sm, clock_mem;       // MHz
	struct setting throttle;                  // bits of nvmlClocksEventReason…
	struct setting ecc, ecc_corrected;        // volatile errors
};

// A rule makes one function fail or slow, on one GPU or (gpu < 0) everywhere.
struct rule {
	int gpu;
	char function[NAME_SIZE]; // may end in '*'
	nvmlReturn_t result;
	unsigned slow_ms;
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
};

// The current values of one GPU.
struct gpu {
	int index;
	char model[NAME_SIZE], uuid[NAME_SIZE];
	bool mig;
	unsigned long long memory_total, memory_used, memory_reserved; // bytes
	unsigned util, util_memory, temperature, memory_temperature;
	unsigned power_mw, power_limit_mw;
	unsigned clock_sm, clock_mem;
	unsigned long long throttle, ecc, ecc_corrected, energy_mj;
};

// scenario_now returns the current scenario. It checks the file at most every 100 ms and reads it when it has changed.
// Not safe for concurrent use; the result is valid until the next call.
const struct scenario *scenario_now(void);

// gpu_now computes the current values of GPU index.
void gpu_now(const struct scenario *scenario, int index, struct gpu *out);

// processes_now fills out (of MAX_PROCESSES) with the processes of one GPU and returns their number. Without `proc`
// lines in the scenario these are the node's gpuwork… and train… processes; /proc is read at most once a second.
// Not safe for concurrent use.
int processes_now(const struct scenario *scenario, const struct gpu *gpu, struct process *out);

#endif
