// smi.c: a fake nvidia-smi. It asks the NVML that it is linked with, so both sides of a comparison read one scenario.
//
//   nvidia-smi -q -x | --query-gpu=FIELDS [--loop-ms=MS] [--format=…,nounits] | --query-compute-apps=pid,used_gpu_memory | dmon | pmon
//
// FAKESMI_SAYS replaces values, by the name of a field or the path of an element: "power.draw=12.00 W;fan_speed=[N/A]". A
// name that it does not know becomes an element of its own.
#include "smi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// told_for puts what FAKESMI_SAYS has for a name into out, and reports whether it has it.
static bool told_for(const char *name, char *out)
{
	const char *says = getenv("FAKESMI_SAYS");
	char all[1024], *next = all;
	if (!says || !name)
		return false;
	snprintf(all, sizeof all, "%s", says);
	for (char *one; (one = strsep(&next, ";"));) {
		char *value = strchr(one, '=');
		if (!value)
			continue;
		*value = 0;
		if (!strcmp(one, name)) {
			snprintf(out, CELL, "%s", value + 1);
			return true;
		}
	}
	return false;
}

// say puts the value of a row into out: what it is told to say, or what NVML says.
static void say(const struct smi_row *row, nvmlDevice_t gpu, char *out)
{
	if (!told_for(row->field, out) && !told_for(row->path, out) && !row->read(gpu, out))
		strcpy(out, "[N/A]");
}

// is_known reports whether a row has the name.
static bool is_known(const char *name)
{
	for (const struct smi_row *row = smi_rows; row->read; row++)
		if ((row->path && !strcmp(row->path, name)) || (row->field && !strcmp(row->field, name)))
			return true;
	return false;
}

// close_until prints the ends of the elements of a path that another does not share, and returns the length of what they share.
static size_t close_until(char *open, const char *path)
{
	size_t shared = 0;
	for (size_t i = 0; open[i] && open[i] == path[i]; i++)
		if (open[i] == '/')
			shared = i + 1;
	while (strlen(open) > shared) {
		open[strlen(open) - 1] = 0;
		char *last = strrchr(open, '/');
		printf("</%s>\n", last ? last + 1 : open);
		*(last ? last + 1 : open) = 0;
	}
	return shared;
}

// print_element prints a value below the elements of its path, whose parents stay open.
static void print_element(char *open, const char *path, const char *value)
{
	char rest[256], *part = rest, *slash;
	size_t shared = close_until(open, path);
	snprintf(rest, sizeof rest, "%s", path + shared);
	for (; (slash = strchr(part, '/')); part = slash + 1) {
		*slash = 0;
		printf("<%s>\n", part);
		snprintf(open + strlen(open), 256 - strlen(open), "%s/", part);
	}
	printf("<%s>%s</%s>\n", part, value, part);
}

// print_told prints what FAKESMI_SAYS has for elements that no row has.
static void print_told(char *open)
{
	const char *says = getenv("FAKESMI_SAYS");
	char all[1024], *next = all;
	snprintf(all, sizeof all, "%s", says ? says : "");
	for (char *one; (one = strsep(&next, ";"));) {
		char *value = strchr(one, '=');
		if (!value)
			continue;
		*value = 0;
		if (!is_known(one))
			print_element(open, one, value + 1);
	}
}

static void print_processes(nvmlDevice_t gpu, const char *form)
{
	nvmlProcessInfo_t list[64];
	unsigned n = 64;
	if (nvmlDeviceGetComputeRunningProcesses_v3(gpu, &n, list))
		return;
	for (unsigned i = 0; i < n; i++)
		printf(form, list[i].pid, list[i].usedGpuMemory >> 20);
}

