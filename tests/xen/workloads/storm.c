// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * storm N - sends exactly N notifications through an event channel that nobody is bound to, as fast
 * as it can, each time that strata.ko begins to record.
 *
 * A guest's init starts it. Each notification is one hypercall, and Xen drops it: a guest that
 * floods the trace of a host and disturbs nobody else. A test counts what of the N was recorded and
 * what was refused. After each burst it says so, and waits until the recording ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define RECORDING "/sys/module/strata/parameters/recording"
#define SETTLE_MS 300
#define POLL_MS   20

/* From Linux' include/uapi/xen/evtchn.h. */
#define BIND_UNBOUND_PORT _IOC(_IOC_NONE, 'E', 2, 4)
#define NOTIFY            _IOC(_IOC_NONE, 'E', 4, 4)

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

static void await_recording(int wanted)
{
	while (is_recording() != wanted)
		sleep_ms(POLL_MS);
}

int main(int argc, char **argv)
{
	long number = argc > 1 ? atol(argv[1]) : 0;
	uint32_t domain = 0, port;
	int evtchn = open("/dev/xen/evtchn", O_RDWR | O_CLOEXEC);
	int bound = evtchn < 0 ? -1 : ioctl(evtchn, BIND_UNBOUND_PORT, &domain);
	long i;

	if (number <= 0 || bound < 0) {
		perror("storm: usage: storm NUMBER, with /dev/xen/evtchn");
		return 1;
	}
	port = (uint32_t)bound;
	printf("storm: port %u\n", port);
	while (1) {
		await_recording(1);
		sleep_ms(SETTLE_MS);
		for (i = 0; i < number; i++) {
			if (ioctl(evtchn, NOTIFY, &port)) {
				perror("storm: notify");
				return 1;
			}
		}
		printf("storm: done\n");
		fflush(stdout);
		await_recording(0);
	}
}
