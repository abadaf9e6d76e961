// What the fake nvidia-smi knows: a row for each value.
#ifndef SMI_H
#define SMI_H

#include <nvml.h>
#include <stdbool.h>

#define CELL 160 // bytes

struct smi_row {
	const char *path;  // of the element below <gpu> of -q -x; NULL: -q -x does not have it
	const char *field; // of --query-gpu; NULL: it does not have it
	bool (*read)(nvmlDevice_t gpu, char *out); // false: NVML does not say
};

// smi_rows are in the order of -q -x. The last has no function.
extern const struct smi_row smi_rows[];

#endif
