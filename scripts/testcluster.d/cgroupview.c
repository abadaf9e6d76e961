// cgroupview.so, preloaded into slurmd and slurmstepd, lets SLURM's plugin for version 2 of cgroups work where the machine has version 1 too:
// /proc/self/cgroup has only the line of version 2, as if the hierarchy began at $CGROUP_VIEW_ROOT.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int view(void)
{
	char line[1024];
	const char *root = getenv("CGROUP_VIEW_ROOT");
	size_t above = root ? strlen(root) : 0;
	FILE *in = fopen("/proc/thread-self/cgroup", "re");
	int out = memfd_create("cgroup", 0);
	while (in && fgets(line, sizeof line, in)) {
		if (strncmp(line, "0::", 3))
			continue;
		const char *path = line + 3;
		if (above && !strncmp(path, root, above))
			path += above;
		dprintf(out, "0::%s", *path == '/' ? path : "/\n");
	}
	if (in)
		fclose(in);
	lseek(out, 0, SEEK_SET);
	return out;
}

#define OPEN(name) \
	int name(const char *path, int flags, ...) \
	{ \
		va_list more; \
		va_start(more, flags); \
		int mode = va_arg(more, int); \
		va_end(more); \
		int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, #name); \
		return strcmp(path, "/proc/self/cgroup") ? next(path, flags, mode) : view(); \
	}

OPEN(open)
OPEN(open64)
