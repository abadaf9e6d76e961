// netdelay IFACE_A IFACE_B MS [JITTER_MS]: carries Ethernet frames between two interfaces, each after a delay and in
// order. It stands in for the kernel's netem, which many kernels are built without.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { MAX_FRAME = 70000 };

struct frame {
	struct frame *next;
	double due_ms;
	size_t size;
	unsigned char bytes[];
};

// A direction reads frames from one socket, holds them until they are due and writes them to the other.
struct direction {
	int from, to;
	struct frame *first, *last;
	double last_due_ms;
};

static double now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int open_interface(const char *name)
{
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
	if (fd < 0)
		err(1, "packet socket");
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(name),
	};
	if (bind(fd, (struct sockaddr *)&address, sizeof address))
		err(1, "bind to %s", name);
	// Frames for either end have hardware addresses other than this interface's; frames that we sent must not come back.
	struct packet_mreq promiscuous = {.mr_ifindex = address.sll_ifindex, .mr_type = PACKET_MR_PROMISC};
	int yes = 1;
	if (setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof promiscuous) ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof yes))
		err(1, "setsockopt on %s", name);
	return fd;
}

static void receive(struct direction *way, double delay_ms, double jitter_ms)
{
	static unsigned char buffer[MAX_FRAME];
	ssize_t size;
	while ((size = recv(way->from, buffer, sizeof buffer, MSG_DONTWAIT)) > 0) {
		struct frame *frame = malloc(sizeof *frame + (size_t)size);
		if (!frame)
			err(1, "malloc");
		frame->next = NULL;
		frame->size = (size_t)size;
		memcpy(frame->bytes, buffer, (size_t)size);
		frame->due_ms = now_ms() + delay_ms + drand48() * jitter_ms;
		if (frame->due_ms < way->last_due_ms)
			frame->due_ms = way->last_due_ms;
		way->last_due_ms = frame->due_ms;
		if (way->last)
			way->last->next = frame;
		else
			way->first = frame;
		way->last = frame;
	}
}

// send_due returns how long the next frame has to wait, or most_ms.
static double send_due(struct direction *way, double most_ms)
{
	double now = now_ms();
	while (way->first && way->first->due_ms <= now) {
		struct frame *frame = way->first;
		if (send(way->to, frame->bytes, frame->size, 0) < 0)
			warn("send");
		way->first = frame->next;
		if (!way->first)
			way->last = NULL;
		free(frame);
	}
	if (way->first && way->first->due_ms - now < most_ms)
		return way->first->due_ms - now;
	return most_ms;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		errx(2, "usage: netdelay IFACE_A IFACE_B MS [JITTER_MS]");
	int a = open_interface(argv[1]), b = open_interface(argv[2]);
	double delay_ms = atof(argv[3]), jitter_ms = argc > 4 ? atof(argv[4]) : 0;
	struct direction ways[2] = {{.from = a, .to = b}, {.from = b, .to = a}};
	for (;;) {
		double wait_ms = send_due(&ways[1], send_due(&ways[0], 1000));
		struct timespec wait = {(time_t)(wait_ms / 1e3), 0};
		wait.tv_nsec = (long)((wait_ms - (double)wait.tv_sec * 1e3) * 1e6);
		struct pollfd ready[2] = {{a, POLLIN, 0}, {b, POLLIN, 0}};
		if (ppoll(ready, 2, &wait, NULL) < 0)
			continue;
		for (int k = 0; k < 2; k++)
			if (ready[k].revents)
				receive(&ways[k], delay_ms, jitter_ms);
	}
}
