//go:build amd64 || arm64

// Each function of NVML that go-nvml calls is defined here as a jump through a slot, and bind fills the slots: see doc.go.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

// nvnodetop_calls counts the calls into the driver.
__attribute__((visibility("hidden"))) unsigned long long nvnodetop_calls;

static const char *noWords(void) { return "unknown NVML error"; }

// COUNT adds to the calls, and JUMP goes on to the driver. They leave the arguments of the call alone. The compiler's own atomics need more of libc on
// arm64 than old nodes have.
#if defined(__x86_64__)
#define COUNT(add) "lock " add "q nvnodetop_calls(%rip)\n"
#define MORE COUNT("inc")
#define LESS COUNT("dec")
#define JUMP(slot) "jmp *" slot "(%rip)\n"
#elif defined(__aarch64__)
#define COUNT(add)                                                                   \
	"adrp x16, nvnodetop_calls\n add x16, x16, :lo12:nvnodetop_calls\n"          \
	"1: ldxr x17, [x16]\n " add " x17, x17, #1\n stxr w15, x17, [x16]\n cbnz w15, 1b\n"
#define MORE COUNT("add")
#define LESS COUNT("sub")
#define JUMP(slot) "adrp x16, " slot "\n ldr x16, [x16, :lo12:" slot "]\n br x16\n"
#endif

// noFunction stands for those that the library lacks: NVML_ERROR_FUNCTION_NOT_FOUND. The driver is not called.
#if defined(__x86_64__)
#define NOT_FOUND "movl $13, %eax\n ret\n"
#elif defined(__aarch64__)
#define NOT_FOUND "mov w0, #13\n ret\n"
#endif
int noFunction(void);
__asm__(".pushsection .text\n"
	".local noFunction\n"
	".type noFunction, %function\n"
	".p2align 4\nnoFunction:\n" LESS NOT_FOUND
	".size noFunction, . - noFunction\n"
	".popsection");

// The words of an error are not from the driver.
#define COUNT_noFunction MORE
#define COUNT_noWords ""

// The functions are hidden, so that the linker finds them when it links the program, and NVML does not when it calls itself.
#define NVML(name, otherwise)                                                \
	__attribute__((visibility("hidden"))) void *slot_##name = otherwise; \
	__asm__(".pushsection .text\n"                                       \
		".globl " #name "\n"                                         \
		".hidden " #name "\n"                                        \
		".type " #name ", %function\n"                               \
		".p2align 4\n" #name ":\n" COUNT_##otherwise JUMP("slot_" #name)               \
		".size " #name ", . - " #name "\n"                           \
		".popsection");
#include "symbols.h"
#undef NVML

// slack is how late the kernel may wake up a thread of a probe, in ns. The threads that follow inherit it.
static const unsigned long slack = 1000000;

// relax runs before the Go runtime. Its monitor thread sleeps for 20 us, again and again, as long as anything runs: with more slack it is woken up once or
// twice in a report. The timers of reports are exact all the same: they are timerfds, which have no slack.
__attribute__((constructor)) static void relax(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "probe") == 0)
		prctl(PR_SET_TIMERSLACK, slack, 0, 0, 0);
}

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
