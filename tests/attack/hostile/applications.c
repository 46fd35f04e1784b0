// SPDX-License-Identifier: GPL-2.0-or-later
/* applications.c - attacks of applications that speak the protocol: many of them, large ones, ones
 * that come and go, that always have something to be drained or said, and one that lies. */
#include "attacks.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <strata/abi/app.h>

#include "../../raw_app.h"
#include "connection.h"
#include "rings.h"

#define NO_POSITION 0x123456789abcdf00u /* far behind where any ring can be */

void attack_hold(const struct attack_arguments *arguments)
{
	print_connections(attach_plain(arguments->nr, arguments->cpus));
}

void attack_describe(const struct attack_arguments *arguments)
{
	const struct application large = { .cpus = 1,
					   .events = STRATA_APP_EVENTS_MAX,
					   .fields = STRATA_EVENT_FIELDS_MAX,
					   .lost = 1 };

	print_connections(attach_all(arguments->nr, &large));
}

void attack_refill(const struct attack_arguments *arguments)
{
	const uint32_t nr = attach_plain(arguments->nr, arguments->cpus);

	fill_all_once(nr);
	print_connections(nr);
	for (;;)
		refill_all(nr);
}

/* Says READY without end, and throws the answers away. */
void attack_ready(const struct attack_arguments *arguments)
{
	const struct strata_app_packet ready = { .head = { .magic = STRATA_APP_MAGIC,
							   .version = STRATA_APP_ABI_VERSION,
							   .type = STRATA_APP_READY } };
	const uint32_t nr = attach_plain(arguments->nr, 1);
	struct strata_app_packet answer;
	uint32_t i;

	if (!nr)
		exit(1);
	print_connections(nr);
	for (i = 0;; i = (i + 1) % nr) {
		while (send(connections[i].socket, &ready, sizeof(ready.head),
			    MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
			;
		while (recv(connections[i].socket, &answer, sizeof(answer), MSG_DONTWAIT) > 0)
			;
	}
}

static void come_and_go(uint32_t nr, uint64_t lost)
{
	const struct application application = { .cpus = 1, .events = 1, .lost = lost };
	uint32_t i, attached = 0;

	for (i = 0; i < nr; i++) {
		attached += attach(&connections[0], &application);
		hang_up(&connections[0]);
	}
	print_connections(attached);
}

void attack_come(const struct attack_arguments *arguments)
{
	come_and_go(arguments->nr, 1);
}

void attack_pass(const struct attack_arguments *arguments)
{
	come_and_go(arguments->nr, 0);
}

void attack_lies(const struct attack_arguments *arguments)
{
	const struct application application = { .cpus = 1, .events = 1 };
	struct pollfd answer = { .events = POLLIN };
	uint32_t i, attached = 0;

	for (i = 0; i < arguments->nr; i++) {
		if (attach(&connections[0], &application)) {
			attached++;
			strata_write_once(&area_of(&connections[0], 0)->position, NO_POSITION);
			answer.fd = connections[0].socket;
			poll(&answer, 1, RAW_APP_ANSWER_S * 1000);
		}
		hang_up(&connections[0]);
	}
	print_connections(attached);
}
