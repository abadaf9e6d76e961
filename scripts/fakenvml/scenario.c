// The scenario file: `key value` per line, `gpu N key value` for one GPU, `job ID …` for a line that holds in one job, # for comments. README.md lists the keys.
#define _GNU_SOURCE
#include "fakenvml.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#if DRIVER == 450
#define DRIVER_VERSION "450.80.02"
#define CUDA_VERSION "11.0"
#elif DRIVER == 470
#define DRIVER_VERSION "470.82.01"
#define CUDA_VERSION "11.4"
#elif DRIVER == 535
#define DRIVER_VERSION "535.54.03"
#define CUDA_VERSION "12.2"
#else
#define DRIVER_VERSION "550.54.15"
#define CUDA_VERSION "12.4"
#endif

const char *scenario_path(void)
{
	const char *from_env = getenv("FAKENVML_SCENARIO");
	return from_env && *from_env ? from_env : "/run/fakenvml.scenario";
}

static void set_defaults(struct scenario *s)
{
	memset(s, 0, sizeof *s);
	s->count = 4;
	s->process_record = DRIVER == 535 ? 32 : 24; // the library of that driver is 535.54
	strcpy(s->driver, DRIVER_VERSION);
	strcpy(s->cuda, CUDA_VERSION);
}

unsigned driver_major(const struct scenario *s) { return (unsigned)strtoul(s->driver, NULL, 10); }

// add_rule: `fail FUNCTION CODE`, `unsupported FUNCTION`, `slow FUNCTION MS`.
static bool add_rule(struct scenario *s, int gpu, const char *key, char *value)
{
	char *function = strsep(&value, " \t");
	unsigned long long argument = NVML_ERROR_NOT_SUPPORTED;
	bool unsupported = !strcmp(key, "unsupported");
	if (s->rule_count == MAX_RULES || unsupported != !value || (value && !read_number(value, &argument)))
		return false;
	struct rule rule = {.gpu = gpu};
	if (!strcmp(key, "slow"))
		rule.slow_ms = (unsigned)argument;
	else
		rule.result = (nvmlReturn_t)argument;
	s->rules[s->rule_count] = rule;
	return copy_text(s->rules[s->rule_count++].function, function);
}

// add_process: `proc GPU PID MEMORY_MIB TYPE SM [GI:CI]`; MEMORY_MIB may be n/a; `proc none` for no process at all.
static bool add_process(struct scenario *s, const char *value)
{
	s->processes_given = true;
	if (!strcmp(value, "none"))
		return true;
	struct process p = {.gi = NO_INSTANCE, .ci = NO_INSTANCE};
	char memory[32], type[32];
	unsigned long long mib;
	if (s->process_count == MAX_PROCESSES)
		return false;
	int fields = sscanf(value, "%d %u %31s %31s %u %d:%d", &p.gpu, &p.pid, memory, type, &p.sm, &p.gi, &p.ci);
	if (fields != 5 && fields != 7)
		return false;
	if (!strcmp(memory, "n/a"))
		p.memory = (unsigned long long)NVML_VALUE_NOT_AVAILABLE;
	else if (read_number(memory, &mib))
		p.memory = mib << 20;
	else
		return false;
	if (!strcmp(type, "compute"))
		p.type = COMPUTE;
	else if (!strcmp(type, "graphics"))
		p.type = GRAPHICS;
	else if (!strcmp(type, "mps"))
		p.type = MPS;
	else
		return false;
	s->processes[s->process_count++] = p;
	return true;
}

// add_xid: `xid GPU CODE [N]`.
static bool add_xid(struct scenario *s, const char *value)
{
	struct xid new = {0};
	if (s->xid_count == MAX_XIDS || sscanf(value, "%d %llu %llu", &new.gpu, &new.code, &new.sequence) < 2)
		return false;
	s->xids[s->xid_count++] = new;
	return new.gpu >= 0 && new.gpu < MAX_GPUS;
}

static bool is_rule(const char *key)
{
	return !strcmp(key, "fail") || !strcmp(key, "unsupported") || !strcmp(key, "slow");
}

