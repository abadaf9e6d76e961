// cgroupview.so, preloaded into slurmd and slurmstepd, lets SLURM's plugin for version 2 of cgroups work where the machine has version 1 too:
// /proc/PID/cgroup has only the line of version 2, as if the hierarchy began at $CGROUP_VIEW_ROOT.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int view(const char *path)
{
	char line[1024];
	const char *root = getenv("CGROUP_VIEW_ROOT");
	size_t above = root ? strlen(root) : 0;
	FILE *in = fopen(path, "re");
	if (!in)
		return -1;
	int out = memfd_create("cgroup", 0);
	while (fgets(line, sizeof line, in)) {
		if (strncmp(line, "0::", 3))
			continue;
		const char *group = line + 3;
		if (above && !strncmp(group, root, above))
			group += above;
		dprintf(out, "0::%s", *group == '/' ? group : "/\n");
	}
	fclose(in);
	lseek(out, 0, SEEK_SET);
	return out;
}

// is_cgroup_file: /proc/PID/cgroup, where PID is a number or "self".
static bool is_cgroup_file(const char *path)
{
	if (strncmp(path, "/proc/", 6))
		return false;
	const char *end = strchr(path + 6, '/');
	return end && !strcmp(end, "/cgroup");
}

#define OPEN(name) \
	int name(const char *path, int flags, ...) \
	{ \
		va_list more; \
		va_start(more, flags); \
		int mode = va_arg(more, int); \
		va_end(more); \
		int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, #name); \
		return is_cgroup_file(path) ? view(path) : next(path, flags, mode); \
	}

OPEN(open)
OPEN(open64)
