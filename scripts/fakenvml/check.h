// What the parts of the check share.
#ifndef CHECK_H
#define CHECK_H

#define _GNU_SOURCE
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>
#include <stdbool.h>

extern void *library;
void expect(bool holds, const char *file, int line, const char *what);
#define EXPECT(condition) expect(condition, __FILE__, __LINE__, #condition)

// FN is a function of the library with the type that the header gives it.
#define FN(name) ((__typeof__(&name))require(#name))
void *require(const char *name);

void sleep_ms(long ms);

// play replaces the scenario and waits until the library must have seen it.
void play(const char *text);
// replace_scenario does not wait.
void replace_scenario(const char *text);

nvmlDevice_t gpu(unsigned index);

// check_readings checks what a healthy GPU and a scenario answer, for the library of a driver; check_instances checks MIG and
// check_events the events.
void check_readings(unsigned driver);
void check_instances(unsigned driver);
void check_events(void);

#endif
