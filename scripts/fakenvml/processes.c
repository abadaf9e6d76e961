// The processes on a GPU: those of the scenario, else those of the node named gpuwork… or train….
#define _GNU_SOURCE
#include "fakenvml.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RESCAN_S = 1 };

struct found {
	unsigned pid;
	int local_id; // SLURM_LOCALID, -1 when not readable
};

static ssize_t read_proc(const char *pid, const char *file, char *buffer, size_t size)
{
	char path[300];
	snprintf(path, sizeof path, "/proc/%s/%s", pid, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t length = read(fd, buffer, size - 1);
	close(fd);
	if (length >= 0)
		buffer[length] = '\0';
	return length;
}

static bool works_on_gpu(const char *pid)
{
	char comm[32];
	if (read_proc(pid, "comm", comm, sizeof comm) < 0)
		return false;
	return !strncmp(comm, "gpuwork", 7) || !strncmp(comm, "train", 5);
}

// local_id reads the environment of a process, which only its user and root may do: the others go by order.
static int local_id(const char *pid)
{
	static char environment[32768];
	static const char key[] = "SLURM_LOCALID=";
	ssize_t length = read_proc(pid, "environ", environment, sizeof environment);
	for (char *entry = environment; entry < environment + length; entry += strlen(entry) + 1)
		if (!strncmp(entry, key, sizeof key - 1))
			return atoi(entry + sizeof key - 1);
	return -1;
}

static int by_pid(const void *a, const void *b)
{
	unsigned x = ((const struct found *)a)->pid, y = ((const struct found *)b)->pid;
	return (x > y) - (x < y);
}

static int scan(struct found *out)
{
	int n = 0;
	DIR *proc = opendir("/proc");
	if (!proc)
		return 0;
	for (struct dirent *entry; n < MAX_PROCESSES && (entry = readdir(proc)) != NULL;)
		if (isdigit((unsigned char)entry->d_name[0]) && works_on_gpu(entry->d_name))
			out[n++] = (struct found){(unsigned)atoi(entry->d_name), local_id(entry->d_name)};
	closedir(proc);
	qsort(out, (size_t)n, sizeof *out, by_pid);
	return n;
}

static int scanned(const struct found **out)
{
	static struct found found[MAX_PROCESSES];
	static int count;
	static time_t last = -RESCAN_S;

	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec - last >= RESCAN_S) {
		count = scan(found);
		last = now.tv_sec;
	}
	*out = found;
	return count;
}

// share_out gives the processes on a GPU equal shares of its memory and load. Those of a divided GPU go to its instances in turn.
static void share_out(const struct gpu *gpu, struct process *processes, int n)
{
	for (int i = 0; i < n; i++) {
		unsigned long long memory = gpu->now.memory_used / (unsigned)n;
		if (gpu->instance_count > 0) {
			int on = i % gpu->instance_count, others = (n - on - 1) / gpu->instance_count;
			const struct instance *instance = &gpu->instances[on];
			processes[i].gi = instance->gi;
			processes[i].ci = instance->ci;
			memory = instance_used(gpu->index, instance) / (unsigned)(others + 1);
		}
		processes[i].memory = memory << 20;
		processes[i].sm = (unsigned)gpu->now.util / (unsigned)n;
	}
}

static int of_node(const struct scenario *scenario, const struct gpu *gpu, struct process *out)
{
	const struct found *found;
	int n = 0, count = scanned(&found);
	for (int i = 0; i < count; i++) {
		int place = found[i].local_id >= 0 ? found[i].local_id : i;
		if (place % scenario->count == gpu->index)
			out[n++] = (struct process){gpu->index, found[i].pid, 0, COMPUTE, 0, NO_INSTANCE, NO_INSTANCE};
	}
	share_out(gpu, out, n);
	return n;
}

int processes_now(const struct scenario *scenario, const struct gpu *gpu, struct process *out)
{
	int n = 0, all;
	if (!scenario->processes_given)
		all = of_node(scenario, gpu, out);
	else
		for (all = 0; all < scenario->process_count; all++)
			out[all] = scenario->processes[all];
	for (int i = 0; i < all; i++)
		if (out[i].gpu == gpu->index && (!gpu->is_instance || (out[i].gi == gpu->instance.gi && out[i].ci == gpu->instance.ci)))
			out[n++] = out[i];
	return n;
}
