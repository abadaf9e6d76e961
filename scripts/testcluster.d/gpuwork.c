// gpuwork [SECONDS]: what the jobs of the test cluster run. Sleeps; the fake NVML shows it as a process on a GPU.
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned seconds = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	if (seconds > 0)
		return (int)sleep(seconds);
	for (;;)
		pause();
}