static bool set_everywhere(struct scenario *s, const char *key, char *value)
{
	unsigned long long n;
	if (!strcmp(key, "count")) {
		if (!read_number(value, &n) || n > MAX_GPUS)
			return false;
		s->count = (int)n;
		return true;
	}
	if (!strcmp(key, "init")) {
		if (!read_number(value, &n))
			return false;
		s->init = (nvmlReturn_t)n;
		return true;
	}
	if (!strcmp(key, "driver"))
		return copy_text(s->driver, value);
	if (!strcmp(key, "cuda"))
		return copy_text(s->cuda, value);
	if (!strcmp(key, "procrecord")) {
		if (!read_number(value, &n) || (n != 24 && n != 32))
			return false;
		s->process_record = (unsigned)n;
		return true;
	}
	if (!strcmp(key, "proc"))
		return add_process(s, value);
	if (!strcmp(key, "xid"))
		return add_xid(s, value);
	if (is_rule(key))
		return add_rule(s, -1, key, value);
	for (int i = 0; i < MAX_GPUS; i++) {
		char copy[256]; // set_throttle cuts its text up
		snprintf(copy, sizeof copy, "%s", value);
		if (!set_one_gpu(&s->gpus[i], key, copy))
			return false;
	}
	return true;
}

static char *next_word(char **rest)
{
	*rest += strspn(*rest, " \t");
	char *word = strsep(rest, " \t");
	if (!*rest)
		*rest = word + strlen(word);
	*rest += strspn(*rest, " \t");
	return word;
}

// in_group reports whether this process is in a cgroup with that name, or in one below it.
static bool in_group(const char *name)
{
	char line[512], group[64];
	bool found = false;
	snprintf(group, sizeof group, "/%s/", name);
	FILE *file = fopen("/proc/self/cgroup", "re");
	while (file && !found && fgets(line, sizeof line, file))
		found = strstr(line, group) != NULL;
	if (file)
		fclose(file);
	return found;
}

static bool parse_line(struct scenario *s, char *line)
{
	size_t length = strcspn(line, "#\n");
	while (length > 0 && strchr(" \t\r", line[length - 1]))
		length--;
	line[length] = '\0';
	char *rest = line, *key = next_word(&rest);
	if (!*key)
		return true;
	if (!strcmp(key, "job")) {
		static struct scenario elsewhere; // a line for other processes must be understood too
		const char *group = next_word(&rest);
		return parse_line(in_group(group) ? s : &elsewhere, rest);
	}
	if (strcmp(key, "gpu"))
		return set_everywhere(s, key, rest);
	unsigned long long gpu;
	if (!read_number(next_word(&rest), &gpu) || gpu >= MAX_GPUS)
		return false;
	key = next_word(&rest);
	if (is_rule(key))
		return add_rule(s, (int)gpu, key, rest);
	return set_one_gpu(&s->gpus[gpu], key, rest);
}

static void read_file(struct scenario *s)
{
	set_defaults(s);
	FILE *file = fopen(scenario_path(), "re");
	if (!file)
		return;
	char line[256];
	for (int n = 1; fgets(line, sizeof line, file); n++) {
		char original[sizeof line];
		strcpy(original, line);
		if (!parse_line(s, line)) {
			// A scenario that is not understood must not look like a healthy node.
			fprintf(stderr, "fakenvml: %s:%d: not understood: %.*s\n", scenario_path(), n,
				(int)strcspn(original, "\n"), original);
			s->broken = true;
		}
	}
	fclose(file);
}

static long long now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

// replace reads the next scenario. Another version is another driver, whose counters begin again.
static void replace(struct scenario *s)
{
	static struct scenario before;
	count_all(s);
	before = *s;
	read_file(s);
	if (strcmp(s->driver, before.driver))
		restart_counters();
	deliver_xids(&before, s);
}

const struct scenario *scenario_now(void)
{
	static struct scenario scenario;
	static struct stat seen;
	static long long checked_ms = -1;

	long long now = now_ms();
	if (checked_ms >= 0 && now - checked_ms < RECHECK_MS)
		return &scenario;
	struct stat file;
	if (stat(scenario_path(), &file))
		memset(&file, 0, sizeof file);
	if (checked_ms < 0)
		read_file(&scenario);
	else if (!same_file(&file, &seen))
		replace(&scenario);
	seen = file;
	checked_ms = now;
	return &scenario;
}
