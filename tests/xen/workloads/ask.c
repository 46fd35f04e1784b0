// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ask REQUESTS ROUNDS - asks a service in dom0 that often, one question after the other, and works
 * for ROUNDS rounds on each answer.
 *
 * A guest's init starts it. It grants a page to dom0, says "ask: page REF port PORT" for server
 * (tests/xen/helpers), and begins once strata.ko records. It says "ask: half" and waits for a line
 * on its standard input, if there is one; at the end it says "ask: done". A request begins with a
 * notification (an ioctl of /dev/xen/evtchn) and ends when the worked-on answer is acknowledged (a
 * write to it): two functions of the kernel that a recording can probe.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "question.h"

/* The kernel's header takes it from Xen's. */
typedef uint16_t domid_t;
#include <xen/evtchn.h>
#include <xen/gntalloc.h>

#define RECORDING "/sys/module/strata/parameters/recording"
#define SETTLE_MS 300
#define POLL_MS   50

struct channel {
	struct question_page *page;
	int evtchn;
	uint32_t port;
};

static void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static void sleep_ms(long ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static int is_recording(void)
{
	char state = '0';
	int file = open(RECORDING, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return 0;
	if (read(file, &state, 1) != 1)
		state = '0';
	close(file);
	return state == '1' || state == 'Y';
}

static void open_channel(struct channel *channel)
{
	struct ioctl_gntalloc_alloc_gref grant = { .domid = 0,
						   .flags = GNTALLOC_FLAG_WRITABLE,
						   .count = 1 };
	struct ioctl_evtchn_bind_unbound_port bind = { .remote_domain = 0 };
	int gntalloc = open("/dev/xen/gntalloc", O_RDWR | O_CLOEXEC), port;

	if (gntalloc < 0 || ioctl(gntalloc, IOCTL_GNTALLOC_ALLOC_GREF, &grant))
		fail("ask: /dev/xen/gntalloc");
	channel->page =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, gntalloc, (off_t)grant.index);
	if (channel->page == MAP_FAILED)
		fail("ask: mmap");
	channel->evtchn = open("/dev/xen/evtchn", O_RDWR | O_CLOEXEC);
	port = channel->evtchn < 0 ? -1
				   : ioctl(channel->evtchn, IOCTL_EVTCHN_BIND_UNBOUND_PORT, &bind);
	if (port < 0)
		fail("ask: /dev/xen/evtchn");
	channel->port = (uint32_t)port;
	printf("ask: page %u port %u\n", grant.gref_ids[0], channel->port);
	fflush(stdout);
}

/* Waits for a notification. The port is masked then, until it is acknowledged. */
static void await_notification(const struct channel *channel)
{
	uint32_t port;

	if (read(channel->evtchn, &port, sizeof(port)) != sizeof(port))
		fail("ask: read");
}

static void acknowledge(const struct channel *channel)
{
	if (write(channel->evtchn, &channel->port, sizeof(channel->port)) != sizeof(channel->port))
		fail("ask: write");
}

static void await_line(void)
{
	int byte;

	do
		byte = getchar();
	while (byte != '\n' && byte != EOF);
}

/* The same work each time, however long it takes. */
static uint64_t work(uint64_t value, long rounds)
{
	while (rounds-- > 0)
		value = value * 6364136223846793005u + 1442695040888963407u;
	return value;
}

static uint64_t ask(const struct channel *channel, uint64_t number, long rounds)
{
	struct ioctl_evtchn_notify notify = { .port = channel->port };
	uint64_t result;

	channel->page->asked = number;
	if (ioctl(channel->evtchn, IOCTL_EVTCHN_NOTIFY, &notify))
		fail("ask: notify");
	for (;;) {
		await_notification(channel);
		if (channel->page->answered == number)
			break;
		acknowledge(channel);
	}
	result = work(channel->page->answer, rounds);
	acknowledge(channel);
	return result;
}

int main(int argc, char **argv)
{
	long requests = argc == 3 ? atol(argv[1]) : 0, rounds = argc == 3 ? atol(argv[2]) : -1, i;
	volatile uint64_t result = 0;
	struct channel channel;

	if (requests < 2 || rounds < 0) {
		fprintf(stderr, "usage: ask REQUESTS ROUNDS (at least 2, and 0)\n");
		return EXIT_FAILURE;
	}
	open_channel(&channel);
	while (!is_recording())
		sleep_ms(POLL_MS);
	sleep_ms(SETTLE_MS);
	for (i = 1; i <= requests; i++) {
		result += ask(&channel, (uint64_t)i, rounds);
		if (i == requests / 2) {
			printf("ask: half\n");
			fflush(stdout);
			await_line();
		}
	}
	printf("ask: done %ld\n", requests);
	fflush(stdout);
	for (;;)
		pause();
}
