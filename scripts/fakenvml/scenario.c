// The scenario file: `key value` per line, `gpu N key value` for one GPU, # for comments. README.md lists the keys.
#define _GNU_SOURCE
#include "fakenvml.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { RECHECK_MS = 100 };

static const char *path(void)
{
	const char *from_env = getenv("FAKENVML_SCENARIO");
	return from_env && *from_env ? from_env : "/run/fakenvml.scenario";
}

static void set_defaults(struct scenario *s)
{
	memset(s, 0, sizeof *s);
	s->count = 4;
	s->process_record = 24;
#ifdef OLD_DRIVER
	strcpy(s->driver, "450.80.02");
	strcpy(s->cuda, "11.0");
#else
	strcpy(s->driver, "550.54.15");
	strcpy(s->cuda, "12.4");
#endif
	for (int i = 0; i < MAX_GPUS; i++)
		strcpy(s->gpus[i].model, "NVIDIA A100-SXM4-80GB");
}

static bool copy_text(char *to, const char *from)
{
	if (!*from || strlen(from) >= NAME_SIZE)
		return false;
	strcpy(to, from);
	return true;
}

static bool number(const char *text, unsigned long long *value)
{
	char *end;
	*value = strtoull(text, &end, 0);
	return *text && *text != '-' && !*end;
}

static bool set_number(struct setting *setting, const char *text)
{
	setting->set = number(text, &setting->value);
	return setting->set;
}

static const struct { const char *name; unsigned long long bit; } throttle_names[] = {
	{"none", 0},
	{"idle", nvmlClocksEventReasonGpuIdle},
	{"app_clocks", nvmlClocksEventReasonApplicationsClocksSetting},
	{"sw_power_cap", nvmlClocksEventReasonSwPowerCap},
	{"hw_slowdown", nvmlClocksThrottleReasonHwSlowdown},
	{"sync_boost", nvmlClocksEventReasonSyncBoost},
	{"sw_thermal", nvmlClocksEventReasonSwThermalSlowdown},
	{"hw_thermal", nvmlClocksThrottleReasonHwThermalSlowdown},
	{"hw_power_brake", nvmlClocksThrottleReasonHwPowerBrakeSlowdown},
	{"display_clocks", nvmlClocksEventReasonDisplayClockSetting},
};

static bool throttle_bit(const char *word, unsigned long long *bit)
{
	for (size_t i = 0; i < sizeof throttle_names / sizeof *throttle_names; i++)
		if (!strcmp(word, throttle_names[i].name)) {
			*bit = throttle_names[i].bit;
			return true;
		}
	return number(word, bit);
}

// set_throttle reads names or numbers separated by commas.
static bool set_throttle(struct setting *setting, char *text)
{
	setting->set = true;
	setting->value = 0;
	for (char *word; (word = strsep(&text, ",")) != NULL;) {
		unsigned long long bit;
		if (!throttle_bit(word, &bit))
			return false;
		setting->value |= bit;
	}
	return true;
}

static struct setting *numeric_setting(struct gpu_settings *g, const char *key)
{
	const struct { const char *key; struct setting *setting; } settings[] = {
		{"memory_total", &g->memory_total}, {"memory_used", &g->memory_used},
		{"util", &g->util}, {"util_memory", &g->util_memory},
		{"temperature", &g->temperature}, {"memory_temperature", &g->memory_temperature},
		{"power", &g->power}, {"power_limit", &g->power_limit},
		{"clock_sm", &g->clock_sm}, {"clock_mem", &g->clock_mem},
		{"ecc", &g->ecc}, {"ecc_corrected", &g->ecc_corrected},
	};
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (!strcmp(key, settings[i].key))
			return settings[i].setting;
	return NULL;
}

static bool set_one_gpu(struct gpu_settings *g, const char *key, char *value)
{
	struct setting *setting = numeric_setting(g, key);
	if (setting)
		return set_number(setting, value);
	if (!strcmp(key, "throttle"))
		return set_throttle(&g->throttle, value);
	if (!strcmp(key, "model"))
		return copy_text(g->model, value);
	if (!strcmp(key, "lost")) {
		g->lost = true;
		g->sticky = !strcmp(value, "sticky");
		return g->sticky || !*value;
	}
	if (!strcmp(key, "absent"))
		return g->absent = true;
	if (!strcmp(key, "mig"))
		return g->mig = true;
	return false;
}