static void print_xml(nvmlDevice_t *gpus, unsigned count)
{
	char driver[80] = "", cell[CELL];
	int cuda = 0;
	nvmlSystemGetDriverVersion(driver, sizeof driver);
	nvmlSystemGetCudaDriverVersion(&cuda);
	printf("<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<driver_version>%s</driver_version>\n", driver);
	printf("<cuda_version>%d.%d</cuda_version>\n<attached_gpus>%u</attached_gpus>\n", cuda / 1000, cuda % 1000 / 10, count);
	for (unsigned i = 0; i < count; i++) {
		char open[256] = "";
		printf("<gpu>\n");
		for (const struct smi_row *row = smi_rows; row->read; row++)
			if (row->path) {
				say(row, gpus[i], cell);
				print_element(open, row->path, cell);
			}
		print_told(open);
		close_until(open, "");
		printf("<processes>\n");
		print_processes(gpus[i], "<process_info><pid>%u</pid><used_memory>%llu MiB</used_memory></process_info>\n");
		printf("</processes>\n</gpu>\n");
	}
	printf("</nvidia_smi_log>\n");
}

// print_query prints the cells of fields, with their units or without, and reports whether it knows them all.
static bool print_query(const char *fields, bool units, nvmlDevice_t gpu)
{
	char all[4096], *next = all, line[8192] = "";
	snprintf(all, sizeof all, "%s", fields);
	for (char *field; (field = strsep(&next, ","));) {
		const struct smi_row *row = smi_rows;
		char cell[CELL];
		while (row->read && (!row->field || strcmp(row->field, field)))
			row++;
		if (!row->read) {
			printf("Field \"%s\" is not a valid field to query.\n\n", field);
			return false;
		}
		say(row, gpu, cell);
		if (!units && *cell >= '0' && *cell <= '9')
			cell[strcspn(cell, " ")] = 0;
		snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", *line ? ", " : "", cell);
	}
	printf("%s\n", line);
	return true;
}

// print_cell prints a number without its unit, as dmon does; a field that is not there is "-".
static void print_cell(const char *field, nvmlDevice_t gpu)
{
	char cell[CELL] = "-";
	for (const struct smi_row *row = smi_rows; row->read; row++)
		if ((row->field && !strcmp(row->field, field)) || (row->path && !strcmp(row->path, field)))
			say(row, gpu, cell);
	cell[strcspn(cell, " .")] = 0;
	printf("%6s ", cell[0] == '[' ? "-" : cell);
}

// print_gpm prints GPM's metrics of the last interval, by their numbers.
static void print_gpm(const char *ids, nvmlDevice_t gpu, nvmlGpmSample_t *samples)
{
	nvmlGpmMetricsGet_t got = {.version = NVML_GPM_METRICS_GET_VERSION, .sample1 = samples[0], .sample2 = samples[1]};
	char all[64], *next = all;
	snprintf(all, sizeof all, "%s", ids);
	for (char *id; (id = strsep(&next, ","));)
		got.metrics[got.numMetrics++].metricId = (unsigned)atoi(id);
	nvmlReturn_t failed = nvmlGpmSampleGet(gpu, samples[1]);
	if (!failed)
		failed = nvmlGpmMetricsGet(&got);
	for (unsigned i = 0; i < got.numMetrics; i++)
		if (failed || got.metrics[i].nvmlReturn)
			printf("%6s ", "-");
		else
			printf("%6.0f ", got.metrics[i].value);
	nvmlGpmSampleGet(gpu, samples[0]);
}

