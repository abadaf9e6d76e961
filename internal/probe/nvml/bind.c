//go:build amd64 || arm64

// Each function of NVML that go-nvml calls is defined here as a jump through a slot, and bind fills the slots: see doc.go.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

static int noFunction(void) { return 13; } // NVML_ERROR_FUNCTION_NOT_FOUND
static const char *noWords(void) { return "unknown NVML error"; }

#if defined(__x86_64__)
#define JUMP(slot) "jmp *" slot "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(slot) "adrp x16, " slot "\n ldr x16, [x16, :lo12:" slot "]\n br x16\n"
#endif

// The functions are hidden, so that the linker finds them when it links the program, and NVML does not when it calls itself.
#define NVML(name, otherwise)                                                \
	__attribute__((visibility("hidden"))) void *slot_##name = otherwise; \
	__asm__(".pushsection .text\n"                                       \
		".globl " #name "\n"                                         \
		".hidden " #name "\n"                                        \
		".type " #name ", %function\n"                               \
		".p2align 4\n" #name ":\n" JUMP("slot_" #name)               \
		".size " #name ", . - " #name "\n"                           \
		".popsection");
#include "symbols.h"
#undef NVML

static const struct {
	const char *name;
	void **slot, *otherwise;
} functions[] = {
#define NVML(name, otherwise) {#name, &slot_##name, otherwise},
#include "symbols.h"
#undef NVML
};

// nvnodetop_bind looks each function up in the libraries that are loaded.
void nvnodetop_bind(void)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *found = dlsym(RTLD_DEFAULT, functions[i].name);
		*functions[i].slot = found ? found : functions[i].otherwise;
	}
}