// add_rule: `fail FUNCTION CODE`, `unsupported FUNCTION`, `slow FUNCTION MS`.
static bool add_rule(struct scenario *s, int gpu, const char *key, char *value)
{
	char *function = strsep(&value, " \t");
	unsigned long long argument = NVML_ERROR_NOT_SUPPORTED;
	bool unsupported = !strcmp(key, "unsupported");
	if (s->rule_count == MAX_RULES || unsupported != !value || (value && !number(value, &argument)))
		return false;
	struct rule rule = {.gpu = gpu};
	if (!strcmp(key, "slow"))
		rule.slow_ms = (unsigned)argument;
	else
		rule.result = (nvmlReturn_t)argument;
	s->rules[s->rule_count] = rule;
	return copy_text(s->rules[s->rule_count++].function, function);
}

// add_process: `proc GPU PID MEMORY_MIB TYPE SM`; MEMORY_MIB may be n/a; `proc none` for no process at all.
static bool add_process(struct scenario *s, const char *value)
{
	s->processes_given = true;
	if (!strcmp(value, "none"))
		return true;
	struct process p;
	char memory[32], type[32];
	unsigned long long mib;
	if (s->process_count == MAX_PROCESSES ||
	    sscanf(value, "%d %u %31s %31s %u", &p.gpu, &p.pid, memory, type, &p.sm) != 5)
		return false;
	if (!strcmp(memory, "n/a"))
		p.memory = (unsigned long long)NVML_VALUE_NOT_AVAILABLE;
	else if (number(memory, &mib))
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

static bool is_rule(const char *key)
{
	return !strcmp(key, "fail") || !strcmp(key, "unsupported") || !strcmp(key, "slow");
}

static bool set_everywhere(struct scenario *s, const char *key, char *value)
{
	unsigned long long n;
	if (!strcmp(key, "count")) {
		if (!number(value, &n) || n > MAX_GPUS)
			return false;
		s->count = (int)n;
		return true;
	}
	if (!strcmp(key, "init")) {
		if (!number(value, &n))
			return false;
		s->init = (nvmlReturn_t)n;
		return true;
	}
	if (!strcmp(key, "driver"))
		return copy_text(s->driver, value);
	if (!strcmp(key, "cuda"))
		return copy_text(s->cuda, value);
	if (!strcmp(key, "procrecord")) {
		if (!number(value, &n) || (n != 24 && n != 32))
			return false;
		s->process_record = (unsigned)n;
		return true;
	}
	if (!strcmp(key, "proc"))
		return add_process(s, value);
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

static bool parse_line(struct scenario *s, char *line)
{
	size_t length = strcspn(line, "#\n");
	while (length > 0 && strchr(" \t\r", line[length - 1]))
		length--;
	line[length] = '\0';
	char *rest = line, *key = next_word(&rest);
	if (!*key)
		return true;
	if (strcmp(key, "gpu"))
		return set_everywhere(s, key, rest);
	unsigned long long gpu;
	if (!number(next_word(&rest), &gpu) || gpu >= MAX_GPUS)
		return false;
	key = next_word(&rest);
	if (is_rule(key))
		return add_rule(s, (int)gpu, key, rest);
	return set_one_gpu(&s->gpus[gpu], key, rest);
}

static void read_file(struct scenario *s)
{
	set_defaults(s);
	FILE *file = fopen(path(), "re");
	if (!file)
		return;
	char line[256];
	for (int n = 1; fgets(line, sizeof line, file); n++) {
		char original[sizeof line];
		strcpy(original, line);
		if (!parse_line(s, line)) {
			// A scenario that is not understood must not look like a healthy node.
			fprintf(stderr, "fakenvml: %s:%d: not understood: %.*s\n", path(), n,
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

const struct scenario *scenario_now(void)
{
	static struct scenario scenario;
	static struct stat seen;
	static long long checked_ms = -1;

	long long now = now_ms();
	if (checked_ms >= 0 && now - checked_ms < RECHECK_MS)
		return &scenario;
	struct stat file;
	if (stat(path(), &file))
		memset(&file, 0, sizeof file);
	if (checked_ms < 0 || !same_file(&file, &seen))
		read_file(&scenario);
	seen = file;
	checked_ms = now;
	return &scenario;
}