static void dmon(nvmlDevice_t gpu, const char *gpm, int lines)
{
	static const char *columns[][2] = {{"pwr", "power.draw"}, {"gtemp", "temperature.gpu"}, {"mtemp", "temperature.memory"},
		{"sm", "utilization.gpu"}, {"mem", "utilization.memory"}, {"enc", "utilization/encoder_util"},
		{"dec", "utilization/decoder_util"}, {"jpg", "utilization/jpeg_util"}, {"ofa", "utilization/ofa_util"},
		{"mclk", "clocks.mem"}, {"pclk", "clocks.gr"}, {"fb", "memory.used"}, {"bar1", "bar1_memory_usage/used"},
		{"sbecc", "ecc.errors.corrected.volatile.total"}, {"dbecc", "ecc.errors.uncorrected.volatile.total"},
		{"pci", "pci/replay_counter"}};
	nvmlGpmSample_t samples[2];
	char ids[64], *next = ids;
	snprintf(ids, sizeof ids, "%s", gpm ? gpm : "");
	printf("# gpu ");
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		printf("%6s ", columns[i][0]);
	for (char *id; gpm && (id = strsep(&next, ","));)
		printf("%5s%s ", "gpm", id);
	printf("\n");
	for (int i = 0; gpm && i < 2; i++)
		if (nvmlGpmSampleAlloc(&samples[i]) || nvmlGpmSampleGet(gpu, samples[i]))
			gpm = NULL;
	for (; lines; lines--, sleep(1)) {
		printf("%5d ", 0);
		for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
			print_cell(columns[i][1], gpu);
		if (gpm)
			print_gpm(gpm, gpu, samples);
		printf("\n");
		fflush(stdout);
	}
}

static void pmon(nvmlDevice_t gpu)
{
	nvmlProcessUtilizationSample_t samples[64];
	nvmlProcessInfo_t list[64];
	unsigned n = 64, busy = 64;
	if (nvmlDeviceGetComputeRunningProcesses_v3(gpu, &n, list))
		n = 0;
	if (nvmlDeviceGetProcessUtilization(gpu, samples, &busy, 0))
		busy = 0;
	printf("# gpu         pid   type     sm    mem     fb   command\n");
	for (unsigned i = 0; i < n; i++) {
		unsigned sm = 0;
		for (unsigned k = 0; k < busy; k++)
			if (samples[k].pid == list[i].pid)
				sm = samples[k].smUtil;
		printf("%5d %11u %6s %6u %6s %6llu   -\n", 0, list[i].pid, "C", sm, "-", list[i].usedGpuMemory >> 20);
	}
}

// option returns what follows a name in the arguments, as NAME=VALUE or NAME VALUE; NULL: it is not there.
static const char *option(char **arguments, const char *name)
{
	size_t length = strlen(name);
	for (char **a = arguments; *a; a++)
		if (!strncmp(*a, name, length) && ((*a)[length] == '=' || ((*a)[length] == 0 && a[1])))
			return (*a)[length] ? *a + length + 1 : a[1];
	return NULL;
}

int main(int count, char **arguments)
{
	const char *command = count > 1 ? arguments[1] : "";
	const char *fields = option(arguments, "--query-gpu"), *loop = option(arguments, "--loop-ms");
	const char *lines = option(arguments, "-c"), *format = option(arguments, "--format");
	nvmlDevice_t gpus[16];
	unsigned n = 0;
	nvmlReturn_t failed = nvmlInit_v2();
	if (failed || nvmlDeviceGetCount_v2(&n)) {
		printf("NVIDIA-SMI has failed: %s\n", nvmlErrorString(failed));
		return 9;
	}
	for (unsigned i = 0; i < n && i < 16; i++)
		if (nvmlDeviceGetHandleByIndex_v2(i, &gpus[i]))
			return 15;
	if (!strcmp(command, "dmon"))
		dmon(gpus[0], option(arguments, "--gpm-metrics"), lines ? atoi(lines) : -1);
	else if (!strcmp(command, "pmon"))
		pmon(gpus[0]);
	else if (option(arguments, "--query-compute-apps"))
		print_processes(gpus[0], "%u, %llu MiB\n");
	else if (!fields)
		print_xml(gpus, n);
	while (fields) {
		if (!print_query(fields, !format || !strstr(format, "nounits"), gpus[0]))
			return 2;
		fflush(stdout);
		if (!loop)
			break;
		usleep((useconds_t)atoi(loop) * 1000);
	}
	return 0;
}
