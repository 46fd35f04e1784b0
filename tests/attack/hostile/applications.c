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

/* Writes a value into a word that the recorder reads, near to what a ring may hold. */
static void change_word(const struct connection *connection, uint64_t dice)
{
	struct strata_single_area *area = area_of(connection, 0);
	struct strata_single_reader_area *reader = strata_single_reader_area(area);
	const uint64_t read = strata_read_once(&reader->read_count);
	const uint64_t subbuf = (dice >> 8) % strata_nr_subbufs(connection->geo);
	const uint64_t bytes = strata_subbuf_bytes(connection->geo), more = dice >> 24;

	switch (dice % 8) {
	case 0:
	case 1:
		strata_write_once(&area->position,
				  read + more % (2 * strata_buffer_bytes(connection->geo)) / 4 * 4);
		break;
	case 2:
		strata_write_once(&area->position, read - more % bytes);
		break;
	case 3:
	case 4:
		strata_write_once(&area->closed[subbuf].content_bytes,
				  (uint32_t)(more % (bytes + 64)));
		break;
	case 5:
		strata_write_once(&area->closed[subbuf].lost[dice >> 16 & 1], more << more % 64);
		strata_write_once(&area->lost[dice >> 16 & 1], more << more % 64);
		break;
	case 6:
		strata_write_once(&reader->read_count, read + bytes * (more % 3) - bytes);
		break;
	default:
		strata_write_once((uint64_t *)((unsigned char *)area + STRATA_SINGLE_HEAD_BYTES) +
					  more % (strata_buffer_bytes(connection->geo) / 8),
				  dice);
	}
}

void attack_change(const struct attack_arguments *arguments)
{
	const struct application application = { .cpus = 1, .events = 1, .lost = 1 };
	const uint32_t nr = attach_plain(arguments->nr, 1);
	uint64_t dice = 0x9e3779b97f4a7c15u;
	uint32_t i, turn;

	fill_all_once(nr);
	print_connections(nr);
	for (;;) {
		for (i = 0; i < nr; i++) {
			for (turn = 0; turn < 64; turn++) {
				dice = dice * 6364136223846793005u + 1442695040888963407u;
				if (connections[i].rings)
					change_word(&connections[i], dice >> 16 ^ dice << 40);
			}
			if (!has_hung_up(&connections[i]))
				continue;
			hang_up(&connections[i]);
			if (attach(&connections[i], &application))
				fill_once(&connections[i], 0);
		}
	}
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
