// testclusterhost NAME: a bare host. Makes network, mount, UTS, IPC and PID namespaces with this host name, starts a pid 1
// in them that only reaps, prints the pid of that process as seen from outside, and exits.
// Killing the pid 1 powers the host off: the kernel then ends all its processes and frees its namespaces.
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static void detach_from_caller(void)
{
	setsid();
	int null = open("/dev/null", O_RDWR);
	if (null < 0)
		err(1, "/dev/null");
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	close(null);

	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

// run_as_pid1 tells the parent through ready that the host can be entered.
static void run_as_pid1(int ready)
{
	// Nothing mounted here may reach the machine, nor the reverse; and ps must see this host's processes.
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		err(1, "make / private");
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		err(1, "mount /proc");
	detach_from_caller();
	// The kernel reaps the children of a process that ignores SIGCHLD, also those that it inherits as pid 1.
	signal(SIGCHLD, SIG_IGN);
	if (write(ready, "", 1) != 1)
		_exit(1);
	close(ready);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc != 2)
		errx(2, "usage: testclusterhost NAME");
	if (unshare(CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID))
		err(1, "unshare");
	if (sethostname(argv[1], strlen(argv[1])))
		err(1, "sethostname");

	int ready[2];
	if (pipe2(ready, O_CLOEXEC))
		err(1, "pipe");
	pid_t pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		close(ready[0]);
		run_as_pid1(ready[1]);
	}
	close(ready[1]);
	char byte;
	if (read(ready[0], &byte, 1) != 1)
		errx(1, "host %s ended at once", argv[1]);
	printf("%d\n", pid);
	return 0;
}
